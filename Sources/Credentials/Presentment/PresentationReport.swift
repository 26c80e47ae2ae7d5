public import Ports

/// The result of a verification: every check, what was presented, and the verdict they come to.
///
/// Findings are not errors: a failed check is a row here, and later checks still ran.
public struct PresentationReport: Sendable {
    /// The moment for which validity was judged.
    public let at: Timestamp
    public let rule: VerdictRule
    public internal(set) var checks: [Check]
    public var documents: [PresentedDocument]
    /// What was requested and did not come: `<docType>/<namespace>/<element>`, or `<docType>` for a whole document.
    public var missing: [String]
    /// What came and was not requested, in the same form.
    public var unrequested: [String]

    public init(
        at: Timestamp, rule: VerdictRule = VerdictRule(), checks: CheckList, documents: [PresentedDocument] = [],
        missing: [String] = [], unrequested: [String] = []
    ) {
        self.at = at
        self.rule = rule
        self.checks = checks.checks
        self.documents = documents
        self.missing = missing
        self.unrequested = unrequested
    }

    public var verdict: Verdict { rule.verdict(of: checks) }

    /// What every warning says, with its check and subject.
    public var warnings: [String] {
        checks.compactMap { $0.outcome == .warn ? "\($0.id) \($0.subject): \($0.reason ?? $0.name)" : nil }
    }

    /// This report with the checks of `list` before its own: what was seen of engagement and session precedes the response.
    public func adding(checks list: CheckList) -> PresentationReport {
        var report = self
        report.checks = list.checks + checks
        return report
    }

    /// Puts `rows` in the place of those that stood for the same checks of `subject`.
    mutating func replace(_ rows: [Check], of subject: String) { checks.replace(rows, of: subject) }

    /// One report of several responses of a session, in order.
    public func merging(_ later: PresentationReport) -> PresentationReport {
        var report = self
        report.checks += later.checks
        report.documents += later.documents
        report.missing += later.missing
        report.unrequested += later.unrequested
        return report
    }
}
