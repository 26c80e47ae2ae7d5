public import Credentials
import Ports

/// A report as one self-contained page: no network, no script, light and dark, made to be printed.
public struct HTMLReport {
    private let report: PresentationReport
    private let options: ReportOptions

    public init(_ report: PresentationReport, _ options: ReportOptions = ReportOptions()) {
        self.report = report
        self.options = options
    }

    /// The whole page. Its policy forbids anything but inline style and inline pictures.
    public var page: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <style>
        \(HTMLStyle.sheet)
        </style>
        </head>
        <body>
        <main>
        \(content)
        <footer><p>Made by walletbench. Clauses are those of the standard each check names.\
        \(options.redacting ? " Claim values are left out." : "")</p></footer>
        </main>
        </body>
        </html>

        """
    }

    /// What the page is about, without the page around it: verdict, what is wrong, documents, every check.
    package var content: String {
        """
        \(header)
        \(options.remark.map { "<p><strong>\(Escaping.markup($0))</strong></p>" } ?? "")
        \(violations)
        \(report.documents.map { HTMLDocument($0, options).section }.joined(separator: "\n"))
        \(requested)
        \(checks)
        """
    }

    private var title: String {
        let types = report.documents.map(\.type).joined(separator: ", ")
        return Escaping.markup("\(verdictWords): \(types.isEmpty ? "presentation" : types)")
    }

    private var verdictWords: String {
        switch report.verdict {
        case .pass: "Passed"
        case .fail: "Failed"
        case .undetermined: "Undetermined"
        }
    }

    private var header: String {
        """
        <header class="verdict \(report.verdict.rawValue)">
        <p class="kicker">Presentation report</p>
        <h1><span class="mark" aria-hidden="true">\(mark)</span> \(verdictWords)</h1>
        <p>\(explanation)</p>
        <p class="meta">Judged for <time datetime="\(report.at.rfc3339)">\(report.at.rfc3339)</time> · \(report.checks.summary)</p>
        </header>
        """
    }

    private var mark: String {
        switch report.verdict {
        case .pass: "✔"
        case .fail: "✘"
        case .undetermined: "?"
        }
    }

    private var explanation: String {
        switch report.verdict {
        case .pass where report.rule.trustWaived: "Every check that ran holds. Trust in the issuer was not asked for."
        case .pass: "Every check that the verdict needs was run and holds."
        case .fail: "At least one check failed. What was presented must not be relied on."
        case .undetermined: "Nothing failed, but a check that the verdict needs could not be run."
        }
    }

    private var violations: String {
        let rows = report.checks.violationsFirst.prefix { $0.outcome.isViolation }
        guard !rows.isEmpty else { return "" }
        return """
            <section>
            <h2>What is wrong</h2>
            <ul class="findings">
            \(rows.map(finding).joined(separator: "\n"))
            </ul>
            </section>
            """
    }

    private func finding(_ check: Check) -> String {
        """
        <li class="\(check.outcome.word)"><strong>\(outcome(check)) \(Escaping.markup(check.reason(redacting: options.redacting) ?? check.name))\
        </strong><br><span class="meta">\(Escaping.markup("\(check.id) \(check.name) · \(check.subject)"))\
        \(check.clause.map { " · " + Escaping.markup($0) } ?? "")</span></li>
        """
    }

    private var requested: String {
        let lists = [("Requested and not returned", report.missing), ("Returned and not requested", report.unrequested)]
        return lists.filter { !$0.1.isEmpty }.map { heading, items in
            """
            <section>
            <h2>\(heading)</h2>
            <ul>\(items.map { "<li><code>\(Escaping.markup($0))</code></li>" }.joined())</ul>
            </section>
            """
        }.joined(separator: "\n")
    }

    private var checks: String {
        """
        <section>
        <h2>Every check</h2>
        \(CheckGroup.groups(of: report.checks).map(table).joined(separator: "\n"))
        </section>
        """
    }

    private func table(_ group: CheckGroup) -> String {
        """
        <div class="scroll">
        <table class="checks">
        <caption>\(Escaping.markup(group.subject)) <span class="meta">\(group.checks.summary)</span></caption>
        <colgroup><col class="c1"><col class="c2"><col class="c3"><col></colgroup>
        <thead><tr><th scope="col">Outcome</th><th scope="col">Check</th><th scope="col">Clause</th><th scope="col">Reason</th></tr></thead>
        <tbody>
        \(group.checks.map(row).joined(separator: "\n"))
        </tbody>
        </table>
        </div>
        """
    }

    private func row(_ check: Check) -> String {
        """
        <tr class="\(check.outcome.word)"><td>\(outcome(check))</td><th scope="row"><code>\(Escaping.markup(check.id))</code> \
        \(check.name)</th><td>\(Escaping.markup(check.clause ?? "–"))</td>\
        <td>\(Escaping.markup(check.reason(redacting: options.redacting) ?? ""))</td></tr>
        """
    }

    private func outcome(_ check: Check) -> String {
        "<span class=\"outcome \(check.outcome.word)\"><span aria-hidden=\"true\">\(check.outcome.mark)</span> \(check.outcome.words)</span>"
    }
}
