public import Ports

/// What a certificate is held against besides itself.
public struct LintContext: Sendable {
    /// The certificate whose key signed it.
    public var issuer: Certificate?
    /// The root that a link certificate links to.
    public var newRoot: Certificate?
    public var edition: Edition

    public init(issuer: Certificate? = nil, newRoot: Certificate? = nil, edition: Edition = .first) {
        self.issuer = issuer
        self.newRoot = newRoot
        self.edition = edition
    }

    /// The context that `candidates` give to `certificate`: its issuer is the one whose key made the signature, else the one it
    /// names by key identifier, else by name.
    public init(of certificate: Certificate, among candidates: [Certificate], edition: Edition) {
        let authorities = candidates.filter { $0.basicConstraints?.isCA ?? false }
        self.edition = edition
        issuer = Self.issuer(of: certificate, among: authorities)
        newRoot = authorities.first { root in
            root.isSelfIssued && root != certificate
                && (root.subject == certificate.subject || root.publicKeyBits == certificate.publicKeyBits)
        }
    }

    private static func issuer(of certificate: Certificate, among authorities: [Certificate]) -> Certificate? {
        if let signer = authorities.first(where: { certificate.isSigned(by: $0) }) { return signer }
        let wanted = certificate.authorityKeyIdentifier?.keyIdentifier
        return authorities.first { wanted != nil && $0.subjectKeyIdentifier == wanted }
            ?? authorities.first { $0.subject == certificate.issuer }
    }
}
