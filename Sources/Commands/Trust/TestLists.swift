import Credentials
import Crypto
import Ports

/// What can be wrong on purpose with a trust list that `trust make` signs.
enum TrustListFault: Sendable, Hashable {
    case content(TrustListMaker.Fault)
    /// The signer comes from a root that nobody trusts.
    case vicalPath, entityPath
    /// The signer has another purpose.
    case signer
    /// No list at all.
    case garbage
    /// An empty file: the source has nothing.
    case down
    /// A list that was fetched two days ago and cannot be had again (`trust add`).
    case cacheAge

    static let all: [TrustListFault] =
        TrustListMaker.Fault.allCases.map(TrustListFault.content) + [.vicalPath, .entityPath, .signer, .garbage, .down, .cacheAge]

    init?(_ name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    var name: String {
        switch self {
        case .content(let fault): fault.rawValue
        case .vicalPath: "vical-path"
        case .entityPath: "lote-path"
        case .signer: "vical-signer"
        case .garbage: "anchor-readable"
        case .down: "source-down"
        case .cacheAge: "cache-age"
        }
    }

    var summary: String {
        switch self {
        case .content(.signature): "the signature of the VICAL is broken"
        case .content(.outdated): "the VICAL should have been replaced yesterday"
        case .content(.docType): "the VICAL names the IACA for another document type"
        case .content(.entitySignature): "the signature of the list of trusted entities is broken"
        case .content(.shape): "the services of the list's entities are no list"
        case .content(.expired): "the list of trusted entities expired yesterday"
        case .content(.pointer): "the list points to one that is not there"
        case .content(.type): "the list is one of wallet providers"
        case .vicalPath: "the VICAL is signed under a root that nobody trusts"
        case .entityPath: "the list of trusted entities is signed under a root that nobody trusts"
        case .signer: "the VICAL is signed by a certificate of another purpose"
        case .garbage: "the file is no trust list"
        case .down: "the file of the trust list is empty"
        case .cacheAge: "the list was fetched two days ago from an address that no longer answers (trust add)"
        }
    }

    /// Checks that may fail or warn along: nobody vouches for the issuer then.
    var also: [String] { ["R11.path", "S4.path", "R13.country", "R13.state"] }

    var checks: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }
}

extension TestCertificates {
    /// What a list that is made is about.
    struct ListOrder {
        /// `EUPIDProvidersList`.
        var type = "EUPIDProvidersList"
        var docTypes = ["org.iso.18013.5.1.mDL"]
        var pointers: [String] = []
        var locations: [String] = []
        var sequence = 1
        var fault: TrustListFault?
    }

    /// Signs a VICAL, RICAL or list of trusted entities over the authorities of the folder.
    mutating func makeList(_ product: Product, breaking rule: String?, _ order: ListOrder) async throws -> MadeList {
        let signer = try listSigner(breaking: rule, order.fault)
        var list = TrustListMaker(
            signer: signer, provider: "\(maker.organization) TEST", at: maker.time,
            nonce: maker.random.isDeterministic ? .deterministic : .random)
        list.sequence = UInt64(order.sequence)
        if case .content(let fault)? = order.fault { list.fault = fault }
        let bytes: [UInt8]
        let name: String
        switch product {
        case .rical: (bytes, name) = (try await list.rical([try authority(.readers).certificate]), "rical.cbor")
        case .lote:
            let about: Authority =
                order.type == "EUWRPACProvidersList" ? .readers : order.type == "EUWRPRCProvidersList" ? .registrars : .iaca
            name = "lote-\(order.type).jwt"
            bytes = try await list.lote(
                order.type, [try authority(about).certificate], pointers: order.pointers, locations: order.locations)
        default:
            name = "vical.cbor"
            bytes = try await list.vical([(try authority(.iaca).certificate, order.docTypes)])
        }
        let path = folder.file(name)
        let content: [UInt8] = order.fault == .garbage ? Array("no list".utf8) : order.fault == .down ? [] : bytes
        try folder.write(content, to: name)
        return MadeList(path: path, bytes: content.count, signer: signer.certificate)
    }

    struct MadeList {
        let path: String
        let bytes: Int
        let signer: Certificate
    }

    /// The one of the folder, unless something is to be wrong with it.
    private mutating func listSigner(breaking rule: String?, _ fault: TrustListFault?) throws -> SigningIdentity {
        switch fault {
        case .vicalPath, .entityPath:
            let stranger = CertificateMaker(
                at: maker.time, random: maker.random, edition: maker.edition, organization: "Erewhon")
            return try stranger.endEntity(.vical, issuer: stranger.authority("TEST VICAL CA"))
        case .signer: return try maker.endEntity(.reader, issuer: authority(.lists))
        default: break
        }
        if let rule { return try maker.endEntity(.vical, issuer: authority(.lists), breaking: rule) }
        if let known = try folder.identity("vical"), known.certificate.isValid(at: maker.time) { return known }
        _ = try make(.vicalSigner, breaking: nil)
        guard let made = try folder.identity("vical") else {
            throw CommandError.environment("\(folder.path) does not keep what is written into it")
        }
        return made
    }
}
