import Credentials
import Crypto
import Ports

/// Faults of the reader's certificate: one that is wrong is made for the occasion, the good one stays.
enum ReaderCertificateFault: Sendable, Hashable {
    case fromUnknownCA, expired, unknownCritical, revoked
    /// A rule of the reader profile.
    case breaking(String)

    /// Every kind, for lists; `breaking` without its rule.
    static let all: [ReaderCertificateFault] = [
        .fromUnknownCA, .expired, .unknownCritical, .revoked, .breaking("RULE"),
    ]

    /// nil when the name is none of these.
    init?(_ fault: FaultName) {
        switch fault.name {
        case "reader-from-unknown-ca": self = .fromUnknownCA
        case "reader-expired": self = .expired
        case "reader-unknown-critical": self = .unknownCritical
        case "reader-revoked": self = .revoked
        case "reader-break": self = .breaking(fault.argument ?? "")
        default: return nil
        }
    }

    /// As on the command line.
    var name: String {
        switch self {
        case .fromUnknownCA: "reader-from-unknown-ca"
        case .expired: "reader-expired"
        case .unknownCritical: "reader-unknown-critical"
        case .revoked: "reader-revoked"
        case .breaking(let rule): "reader-break:\(rule)"
        }
    }

    /// What is wrong, for people.
    var summary: String {
        switch self {
        case .fromUnknownCA: "the reader's certificate comes from a root that nobody trusts"
        case .expired: "the reader's certificate ended yesterday"
        case .unknownCritical: "the reader's certificate has a critical extension that nobody knows"
        case .revoked: "the reader's certificate is revoked, as the CRL in issuer/status of its home says"
        case .breaking: "the reader's certificate breaks this rule of its profile (trust make reader --rules)"
        }
    }

    /// Certificate and key, by the reader CA of the home (made when there is none).
    func identity(_ context: Context) throws(CommandError) -> SigningIdentity {
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
        do {
            switch self {
            case .fromUnknownCA:
                let stranger = CertificateMaker(
                    at: maker.time, random: maker.random, edition: maker.edition, organization: "Erewhon")
                return try stranger.endEntity(.reader, issuer: stranger.authority("TEST Reader CA"))
            case .expired:
                let issuer = try made.authority(.readers)
                return try maker.endEntity(.reader, issuer: issuer) { builder in
                    builder.notBefore = max(issuer.certificate.notBefore, maker.time.adding(days: -20))
                    builder.notAfter = maker.time.adding(days: -1)
                }
            case .unknownCritical:
                return try maker.endEntity(.reader, issuer: made.authority(.readers), breaking: "unknown-critical")
            case .revoked:
                let authority = try made.authority(.readers)
                let reader = try maker.endEntity(.reader, issuer: authority)
                let list = try maker.revocationList(of: authority, revoking: [reader.certificate.serialNumber])
                let folder = IssuedStatuses.folder(of: context.home)
                try Home(path: folder, source: context.home.source).make()
                try Files.write(list.der, to: "\(folder)/\(CertificateMaker.crlName(of: authority.certificate))")
                return reader
            case .breaking(let rule):
                guard CertificateProfile.reader.rules(in: maker.edition).contains(rule) else {
                    throw CommandError.usage(
                        "--fault reader-break:\(rule): no such rule", hint: "walletbench trust make reader --rules lists them")
                }
                let isUnderIACA = CertificateProfile.reader.rulesUnderIACA.contains(rule)
                return try maker.endEntity(.reader, issuer: made.authority(isUnderIACA ? .iaca : .readers), breaking: rule)
            }
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("making the reader's certificate: \(error)") }
    }
}
