public import Credentials
import Ports

/// A report as a table for a terminal: the verdict, what was presented, then the checks by subject, violations first.
public struct TableReport {
    private let report: PresentationReport
    private let options: ReportOptions

    public init(_ report: PresentationReport, _ options: ReportOptions = ReportOptions()) {
        self.report = report
        self.options = options
    }

    public var text: String {
        let parts = [headline] + report.documents.map(document) + [CheckTable(report.checks, options).text, request]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    private var headline: String {
        let word = report.verdict.rawValue.uppercased()
        let remark = options.remark.map { "\(Escaping.terminal($0))\n" } ?? ""
        return "\(Style(report.verdict).paint(word, options.colour))  at \(report.at.rfc3339): \(report.checks.summary)\n\(remark)"
    }

    private func document(_ document: PresentedDocument) -> String {
        var lines = [Style.strong.paint(Escaping.terminal(document.type), options.colour)]
        let rows = facts(document) + document.claims.map { (name($0), value($0)) }
        let width = min(48, rows.map(\.0.count).max() ?? 0)
        lines += rows.map { "  \(Escaping.terminal($0.0).padded(to: width))  \(Escaping.terminal($0.1))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func facts(_ document: PresentedDocument) -> [(String, String)] {
        let trust = document.trusted.map { $0 ? "trusted" : "not trusted" } ?? "trust not checked"
        var facts = [("issuer", document.issuer.map { "\($0.subject) (\(trust))" } ?? trust)]
        if let trust = document.trust {
            facts.append(("trust", "\(trust.anchor?.subject ?? "no root") by \(trust.source ?? "nobody"), policy \(trust.policy)"))
        }
        if let validity = document.validity {
            facts.append(
                ("valid", "\(validity.validFrom ?? "?") to \(validity.validUntil ?? "?"), signed \(validity.signed ?? "?")"))
        }
        facts.append(("holder binding", document.holderBinding.rawValue))
        facts.append(("status", document.status))
        return facts
    }

    private func name(_ claim: PresentedClaim) -> String {
        claim.namespace.isEmpty ? claim.element : "\(claim.namespace)/\(claim.element)"
    }

    private func value(_ claim: PresentedClaim) -> String {
        let text = options.redacting ? "(redacted)" : ClaimText.line(claim.value)
        return claim.isVerified ? text : "\(text) (NOT VERIFIED)"
    }

    private var request: String {
        let lists = [("missing", report.missing), ("not requested", report.unrequested)]
        return lists.filter { !$0.1.isEmpty }
            .map { "\($0.0): \($0.1.map(Escaping.terminal).joined(separator: ", "))\n" }.joined()
    }
}
