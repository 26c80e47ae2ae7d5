import Ports

/// How one check ended.
public enum CheckOutcome: Sendable, Hashable {
    case pass
    /// Violated, but the rule does not make a presentation invalid.
    case warn
    case fail
    case notRun(NotRunReason)

    /// Whether something is wrong: `warn` or `fail`.
    public var isViolation: Bool { self == .fail || self == .warn }

    /// The word of the report: `pass`, `warn`, `fail` or `notRun`.
    public var word: String {
        switch self {
        case .pass: "pass"
        case .warn: "warn"
        case .fail: "fail"
        case .notRun: "notRun"
        }
    }
}

/// Why a check was not run. The list is closed: a check that ran has an outcome, one that did not has one of these reasons.
public enum NotRunReason: Sendable, Hashable, CustomStringConvertible {
    /// Its input went with the check of this id, which failed or was itself not run.
    case needs(String)
    case noAnchors
    case noKey
    case noTranscript
    /// The optional thing that it looks at is absent.
    case notPresent
    case notRequested
    case undetermined(String)
    /// The rule belongs to another edition.
    case edition
    case profile
    case policyOff
    /// The check belongs to a feature that this build does not have.
    case notInThisBuild

    public var description: String {
        switch self {
        case .needs(let id): "needs \(id)"
        case .noAnchors: "no anchors"
        case .noKey: "no key"
        case .noTranscript: "no transcript"
        case .notPresent: "not present"
        case .notRequested: "not requested"
        case .undetermined(let why): "undetermined: \(why)"
        case .edition: "edition"
        case .profile: "profile"
        case .policyOff: "policy off"
        case .notInThisBuild: "not in this build"
        }
    }

    /// Whether a check that the verdict needs leaves it open when it ends like this. What is absent, was not asked or belongs
    /// to another edition, profile or build decides nothing.
    var leavesVerdictOpen: Bool {
        switch self {
        case .needs, .noAnchors, .noKey, .noTranscript, .undetermined: true
        case .notPresent, .notRequested, .edition, .profile, .policyOff, .notInThisBuild: false
        }
    }
}

/// One row of a report: a check of the catalogue, what it looked at and how it ended.
public struct Check: Sendable, Hashable {
    /// The catalogue's id, with the rule's name where the catalogue leaves it open: `R14`, `R12.key-usage`.
    public let id: String
    public let outcome: CheckOutcome
    /// What is wrong, for `warn` and `fail`; why not, for `notRun`; nil for `pass`.
    public let reason: String?
    /// What was looked at: a document's type, `session`, `response`, `docRequest 0`…
    public let subject: String
    /// The place of its row in the catalogue.
    package let row: Int
    private let edition: Edition

    /// - Precondition: the catalogue has `id`.
    init(_ id: String, _ outcome: CheckOutcome, reason: String?, subject: String, row: Int, edition: Edition) {
        self.id = id
        self.outcome = outcome
        self.reason = reason
        self.subject = subject
        self.row = row
        self.edition = edition
    }

    /// The same finding with another outcome: what a policy makes of it.
    func with(_ outcome: CheckOutcome, reason other: String? = nil) -> Check {
        Check(id, outcome, reason: other ?? reason, subject: subject, row: row, edition: edition)
    }

    /// The row of the catalogue that this is an outcome of.
    public var definition: CheckDefinition { CheckCatalogue.rows[row] }

    /// The catalogue's name: `issuer-signature`.
    public var name: String { definition.name }

    /// The clause of the edition in use, with its document: `ISO/IEC 18013-5:2021 9.1.2.4`. Nil for rules of our own.
    public var clause: String? { definition.clause(in: edition) }
}
