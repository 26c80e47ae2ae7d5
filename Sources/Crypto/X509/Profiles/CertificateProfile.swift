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

/// A rule that a certificate or CRL breaks.
public struct RuleFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable {
        case fail, warn
    }

    /// `ds.key-usage`.
    public let id: String
    public let severity: Severity
    /// What is wrong, with the values.
    public let message: String
    /// Documents and clauses: `ISO/IEC 18013-5:2021 B.1.4; RFC 5280 4.2.1.3`.
    public let clause: String

    public init(id: String, severity: Severity, message: String, clause: String) {
        self.id = id
        self.severity = severity
        self.message = message
        self.clause = clause
    }

    /// The name of the rule without its profile: `key-usage`.
    public var rule: String { id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? id }

    public var description: String { "\(id): \(message)" }
}

/// The outcome of every rule of a profile.
public struct LintResult: Sendable, Hashable {
    public private(set) var findings: [RuleFinding] = []
    /// Ids of the rules that hold.
    public private(set) var passed: [String] = []
    /// Ids of the rules that could not be looked at, with the reason.
    public private(set) var notRun: [Skipped] = []

    public struct Skipped: Sendable, Hashable {
        public let id: String
        public let reason: String
    }

    public init() {}

    /// What there is to say of bytes that are no certificate.
    ///
    /// - Parameter profile: the name of the profile that they should keep.
    public init(unreadableAs profile: String, because error: CertificateError) {
        findings = [RuleFinding(id: "\(profile).der", severity: .fail, message: "not readable: \(error)", clause: "RFC 5280 4.1")]
    }

    /// Whether no rule of level fail is broken.
    public var isConformant: Bool { findings.allSatisfy { $0.severity == .warn } }

    mutating func add(_ outcome: RuleOutcome, _ id: String, _ severity: RuleFinding.Severity, clause: String) {
        switch outcome {
        case .holds: passed.append(id)
        case .broken(let message): findings.append(RuleFinding(id: id, severity: severity, message: message, clause: clause))
        case .notRun(let reason): notRun.append(Skipped(id: id, reason: reason))
        }
    }
}

/// How one rule ended.
enum RuleOutcome: Sendable, Hashable {
    case holds
    case broken(String)
    /// What it looks at is not there.
    case notRun(String)

    /// Broken with `message` unless `condition`.
    static func require(_ condition: Bool, _ message: @autoclosure () -> String) -> RuleOutcome {
        condition ? .holds : .broken(message())
    }
}
