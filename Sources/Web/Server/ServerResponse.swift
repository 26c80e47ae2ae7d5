import CMicroHTTPD
import Glibc
import Ports

/// Responses as the library takes them.
enum ServerResponse {
    /// Nil when memory is gone.
    static func make(_ response: HTTPResponse, _ connection: OpaquePointer, _ core: ServerCore) -> OpaquePointer? {
        let made: OpaquePointer?
        switch response.body {
        case .bytes(let bytes):
            made = bytes.withUnsafeBytes { buffer in
                MHD_create_response_from_buffer(
                    buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream(let stream):
            let isEvents = response.headers.mediaType == "text/event-stream"
            let body = StreamBody(stream, connection, core.suspensions, keepsAlive: isEvents)
            made = MHD_create_response_from_callback(
                CMHD_SIZE_UNKNOWN, 16 << 10, StreamBody.read, Unmanaged.passRetained(body).toOpaque(), StreamBody.free)
        }
        guard let made else { return nil }
        // A name or value with a line break is refused by the library, so that nobody writes headers through a value.
        for (name, value) in response.headers.pairs where !computed.contains(name.lowercased()) {
            _ = MHD_add_response_header(made, name, value)
        }
        return made
    }

    /// What the library says itself.
    private static let computed: Set<String> = ["content-length", "transfer-encoding", "date"]
}

/// A body that comes in parts. The library asks for bytes; when there are none the connection is suspended until some come.
final class StreamBody: @unchecked Sendable {
    private struct State {
        var queue: [UInt8] = []
        var isOver = false
        var isWaiting = false
    }

    /// A client that reads so slowly that this much waits is cut off.
    private static let longestQueue = 4 << 20
    /// Seconds between comments that keep proxies from closing the connection, and find out that the client has.
    private static let heartbeat = 15

    // Only the library's thread touches `connection`, or `resume` while it is suspended, when it cannot go away.
    private let connection: OpaquePointer
    private let suspensions: Suspensions
    private let state = Locked(State())
    private var tasks: [Task<Void, Never>] = []

    init(_ stream: AsyncStream<[UInt8]>, _ connection: OpaquePointer, _ suspensions: Suspensions, keepsAlive: Bool) {
        self.connection = connection
        self.suspensions = suspensions
        // Owned by this body, which cancels them when the library frees it.
        tasks.append(
            Task { [weak self] in
                for await chunk in stream { self?.add(chunk) }
                self?.end()
            })
        if keepsAlive {
            tasks.append(
                Task { [weak self] in
                    while (try? await Task.sleep(for: .seconds(Self.heartbeat))) != nil { self?.add(Array(":\n\n".utf8)) }
                })
        }
        if !suspensions.register(self, ending: { [weak self] in self?.end() }) { end() }
    }

    static let read: MHD_ContentReaderCallback = { context, _, buffer, size in
        guard let context, let buffer else { return CMHD_END_OF_STREAM }
        let body = Unmanaged<StreamBody>.fromOpaque(context).takeUnretainedValue()
        return body.take(UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }

    static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<StreamBody>.fromOpaque(context).takeRetainedValue().cancel()
    }

    private func take(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(buffer.count, state.queue.count)
            if count > 0 {
                buffer.copyBytes(from: state.queue.prefix(count))
                state.queue.removeFirst(count)
                return count
            }
            if state.isOver { return CMHD_END_OF_STREAM }
            guard suspensions.suspend({ MHD_suspend_connection(connection) }) else { return CMHD_END_OF_STREAM }
            state.isWaiting = true
            return 0
        }
    }

    private func add(_ chunk: [UInt8]) {
        change { state in
            guard state.queue.count + chunk.count <= Self.longestQueue else { return state.isOver = true }
            if !state.isOver { state.queue += chunk }
        }
    }

    private func end() { change { $0.isOver = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            guard state.isWaiting else { return }
            state.isWaiting = false
            suspensions.resume { MHD_resume_connection(connection) }
        }
    }

    private func cancel() {
        for task in tasks { task.cancel() }
        suspensions.forget(self)
    }
}
