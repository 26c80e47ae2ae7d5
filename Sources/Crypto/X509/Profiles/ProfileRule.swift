import Codec
import Ports

/// One row of the table of certificate rules: where it exists, at what level, what it asks.
struct ProfileRule: Sendable {
    let name: String
    /// Clause of RFC 5280; nil where the rule is ISO/IEC 18013-5's own.
    let rfcClause: String?
    let levels: RuleLevels
    private let check: @Sendable (LintSubject) -> RuleOutcome

    init(_ name: String, _ rfcClause: String?, _ levels: RuleLevels, _ check: @escaping @Sendable (LintSubject) -> RuleOutcome) {
        self.name = name
        self.rfcClause = rfcClause
        self.levels = levels
        self.check = check
    }

    func outcome(for subject: LintSubject) -> RuleOutcome { check(subject) }

    /// Nil where the rule does not exist for this certificate.
    func severity(for subject: LintSubject) -> RuleFinding.Severity? {
        switch levels[subject.profile] {
        case .none: nil
        case .fail: .fail
        case .warn: .warn
        case .warnInEdition2: subject.edition == .second ? .warn : nil
        case .failIfIssuedByIACA: subject.isIssuedByIACA ? .fail : nil
        }
    }

    func clause(for subject: LintSubject) -> String {
        let parts = [subject.profile.clause(in: subject.edition), rfcClause.map { "RFC 5280 \($0)" }]
        return parts.compactMap { $0 }.joined(separator: "; ")
    }

    /// Every rule, in the order of the table.
    static let all: [ProfileRule] =
        encodingRules + keyRules + nameRules + validityRules + usageRules + identifierRules
        + revocationRules + extensionRules
}

/// The level of a rule in one profile.
enum RuleLevel: Sendable {
    /// The rule does not exist there.
    case none
    case fail
    case warn
    case warnInEdition2
    /// For certificates that an IACA issued; others do not have the rule.
    case failIfIssuedByIACA

    func exists(in edition: Edition) -> Bool {
        switch self {
        case .none: false
        case .warnInEdition2: edition == .second
        case .fail, .warn, .failIfIssuedByIACA: true
        }
    }
}

/// The levels of a rule by profile: one row of the table.
struct RuleLevels: Sendable {
    private let iaca, link, ds, reader, status, vical, other: RuleLevel

    init(iaca: RuleLevel, link: RuleLevel, ds: RuleLevel, reader: RuleLevel, status: RuleLevel, vical: RuleLevel) {
        self.init(iaca: iaca, link: link, ds: ds, reader: reader, status: status, vical: vical, other: .none)
    }

    private init(
        iaca: RuleLevel, link: RuleLevel, ds: RuleLevel, reader: RuleLevel, status: RuleLevel, vical: RuleLevel, other: RuleLevel
    ) {
        self.iaca = iaca
        self.link = link
        self.ds = ds
        self.reader = reader
        self.status = status
        self.vical = vical
        self.other = other
    }

    /// In every ISO profile.
    static let everywhere = RuleLevels(iaca: .fail, link: .fail, ds: .fail, reader: .fail, status: .fail, vical: .fail)

    /// The same row, which other profiles have as well, as a warning.
    var andElsewhere: RuleLevels {
        RuleLevels(iaca: iaca, link: link, ds: ds, reader: reader, status: status, vical: vical, other: .warn)
    }

    subscript(profile: CertificateProfile) -> RuleLevel {
        switch profile {
        case .iaca: iaca
        case .link: link
        case .ds: ds
        case .reader: reader
        case .status: status
        case .vical: vical
        case .tls: other
        }
    }
}

/// What the rules look at.
struct LintSubject: Sendable {
    let certificate: Certificate
    let profile: CertificateProfile
    let context: LintContext
    /// Whether the issuer is an IACA: it keeps every rule of the profile that has level fail.
    let isIssuedByIACA: Bool

    init(certificate: Certificate, profile: CertificateProfile, context: LintContext) {
        self.certificate = certificate
        self.profile = profile
        self.context = context
        isIssuedByIACA = profile == .reader && context.issuer.map { $0.isIACA(in: context.edition) } ?? false
    }

    var edition: Edition { context.edition }

    /// Runs `check` with the issuer, where it is known.
    func withIssuer(_ check: (Certificate) -> RuleOutcome) -> RuleOutcome {
        context.issuer.map(check) ?? .notRun("the issuer's certificate is not known")
    }

    /// Runs `check` with the root that a link certificate links to, where it is known.
    func withNewRoot(_ check: (Certificate) -> RuleOutcome) -> RuleOutcome {
        context.newRoot.map(check) ?? .notRun("the new root is not known")
    }
}

extension Certificate {
    /// Whether this keeps every rule of an IACA root that has level fail.
    func isIACA(in edition: Edition) -> Bool {
        basicConstraints?.isCA == true && isSelfIssued
            && CertificateProfile.iaca.lint(self, in: LintContext(edition: edition)).isConformant
    }
}
