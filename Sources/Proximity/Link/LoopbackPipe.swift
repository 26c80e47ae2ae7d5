import Ports

/// One end of a connection inside one process.
public final class LoopbackPipe: GATTPipe {
    public let mtu: Int
    private let incoming: Mailbox<GATTValue>
    private let outgoing: Mailbox<GATTValue>
    private let readable: [GATTCharacteristic: [UInt8]]
    private let isClosed = Locked(false)

    private init(
        mtu: Int, incoming: Mailbox<GATTValue>, outgoing: Mailbox<GATTValue>, readable: [GATTCharacteristic: [UInt8]]
    ) {
        (self.mtu, self.incoming, self.outgoing, self.readable) = (mtu, incoming, outgoing, readable)
    }

    /// - Parameters:
    ///   - mtu: ATT MTU of the pretended connection.
    ///   - readable: the server's characteristics that the client may read.
    /// - Returns: the two ends, alike but for what each receives.
    public static func pair(mtu: Int = 515, readable: [GATTCharacteristic: [UInt8]] = [:]) -> (LoopbackPipe, LoopbackPipe) {
        let (there, back) = (Mailbox<GATTValue>(capacity: 64), Mailbox<GATTValue>(capacity: 64))
        return (
            LoopbackPipe(mtu: mtu, incoming: back, outgoing: there, readable: readable),
            LoopbackPipe(mtu: mtu, incoming: there, outgoing: back, readable: readable)
        )
    }

    public func send(_ values: [GATTValue]) async throws(LinkError) {
        for value in values {
            await outgoing.awaitSpace()
            if Task.isCancelled { throw .cancelled }
            guard outgoing.end == nil else { throw isClosed.withLock { $0 } ? .closed : .lost(.betweenMessages) }
            outgoing.put(value)
        }
    }

    public func receive() async throws(LinkError) -> GATTValue? {
        try await incoming.take()
    }

    public func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        guard let value = readable[characteristic] else { throw .misplaced(characteristic) }
        return value
    }

    public func close() async {
        isClosed.withLock { $0 = true }
        outgoing.close()
        incoming.close()
    }
}
