/// A link over a GATT pipe: `GATTChannel` with I/O.
public actor GATTLink: Link {
    private let pipe: any GATTPipe
    private var channel: GATTChannel
    private var noted: Set<GATTChannel.Oddity>
    private let looked: Set<String>

    private init(pipe: any GATTPipe, channel: GATTChannel, noted: Set<GATTChannel.Oddity>, looked: Set<String>) {
        (self.pipe, self.channel, self.noted, self.looked) = (pipe, channel, noted, looked)
    }

    /// Opens the transfer on a connected pipe: the client checks Ident where there is one and writes Start, the server waits for Start.
    /// - Parameters:
    ///   - ident: as in `LinkEndpoint.open`; nil when Ident was compared before.
    ///   - noted: what was odd about the way here.
    ///   - examined: the checks that were made on it.
    /// - Throws: `.identMismatch` when an mdoc meets another reader than the one its engagement was read by; the pipe is then closed.
    public static func open(
        _ pipe: any GATTPipe, mode: GATTMode, role: MdocRole, ident: [UInt8]?, noted: Set<GATTChannel.Oddity> = [],
        examined: Set<String> = [], messageLimit: Int = 16 << 20
    ) async throws(LinkError) -> GATTLink {
        let channel = GATTChannel(mode: mode, role: role, mtu: pipe.mtu, messageLimit: messageLimit)
        var looked = examined.union(["P22.value"])
        if !channel.isClient { looked.insert("P22.start") }
        if channel.isClient, mode == .central { looked.formUnion(["P25", "H1"]) }
        let link = GATTLink(pipe: pipe, channel: channel, noted: noted, looked: looked)
        do {
            if channel.isClient {
                try await link.start(ident: mode == .central ? ident : nil)
            } else {
                try await link.awaitStart()
            }
        } catch {
            await pipe.close()
            throw error
        }
        return link
    }

    public func send(_ message: [UInt8]) async throws(LinkError) {
        guard channel.isOpen else { throw .closed }
        try await pipe.send(channel.parts(of: message, limit: pipe.partLimit))
    }

    public func receive() async throws(LinkError) -> [UInt8]? {
        while true {
            switch try await nextEvent() {
            case .message(let message): return message
            case .ended: return nil
            case .started: continue
            }
        }
    }

    public func end() async {
        guard let value = channel.end() else { return }
        try? await pipe.send([value])
    }

    public func close() async { await pipe.close() }

    public func oddities() async -> Set<GATTChannel.Oddity> { channel.oddities.union(noted).union(await pipe.oddities()) }

    public func examined() async -> Set<String> {
        // A peer that neither ends nor goes has shown nothing yet.
        let seen = looked.union(await pipe.examined())
        return channel.isUnended && !noted.contains(.endedWithoutState) ? seen : seen.union(["P28"])
    }

    private func start(ident: [UInt8]?) async throws(LinkError) {
        if let ident {
            let found = try await pipe.read(.ident)
            guard found == ident else { throw .identMismatch(found: found, expected: ident) }
        }
        try await pipe.send([channel.start()])
    }

    private func awaitStart() async throws(LinkError) {
        switch try await nextEvent() {
        case .started: return
        case .ended: throw .lost(.beforeStart)
        case .message: throw .dataBeforeStart
        }
    }

    private func nextEvent() async throws(LinkError) -> GATTChannel.Event {
        while true {
            guard let value = try await pipe.receive() else {
                if channel.isUnended { noted.insert(.endedWithoutState) }
                guard let loss = channel.disconnected() else { return .ended }
                throw loss
            }
            if let event = try channel.receive(value) { return event }
        }
    }
}
