import Codec
package import Crypto
import Ports

extension CertificateMaker {
    /// A CRL of `authority` (B.2), keeping all rules or breaking exactly one.
    ///
    /// - Parameter revoked: serial numbers of the certificates that it revokes, as at `time`.
    /// - Throws: `UnbreakableRule` where the profile has no such rule.
    package func revocationList(
        of authority: SigningIdentity, revoking revoked: [[UInt8]] = [], number: Int = 1, breaking rule: String? = nil
    ) throws -> CertificateRevocationList {
        var builder = RevocationListBuilder(
            authority: authority.certificate, number: number, thisUpdate: time.adding(days: -1), nextUpdate: time.adding(days: 30),
            signatureAlgorithm: SignatureAlgorithm(curve: authority.key.curve) ?? .ecdsaWithSHA256)
        builder.entries = revoked.map { .init(serialNumber: $0, revokedAt: time) }
        if let rule { try builder.breakRule(rule, random: random) }
        return try builder.signed(by: authority.key, nonce: nonce)
    }
}

extension RevocationListBuilder {
    fileprivate mutating func breakRule(_ rule: String, random: any RandomSource) throws {
        switch rule {
        case "version": version = 1
        case "signature-algorithm": signatureAlgorithm = .ecdsaWithSHA1
        case "signature": spoilsSignature = true
        case "issuer-bytes": issuer = issuer.replacing(.commonName, with: .init(.commonName, "Somebody else"))
        case "aki": extensions.removeAll { $0.oid == .authorityKeyIdentifier }
        case "number": extensions.removeAll { $0.oid == .crlNumber }
        case "next-update-present": nextUpdate = nil
        case "interval": nextUpdate = thisUpdate.adding(days: 91)
        case "current":
            thisUpdate = thisUpdate.adding(days: -31)
            nextUpdate = thisUpdate.adding(days: 30)
        case "extensions": extensions.append(.issuerAlternativeName([.uri("https://pki.utopia.example/contact")]))
        case "entry-extensions":
            let reason = CertificateExtension(.crlReason, value: DERWriter.encode { $0.enumerated(1) })
            entries = [.init(serialNumber: [0x40] + random.bytes(15), revokedAt: thisUpdate, extensions: [reason])]
        case "empty-list":
            entries = []
            writesEmptyList = true
        case "full":
            extensions.append(CertificateExtension(.deltaCRLIndicator, critical: true, value: DERWriter.encode { $0.integer(1) }))
        default: throw UnbreakableRule("profile crl has no rule \"\(rule)\"")
        }
    }
}
