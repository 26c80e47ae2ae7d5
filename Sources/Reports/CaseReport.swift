public import Ports

/// Test cases by the file that they are in, with how each came out, for people to hand on.
public struct CaseReport: Sendable {
    /// One case.
    public struct Case: Sendable {
        /// How it came out.
        public enum Outcome: String, Sendable {
            case passed, failed
            /// Not applicable here.
            case skipped
        }

        /// Names the case within its file.
        public let name: String
        public let outcome: Outcome
        /// Why it failed or was skipped.
        public let reason: String?

        public init(_ name: String, _ outcome: Outcome, reason: String? = nil) {
            (self.name, self.outcome, self.reason) = (name, outcome, reason)
        }
    }

    /// The cases of one file.
    public struct File: Sendable {
        public let path: String
        public let cases: [Case]

        public init(path: String, cases: [Case]) { (self.path, self.cases) = (path, cases) }

        fileprivate func count(_ outcome: Case.Outcome) -> Int { cases.count { $0.outcome == outcome } }
    }

    private let title: String
    private let files: [File]
    private let time: Timestamp

    /// - Parameter title: what was run, by which build.
    public init(title: String, at time: Timestamp, files: [File]) {
        (self.title, self.time, self.files) = (title, time, files)
    }

    private func count(_ outcome: Case.Outcome) -> Int { files.reduce(0) { $0 + $1.count(outcome) } }

    /// JUnit XML: a test suite a file.
    public var junit: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="\(Escaping.markup(title))" \(Self.counts(files.flatMap(\.cases)))>
        \(files.map(suite).joined())</testsuites>

        """
    }

    private func suite(_ file: File) -> String {
        let path = Escaping.markup(file.path)
        let cases = file.cases.map { entry in
            let start = "    <testcase classname=\"\(path)\" name=\"\(Escaping.markup(entry.name))\""
            let reason = Escaping.markup(entry.reason ?? "")
            return switch entry.outcome {
            case .passed: "\(start)/>\n"
            case .failed: "\(start)><failure message=\"\(reason)\"/></testcase>\n"
            case .skipped: "\(start)><skipped message=\"\(reason)\"/></testcase>\n"
            }
        }
        return """
              <testsuite name="\(path)" timestamp="\(time.rfc3339)" \(Self.counts(file.cases))>
            \(cases.joined())  </testsuite>

            """
    }

    private static func counts(_ cases: [Case]) -> String {
        let (failed, skipped) = (cases.count { $0.outcome == .failed }, cases.count { $0.outcome == .skipped })
        return "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"\(skipped)\""
    }

    /// One self-contained page: the numbers by file, then every failed case, then why cases were skipped.
    public var page: String {
        let failed = count(.failed)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(failed == 0 ? "Passed" : "\(failed) failed"): \(Escaping.markup(title))</title>
            <style>
            \(HTMLStyle.sheet)
            </style>
            </head>
            <body>
            <main>
            <header class="verdict \(failed == 0 ? "pass" : "fail")">
            <p class="kicker">Self-check</p>
            <h1>\(failed == 0 ? "Passed" : "\(failed) failed")</h1>
            <p>\(count(.passed)) cases passed, \(failed) failed, \(count(.skipped)) do not apply.</p>
            <p class="meta">\(Escaping.markup(title)), <time datetime="\(time.rfc3339)">\(time.rfc3339)</time></p>
            </header>
            \(list("Failed", .failed))
            <section>
            <h2>Files</h2>
            <div class="scroll"><table>
            <thead><tr><th scope="col">File</th><th scope="col">Cases</th><th scope="col">Passed</th><th scope="col">Failed</th>\
            <th scope="col">Not applicable</th></tr></thead>
            <tbody>
            \(files.map(row).joined(separator: "\n"))
            </tbody>
            </table></div>
            </section>
            \(list("Not applicable", .skipped))
            </main>
            </body>
            </html>

            """
    }

    private func row(_ file: File) -> String {
        let outcome = file.count(.failed) == 0 ? "pass" : "fail"
        let numbers = [file.cases.count, file.count(.passed), file.count(.failed), file.count(.skipped)]
        return """
            <tr class="\(outcome)"><th scope="row"><code>\(Escaping.markup(file.path))</code></th>\
            \(numbers.map { "<td>\($0)</td>" }.joined())</tr>
            """
    }

    /// Cases of one outcome, those of one file with the same reason together.
    private func list(_ title: String, _ outcome: Case.Outcome) -> String {
        let items = files.flatMap { file in
            var reasons: [(text: String, names: [String])] = []
            for entry in file.cases where entry.outcome == outcome {
                let reason = entry.reason ?? ""
                if let place = reasons.firstIndex(where: { $0.text == reason }) {
                    reasons[place].names.append(entry.name)
                } else {
                    reasons.append((reason, [entry.name]))
                }
            }
            return reasons.map { reason in
                let names = reason.names.count > 3 ? "\(reason.names.count) cases" : reason.names.joined(separator: ", ")
                return """
                    <li class="\(outcome == .failed ? "fail" : "notRun")"><code>\(Escaping.markup(file.path))</code> \
                    \(Escaping.markup(names)): \(Escaping.markup(reason.text))</li>
                    """
            }
        }
        guard !items.isEmpty else { return "" }
        return "<section>\n<h2>\(title)</h2>\n<ul class=\"findings\">\n\(items.joined(separator: "\n"))\n</ul>\n</section>"
    }
}
