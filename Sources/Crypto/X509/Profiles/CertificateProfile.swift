public import Codec
public import Ports

/// The certificate profiles of ISO/IEC 18013-5 Annex B and C, and TLS server certificates, of which only RFC 5280's own rules are
/// looked at.
public enum CertificateProfile: String, Sendable, Hashable, CaseIterable {
    /// Root of an issuing authority (B.1.2).
    case iaca
    /// Certificate of a new root by the old one (B.1.3).
    case link
    /// Document signer (B.1.4).
    case ds
    /// Reader authentication (2021: B.1.7, second edition: B.1.5).
    case reader
    /// Signer of status lists (second edition: B.1.7).
    case status
    /// Signer of VICALs (2021: Annex C, second edition: C.1.7.2).
    case vical
    case tls

    /// What a certificate seems to be meant as: by its extended key usage, else by being a CA or not.
    public init(guessedFor certificate: Certificate) {
        let purposes = Set(certificate.extendedKeyUsage ?? [])
        let byPurpose = [Self.ds, .reader, .vical].first { !purposes.isDisjoint(with: $0.purposes) }
        if let byPurpose {
            self = byPurpose
        } else if certificate.basicConstraints?.isCA == true, certificate.keyUsage?.contains(.keyCertSign) ?? true {
            self = certificate.isSelfIssued ? .iaca : .link
        } else {
            self = purposes.contains(.serverAuthentication) ? .tls : .status
        }
    }

    /// The purposes that mark the profile: ISO/IEC 18013-5's own first, then the generic one of ISO/IEC 23220-4.
    public var purposes: [OID] {
        switch self {
        case .ds: [.mdlDocumentSigner, .mdocDocumentSigner]
        case .reader: [.mdlReaderAuthentication, .mdocReaderAuthentication]
        case .vical: [.vicalSigner, .mdocTrustListSigner]
        case .status: [.oauthStatusSigning]
        case .tls: [.serverAuthentication]
        case .iaca, .link: []
        }
    }

    /// Whether certificates of this profile certify others.
    public var isAuthority: Bool { self == .iaca || self == .link }

    /// Document and clause that define the profile; nil where ISO/IEC 18013-5 does not.
    public func clause(in edition: Edition) -> String? {
        let place: (first: String?, second: String?) =
            switch self {
            case .iaca: ("B.1.2", "B.1.2")
            case .link: ("B.1.3", "B.1.3")
            case .ds: ("B.1.4", "B.1.4")
            case .reader: ("B.1.7", "B.1.5")
            case .status: (nil, "B.1.7")
            case .vical: ("Annex C", "C.1.7.2")
            case .tls: (nil, nil)
            }
        if edition == .first, let first = place.first { return "ISO/IEC 18013-5:2021 \(first)" }
        return place.second.map { "ISO/IEC WD 18013-5 \($0)" }
    }

    /// Holds `certificate` against every rule of the profile.
    public func lint(_ certificate: Certificate, in context: LintContext) -> LintResult {
        let subject = LintSubject(certificate: certificate, profile: self, context: context)
        var result = LintResult()
        for rule in ProfileRule.all {
            guard let severity = rule.severity(for: subject) else { continue }
            result.add(rule.outcome(for: subject), "\(rawValue).\(rule.name)", severity, clause: rule.clause(for: subject))
        }
        return result
    }

    /// The rules that `certificate` breaks.
    ///
    /// - Parameter issuer: the certificate whose key signed it; rules that need it are left out without.
    public func lint(_ certificate: Certificate, issuer: Certificate?, edition: Edition = .first) -> [RuleFinding] {
        lint(certificate, in: LintContext(issuer: issuer, edition: edition)).findings
    }

    /// The names of the profile's rules in `edition`, in the order of the table; those for certificates of an IACA alone
    /// included.
    public func rules(in edition: Edition) -> [String] {
        ProfileRule.all.filter { $0.levels[self].exists(in: edition) }.map(\.name)
    }

    /// Those of the rules that exist only for certificates that an IACA issued.
    public var rulesUnderIACA: Set<String> {
        Set(ProfileRule.all.filter { $0.levels[self] == .failIfIssuedByIACA }.map(\.name))
    }
}
