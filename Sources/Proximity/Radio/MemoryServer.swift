import Ports

/// A service in a `MemoryAir`, and the client that it serves.
final class MemoryServer: GATTServing {
    /// One client's connection.
    final class Connection: Sendable {
        let device: String
        let toClient = Mailbox<GATTValue>(capacity: 64)
        init(_ device: String) { self.device = device }
    }

    let offer: GATTOffer
    private let air: MemoryAir
    private let channel: (any ChannelListener)?
    private let transaction = Locked(ServedTransaction())
    private let connection = Locked<Connection?>(nil)
    private let state: Locked<(isAdvertised: Bool, isClosed: Bool)>
    private let arrivals = Mailbox<GATTValue>(capacity: 64)
    private let knocks = Mailbox<Arrival>(capacity: 1)
    private let partings = Mailbox<Bool>(capacity: 4)
    private let resumptions = Mailbox<Bool>(capacity: 4)
    private let accepting = Locked<Task<Void, Never>?>(nil)

    init(_ air: MemoryAir, _ offer: GATTOffer, _ channel: (any ChannelListener)?) {
        (self.air, self.offer, self.channel) = (air, offer, channel)
        state = Locked((offer.isAdvertised, false))
        air.publish(self)
        guard let channel else { return }
        let task = Task { [weak self] in
            while let (device, pipe) = try? await channel.accept() {
                if self?.open(device, pipe) != true { await pipe.close() }
            }
        }
        accepting.withLock { $0 = task }
    }

    var mtu: Int { air.manners.mtu }
    var isAdvertised: Bool { state.withLock { $0.isAdvertised } }
    func hide() async { state.withLock { $0.isAdvertised = false } }
    func oddities() async -> Set<GATTChannel.Oddity> { transaction.withLock { $0.oddities } }
    func examined() async -> Set<String> { ["P23", "P29", "P30", "P31"] }

    func awaitClient() async throws(LinkError) -> Arrival {
        guard let arrival = try await knocks.take() else { throw .closed }
        return arrival
    }

    func send(_ values: [GATTValue]) async throws(LinkError) {
        for value in values {
            guard let connection = connection.withLock({ $0 }) else { throw .lost(.betweenMessages) }
            await connection.toClient.awaitSpace()
            if Task.isCancelled { throw .cancelled }
            guard connection.toClient.end == nil else { throw .lost(.betweenMessages) }
            if value.characteristic == .state { transaction.withLock { $0.end() } }
            if transaction.withLock({ $0.isSubscribed(to: value.characteristic) }) { connection.toClient.put(value) }
        }
    }

    func receive() async throws(LinkError) -> GATTValue? { try await arrivals.take() }
    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] { throw .misplaced(characteristic) }

    func close() async {
        let wasClosed = state.withLock { state in
            defer { state = (false, true) }
            return state.isClosed
        }
        guard !wasClosed else { return }
        await Task { await self.part() }.value
        accepting.withLock { $0 }?.cancel()
        channel?.close()
        air.withdraw(self)
        connection.withLock { $0 }?.toClient.close()
        arrivals.close()
        knocks.close()
    }

    /// The client disconnects by itself once the transfer has ended; one that does not is disconnected. One that was lost must not come
    /// back.
    private func part() async {
        let (mayStay, isInterrupted) = transaction.withLock { ($0.isConnected && $0.hasEnded, $0.isInterrupted) }
        if mayStay {
            let seconds = air.manners.staySeconds
            if await !Self.came(partings, within: seconds) { transaction.withLock { $0.stayed(seconds) } }
        } else if isInterrupted, air.manners.resumeSeconds > 0 {
            _ = await Self.came(resumptions, within: air.manners.resumeSeconds)
        }
    }

    private static func came(_ news: Mailbox<Bool>, within seconds: Int) async -> Bool {
        let taken = try? await TimeLimit.run(seconds: seconds, doing: "") { () async throws(LinkError) in try await news.take() }
        return taken != nil
    }

    private func open(_ device: String, _ pipe: any PacketPipe) -> Bool {
        guard transaction.withLock({ $0.openChannel(by: device) }) else { return false }
        knocks.put(.channel(pipe))
        return true
    }
}

/// What clients do.
extension MemoryServer {
    /// - Throws: when the service is gone.
    func connect(_ device: String) throws(LinkError) -> Connection {
        guard air.server(offer.uuid) === self else { throw .lost(.beforeStart) }
        return Connection(device)
    }

    func subscribe(_ client: Connection) {
        transaction.withLock { transaction in
            for entry in offer.entries where entry.properties.contains(.notify) { transaction.subscribe(to: entry.characteristic) }
        }
        connection.withLock { $0 = $0 ?? client }
    }

    /// Takes a value as the server does who notices nothing of MTU.
    func write(_ value: GATTValue, by client: Connection) async throws(LinkError) {
        guard offer.acceptsParts else { throw .service(check: "P21.property", "the peer takes L2CAP only") }
        let verdict = transaction.withLock { $0.write(value, by: client.device) }
        if case .refused = verdict {
            resumptions.put(true)
            throw .lost(.beforeStart)
        }
        await arrivals.awaitSpace()
        if Task.isCancelled { throw .cancelled }
        guard arrivals.end == nil else { throw .lost(.betweenMessages) }
        arrivals.put(value)
        guard case .first = verdict else { return }
        connection.withLock { $0 = client }
        knocks.put(.values)
    }

    func disconnect(_ client: Connection) {
        client.toClient.close()
        guard transaction.withLock({ $0.client }) == client.device else { return }
        transaction.withLock { $0.lose() }
        partings.put(true)
        arrivals.close()
    }
}
