import Codec
import Credentials
import Crypto
import Ports

/// What a reader, verifier or issuer can make wrong with its registration certificate (checks T50 to T68).
enum RegistrationFault: Sendable, Hashable {
    case content(RegistrationMaker.Fault)
    /// What its status list says.
    case status(UInt8, String)
    case listDown, untrusted, accessGarbage, accessAbsent, once, differs, absent

    /// Who makes it.
    enum Role: String, Sendable { case reader, verifier, issuer }

    var roles: [Role] {
        switch self {
        case .once, .differs: [.reader]
        case .content(.notCovered): [.issuer]
        case .content(.overAsking): [.reader, .verifier]
        default: [.reader, .verifier, .issuer]
        }
    }

    static let all: [RegistrationFault] =
        RegistrationMaker.Fault.allCases.map(RegistrationFault.content) + [
            .status(1, "wrprc-revoked"), .status(2, "wrprc-suspended"), .status(3, "wrprc-status-3"), .listDown, .untrusted,
            .accessGarbage, .accessAbsent, .once, .differs, .absent,
        ]

    init?(_ name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    var name: String {
        switch self {
        case .content(let fault): fault.rawValue
        case .status(_, let name): name
        case .listDown: "wrprc-list-down"
        case .untrusted: "wrprc-untrusted"
        case .accessGarbage: "wrpac-garbage"
        case .accessAbsent: "wrpac-absent"
        case .once: "wrprc-once"
        case .differs: "wrprc-differs"
        case .absent: "wrprc-absent"
        }
    }

    var summary: String {
        switch self {
        case .content(.expired): "the registration certificate expired yesterday"
        case .content(.noStatus): "the registration certificate has no status"
        case .content(.type): "typ of the registration certificate is another"
        case .content(.payload): "the name in the registration certificate is a number"
        case .content(.garbage): "the registration certificate is no JWT or CWT"
        case .content(.notBound): "the registration certificate is that of somebody else"
        case .content(.noEntitlement): "the registration certificate entitles to nothing that is needed"
        case .content(.overAsking): "more is asked than is registered"
        case .content(.notCovered): "the registration covers no configuration of the issuer"
        case .status(1, _): "the registration certificate is revoked"
        case .status(2, _): "the registration certificate is suspended"
        case .status: "the registration certificate has the application-specific status 3"
        case .listDown: "the status list of the registration certificate is not there"
        case .untrusted: "the registrar comes from a root that nobody trusts"
        case .accessGarbage: "the certificate that signs request or metadata is unreadable"
        case .accessAbsent: "request or metadata are not signed"
        case .once: "only the first docRequest carries the registration certificate"
        case .differs: "two docRequests carry two registration certificates"
        case .absent: "there is no registration certificate"
        }
    }

    /// Checks that may fail or warn along.
    var also: [String] {
        switch self {
        case .accessGarbage: ["H7.*", "H8.*", "H10.*", "T61", "VW13.x5c", "IW3.*"]
        case .accessAbsent: ["H7.absent", "H10.*"]
        case .untrusted: ["T55", "H10.*"]
        default: ["H10.*", "R6.status", "R26.missing"]
        }
    }

    var checks: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }
}
