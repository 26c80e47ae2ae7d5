import Ports

extension ProfileRule {
    static let validityRules: [ProfileRule] = [
        ProfileRule("validity-period", "4.1.2.5", .everywhere) { subject in
            let certificate = subject.certificate
            guard certificate.notBefore <= certificate.notAfter else { return .broken("notAfter lies before notBefore") }
            guard let days = subject.profile.longestValidityInDays else {
                return subject.withIssuer { old in
                    .require(
                        certificate.notAfter <= old.notAfter,
                        "valid until \(certificate.notAfter.rfc3339), the old root until \(old.notAfter.rfc3339)")
                }
            }
            return .require(
                certificate.notAfter <= certificate.notBefore.adding(seconds: days * 86400),
                "valid from \(certificate.notBefore.rfc3339) until \(certificate.notAfter.rfc3339), at most \(days) days allowed")
        },
        ProfileRule(
            "validity-nested", "4.1.2.5",
            RuleLevels(iaca: .none, link: .fail, ds: .warn, reader: .warn, status: .warn, vical: .warn).andElsewhere
        ) { subject in
            subject.withIssuer { issuer in
                let certificate = subject.certificate
                // How long a link certificate may outlive the old root (not at all) is said by validity-period.
                let endsInside = certificate.notAfter <= issuer.notAfter || subject.profile == .link
                return .require(
                    issuer.notBefore <= certificate.notBefore && endsInside,
                    "valid from \(certificate.notBefore.rfc3339) until \(certificate.notAfter.rfc3339), its issuer from "
                        + "\(issuer.notBefore.rfc3339) until \(issuer.notAfter.rfc3339)")
            }
        },
    ]
}

extension CertificateProfile {
    /// The longest validity; nil for link certificates, which end with the old root, and profiles without a limit.
    package var longestValidityInDays: Int64? {
        switch self {
        // Twenty years with their leap days.
        case .iaca: 7305
        case .ds: 457
        case .reader, .status, .vical: 1187
        case .link, .tls: nil
        }
    }
}
