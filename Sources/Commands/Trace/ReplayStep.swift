import Codec

/// One thing that was done again.
struct ReplayStep: Sendable {
    enum Outcome: String, Sendable {
        /// Today's code does what is recorded.
        case same
        case differs
        /// The trace lacks what it takes.
        case notReplayed
    }

    /// The event that was replayed; nil for the session as a whole.
    let sequence: Int?
    let what: String
    let outcome: Outcome
    var detail: String?

    var json: JSON {
        [
            "sequence": sequence.map { .integer(Int64($0)) } ?? .null, "what": .string(what), "outcome": .string(outcome.rawValue),
            "detail": detail.map(JSON.string) ?? .null,
        ]
    }
}
