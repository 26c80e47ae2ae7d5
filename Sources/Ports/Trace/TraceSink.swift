import Codec
import Glibc

/// Where trace events go.
public protocol TraceSink: Sendable {
    /// Keeps an event. Events of one session come in order.
    func record(_ event: TraceEvent)
    /// Whether anybody listens; what is costly to make for a trace is made only then.
    var isActive: Bool { get }
}

/// Keeps nothing.
public struct NoTrace: TraceSink {
    /// A sink that keeps nothing.
    public init() {}
    /// Drops the event.
    public func record(_ event: TraceEvent) {}
    /// Nobody listens.
    public var isActive: Bool { false }
}

/// Keeps events in memory, for tests and for reports that show the messages.
public final class MemoryTrace: TraceSink {
    private let kept = Locked<[TraceEvent]>([])

    /// An empty trace.
    public init() {}
    /// Appends the event.
    public func record(_ event: TraceEvent) { kept.withLock { $0.append(event) } }
    /// Always listens.
    public var isActive: Bool { true }
    /// What was recorded, in order.
    public var events: [TraceEvent] { kept.withLock { $0 } }
}

/// Writes each event as one line of JSON to a file descriptor, whole lines even from several threads.
public final class JSONLinesTrace: TraceSink {
    private let descriptor: Int32
    private let failed = Locked<Bool>(false)

    /// Writes to an open descriptor, which the caller closes.
    public init(fileDescriptor: Int32) { descriptor = fileDescriptor }

    /// Always listens.
    public var isActive: Bool { true }

    /// Whether a line could not be written, so that the trace has a gap.
    public var hasFailed: Bool { failed.withLock { $0 } }

    /// Writes the line.
    public func record(_ event: TraceEvent) {
        let line = Array((event.json.encoded() + "\n").utf8)
        failed.withLock { failed in
            if !Self.write(line, to: descriptor) { failed = true }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
