/// What a faulty link or transport does to the messages that pass it, repeatable from a seed.
public struct FaultPlan: Sendable, Hashable {
    /// One thing that goes wrong.
    public struct Rule: Sendable, Hashable {
        /// Which messages: sent or received, and which of them, from 0.
        public var direction: Direction
        public var ordinal: Int
        public var action: Action

        /// A rule.
        public init(_ direction: Direction, ordinal: Int, _ action: Action) {
            self.direction = direction
            self.ordinal = ordinal
            self.action = action
        }
    }

    /// Seen from the side that has the faulty link.
    public enum Direction: String, Sendable, CaseIterable {
        case sent, received
    }

    /// What happens to the message.
    public enum Action: Sendable, Hashable {
        /// It never arrives.
        case drop
        /// It arrives twice.
        case duplicate
        /// Only its first bytes arrive.
        case truncate(to: Int)
        /// One bit is flipped, at a place drawn from the seed.
        case flipBit
        /// It arrives late.
        case delay(milliseconds: Int)
        /// The connection ends instead.
        case close
    }

    /// What remains of a message.
    public enum Outcome: Sendable, Hashable {
        /// These messages arrive, after this time.
        case deliver([[UInt8]], afterMilliseconds: Int)
        /// The connection ends.
        case close
    }

    /// Where places are drawn from.
    public var seed: UInt64
    /// What goes wrong.
    public var rules: [Rule]

    /// A plan; without rules nothing goes wrong.
    public init(seed: UInt64 = 0, rules: [Rule] = []) {
        self.seed = seed
        self.rules = rules
    }

    /// What becomes of a message, the `ordinal`-th of its direction. All rules for it apply in their order.
    public func apply(to message: [UInt8], _ direction: Direction, ordinal: Int) -> Outcome {
        var messages = [message]
        var delay = 0
        for rule in rules where rule.direction == direction && rule.ordinal == ordinal {
            switch rule.action {
            case .drop: messages = []
            case .duplicate: messages += messages
            case .truncate(let length): messages = messages.map { Array($0.prefix(max(0, length))) }
            case .flipBit: messages = messages.map { flipped($0, ordinal) }
            case .delay(let milliseconds): delay += max(0, milliseconds)
            case .close: return .close
            }
        }
        return .deliver(messages, afterMilliseconds: delay)
    }

    private func flipped(_ message: [UInt8], _ ordinal: Int) -> [UInt8] {
        guard !message.isEmpty else { return message }
        let place = SeededRandom(seed: seed &+ UInt64(truncatingIfNeeded: ordinal)).bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        let bit = Int(place % UInt64(message.count * 8))
        var message = message
        message[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return message
    }
}
