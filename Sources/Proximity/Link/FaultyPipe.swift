/// A pipe that spoils the parts it sends as named faults say.
public actor FaultyPipe: GATTPipe {
    private let pipe: any GATTPipe
    private let faults: FaultSet
    private var dataParts = 0

    /// Faults of other kinds have no effect here.
    public init(_ pipe: any GATTPipe, faults: FaultSet) { (self.pipe, self.faults) = (pipe, faults) }

    public nonisolated var mtu: Int { pipe.mtu }
    public nonisolated var partLimit: Int { pipe.partLimit }
    public func oddities() async -> Set<GATTChannel.Oddity> { await pipe.oddities() }
    public func examined() async -> Set<String> { await pipe.examined() }

    public func send(_ values: [GATTValue]) async throws(LinkError) {
        let isData = values.first.map { $0.characteristic == .client2Server || $0.characteristic == .server2Client } ?? false
        guard isData else { return try await sendStates(values) }
        let spoilt = spoil(values)
        if let limit = faults.number(of: .disconnectAfterPart), dataParts + spoilt.count > limit {
            try await pipe.send(Array(spoilt.prefix(max(0, limit - dataParts))))
            await pipe.close()
            throw .closed
        }
        dataParts += spoilt.count
        try await pipe.send(spoilt)
    }

    public func receive() async throws(LinkError) -> GATTValue? { try await pipe.receive() }
    public func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        try await pipe.read(characteristic)
    }
    public func close() async {
        if faults.contains(.clientDisconnects) {
            // Until the server has had enough.
            while let value = try? await pipe.receive() { _ = value }
        }
        await pipe.close()
    }

    private func sendStates(_ values: [GATTValue]) async throws(LinkError) {
        let kept: [GATTValue] = values.compactMap { value in
            switch value.bytes {
            // With `subscribed-first` it was written before.
            case [0x01] where faults.contains(.noStateStart) || faults.contains(.subscribedFirst): nil
            case [0x02] where faults.contains(.noStateEnd): nil
            case _ where faults.contains(.stateUnknown): GATTValue(value.characteristic, [0x07])
            default: value
            }
        }
        if !kept.isEmpty { try await pipe.send(kept) }
    }

    private func spoil(_ values: [GATTValue]) -> [GATTValue] {
        guard let first = values.first else { return values }
        // A client's Start is unknown already.
        if faults.contains(.stateUnknown), first.characteristic == .server2Client { return [GATTValue(.state, [0x07])] + values }
        if faults.contains(.partByte02) {
            return [GATTValue(first.characteristic, [0x02] + first.bytes.dropFirst())] + values.dropFirst()
        }
        if faults.contains(.partEmpty) { return [GATTValue(first.characteristic, [0x01])] + values }
        if faults.contains(.partTooLong) { return Self.joined(values) }
        return values
    }

    /// The first two parts in one; a message of a single part has nothing to join.
    private static func joined(_ values: [GATTValue]) -> [GATTValue] {
        guard values.count > 1 else { return values }
        let long = GATTValue(
            values[1].characteristic, [values[1].bytes[0]] + values[0].bytes.dropFirst() + values[1].bytes.dropFirst())
        return [long] + values.dropFirst(2)
    }
}

/// A channel that spoils the packets it sends as named faults say.
actor FaultyPackets: PacketPipe {
    private let pipe: any PacketPipe
    private let faults: FaultSet
    private var sent = 0

    init(_ pipe: any PacketPipe, faults: FaultSet) { (self.pipe, self.faults) = (pipe, faults) }

    nonisolated var packetLimit: Int { pipe.packetLimit }

    func send(_ packets: [[UInt8]]) async throws(LinkError) {
        let packets = faults.contains(.l2capLength) ? Self.shortened(packets) : packets
        if let limit = faults.number(of: .disconnectAfterPart), sent + packets.count > limit {
            try await pipe.send(Array(packets.prefix(max(0, limit - sent))))
            await pipe.close()
            throw .closed
        }
        sent += packets.count
        try await pipe.send(packets)
    }

    func receive() async throws(LinkError) -> [UInt8]? { try await pipe.receive() }
    func close() async { await pipe.close() }

    /// The header says that the message ends before its last byte that no header begins with.
    private static func shortened(_ packets: [[UInt8]]) -> [[UInt8]] {
        guard let first = packets.first, let last = packets.last else { return packets }
        let before = packets.dropLast().reduce(0) { $0 + $1.count }
        guard let cut = last.lastIndex(where: { $0 > 0x01 }), before + cut > 4 else { return packets }
        let header = LengthFraming.frame([], length: before + cut - 4)
        return [header + first.dropFirst(4)] + packets.dropFirst()
    }
}
