import Glibc
import Ports

/// GATT values over a connected stream socket, framed by `StreamFraming`. One thread per socket does all its I/O:
/// it stops reading while nobody takes, and gives up on a peer that does not read.
public final class SocketPipe: GATTPipe {
    private struct Outbox {
        var bytes: [UInt8] = []
        var head = 0
        var isClosing = false
        var isDone = false
        var waiters: [@Sendable () -> Void] = []

        var count: Int { bytes.count - head }

        mutating func takeWaiters() -> [@Sendable () -> Void] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Above this many unsent bytes senders wait and reads of characteristics go unanswered.
    private static let highWater = 256 << 10
    /// A peer that takes nothing for this long is given up.
    private static let stallMilliseconds: Int64 = 30_000
    /// How long closing waits for the peer to take the rest and close too.
    private static let lingerMilliseconds: Int64 = 2_000

    public let mtu = 515
    private let socket: Int32
    private let mode: GATTMode
    private let readable: [GATTCharacteristic: [UInt8]]
    private let isServer: Bool
    private let wake: WakePipe
    private let inbox: Mailbox<GATTValue>
    private let answers = Mailbox<GATTValue>(capacity: 4)
    private let outbox = Locked(Outbox())

    /// Takes over a connected, non-blocking socket and starts its thread.
    /// - Parameters:
    ///   - mode: decides which service's numbers the frames carry.
    ///   - readable: characteristics a client may read; nil on the client's side.
    init(socket: Int32, mode: GATTMode, readable: [GATTCharacteristic: [UInt8]]?) throws(LinkError) {
        self.socket = socket
        self.mode = mode
        self.readable = readable ?? [:]
        isServer = readable != nil
        do {
            wake = try WakePipe()
        } catch {
            Glibc.close(socket)
            throw error
        }
        inbox = Mailbox(capacity: 256, onSpace: { [wake] in wake.signal() })
        guard Threads.start({ self.run() }) else {
            Glibc.close(socket)
            throw .system(doing: "starting a thread", code: EAGAIN)
        }
    }

    public func send(_ values: [GATTValue]) async throws(LinkError) {
        await awaitOutbox(cancellable: true) { $0.count < Self.highWater }
        if Task.isCancelled { throw .cancelled }
        let framing = StreamFraming(mode: mode)
        let refusal = outbox.withLock { outbox -> LinkError? in
            if outbox.isClosing { return .closed }
            if outbox.isDone { return .lost(.betweenMessages) }
            for value in values { outbox.bytes += framing.frame(value) }
            return nil
        }
        if let refusal {
            if case .failure(let error) = inbox.end { throw error }
            throw refusal
        }
        wake.signal()
    }

    public func receive() async throws(LinkError) -> GATTValue? { try await inbox.take() }

    public func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        guard !isServer, characteristic.number(in: mode) != nil else { throw .misplaced(characteristic) }
        try await send([GATTValue(characteristic, [])])
        guard let answer = try await answers.take() else { throw .lost(.beforeStart) }
        guard answer.characteristic == characteristic else { throw .misplaced(answer.characteristic) }
        return answer.bytes
    }

    public func close() async {
        outbox.withLock { $0.isClosing = true }
        wake.signal()
        // Not cancellable: the thread ends within its linger time.
        await awaitOutbox(cancellable: false) { $0.isDone }
    }

    /// Waits until `condition` holds or the socket is done. The thread wakes all waiters whenever something has changed.
    private func awaitOutbox(cancellable: Bool, _ condition: @Sendable (Outbox) -> Bool) async {
        var isSatisfied = false
        while !isSatisfied {
            isSatisfied = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                    let ready = outbox.withLock { outbox in
                        if condition(outbox) || outbox.isDone || (cancellable && Task.isCancelled) { return true }
                        outbox.waiters.append { continuation.resume(returning: false) }
                        return false
                    }
                    if ready { continuation.resume(returning: true) }
                }
            } onCancel: {
                for waiter in outbox.withLock({ $0.takeWaiters() }) { waiter() }
            }
        }
    }
}

extension SocketPipe {
    /// The thread's loop.
    private func run() {
        var framing = StreamFraming(mode: mode)
        var result = Result<Void, LinkError>.success(())
        var closingSince: Int64?
        var progress = monotonicMilliseconds()
        var isWriteShut = false
        while true {
            let (unsent, isClosing) = outbox.withLock { ($0.count, $0.isClosing) }
            let now = monotonicMilliseconds()
            if isClosing { closingSince = closingSince ?? now }
            if unsent == 0 { progress = now }
            if isClosing, unsent == 0, !isWriteShut {
                shutdown(socket, Int32(SHUT_WR))
                isWriteShut = true
            }
            let deadline =
                closingSince.map { $0 + Self.lingerMilliseconds } ?? (unsent > 0 ? progress + Self.stallMilliseconds : nil)
            if let deadline, now >= deadline {
                if closingSince == nil {
                    result = .failure(.timedOut(seconds: Int(Self.stallMilliseconds / 1000), doing: "sending"))
                }
                break
            }
            let holdsBack = !isClosing && (inbox.isFull || unsent > Self.highWater)
            var watched = [
                pollfd(fd: socket, events: Int16((holdsBack ? 0 : POLLIN) | (unsent > 0 ? POLLOUT : 0)), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&watched, 2, deadline.map { Int32(clamping: $0 - now) } ?? -1)
            if count < 0, errno != EINTR { break }
            if watched[1].revents != 0 { wake.drain() }
            if unsent > 0, write() { progress = monotonicMilliseconds() }
            guard watched[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            do {
                guard try read(into: &framing, discarding: isClosing) else { break }
            } catch {
                result = .failure(error)
                break
            }
        }
        finish(result)
    }

    /// Sends what the socket takes.
    /// - Returns: whether it took any.
    private func write() -> Bool {
        let (sent, waiters) = outbox.withLock { outbox in
            let count = outbox.bytes.withUnsafeBytes { raw in
                Glibc.send(socket, raw.baseAddress.map { $0 + outbox.head }, outbox.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { outbox.head += count }
            if outbox.head == outbox.bytes.count { (outbox.bytes, outbox.head) = ([], 0) }
            return (count > 0, outbox.count < Self.highWater ? outbox.takeWaiters() : [])
        }
        for waiter in waiters { waiter() }
        return sent
    }

    /// Receives once and hands on the whole values.
    /// - Returns: false when the peer has closed.
    private func read(into framing: inout StreamFraming, discarding: Bool) throws(LinkError) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count == 0 { return false }
        guard count > 0 else {
            if errno == EAGAIN || errno == EINTR { return true }
            return false
        }
        if discarding { return true }
        framing.append(chunk[..<count])
        while let value = try framing.next() { handOn(value, framing) }
        return true
    }

    private func handOn(_ value: GATTValue, _ framing: StreamFraming) {
        guard value.characteristic == .ident || value.characteristic == .l2cap else { return inbox.put(value) }
        if isServer {
            let answer = framing.frame(GATTValue(value.characteristic, readable[value.characteristic] ?? []))
            outbox.withLock { $0.bytes += answer }
        } else if !answers.isFull {
            answers.put(value)
        }
    }

    private func finish(_ result: Result<Void, LinkError>) {
        Glibc.close(socket)
        inbox.close(result)
        answers.close(result)
        let waiters = outbox.withLock { outbox in
            outbox.isDone = true
            (outbox.bytes, outbox.head) = ([], 0)
            return outbox.takeWaiters()
        }
        for waiter in waiters { waiter() }
    }
}
