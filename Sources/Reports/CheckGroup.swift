import Credentials

/// The checks of one subject, violations first, each part in the order of the catalogue.
struct CheckGroup {
    let subject: String
    let checks: [Check]

    /// The groups in the order in which their subjects first come.
    static func groups(of checks: [Check]) -> [CheckGroup] {
        let subjects = checks.reduce(into: [String]()) { if !$0.contains($1.subject) { $0.append($1.subject) } }
        return subjects.map { subject in
            CheckGroup(subject: subject, checks: checks.filter { $0.subject == subject }.inCatalogueOrder.violationsFirst)
        }
    }
}

extension [Check] {
    var inCatalogueOrder: [Check] {
        enumerated().sorted { ($0.element.row, $0.offset) < ($1.element.row, $1.offset) }.map(\.element)
    }

    /// Failed, then warned, then the others; each in their order.
    var violationsFirst: [Check] {
        filter { $0.outcome == .fail } + filter { $0.outcome == .warn } + filter { !$0.outcome.isViolation }
    }

    func count(_ word: String) -> Int { count { $0.outcome.word == word } }

    /// "1 failed, 2 warnings, 40 passed, 9 not run", without what is none.
    var summary: String {
        let parts = [
            (count("fail"), "failed"), (count("warn"), count("warn") == 1 ? "warning" : "warnings"), (count("pass"), "passed"),
            (count("notRun"), "not run"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension Check {
    /// The clause without the words that every row shares: `18013-5:2021 9.3.1`.
    var shortClause: String {
        guard let clause else { return "" }
        return clause.hasPrefix("ISO/IEC ") ? String(clause.dropFirst(8)) : clause
    }
}
