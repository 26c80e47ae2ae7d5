/// A link over an L2CAP channel (ISO/IEC 18013-5 WD2 §11.1.4). There is no State: the channel opens the transfer, and its end ends it.
public actor L2CAPLink: Link {
    private let pipe: any PacketPipe
    private let connection: (any GATTPipe)?
    private var framing: LengthFraming
    private var noted: Set<GATTChannel.Oddity>
    private var hasEnded = false
    private var isClosed = false

    /// - Parameters:
    ///   - connection: what the channel was found through, closed with it.
    ///   - noted: what was odd about the way here.
    public init(
        _ pipe: any PacketPipe, over connection: (any GATTPipe)? = nil, noted: Set<GATTChannel.Oddity> = [],
        messageLimit: Int = 16 << 20
    ) {
        (self.pipe, self.connection, self.noted) = (pipe, connection, noted)
        framing = LengthFraming(limit: messageLimit)
    }

    public func send(_ message: [UInt8]) async throws(LinkError) {
        guard !isClosed, !hasEnded else { throw .closed }
        let bytes = LengthFraming.frame(message)
        let size = max(pipe.packetLimit, 1)
        try await pipe.send(
            stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) })
    }

    public func receive() async throws(LinkError) -> [UInt8]? {
        while true {
            if let message = try framing.next() {
                guard message.isEmpty else { return message }
                hasEnded = true
                return nil
            }
            guard let packet = try await pipe.receive() else {
                if hasEnded { return nil }
                guard framing.pending == nil else { throw .lost(.afterPart(framing.pendingPackets)) }
                throw .lost(.betweenMessages)
            }
            framing.append(packet)
        }
    }

    /// Nothing is sent: status 20 or the end of the channel is the end.
    public func end() async { hasEnded = true }

    public func close() async {
        if !isClosed, let (said, came) = framing.pending { noted.insert(.lengthHeader(said: said, came: came)) }
        isClosed = true
        await pipe.close()
        await connection?.close()
    }

    public nonisolated var endsByClosing: Bool { true }

    public func oddities() async -> Set<GATTChannel.Oddity> { noted.union(await connection?.oddities() ?? []) }

    public func examined() async -> Set<String> { Set(["P33.length"]).union(await connection?.examined() ?? []) }
}
