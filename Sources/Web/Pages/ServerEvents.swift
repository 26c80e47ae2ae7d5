public import Ports

/// Tells pages and scripts that something changed: server-sent events (HTML Living Standard 9.2) by topic, within one process.
public final class EventHub: Sendable {
    private struct State {
        var listeners: [String: [Int: AsyncStream<[UInt8]>.Continuation]] = [:]
        var count = 0
        var next = 0
    }

    private let state = Locked(State())
    private let limit: Int

    /// How many listen now.
    public var listeners: Int { state.withLock { $0.count } }

    /// - Parameter limit: listeners at a time.
    public init(limit: Int = 256) { self.limit = limit }

    /// Sends an event to everyone who listens to the topic.
    /// - Parameter data: one line or more.
    public func post(_ name: String, _ data: String = "", to topic: String) {
        let listeners = state.withLock { Array(($0.listeners[topic] ?? [:]).values) }
        let bytes = Self.encode(name, data)
        for listener in listeners { listener.yield(bytes) }
    }

    /// Ends the topic: its listeners have heard everything.
    public func end(_ topic: String) {
        let listeners = state.withLock { Array(($0.listeners[topic] ?? [:]).values) }
        for listener in listeners { listener.finish() }
    }

    /// A response that lasts and carries the topic's events; 503 when there are too many listeners.
    public func response(for topic: String) -> HTTPResponse {
        let (stream, listener) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(4096))
        let id = state.withLock { state -> Int? in
            guard state.count < limit else { return nil }
            state.count += 1
            state.next += 1
            state.listeners[topic, default: [:]][state.next] = listener
            return state.next
        }
        guard let id else { return .text("too many pages listen already", status: 503, headers: ["Retry-After": "5"]) }
        listener.onTermination = { [weak self] _ in self?.remove(id, topic) }
        // Says at once that the line stands; a browser waits for it.
        listener.yield(Array("retry: 2000\n\n".utf8))
        return HTTPResponse(
            200, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"],
            body: .stream(stream))
    }

    private func remove(_ id: Int, _ topic: String) {
        state.withLock { state in
            guard state.listeners[topic]?.removeValue(forKey: id) != nil else { return }
            state.count -= 1
            if state.listeners[topic]?.isEmpty == true { state.listeners[topic] = nil }
        }
    }

    private static func encode(_ name: String, _ data: String) -> [UInt8] {
        let lines = data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Array(("event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n").utf8)
    }
}
