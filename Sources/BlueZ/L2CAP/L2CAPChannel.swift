import CBluetooth
import Glibc
import Ports
import Proximity

/// A connected LE L2CAP channel. A thread reads it, and stops while nobody takes: the peer then gets no credits.
final class L2CAPChannel: PacketPipe {
    /// Longer packets fail in the kernel from 32 KB; these are as fast.
    static let mtu = 2048
    private static let connectMilliseconds: Int64 = 20_000

    let packetLimit: Int
    private let socket: BusDescriptor
    private let wake: WakePipe
    private let arrivals: Mailbox<[UInt8]>
    /// Of the send buffer while it is empty.
    private let emptyRoom: Int32
    private let isClosed = Locked(false)

    /// Takes over a connected, non-blocking socket.
    init(_ descriptor: Int32) throws(LinkError) {
        socket = BusDescriptor(descriptor)
        let limit = Int(cbluetooth_send_mtu(descriptor))
        packetLimit = limit > 0 ? min(limit, Self.mtu) : 23
        emptyRoom = cbluetooth_room(descriptor)
        let wake = try WakePipe()
        self.wake = wake
        arrivals = Mailbox(capacity: 64, onSpace: { wake.signal() })
        guard Threads.start({ self.run() }) else { throw .system(doing: "starting a thread", code: EAGAIN) }
    }

    /// Opens a channel to a device, which needs not be connected yet.
    static func connect(from adapter: Adapter, to device: String, isRandom: Bool, psm: Int) async throws(LinkError) -> L2CAPChannel
    {
        let cancel = try WakePipe()
        let doing = "connecting to PSM \(psm) of \(device)"
        let descriptor = try await Threads.run(cancel: cancel) { () -> Result<Int32, LinkError> in
            let socket = cbluetooth_connect(
                adapter.address, adapter.isRandom ? 1 : 0, device, isRandom ? 1 : 0, Int32(clamping: psm), Int32(mtu))
            guard socket >= 0 else { return .failure(.system(doing: doing, code: errno)) }
            if let error = awaitConnection(socket, doing, cancel) {
                Glibc.close(socket)
                return .failure(error)
            }
            return .success(socket)
        }
        return try L2CAPChannel(descriptor)
    }

    func send(_ packets: [[UInt8]]) async throws(LinkError) {
        guard !isClosed.withLock({ $0 }) else { throw .closed }
        try await PacketSocket.send(packets, into: socket.number)
    }

    func receive() async throws(LinkError) -> [UInt8]? { try await arrivals.take() }

    func close() async {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        let (socket, emptyRoom) = (socket, emptyRoom)
        // The kernel throws away what it has not sent.
        if emptyRoom > 0, arrivals.end == nil {
            try? await PacketSocket.flush { cbluetooth_room(socket.number) < 0 || cbluetooth_room(socket.number) >= emptyRoom }
        }
        shutdown(socket.number, Int32(SHUT_RDWR))
        wake.signal()
    }

    private static func awaitConnection(_ socket: Int32, _ doing: String, _ cancel: WakePipe) -> LinkError? {
        var watched = [
            pollfd(fd: socket, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let deadline = monotonicMilliseconds() + connectMilliseconds
        var count: Int32 = -1
        while count < 0 {
            count = poll(&watched, 2, Int32(clamping: max(deadline - monotonicMilliseconds(), 0)))
            if count < 0, errno != EINTR { return .system(doing: doing, code: errno) }
        }
        if watched[1].revents != 0 { return .cancelled }
        if count == 0 { return .timedOut(seconds: Int(connectMilliseconds / 1000), doing: doing) }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        return code == 0 ? nil : .system(doing: doing, code: code)
    }

    /// The thread that reads.
    private func run() {
        while !isClosed.withLock({ $0 }) {
            let isFull = arrivals.isFull
            var watched = [
                pollfd(fd: socket.number, events: Int16(isFull ? 0 : POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&watched, 2, -1) < 0, errno != EINTR { break }
            if watched[1].revents != 0 { wake.drain() }
            if isFull, watched[0].revents == 0 { continue }
            let (packets, isOpen) = PacketSocket.packets(from: socket.number, size: 1 << 16, limit: 64)
            for packet in packets { arrivals.put(packet) }
            if !isOpen { break }
        }
        arrivals.close()
    }
}

/// Listens for channels on one adapter.
final class L2CAPListener: ChannelListener {
    let psm: Int
    private let socket: BusDescriptor
    private let wake: WakePipe
    private let adapter: Adapter
    private let isClosed = Locked(false)

    init(_ adapter: Adapter) throws(LinkError) {
        var number: Int32 = 0
        let descriptor = cbluetooth_listen(adapter.address, adapter.isRandom ? 1 : 0, Int32(L2CAPChannel.mtu), &number)
        guard descriptor >= 0 else {
            throw Problem.noChannels(adapter.name, reason: String(cString: strerror(errno))).linkError
        }
        socket = BusDescriptor(descriptor)
        (psm, self.adapter) = (Int(number), adapter)
        wake = try WakePipe()
    }

    func accept() async throws(LinkError) -> (device: String, pipe: any PacketPipe) {
        let (socket, wake, isClosed) = (socket, wake, isClosed)
        let cancel = try WakePipe()
        let (address, descriptor) = try await Threads.run(cancel: cancel) { () -> Result<(String, Int32), LinkError> in
            while !isClosed.withLock({ $0 }) {
                var watched = [socket.number, wake.descriptor, cancel.descriptor].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                _ = poll(&watched, 3, -1)
                if watched[2].revents != 0 { return .failure(.cancelled) }
                var text = [CChar](repeating: 0, count: 18)
                let descriptor = cbluetooth_accept(socket.number, &text)
                if descriptor >= 0 {
                    return .success((String(decoding: text.prefix(17).map { UInt8(bitPattern: $0) }, as: UTF8.self), descriptor))
                }
                // The adapter is gone, for instance.
                if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) {
                    return .failure(.system(doing: "accepting a channel", code: errno))
                }
            }
            return .failure(.closed)
        }
        return ("\(adapter.path)/dev_\(address.replacing(":", with: "_"))", try L2CAPChannel(descriptor))
    }

    func close() {
        isClosed.withLock { $0 = true }
        wake.signal()
    }
}
