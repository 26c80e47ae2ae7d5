/// The outcome of every rule of a profile.
public struct LintResult: Sendable, Hashable {
    public private(set) var findings: [RuleFinding] = []
    /// Ids of the rules that hold.
    public private(set) var passed: [String] = []
    /// Ids of the rules that could not be looked at, with the reason.
    public private(set) var notRun: [Skipped] = []

    /// A rule that was not looked at.
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

    mutating func add(_ outcome: RuleOutcome, _ id: String, _ severity: RuleFinding.Severity, clause: @autoclosure () -> String) {
        switch outcome {
        case .holds: passed.append(id)
        case .broken(let message): findings.append(RuleFinding(id: id, severity: severity, message: message, clause: clause()))
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
