public import Ports

/// What is put around the pipes and links of an endpoint: trace and faults, so that no role has code of its own for them.
public struct LinkFitting: Sendable {
    private let trace: SessionTrace?
    private let faults: FaultSet

    /// By default nothing is put around.
    public init(trace: SessionTrace? = nil, faults: FaultSet = FaultSet()) { (self.trace, self.faults) = (trace, faults) }

    /// The pipe with its decorators; the trace shows what really travels.
    public func fit(_ pipe: any GATTPipe) -> any GATTPipe {
        let traced: any GATTPipe = trace.map { TracedPipe(pipe, trace: $0) } ?? pipe
        return faults.isEmpty ? traced : FaultyPipe(traced, faults: faults)
    }

    /// The link with its decorators.
    public func fit(_ link: any Link) -> any Link {
        let traced: any Link = trace.map { TracedLink(link, trace: $0) } ?? link
        guard !faults.isEmpty else { return traced }
        let tampering = SessionTampering(faults: faults)
        return FaultyLink(traced) { tampering.rewrite($0, ordinal: $1) }
    }
}
