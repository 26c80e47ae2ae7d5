import Ports

/// Bluetooth inside one process: radios that hear each other's advertisements, connect, and open channels. The twin of BlueZ, without
/// its faults.
public final class MemoryAir: Sendable {
    /// How the air and its servers behave.
    public struct Manners: Sendable {
        /// ATT MTU of every connection.
        public var mtu = 515
        /// Whether radios have L2CAP channels.
        public var hasChannels = true
        /// How long a client may stay connected after the end, in seconds.
        public var staySeconds = 60
        /// How long a server waits, after a loss in mid-transfer, for a client that comes back, in seconds.
        public var resumeSeconds = 0

        /// Generous ones.
        public init() {}
    }

    struct World {
        var servers: [String: MemoryServer] = [:]
        var listeners: [Int: MemoryListener] = [:]
        var watchers: [Int: Mailbox<Bool>] = [:]
        var lastID = 0
    }

    let manners: Manners
    private let world = Locked(World())

    /// An empty air.
    public init(_ manners: Manners = Manners()) { self.manners = manners }

    /// A radio in it.
    public func radio(_ name: String) -> MemoryRadio { MemoryRadio(air: self, name: name) }

    /// What is offered or listened to now.
    public var leftovers: [String] {
        world.withLock { $0.servers.keys.map { "service \($0)" } + $0.listeners.keys.map { "PSM \($0)" } }.sorted()
    }

    func number() -> Int {
        world.withLock { world in
            world.lastID += 1
            return world.lastID
        }
    }

    func listen() -> MemoryListener? {
        world.withLock { world in
            guard let psm = (0x80...0xFF).first(where: { world.listeners[$0] == nil }) else { return nil }
            let listener = MemoryListener(psm: psm, air: self)
            world.listeners[psm] = listener
            return listener
        }
    }

    func unlisten(_ psm: Int) { world.withLock { $0.listeners[psm] = nil } }
    func listener(_ psm: Int) -> MemoryListener? { world.withLock { $0.listeners[psm] } }

    func publish(_ server: MemoryServer) {
        let watchers = world.withLock { world in
            world.servers[server.offer.uuid.description] = server
            return Array(world.watchers.values)
        }
        for watcher in watchers where !watcher.isFull { watcher.put(true) }
    }

    func withdraw(_ server: MemoryServer) {
        world.withLock { world in
            let name = server.offer.uuid.description
            if world.servers[name] === server { world.servers[name] = nil }
        }
    }

    func server(_ uuid: BluetoothUUID) -> MemoryServer? { world.withLock { $0.servers[uuid.description] } }

    /// Waits until the service is advertised.
    func advertiser(_ uuid: BluetoothUUID) async throws(LinkError) -> MemoryServer {
        let (news, id) = (Mailbox<Bool>(capacity: 1), number())
        world.withLock { $0.watchers[id] = news }
        defer { world.withLock { $0.watchers[id] = nil } }
        while true {
            if let server = server(uuid), server.isAdvertised { return server }
            _ = try await news.take()
        }
    }
}

/// A radio of a `MemoryAir`.
public struct MemoryRadio: BluetoothRadio {
    let air: MemoryAir
    public let name: String

    public var servesLongMessages: Bool { true }
    public func caveat(isServer: Bool) -> String? { nil }

    public func listen() async throws(LinkError) -> any ChannelListener {
        guard air.manners.hasChannels, let listener = air.listen() else {
            throw .environment("this radio has no L2CAP channels", mend: "leave --l2cap-only out")
        }
        return listener
    }

    public func serve(_ offer: GATTOffer, channel: (any ChannelListener)?) async throws(LinkError) -> any GATTServing {
        MemoryServer(air, offer, channel)
    }

    public func find(_ uuid: BluetoothUUID, seconds: Int?) async throws(LinkError) -> any GATTPeer {
        let air = air
        guard let seconds else { return MemoryPeer(air, try await air.advertiser(uuid), name) }
        do throws(LinkError) {
            let server = try await TimeLimit.run(seconds: seconds, doing: "looking for \(uuid)") { () async throws(LinkError) in
                try await air.advertiser(uuid)
            }
            return MemoryPeer(air, server, name)
        } catch {
            if case .timedOut = error { throw .notAdvertised(uuid.description, seconds: seconds) }
            throw error
        }
    }
}

/// A PSM in a `MemoryAir`.
final class MemoryListener: ChannelListener {
    let psm: Int
    private let air: MemoryAir
    private let arrivals = Mailbox<(device: String, pipe: any PacketPipe)>(capacity: 4)

    init(psm: Int, air: MemoryAir) { (self.psm, self.air) = (psm, air) }

    func accept() async throws(LinkError) -> (device: String, pipe: any PacketPipe) {
        guard let arrival = try await arrivals.take() else { throw .closed }
        return arrival
    }

    func close() {
        air.unlisten(psm)
        arrivals.close()
    }

    func connect(_ device: String) -> any PacketPipe {
        let (ours, theirs) = LoopbackPackets.pair()
        arrivals.put((device, ours))
        return theirs
    }
}
