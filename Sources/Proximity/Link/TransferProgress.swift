/// How far a message has come.
public struct TransferProgress: Sendable, Hashable {
    /// Whether this end sends it.
    public let isSent: Bool
    /// Bytes that have passed, those of the transport around them included.
    public let bytes: Int
    /// All its bytes, where they are known.
    public let total: Int?
    /// Whether this is the message's end.
    public let isLast: Bool

    /// Some of a message, or all of it.
    public init(isSent: Bool, bytes: Int, total: Int?, isLast: Bool) {
        (self.isSent, self.bytes, self.total, self.isLast) = (isSent, bytes, total, isLast)
    }
}

/// Told of progress; called from any task or thread, at most every few kilobytes.
public typealias ProgressListener = @Sendable (TransferProgress) -> Void

/// A pipe that tells how far messages have come.
actor WatchedPipe: GATTPipe {
    /// Parts between two words to the listener.
    private static let run = 16
    private let pipe: any GATTPipe
    private let tell: ProgressListener
    private var received = 0
    private var parts = 0

    init(_ pipe: any GATTPipe, _ tell: @escaping ProgressListener) { (self.pipe, self.tell) = (pipe, tell) }

    nonisolated var mtu: Int { pipe.mtu }
    nonisolated var partLimit: Int { pipe.partLimit }
    func oddities() async -> Set<GATTChannel.Oddity> { await pipe.oddities() }
    func examined() async -> Set<String> { await pipe.examined() }
    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] { try await pipe.read(characteristic) }
    func close() async { await pipe.close() }

    func send(_ values: [GATTValue]) async throws(LinkError) {
        guard values.first?.characteristic != .state else { return try await pipe.send(values) }
        let total = values.reduce(0) { $0 + $1.bytes.count }
        var sent = 0
        for start in stride(from: 0, to: values.count, by: Self.run) {
            let run = values[start..<min(start + Self.run, values.count)]
            try await pipe.send(Array(run))
            sent += run.reduce(0) { $0 + $1.bytes.count }
            tell(TransferProgress(isSent: true, bytes: sent, total: total, isLast: sent == total))
        }
    }

    func receive() async throws(LinkError) -> GATTValue? {
        let value = try await pipe.receive()
        guard let value, value.characteristic != .state else { return value }
        received += value.bytes.count
        parts += 1
        let isLast = value.bytes.first == 0x00
        if isLast || parts.isMultiple(of: Self.run) {
            tell(TransferProgress(isSent: false, bytes: received, total: nil, isLast: isLast))
        }
        if isLast { (received, parts) = (0, 0) }
        return value
    }
}

/// A channel that tells how far messages have come.
actor WatchedPackets: PacketPipe {
    private static let run = 4
    private let pipe: any PacketPipe
    private let tell: ProgressListener
    private var received = 0
    private var total: Int?

    init(_ pipe: any PacketPipe, _ tell: @escaping ProgressListener) { (self.pipe, self.tell) = (pipe, tell) }

    nonisolated var packetLimit: Int { pipe.packetLimit }
    func close() async { await pipe.close() }

    func send(_ packets: [[UInt8]]) async throws(LinkError) {
        let total = packets.reduce(0) { $0 + $1.count }
        var sent = 0
        for start in stride(from: 0, to: packets.count, by: Self.run) {
            let run = packets[start..<min(start + Self.run, packets.count)]
            try await pipe.send(Array(run))
            sent += run.reduce(0) { $0 + $1.count }
            tell(TransferProgress(isSent: true, bytes: sent, total: total, isLast: sent == total))
        }
    }

    func receive() async throws(LinkError) -> [UInt8]? {
        let packet = try await pipe.receive()
        guard let packet else { return nil }
        // A message begins with a packet that has its length; peers that cut it elsewhere get no total.
        if received == 0, packet.count >= 4 { total = packet.prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4 }
        received += packet.count
        let isLast = total.map { received >= $0 } ?? false
        tell(TransferProgress(isSent: false, bytes: received, total: total, isLast: isLast))
        if isLast { (received, total) = (0, nil) }
        return packet
    }
}
