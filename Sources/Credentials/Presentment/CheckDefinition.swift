public import Ports

/// One row of the check catalogue: what is known of a check before it runs.
public struct CheckDefinition: Sendable {
    /// The step of the product in which a check becomes active; before, it ends `not in this build`.
    public enum Step: Int, Sendable, Comparable {
        case core, ble, vp, vci, trust

        public static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }

    /// What a violation yields in one edition.
    public enum Severity: Sendable {
        case fail
        case warn
        /// Whatever it is a step to stays undetermined: neither good nor bad.
        case undetermined
        /// The rule does not exist there.
        case inactive
    }

    /// Which role sees the violation.
    public enum Observer: Sendable {
        case mdoc, reader, both
    }

    /// What a violation yields, by edition.
    public struct Level: Sendable {
        public let first: Severity
        public let second: Severity

        static let fail = Level(first: .fail, second: .fail)
        static let warn = Level(first: .warn, second: .warn)
        static let failInEdition1 = Level(first: .fail, second: .inactive)
        static let failFromEdition2 = Level(first: .inactive, second: .fail)
        static let warnFromEdition2 = Level(first: .inactive, second: .warn)
    }

    /// `R14`; a family of checks named by a rule ends in `.*`: `R12.*`.
    public let id: String
    public let name: String
    public let level: Level
    public let seenBy: Observer
    /// Clause of ISO/IEC 18013-5:2021.
    public let clause2021: String?
    /// Clause of the public working draft of the second edition.
    public let clauseDraft: String?
    /// Document and clause where the rule comes from elsewhere: `RFC 5280 6.1`.
    public let otherSource: String?
    public let activeFrom: Step
    /// The message of a violation, `<…>` to be filled in, in order; what stands in `[…]` is optional.
    public let message: String
    /// The names of the faults (`--fault`) that must trip this check.
    public let faults: [String]

    init(
        _ id: String, _ name: String, _ level: Level, _ seenBy: Observer, _ clause2021: String?, _ clauseDraft: String?,
        other: String? = nil, _ activeFrom: Step, _ message: String, _ faults: [String]
    ) {
        self.id = id
        self.name = name
        self.level = level
        self.seenBy = seenBy
        self.clause2021 = clause2021
        self.clauseDraft = clauseDraft
        self.otherSource = other
        self.activeFrom = activeFrom
        self.message = message
        self.faults = faults
    }

    /// Whether this row stands for any number of checks, each named by a rule.
    public var isFamily: Bool { id.hasSuffix(".*") }

    public func severity(in edition: Edition) -> Severity {
        switch edition {
        case .first: level.first
        case .second: level.second
        }
    }

    /// Document and clause: the edition's own where it has one, else the other source, else the other edition's.
    public func clause(in edition: Edition) -> String? {
        let first = clause2021.map { "ISO/IEC 18013-5:2021 \($0)" }
        let second = clauseDraft.map { "ISO/IEC WD 18013-5 \($0)" }
        switch edition {
        case .first: return first ?? otherSource ?? second
        case .second: return second ?? otherSource ?? first
        }
    }

    /// The message with its `<…>` replaced by `values` in order, without its optional part.
    ///
    /// There are as many values as the message has places; a mistake of ours there stops a debug build, and shows as an empty place in
    /// a release build, since a peer's message can lead there.
    func message(filling values: [String]) -> String {
        var result = ""
        var rest = values[...]
        var text = message[...]
        while let open = text.firstIndex(where: { $0 == "<" || $0 == "[" }), text[open] == "<" {
            guard let close = text[open...].firstIndex(of: ">") else { break }
            assert(!rest.isEmpty, "\(id): too few values for \"\(message)\"")
            result += text[..<open] + (rest.popFirst() ?? "")
            text = text[text.index(after: close)...]
        }
        assert(rest.isEmpty, "\(id): too many values for \"\(message)\"")
        return result + text[..<(text.firstIndex(of: "[") ?? text.endIndex)]
    }
}
