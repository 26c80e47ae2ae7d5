/// Writes what one session sends and receives to a trace, numbered in order.
public final class SessionTrace: Sendable {
    private let sink: any TraceSink
    private let session: String
    private let role: String
    private let clock: any Ports.Clock
    private let faults: [String]
    private let sequence = Locked(0)

    /// - Parameters:
    ///   - session: tells the sessions of one trace apart.
    ///   - role: `holder`, `reader`, `wallet`, `verifier`, `issuer`.
    ///   - faults: names of the faults at work, written on every event.
    public init(sink: any TraceSink, session: String, role: String, clock: any Ports.Clock, faults: [String] = []) {
        (self.sink, self.session, self.role, self.clock, self.faults) = (sink, session, role, clock, faults)
    }

    /// Keeps one message.
    /// - Parameters:
    ///   - layer: `engagement`, `link` for characteristic values, `session` for whole session messages, `message` for their plaintext,
    ///     `key` for this side's ephemeral key (PKCS #8), `decision` for what this side made of a message,
    ///     `http` for requests and responses.
    ///   - isRedacted: leaves the bytes out, for keys and plaintext with claim values.
    public func record(
        _ direction: TraceEvent.Direction, layer: String, _ name: String, _ bytes: [UInt8] = [], isRedacted: Bool = false,
        annotation: Annotation? = nil
    ) {
        KillPoint.pass("\(direction.rawValue) \(layer) \(name)")
        guard sink.isActive else { return }
        let number = sequence.withLock { number in
            defer { number += 1 }
            return number
        }
        sink.record(
            TraceEvent(
                sequence: number, time: clock.now(), session: session, role: role, layer: layer,
                name: name, direction: direction, bytes: isRedacted ? [] : bytes, isRedacted: isRedacted, annotation: annotation,
                faults: faults))
    }
}
