public import Ports

/// A link that does to its messages what a `FaultPlan` says, or rewrites those it sends.
public actor FaultyLink: Link {
    private let link: any Link
    private let plan: FaultPlan
    private let rewrite: @Sendable ([UInt8], _ ordinal: Int) -> [UInt8]
    private var counts: [FaultPlan.Direction: Int] = [:]
    private var late: [[UInt8]] = []

    /// - Parameter rewrite: changes a message to be sent, the `ordinal`-th from 0, before the plan is applied.
    public init(
        _ link: any Link, plan: FaultPlan = FaultPlan(),
        rewrite: @escaping @Sendable ([UInt8], _ ordinal: Int) -> [UInt8] = { bytes, _ in bytes }
    ) {
        (self.link, self.plan, self.rewrite) = (link, plan, rewrite)
    }

    public func send(_ message: [UInt8]) async throws(LinkError) {
        let ordinal = next(.sent)
        for message in try await outcome(of: rewrite(message, ordinal), .sent, ordinal) { try await link.send(message) }
    }

    public func receive() async throws(LinkError) -> [UInt8]? {
        while late.isEmpty {
            guard let message = try await link.receive() else { return nil }
            late = try await outcome(of: message, .received, next(.received))
        }
        return late.removeFirst()
    }

    public func end() async { await link.end() }
    public func close() async { await link.close() }
    public func oddities() async -> Set<GATTChannel.Oddity> { await link.oddities() }

    private func next(_ direction: FaultPlan.Direction) -> Int {
        defer { counts[direction, default: 0] += 1 }
        return counts[direction, default: 0]
    }

    private func outcome(of message: [UInt8], _ direction: FaultPlan.Direction, _ ordinal: Int) async throws(LinkError) -> [[UInt8]]
    {
        switch plan.apply(to: message, direction, ordinal: ordinal) {
        case .deliver(let messages, let milliseconds):
            if milliseconds > 0 { try? await Task.sleep(for: .milliseconds(milliseconds)) }
            return messages
        case .close:
            await link.close()
            throw .closed
        }
    }
}

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

    public func send(_ values: [GATTValue]) async throws(LinkError) {
        let isData = values.first.map { $0.characteristic == .client2Server || $0.characteristic == .server2Client } ?? false
        guard isData else { return try await pipe.send(values) }
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
    public func close() async { await pipe.close() }

    private func spoil(_ values: [GATTValue]) -> [GATTValue] {
        guard let first = values.first else { return values }
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
