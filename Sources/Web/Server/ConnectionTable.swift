import CMicroHTTPD
import Glibc
import Ports

/// The open connections and until when each must have brought its request. The library's own time limit counts idle time only: a peer
/// that sends a byte now and then would never meet it.
final class ConnectionTable: Sendable {
    private struct Entry {
        let socket: Int32
        /// The session of a connection over TLS.
        let tls: UnsafeMutableRawPointer?
        /// Milliseconds of the monotonic clock.
        var deadline: Int64
        var isReading = true
        /// Whether something of the request that is being read has arrived: then TLS has been set up, too.
        var hasBegun = false
    }

    private let entries = Locked<[OpaquePointer: Entry]>([:])

    /// A new connection: its first request has to be whole within `seconds`.
    func open(_ connection: OpaquePointer, socket: Int32, tls: UnsafeMutableRawPointer?, seconds: Int) {
        let deadline = monotonicMilliseconds() + Int64(seconds) * 1000
        nonisolated(unsafe) let session = tls
        entries.withLock { $0[connection] = Entry(socket: socket, tls: session, deadline: deadline) }
    }

    /// The first line of a request is there.
    func begin(_ connection: OpaquePointer) { change(connection) { $0.hasBegun = true } }

    /// Called by the library's thread before it closes the socket.
    func close(_ connection: OpaquePointer) { entries.withLock { _ = $0.removeValue(forKey: connection) } }

    /// The request is whole: its answer may take `seconds`, nil for a stream that lasts.
    func answer(_ connection: OpaquePointer, within seconds: Int?) {
        let deadline = seconds.map { monotonicMilliseconds() + Int64($0) * 1000 } ?? Int64.max
        change(connection) { ($0.deadline, $0.isReading) = (deadline, false) }
    }

    /// The answer is out: the next request has to be whole within `seconds`.
    func rest(_ connection: OpaquePointer, within seconds: Int) {
        let deadline = monotonicMilliseconds() + Int64(seconds) * 1000
        change(connection) { ($0.deadline, $0.isReading, $0.hasBegun) = (deadline, true, false) }
    }

    /// Cuts off whoever is too late. The library's thread then finds the connection ended.
    func closeOverdue() {
        let now = monotonicMilliseconds()
        // Under the lock: a socket in the table is not closed yet, so its number is still its own; and while a request is read the
        // library sends nothing, which it would have to say here first.
        entries.withLock { entries in
            for (connection, entry) in entries where entry.deadline < now {
                if entry.isReading { Self.send408(entry) }
                shutdown(entry.socket, Int32(SHUT_RDWR))
                entries[connection]?.deadline = Int64.max
            }
        }
    }

    private func change(_ connection: OpaquePointer, _ body: (inout Entry) -> Void) {
        entries.withLock { entries in
            guard var entry = entries[connection] else { return }
            body(&entry)
            entries[connection] = entry
        }
    }

    private static func send408(_ entry: Entry) {
        let text = Array("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".utf8)
        if let tls = entry.tls {
            guard entry.hasBegun else { return }
            _ = text.withUnsafeBytes { cmhd_tls_send(tls, $0.baseAddress, $0.count) }
        } else {
            _ = text.withUnsafeBytes { send(entry.socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        }
    }
}
