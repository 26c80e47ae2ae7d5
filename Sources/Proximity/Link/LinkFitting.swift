public import Ports

/// What is put around the pipes and links of an endpoint: trace, progress and faults, so that no role has code of its own for them.
public struct LinkFitting: Sendable {
    private let trace: SessionTrace?
    let faults: FaultSet
    private let progress: ProgressListener?

    /// By default nothing is put around.
    public init(trace: SessionTrace? = nil, faults: FaultSet = FaultSet(), progress: ProgressListener? = nil) {
        (self.trace, self.faults, self.progress) = (trace, faults, progress)
    }

    /// The pipe with its decorators; the trace shows what really travels.
    public func fit(_ pipe: any GATTPipe) -> any GATTPipe {
        let traced: any GATTPipe = trace.map { TracedPipe(pipe, trace: $0) } ?? pipe
        let watched: any GATTPipe = progress.map { WatchedPipe(traced, $0) } ?? traced
        return faults.isEmpty ? watched : FaultyPipe(watched, faults: faults)
    }

    /// The channel with its decorators.
    public func fit(_ pipe: any PacketPipe) -> any PacketPipe {
        let traced: any PacketPipe = trace.map { TracedPackets(pipe: pipe, trace: $0) } ?? pipe
        let watched: any PacketPipe = progress.map { WatchedPackets(traced, $0) } ?? traced
        return faults.isEmpty ? watched : FaultyPackets(watched, faults: faults)
    }

    /// Writes a characteristic that was read to the trace.
    func note(_ characteristic: GATTCharacteristic, _ bytes: [UInt8]) {
        trace?.record(.received, layer: "link", characteristic.name, bytes)
    }

    /// Whether a fault takes peripheral mode of two that are offered.
    public var prefersPeripheral: Bool { faults.contains(.modePreference) }

    /// The Ident that this end offers, which a fault may change.
    func ident(_ honest: [UInt8]) -> [UInt8] {
        if faults.contains(.identLength) { return Array(honest.dropLast()) }
        if faults.contains(.identOtherSession) { return honest.map { $0 ^ 0xFF } }
        return honest
    }

    /// The link with its decorators.
    public func fit(_ link: any Link) -> any Link {
        let traced: any Link = trace.map { TracedLink(link, trace: $0) } ?? link
        guard !faults.isEmpty else { return traced }
        let tampering = SessionTampering(faults: faults)
        return FaultyLink(traced) { tampering.rewrite($0, ordinal: $1) }
    }
}
