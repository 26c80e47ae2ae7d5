import Codec
import Ports
import Vault

/// Passes the events of a session on and keeps them, for the evidence of the transaction.
final class KeptTrace: TraceSink {
    private let next: any TraceSink
    private let kept = MemoryTrace()

    init(passingTo next: any TraceSink) { self.next = next }

    var isActive: Bool { true }

    func record(_ event: TraceEvent) {
        kept.record(event)
        if next.isActive { next.record(event) }
    }

    /// The events so far, as a trace file.
    var evidence: Evidence {
        Evidence(name: "trace.jsonl", bytes: [UInt8](kept.events.map { $0.json.encoded() + "\n" }.joined().utf8))
    }
}
