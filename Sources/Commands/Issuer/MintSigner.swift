import Codec
import Credentials
import Crypto
import Ports

/// Who signs in `issuer mint`: the home's test document signer, one that the command line names, or one with a fault.
struct MintSigner {
    let identity: IssuingIdentity
    let certificate: Certificate
    /// The same signer, for signatures over other things than an MSO.
    let signing: SigningIdentity
    /// What is made wrong in the document itself.
    let tampering: Tampering
    /// What is made wrong with its status.
    let status: ListFault?
    private let fault: SignerFault?

    init(_ invocation: Invocation) throws(CommandError) {
        let context = invocation.context
        (tampering, fault, status) = try Self.faults(context.faults)
        let (signer, root) = try Self.signer(invocation, fault)
        certificate = signer.certificate
        signing = signer
        do {
            identity = try IssuingIdentity(
                certificate: signer.certificate, key: signer.key, nonce: context.isDeterministic ? .deterministic : .random,
                root: root)
        } catch { throw .refused("\(error)", hint: "the signer's key must be on a curve for signatures") }
    }

    /// The end of validity of a document that should be valid until `wanted`: not beyond that of its signer, which readers warn
    /// about, unless a fault ends the signer before.
    func validUntil(_ wanted: Timestamp) -> Timestamp { fault == .expired ? wanted : min(wanted, certificate.notAfter) }

    /// - Throws: exit code 2 for a fault that documents of the format cannot have.
    func refuseFaults(outside format: String) throws(CommandError) {
        for fault in tampering.faults where !fault.issuedFormats.contains(format) {
            let others = fault.issuedFormats.sorted().joined(separator: ", ")
            throw .usage("--fault \(fault.name): a fault of \(others) only", hint: "walletbench faults \(fault.name)")
        }
    }

    /// - Throws: exit code 1 when the signer cannot sign now: every reader would refuse the document.
    func checkValidity(at time: Timestamp) throws(CommandError) {
        guard fault != .expired, !certificate.isValid(at: time) else { return }
        throw .refused(
            "the signer's certificate is valid from \(certificate.notBefore.rfc3339) to \(certificate.notAfter.rfc3339), not at \(time.rfc3339)",
            hint: "make another one with: walletbench trust make ds")
    }

    private static func faults(_ names: [FaultName]) throws(CommandError) -> (Tampering, SignerFault?, ListFault?) {
        var content: [String] = []
        var signer: SignerFault?
        var status: ListFault?
        for fault in names {
            if let known = SignerFault(fault) {
                signer = known
            } else if let known = ListFault.named(fault.name) {
                status = known
            } else if ContentFault.named(fault.name)?.senders.contains(.issuer) ?? false {
                content.append(fault.name)
            } else {
                throw .usage("--fault \(fault.text): the issuer has no such fault", hint: "walletbench faults lists them")
            }
        }
        do { return (try Tampering(named: content), signer, status) } catch { throw .usage("\(error)") }
    }

    private static func signer(
        _ invocation: Invocation, _ fault: SignerFault?
    ) throws(CommandError) -> (SigningIdentity, root: Certificate?) {
        if let path = invocation.string("signer") {
            guard fault == nil else { throw .usage("--fault \(fault?.name ?? ""): not with --signer, which is signed already") }
            return (try named(path, invocation), nil)
        }
        let maker = CertificateMaker(
            at: invocation.context.clock.now(), random: invocation.context.random, edition: invocation.context.edition)
        var made = TestCertificates(maker: maker, folder: CertificateFolder(of: invocation.context.home))
        do {
            let root = try made.authority(.iaca)
            if let fault { return (try fault.signer(maker, issuer: root), root.certificate) }
            if let known = try made.folder.identity("ds") { return (known, root.certificate) }
            _ = try made.make(.ds, breaking: nil)
            invocation.console.talk("note: made a test document signer in \(made.folder.path)")
            guard let signer = try made.folder.identity("ds") else {
                throw CommandError.environment("\(made.folder.path) does not keep what is written into it")
            }
            return (signer, root.certificate)
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("making the signer's certificate: \(error)") }
    }

