import Glibc
import Ports

/// A listening TCP or Unix socket: where an mdoc waits for its reader without a radio. It serves one reader; the place is given free
/// as soon as that one has started, so that a second one is refused at once.
public final class SocketListener: LinkEndpoint {
    /// The address as bound; a port of 0 is replaced by the one chosen.
    public let address: LinkAddress
    /// Which end plays the GATT server over the stream.
    public let mode: GATTMode
    /// Nil once given free.
    private let socket: Locked<Int32?>
    private let cancel: WakePipe
    private let engagementSeconds: Int?
    private let fitting: LinkFitting

    /// Binds and listens at once, so that the engagement can name the port.
    /// - Parameters:
    ///   - mode: which end plays the GATT server over the stream, whoever listens.
    ///   - engagementSeconds: how long `open` waits for a reader; the standard wants at least 30. Nil waits for ever.
    ///   - fitting: trace and faults of the links to be opened.
    public init(
        _ address: LinkAddress, mode: GATTMode = .peripheral, engagementSeconds: Int? = nil, fitting: LinkFitting = LinkFitting()
    ) async throws(LinkError) {
        cancel = try WakePipe()
        let listening = try await Threads.run(cancel: cancel) { Socket.listen(on: address) }
        (socket, self.address) = (Locked(listening.socket), listening.address)
        self.mode = mode
        self.engagementSeconds = engagementSeconds
        self.fitting = fitting
    }

    deinit { giveFree() }

    public var method: RetrievalMethod { .stream(StreamOptions(address: address, mode: mode)) }

    /// A connection that goes away, says something else or nothing before Start does not count: the next one is waited for
    /// (ISO/IEC 18013-5:2021 §8.3.3.1.1.8).
    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        while true {
            guard let socket = socket.withLock({ $0 }) else { throw .closed }
            let (cancel, limit) = (cancel, engagementSeconds.map { $0 * 1000 })
            let accepted = try await Threads.run(cancel: cancel) { Socket.accept(from: socket, within: limit, cancel: cancel) }
            do {
                let link = try await SocketPipe.openLink(accepted, mode: mode, role: role, ident: ident, fitting: fitting)
                giveFree()
                return link
            } catch {
                switch error {
                case .cancelled, .identMismatch: throw error
                default: continue
                }
            }
        }
    }

    public func close() async { cancel.signal() }

    private func giveFree() {
        let open = socket.withLock { socket in
            defer { socket = nil }
            return socket
        }
        guard let open else { return }
        Glibc.close(open)
        if case .unix(let path) = address { unlink(path) }
    }
}

/// An address to connect to: how a reader reaches an mdoc that a `SocketListener` waits for.
public struct SocketConnector: LinkEndpoint {
    /// Where the mdoc waits.
    public let address: LinkAddress
    /// Which end plays the GATT server over the stream.
    public let mode: GATTMode
    private let seconds: Int
    private let fitting: LinkFitting

    /// - Parameter seconds: how long connecting may take.
    public init(_ address: LinkAddress, mode: GATTMode = .peripheral, seconds: Int = 30, fitting: LinkFitting = LinkFitting()) {
        (self.address, self.mode, self.seconds, self.fitting) = (address, mode, seconds, fitting)
    }

    public var method: RetrievalMethod { .stream(StreamOptions(address: address, mode: mode)) }

    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let (cancel, address, seconds) = (try WakePipe(), address, seconds)
        let socket = try await Threads.run(cancel: cancel) {
            Socket.connect(to: address, within: seconds * 1000, cancel: cancel)
        }
        return try await SocketPipe.openLink(socket, mode: mode, role: role, ident: ident, fitting: fitting)
    }

    public func close() async {}
}

extension SocketPipe {
    /// How long a connected peer may take to Start before the place is given to the next.
    private static let startSeconds = 30

    fileprivate static func openLink(
        _ socket: Int32, mode: GATTMode, role: MdocRole, ident: [UInt8], fitting: LinkFitting
    ) async throws(LinkError) -> any Link {
        let served: [GATTCharacteristic: [UInt8]]? =
            mode.server == role ? (mode == .central ? [.ident: fitting.ident(ident)] : [:]) : nil
        let pipe = fitting.fit(try SocketPipe(socket: socket, mode: mode, readable: served))
        return try await TimeLimit.run(seconds: startSeconds, doing: "opening the transfer") { () async throws(LinkError) in
            try await GATTLink.open(pipe, mode: mode, role: role, ident: ident)
        }
    }
}
