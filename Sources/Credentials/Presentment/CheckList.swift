public import Ports

/// Collects the rows of a report, in the order they are made.
///
/// It knows the catalogue: levels, clauses and texts come from there, a check of a later step or another edition ends `notRun`
/// whatever is reported of it, and an id that the catalogue does not have is our own misuse (precondition).
public struct CheckList: Sendable {
    public let edition: Edition
    public private(set) var checks: [Check] = []

    /// - Parameter capacity: the rows to make room for.
    public init(edition: Edition, capacity: Int = 0) {
        self.edition = edition
        checks.reserveCapacity(capacity)
    }

    public mutating func pass(_ id: String, _ subject: String) {
        add(id, subject, .pass, nil)
    }

    /// A violation: `fail` or `warn` as the catalogue says, with the catalogue's message and `values` in its places.
    ///
    /// - Parameter detail: more that helps to find the cause, added after a semicolon.
    public mutating func fail(_ id: String, _ subject: String, values: [String], detail: String? = nil) {
        let message = Self.definition(id).message(filling: values)
        fail(id, subject, detail.map { "\(message); \($0)" } ?? message)
    }

    /// A violation: `fail` or `warn` as the catalogue says.
    public mutating func fail(_ id: String, _ subject: String, _ reason: String) {
        switch Self.definition(id).severity(in: edition) {
        case .warn: add(id, subject, .warn, reason)
        case .undetermined: add(id, subject, .notRun(.undetermined(reason)), nil)
        case .fail, .inactive: add(id, subject, .fail, reason)
        }
    }

    /// A violation whose level the caller knows, where the catalogue leaves it to a rule or a policy.
    public mutating func violate(_ id: String, _ subject: String, as severity: CheckDefinition.Severity, _ reason: String) {
        switch severity {
        case .fail: add(id, subject, .fail, reason)
        case .warn: add(id, subject, .warn, reason)
        case .undetermined: add(id, subject, .notRun(.undetermined(reason)), nil)
        case .inactive: add(id, subject, .notRun(.edition), nil)
        }
    }

    public mutating func notRun(_ id: String, _ subject: String, _ why: NotRunReason) {
        add(id, subject, .notRun(why), nil)
    }

    public mutating func append(contentsOf other: CheckList) {
        checks += other.checks
    }

    /// Policy `warning`: failures from row `first` on become warnings.
    mutating func soften(from first: Int) {
        for place in checks.indices.dropFirst(first) where checks[place].outcome == .fail {
            let check = checks[place]
            checks[place] = check.with(.warn)
        }
    }

    /// Every failure becomes a warning.
    public mutating func softenAll() { soften { _ in true } }

    /// Policy `warning`: failures that `isSoft` become warnings.
    mutating func soften(where isSoft: (Check) -> Bool) {
        for place in checks.indices where checks[place].outcome == .fail && isSoft(checks[place]) {
            checks[place] = checks[place].with(.warn)
        }
    }

    /// Takes back the row for `id` and `subject`.
    mutating func remove(_ id: String, _ subject: String) { checks.removeAll { $0.id == id && $0.subject == subject } }

    /// Puts `rows` in the place of those that stood for the same checks of `subject`.
    mutating func replace(_ rows: [Check], of subject: String) { checks.replace(rows, of: subject) }

    /// The row for `id` and `subject`, if there is one.
    public func check(_ id: String, _ subject: String) -> Check? {
        checks.last { $0.id == id && $0.subject == subject }
    }

    /// One row a check and subject: a second violation joins the first, the worse outcome stays.
    private mutating func add(_ id: String, _ subject: String, _ outcome: CheckOutcome, _ reason: String?) {
        guard let row = CheckCatalogue.index(of: id, guess: checks.last.map { $0.row + 1 }) else {
            preconditionFailure("no check \(id) in the catalogue")
        }
        var outcome = adjusted(outcome, row)
        var reason = reason
        if case .notRun(let why) = outcome { reason = why.description }
        if outcome.isViolation, let place = checks.lastIndex(where: { $0.id == id && $0.subject == subject }) {
            let earlier = checks.remove(at: place)
            if earlier.outcome == .fail { outcome = .fail }
            if earlier.outcome.isViolation, let first = earlier.reason { reason = reason.map { "\(first); \($0)" } ?? first }
        }
        checks.append(Check(id, outcome, reason: reason, subject: subject, row: row, edition: edition))
    }

    private func adjusted(_ outcome: CheckOutcome, _ row: Int) -> CheckOutcome {
        if !CheckCatalogue.isReached(CheckCatalogue.rows[row].activeFrom) { return .notRun(.notInThisBuild) }
        return CheckCatalogue.rows[row].severity(in: edition) == .inactive ? .notRun(.edition) : outcome
    }

    private static func definition(_ id: String) -> CheckDefinition {
        guard let row = CheckCatalogue.row(id) else { preconditionFailure("no check \(id) in the catalogue") }
        return row
    }
}

extension [Check] {
    /// Puts `rows` in the place of those that stood for the same checks of `subject`.
    mutating func replace(_ rows: [Check], of subject: String) {
        let ids = Set(rows.map(\.id))
        let isReplaced: (Check) -> Bool = { $0.subject == subject && ids.contains($0.id) }
        let place = firstIndex(where: isReplaced) ?? endIndex
        removeAll(where: isReplaced)
        insert(contentsOf: rows, at: Swift.min(place, endIndex))
    }
}
