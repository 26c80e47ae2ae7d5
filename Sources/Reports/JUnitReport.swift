public import Credentials
import Ports

/// A report as JUnit XML: a test suite a subject, a test case a check; what was not run is skipped, a warning is output.
public struct JUnitReport {
    private let report: PresentationReport
    private let options: ReportOptions

    public init(_ report: PresentationReport, _ options: ReportOptions = ReportOptions()) {
        self.report = report
        self.options = options
    }

    public var document: String {
        let suites = CheckGroup.groups(of: report.checks).map(suite).joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="walletbench" \(counts(report.checks))>
            \(suites)</testsuites>

            """
    }

    private func suite(_ group: CheckGroup) -> String {
        """
          <testsuite name="\(Escaping.markup(group.subject))" timestamp="\(report.at.rfc3339)" \(counts(group.checks))>
            <properties><property name="verdict" value="\(report.verdict.rawValue)"/>\(faults)</properties>
        \(group.checks.map { testCase($0) }.joined())  </testsuite>

        """
    }

    private var faults: String {
        options.faults.isEmpty
            ? "" : "<property name=\"faults\" value=\"\(Escaping.markup(options.faults.joined(separator: ", ")))\"/>"
    }

    private func counts(_ checks: [Check]) -> String {
        "tests=\"\(checks.count)\" failures=\"\(checks.count("fail"))\" errors=\"0\" skipped=\"\(checks.count("notRun"))\""
    }

    private func testCase(_ check: Check) -> String {
        let start =
            "    <testcase classname=\"\(Escaping.markup(check.subject))\" name=\"\(Escaping.markup("\(check.id) \(check.name)"))\""
        let reason = Escaping.markup(check.reason(redacting: options.redacting) ?? "")
        let clause = Escaping.markup(check.clause ?? "")
        switch check.outcome {
        case .pass: return "\(start)/>\n"
        case .fail: return "\(start)><failure type=\"\(check.name)\" message=\"\(reason)\">\(clause)</failure></testcase>\n"
        case .warn: return "\(start)><system-out>warning: \(reason) (\(clause))</system-out></testcase>\n"
        case .notRun: return "\(start)><skipped message=\"\(reason)\"/></testcase>\n"
        }
    }
}
