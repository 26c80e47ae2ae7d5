/// Cuts messages into characteristic values and puts received ones together again, and follows the State characteristic
/// (ISO/IEC 18013-5:2021 §8.3.3.1.1.5–6), for either role in either mode. No I/O: a `GATTPipe` carries the values.
public struct GATTChannel: Sendable {
    /// What a received value amounted to.
    public enum Event: Sendable, Equatable {
        /// The client wrote State 0x01; the transfer is open.
        case started
        /// A whole message.
        case message([UInt8])
        /// The peer wrote or notified State 0x02.
        case ended
    }

    /// Something odd about a part that does not hinder reading it.
    public enum Oddity: Sendable, Hashable {
        /// Longer than min(MTU − 3, 512).
        case oversized(count: Int, allowed: Int)
        /// A part with no payload after its first byte.
        case withoutPayload
        /// Start was written before State and Server2Client were subscribed to.
        case startedUnsubscribed
        /// Another central wrote while one was served; it was refused.
        case secondCentral
        /// The client was still connected that long after the end.
        case stayedConnected(seconds: Int)
        /// The client came back after a loss of the link and would go on with the old transaction.
        case resumed
        /// The peer disconnected with no State 0x02.
        case endedWithoutState
        /// The reader took peripheral mode of the two that were offered.
        case peripheralPreferred
        /// The peer's service can be used although a property is missing.
        case property(GATTCharacteristic, String)
        /// A notifying characteristic has no descriptor 0x2902.
        case missingDescriptor(GATTCharacteristic)
        /// The PSM that the peer offers could not be connected to.
        case psmUnreachable(Int)
        /// A message on a channel was not as long as its header said.
        case lengthHeader(said: Int, came: Int)
    }

    private enum State {
        case idle
        case open
        case ended
    }

    /// Which end is the GATT server.
    public let mode: GATTMode
    /// Which end this is.
    public let role: MdocRole
    /// The longest part that fits the connection, its first byte included: min(MTU − 3, 512).
    public let partSize: Int
    /// The longest message accepted; each part also costs one byte of it, so that empty parts cannot go on for ever.
    public let messageLimit: Int
    /// One of each kind that occurred.
    public private(set) var oddities: Set<Oddity> = []
    /// Parts received of the message that is not yet complete.
    public private(set) var pendingParts = 0
    private var pending: [UInt8] = []
    private var state = State.idle
    /// Whether this end said End; the peer may not yet know and still be sending.
    private var hasEnded = false

    /// - Parameters:
    ///   - mtu: the ATT MTU of the connection; below 23, the least there is, it counts as 23.
    ///   - messageLimit: in bytes; a message beyond it ends the transfer instead of filling memory.
    public init(mode: GATTMode, role: MdocRole, mtu: Int, messageLimit: Int = 16 << 20) {
        self.mode = mode
        self.role = role
        self.messageLimit = messageLimit
        partSize = Self.partSize(mtu: mtu)
    }

    /// The longest part that fits an ATT MTU: min(MTU − 3, 512).
    static func partSize(mtu: Int) -> Int { min(max(mtu, 23) - 3, 512) }

    /// Whether this end is the GATT client, who connects and writes Start.
    public var isClient: Bool { mode.server != role }
    /// Whether messages can be sent: Start was seen or written and End not yet.
    public var isOpen: Bool { state == .open && !hasEnded }

    private var outgoing: GATTCharacteristic { isClient ? .client2Server : .server2Client }
    private var incoming: GATTCharacteristic { isClient ? .server2Client : .client2Server }

    /// The client's Start, 0x01 on State.
    public mutating func start() -> GATTValue {
        precondition(isClient && state == .idle, "only the client starts, and once")
        state = .open
        return GATTValue(.state, [0x01])
    }

    /// The parts of a message, in order: 0x01 and payload while more follow, 0x00 and payload for the last.
    /// - Parameter limit: the longest part wanted, at least 2; nil is `partSize`.
    public func parts(of message: [UInt8], limit: Int? = nil) -> [GATTValue] {
        let payload = min(partSize, max(limit ?? partSize, 2)) - 1
        guard !message.isEmpty else { return [GATTValue(outgoing, [0x00])] }
        return stride(from: 0, to: message.count, by: payload).map { start in
            let end = min(start + payload, message.count)
            return GATTValue(outgoing, [end == message.count ? 0x00 : 0x01] + message[start..<end])
        }
    }

    /// End, 0x02 on State; nil when the transfer was not open.
    public mutating func end() -> GATTValue? {
        guard isOpen else { return nil }
        hasEnded = true
        return GATTValue(.state, [0x02])
    }

    /// Takes one value from the peer.
    /// - Returns: what it completed; nil when more parts are needed or the value does not concern this end.
    public mutating func receive(_ value: GATTValue) throws(LinkError) -> Event? {
        switch value.characteristic {
        case .state: try receiveState(value.bytes)
        case incoming: try receivePart(value.bytes)
        default: throw .misplaced(value.characteristic)
        }
    }

    /// Whether the peer has not said End.
    var isUnended: Bool { state == .open }

    /// What the end of the connection means now.
    public func disconnected() -> LinkError? {
        switch state {
        case .ended: nil
        case .open where hasEnded: nil
        case .idle: .lost(.beforeStart)
        case .open: pendingParts > 0 ? .lost(.afterPart(pendingParts)) : .lost(.betweenMessages)
        }
    }

    private mutating func receiveState(_ bytes: [UInt8]) throws(LinkError) -> Event? {
        switch (bytes, state) {
        case ([0x01], .idle) where !isClient:
            state = .open
            return .started
        case ([0x02], .open), ([0x02], .idle):
            state = .ended
            guard pendingParts == 0 else { throw .lost(.afterPart(pendingParts)) }
            return .ended
        case ([0x02], .ended):
            return nil
        default:
            throw .stateValue(bytes)
        }
    }

    private mutating func receivePart(_ bytes: [UInt8]) throws(LinkError) -> Event? {
        guard state == .open else { throw state == .idle ? .dataBeforeStart : .dataAfterEnd }
        guard let first = bytes.first, first <= 0x01 else { throw .partFirstByte(bytes.first) }
        note(bytes.count)
        pendingParts += 1
        pending += bytes.dropFirst()
        guard pending.count + pendingParts <= messageLimit else {
            pending = []
            throw .messageTooLong(limit: messageLimit)
        }
        guard first == 0x00 else { return nil }
        defer { (pending, pendingParts) = ([], 0) }
        return .message(pending)
    }

    private mutating func note(_ count: Int) {
        if count > partSize, !oddities.contains(where: { if case .oversized = $0 { true } else { false } }) {
            oddities.insert(.oversized(count: count, allowed: partSize))
        }
        if count == 1 { oddities.insert(.withoutPayload) }
    }
}
