public import Ports

extension CertificateRevocationList {
    /// What a list says of one certificate.
    public enum Answer: Sendable, Hashable {
        case good
        case revoked
        /// It is another issuer's, not signed, out of date, or for some certificates only.
        case none
    }

    /// The first reason why the list says nothing about certificates of `issuer`; nil: it is theirs, full, and current.
    public func objection(issuer: Certificate, at time: Timestamp) -> String? {
        if self.issuer != issuer.subject { return "issuer is not the certificate's issuer" }
        if let usage = issuer.keyUsage, !usage.contains(.cRLSign) { return "key usage of the issuer lacks cRLSign" }
        if let unknown = extensions.first(where: \.isCritical) {
            return "critical extension \(unknown.oid): not a full list of its issuer"
        }
        if let unknown = entries?.lazy.flatMap(\.extensions).first(where: { $0.isCritical }) {
            return "an entry has the critical extension \(unknown.oid)"
        }
        if !isSigned(by: issuer) { return "signature invalid" }
        if thisUpdate > time { return "thisUpdate \(thisUpdate.rfc3339) lies ahead" }
        guard let nextUpdate else { return "nextUpdate is missing" }
        return nextUpdate >= time ? nil : "nextUpdate \(nextUpdate.rfc3339) passed"
    }

    /// - Parameter issuer: the certificate whose key signed `certificate`.
    public func answer(for certificate: Certificate, issuer: Certificate, at time: Timestamp) -> Answer {
        guard objection(issuer: issuer, at: time) == nil else { return .none }
        return revocation(of: certificate) == nil ? .good : .revoked
    }
}
