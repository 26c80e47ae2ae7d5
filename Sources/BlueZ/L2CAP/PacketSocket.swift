import Glibc
import Ports
import Proximity

/// What GATT and L2CAP do with sockets that keep the borders of packets. All are non-blocking; a thread waits, never a task.
enum PacketSocket {
    static let stallMilliseconds: Int64 = 30_000
    private static let flushMilliseconds: Int64 = 5_000

    /// Sends packets in order.
    static func send(_ packets: [[UInt8]], into socket: Int32) async throws(LinkError) {
        let cancel = try WakePipe()
        try await Threads.run(cancel: cancel) { () -> Result<Void, LinkError> in
            for packet in packets {
                if let error = put(packet, into: socket, cancel) { return .failure(error) }
            }
            return .success(())
        }
    }

    /// Waits until the socket holds nothing more, but not for ever.
    /// - Parameter isEmpty: whether that is so.
    static func flush(_ isEmpty: @escaping @Sendable () -> Bool) async throws(LinkError) {
        let cancel = try WakePipe()
        try await Threads.run(cancel: cancel) { () -> Result<Void, LinkError> in
            let deadline = monotonicMilliseconds() + flushMilliseconds
            while !isEmpty(), monotonicMilliseconds() < deadline {
                var watched = [pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0)]
                if poll(&watched, 1, 2) > 0 { return .failure(.cancelled) }
            }
            return .success(())
        }
    }

    /// Bytes that the other end of a local socket has not read.
    static func unread(_ socket: Int32) -> Int32 {
        // SIOCOUTQ
        var count: Int32 = 0
        return ioctl(socket, UInt(0x5411), &count) == 0 ? count : 0
    }

    /// Every packet that waits, up to `limit` of them.
    /// - Returns: also whether the socket is still connected.
    static func packets(from socket: Int32, size: Int, limit: Int = .max) -> (packets: [[UInt8]], isOpen: Bool) {
        var packets: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while packets.count < limit {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                packets.append(Array(buffer[..<count]))
            } else if count == 0 {
                return (packets, false)
            } else if errno != EINTR {
                return (packets, errno == EAGAIN)
            }
        }
        return (packets, true)
    }

    /// Writes one packet.
    /// - Returns: what went wrong.
    private static func put(_ packet: [UInt8], into socket: Int32, _ cancel: WakePipe) -> LinkError? {
        let deadline = monotonicMilliseconds() + stallMilliseconds
        while true {
            let count = packet.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count >= 0 { return nil }
            guard errno == EAGAIN || errno == EINTR else { return .lost(.betweenMessages) }
            let left = deadline - monotonicMilliseconds()
            guard left > 0 else { return .timedOut(seconds: Int(stallMilliseconds / 1000), doing: "sending") }
            var watched = [
                pollfd(fd: socket, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&watched, 2, Int32(clamping: left))
            if watched[1].revents != 0 { return .cancelled }
        }
    }
}
