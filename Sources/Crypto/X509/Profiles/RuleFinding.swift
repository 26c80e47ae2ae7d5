/// A rule that a certificate or CRL breaks.
public struct RuleFinding: Sendable, Hashable, CustomStringConvertible {
    /// What breaking the rule means.
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
