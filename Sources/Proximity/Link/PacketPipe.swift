import Ports

/// Carries packets (SDUs) between two connected ends and knows nothing of their meaning: an L2CAP connection-oriented channel, or its
/// stand-in.
public protocol PacketPipe: Sendable {
    /// The longest packet that may be sent, in bytes.
    var packetLimit: Int { get }
    /// Sends packets in order; waits while the peer is slow.
    func send(_ packets: [[UInt8]]) async throws(LinkError)
    /// The next packet; nil when the peer has disconnected.
    func receive() async throws(LinkError) -> [UInt8]?
    /// Disconnects once what was sent is delivered.
    func close() async
}

/// One end of a channel inside one process.
public final class LoopbackPackets: PacketPipe {
    public let packetLimit: Int
    private let incoming: Mailbox<[UInt8]>
    private let outgoing: Mailbox<[UInt8]>

    private init(_ packetLimit: Int, _ incoming: Mailbox<[UInt8]>, _ outgoing: Mailbox<[UInt8]>) {
        (self.packetLimit, self.incoming, self.outgoing) = (packetLimit, incoming, outgoing)
    }

    /// - Returns: the two ends.
    public static func pair(packetLimit: Int = 2048) -> (LoopbackPackets, LoopbackPackets) {
        let (there, back) = (Mailbox<[UInt8]>(capacity: 64), Mailbox<[UInt8]>(capacity: 64))
        return (LoopbackPackets(packetLimit, back, there), LoopbackPackets(packetLimit, there, back))
    }

    public func send(_ packets: [[UInt8]]) async throws(LinkError) {
        for packet in packets {
            await outgoing.awaitSpace()
            if Task.isCancelled { throw .cancelled }
            guard outgoing.end == nil else { throw .lost(.betweenMessages) }
            outgoing.put(packet)
        }
    }

    public func receive() async throws(LinkError) -> [UInt8]? { try await incoming.take() }

    public func close() async {
        outgoing.close()
        incoming.close()
    }
}
