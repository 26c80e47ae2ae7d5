public import Credentials

/// Checks as a table: one block a subject, one line a check with outcome, id, name, clause and reason.
public struct CheckTable {
    private let groups: [CheckGroup]
    private let options: ReportOptions

    public init(_ checks: [Check], _ options: ReportOptions = ReportOptions()) {
        self.groups = CheckGroup.groups(of: checks)
        self.options = options
    }

    public var text: String {
        let all = groups.flatMap(\.checks)
        let widths = (id: all.width(\.id), name: all.width(\.name), clause: all.width(\.shortClause))
        return groups.map { group in
            let title = Style.strong.paint("Checks: \(Escaping.terminal(group.subject))", options.colour)
            return ([title] + group.checks.map { line($0, widths) }).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    private func line(_ check: Check, _ widths: (id: Int, name: Int, clause: Int)) -> String {
        let outcome = Style(check.outcome).paint("\(check.outcome.mark) \(check.outcome.words.padded(to: 7))", options.colour)
        let cells = [
            outcome, Escaping.terminal(check.id).padded(to: widths.id), check.name.padded(to: widths.name),
            check.shortClause.padded(to: widths.clause), check.reason(redacting: options.redacting).map(Escaping.terminal) ?? "",
        ]
        return ("  " + cells.joined(separator: "  ")).trimmingTrailingSpaces
    }
}

extension CheckOutcome {
    /// A sign that tells outcomes apart without colour.
    var mark: String {
        switch self {
        case .pass: "✔"
        case .warn: "!"
        case .fail: "✘"
        case .notRun: "–"
        }
    }

    var words: String {
        if case .notRun = self { return "not run" }
        return word
    }
}

/// Colours of a terminal.
enum Style: String {
    case good = "32"
    case caution = "33"
    case bad = "1;31"
    case quiet = "2"
    case strong = "1"

    init(_ outcome: CheckOutcome) {
        switch outcome {
        case .pass: self = .good
        case .warn: self = .caution
        case .fail: self = .bad
        case .notRun: self = .quiet
        }
    }

    init(_ verdict: Verdict) {
        switch verdict {
        case .pass: self = .good
        case .fail: self = .bad
        case .undetermined: self = .caution
        }
    }

    func paint(_ text: String, _ isOn: Bool) -> String {
        isOn ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension [Check] {
    fileprivate func width(_ column: KeyPath<Check, String>) -> Int { map { $0[keyPath: column].count }.max() ?? 0 }
}