    private static func named(_ path: String, _ invocation: Invocation) throws(CommandError) -> SigningIdentity {
        guard let certificate = try CertificateFile.certificates(path).first else {
            throw .refused("\(path): no certificate in it")
        }
        let key = try KeyFile.privateKey(try invocation.required("signer-key"))
        guard (try? certificate.publicKey()) == key.publicKey else {
            throw .refused("--signer-key is not the key of --signer \(path)")
        }
        return SigningIdentity(certificate: certificate, key: key)
    }
}

/// Faults of the signer's certificate: one that is wrong is made for the occasion, the good one stays.
enum SignerFault: Sendable, Hashable {
    case fromUnknownRoot, signatureBroken, expired, unknownCritical, country, state
    /// A rule of the document signer profile.
    case breaking(String)

    /// nil when the name is none of these.
    init?(_ fault: FaultName) {
        switch fault.name {
        case "ds-from-unknown-root": self = .fromUnknownRoot
        case "ds-signature-broken": self = .signatureBroken
        case "ds-expired": self = .expired
        case "ds-unknown-critical": self = .unknownCritical
        case "country-equal": self = .country
        case "state-equal": self = .state
        case "ds-break": self = .breaking(fault.argument ?? "")
        default: return nil
        }
    }

    /// Every kind, for lists; `breaking` without its rule.
    static let all: [SignerFault] = [
        .fromUnknownRoot, .signatureBroken, .expired, .unknownCritical, .country, .state, .breaking("RULE"),
    ]

    /// What is wrong, for people.
    var summary: String {
        switch self {
        case .fromUnknownRoot: "the signer's certificate comes from a root that nobody trusts"
        case .signatureBroken: "the signature of the signer's certificate is broken"
        case .expired: "the signer's certificate ended yesterday"
        case .unknownCritical: "the signer's certificate has a critical extension that nobody knows"
        case .country: "the signer's certificate names another country than its root"
        case .state: "the signer's certificate names another state than its root"
        case .breaking: "the signer's certificate breaks this rule of its profile (trust make ds --rules)"
        }
    }

    /// Checks that may fail or warn along with those that the catalogue names.
    var also: [String] {
        switch self {
        case .expired: ["R19", "R21.outlives", "R12.*"]
        case .unknownCritical, .fromUnknownRoot, .signatureBroken: ["R12.*"]
        case .country, .state: ["R12.*", "R27.*"]
        case .breaking: ["R11.*", "R13.*", "R19", "R27.*"]
        }
    }

    /// As on the command line.
    var name: String {
        switch self {
        case .fromUnknownRoot: "ds-from-unknown-root"
        case .signatureBroken: "ds-signature-broken"
        case .expired: "ds-expired"
        case .unknownCritical: "ds-unknown-critical"
        case .country: "country-equal"
        case .state: "state-equal"
        case .breaking(let rule): "ds-break:\(rule)"
        }
    }

    func signer(_ maker: CertificateMaker, issuer: SigningIdentity) throws -> SigningIdentity {
        switch self {
        case .fromUnknownRoot:
            let stranger = other(maker, organization: "Erewhon")
            return try stranger.endEntity(.ds, issuer: stranger.root())
        case .signatureBroken: return try maker.endEntity(.ds, issuer: issuer) { $0.spoilsSignature = true }
        case .expired:
            return try maker.endEntity(.ds, issuer: issuer) { builder in
                builder.notBefore = max(issuer.certificate.notBefore, maker.time.adding(days: -20))
                builder.notAfter = maker.time.adding(days: -1)
            }
        case .unknownCritical: return try maker.endEntity(.ds, issuer: issuer, breaking: "unknown-critical")
        case .country: return try other(maker, country: "UX").endEntity(.ds, issuer: issuer)
        case .state: return try other(maker, state: "UT-X").endEntity(.ds, issuer: issuer)
        case .breaking(let rule):
            guard CertificateProfile.ds.rules(in: maker.edition).contains(rule) else {
                throw CommandError.usage(
                    "--fault ds-break:\(rule): no such rule", hint: "walletbench trust make ds --rules lists them")
            }
            return try maker.endEntity(.ds, issuer: issuer, breaking: rule)
        }
    }

    private func other(
        _ maker: CertificateMaker, country: String? = nil, state: String? = nil, organization: String? = nil
    ) -> CertificateMaker {
        CertificateMaker(
            at: maker.time, random: maker.random, edition: maker.edition, country: country ?? maker.country,
            state: state ?? maker.state, organization: organization ?? maker.organization)
    }
}
