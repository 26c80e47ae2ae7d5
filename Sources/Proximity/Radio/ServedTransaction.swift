/// Who is served, and what was odd about it: the server's side of one transaction without I/O, the same over BlueZ and in memory.
package struct ServedTransaction: Sendable {
    /// What becomes of a written value.
    package enum Verdict: Sendable {
        /// The client's first.
        case first
        case next
        case refused
    }

    /// The device that came first.
    package private(set) var client: String?
    package private(set) var isConnected = false
    package private(set) var hasStarted = false
    package private(set) var hasEnded = false
    /// The longest value that the client has sent.
    package private(set) var longest = 20
    package private(set) var oddities: Set<GATTChannel.Oddity> = []
    private var subscribed: Set<GATTCharacteristic> = []

    package init() {}

    /// Whether the client may come back, which it must not.
    package var isInterrupted: Bool { hasStarted && !hasEnded && !isConnected }

    package func isSubscribed(to characteristic: GATTCharacteristic) -> Bool { subscribed.contains(characteristic) }

    /// A device writes.
    package mutating func write(_ value: GATTValue, by device: String) -> Verdict {
        let isFirst = client == nil
        if isFirst { (client, isConnected) = (device, true) }
        guard client == device, isConnected else {
            refuse(device)
            return .refused
        }
        longest = max(longest, value.bytes.count)
        if value.characteristic == .state { follow(value.bytes) }
        return isFirst ? .first : .next
    }

    /// A device opens the channel.
    /// - Returns: false when another one is served, or this one in another way.
    package mutating func openChannel(by device: String) -> Bool {
        guard client == nil else {
            if client != device || !isConnected { refuse(device) }
            return false
        }
        (client, isConnected) = (device, true)
        return true
    }

    package mutating func subscribe(to characteristic: GATTCharacteristic, _ isWanted: Bool = true) {
        if isWanted { subscribed.insert(characteristic) } else { subscribed.remove(characteristic) }
    }

    /// This end said End.
    package mutating func end() { hasEnded = true }

    /// The client has disconnected.
    package mutating func lose() { isConnected = false }

    /// The client was still there that long after the end.
    package mutating func stayed(_ seconds: Int) {
        if hasEnded { oddities.insert(.stayedConnected(seconds: seconds)) }
    }

    private mutating func refuse(_ device: String) {
        oddities.insert(isInterrupted ? .resumed : .secondCentral)
    }

    private mutating func follow(_ state: [UInt8]) {
        if state == [0x01] {
            hasStarted = true
            if !subscribed.isSuperset(of: [.state, .server2Client]) { oddities.insert(.startedUnsubscribed) }
        }
        if state == [0x02] { hasEnded = true }
    }
}
