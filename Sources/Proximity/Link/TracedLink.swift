import Codec
public import Ports

/// A link that writes every message to a trace.
public struct TracedLink: Link {
    private let link: any Link
    private let trace: SessionTrace

    /// Traces what passes `link`.
    public init(_ link: any Link, trace: SessionTrace) { (self.link, self.trace) = (link, trace) }

    public func send(_ message: [UInt8]) async throws(LinkError) {
        trace.record(.sent, layer: "session", Self.name(of: message), message)
        try await link.send(message)
    }

    public func receive() async throws(LinkError) -> [UInt8]? {
        let message = try await link.receive()
        if let message { trace.record(.received, layer: "session", Self.name(of: message), message) }
        return message
    }

    public func end() async { await link.end() }
    public func close() async { await link.close() }
    public func oddities() async -> Set<GATTChannel.Oddity> { await link.oddities() }
    public func examined() async -> Set<String> { await link.examined() }
    public var endsByClosing: Bool { link.endsByClosing }

    private static func name(of message: [UInt8]) -> String {
        (try? SessionEstablishment(decoding: message)) == nil ? "SessionData" : "SessionEstablishment"
    }
}

/// A pipe that writes every characteristic value to a trace.
public struct TracedPipe: GATTPipe {
    private let pipe: any GATTPipe
    private let trace: SessionTrace

    /// Traces what passes `pipe`.
    public init(_ pipe: any GATTPipe, trace: SessionTrace) { (self.pipe, self.trace) = (pipe, trace) }

    public var mtu: Int { pipe.mtu }
    public var partLimit: Int { pipe.partLimit }
    public func oddities() async -> Set<GATTChannel.Oddity> { await pipe.oddities() }
    public func examined() async -> Set<String> { await pipe.examined() }

    public func send(_ values: [GATTValue]) async throws(LinkError) {
        for value in values { trace.record(.sent, layer: "link", value.characteristic.name, value.bytes) }
        try await pipe.send(values)
    }

    public func receive() async throws(LinkError) -> GATTValue? {
        let value = try await pipe.receive()
        if let value { trace.record(.received, layer: "link", value.characteristic.name, value.bytes) }
        return value
    }

    public func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        let bytes = try await pipe.read(characteristic)
        trace.record(.received, layer: "link", characteristic.name, bytes)
        return bytes
    }

    public func close() async { await pipe.close() }
}

/// A channel that writes every packet to a trace.
struct TracedPackets: PacketPipe {
    let pipe: any PacketPipe
    let trace: SessionTrace

    var packetLimit: Int { pipe.packetLimit }

    func send(_ packets: [[UInt8]]) async throws(LinkError) {
        for packet in packets { trace.record(.sent, layer: "link", GATTCharacteristic.l2cap.name, packet) }
        try await pipe.send(packets)
    }

    func receive() async throws(LinkError) -> [UInt8]? {
        let packet = try await pipe.receive()
        if let packet { trace.record(.received, layer: "link", GATTCharacteristic.l2cap.name, packet) }
        return packet
    }

    func close() async { await pipe.close() }
}
