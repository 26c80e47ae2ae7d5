import Glibc
import Ports
import Proximity

/// The GATT server of one transaction: the mdoc or reader service, its advertisement, and the one central that is served.
///
/// Values come in as WriteValue. Parts go out through a socket that BlueZ acquires, ten times as fast as D-Bus; State goes out as
/// PropertiesChanged, once BlueZ has taken every part before it.
final class GATTServer: GATTServing {
    private struct Transaction {
        var served = ServedTransaction()
        /// As BlueZ said with the first write; it may exceed the connection's.
        var mtu = 23
        /// What BlueZ reads parts from; nil until the client subscribes.
        var outgoing: BusDescriptor?
        var isAdvertised = false
        var isClosed = false
        var isByChannel = false
        var slots: [Int] = []
    }

    private static let root = "/walletbench"
    private static let service = "\(root)/service"
    private static let advertisement = "\(root)/advertisement"
    private static let characteristic = "org.bluez.GattCharacteristic1"
    /// How long a client may stay connected after the end.
    private static let lingerSeconds = 5
    /// How long a client may take to subscribe after it has started.
    private static let subscriptionSeconds = 10

    private let radio: Radio
    private let offer: GATTOffer
    private let channel: (any ChannelListener)?
    private let transaction = Locked(Transaction())
    private let arrivals = Mailbox<GATTValue>(capacity: 4096)
    private let knocks = Mailbox<Arrival>(capacity: 1)
    private let subscriptions = Changes()
    private let disconnections = Mailbox<Bool>(capacity: 1)
    private let resumptions = Mailbox<Bool>(capacity: 1)
    private let accepting = Locked<Task<Void, Never>?>(nil)

    private init(_ radio: Radio, _ offer: GATTOffer, _ channel: (any ChannelListener)?) {
        (self.radio, self.offer, self.channel) = (radio, offer, channel)
    }

    /// Registers the service and advertises it.
    /// - Parameter channel: closed with the server.
    static func start(
        _ radio: Radio, _ offer: GATTOffer, _ channel: (any ChannelListener)?
    ) async throws(LinkError) -> GATTServer {
        let server = GATTServer(radio, offer, channel)
        // Not cancelled half way: BlueZ would go on with what nobody takes back.
        let registered = await Task { () -> Result<Void, LinkError> in
            do throws(LinkError) { return .success(try await server.register()) } catch { return .failure(error) }
        }.value
        if case .failure(let error) = registered {
            await server.close()
            throw error
        }
        server.acceptChannels()
        return server
    }

    var mtu: Int { transaction.withLock { $0.mtu } }

    /// Notifications must not exceed the client's MTU: one that does stops the link. Where BlueZ may name a larger one, only lengths are
    /// safe that the client has used itself. Two more bytes go to the header of a multiple notification.
    var partLimit: Int {
        let isExact = radio.settings.holds(MainConf.reverseDiscovery)
        return transaction.withLock { min($0.mtu - 5, 508, isExact ? 508 : max($0.served.longest - 2, 18)) }
    }

    func oddities() -> Set<GATTChannel.Oddity> { transaction.withLock { $0.served.oddities } }
    func examined() -> Set<String> { transaction.withLock { $0.isByChannel } ? ["P31"] : ["P23", "P29", "P30", "P31"] }

    func awaitClient() async throws(LinkError) -> Arrival {
        guard let arrival = try await knocks.take() else { throw .closed }
        return arrival
    }

    /// Stops advertising: the transaction has its client.
    func hide() async {
        let was = transaction.withLock { transaction in
            defer { transaction.isAdvertised = false }
            return transaction.isAdvertised
        }
        guard was else { return }
        _ = try? await radio.call(
            radio.adapter.path, "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", [.path(Self.advertisement)],
            doing: "to stop advertising")
    }

    func send(_ values: [GATTValue]) async throws(LinkError) {
        var rest = values[...]
        while let first = rest.first {
            let run = rest.prefix { $0.characteristic == first.characteristic }
            rest = rest.dropFirst(run.count)
            try await awaitSubscription(first.characteristic)
            if Task.isCancelled { throw .cancelled }
            guard transaction.withLock({ $0.served.isConnected && !$0.isClosed }) else { throw .lost(.betweenMessages) }
            if first.characteristic == .server2Client, let socket = transaction.withLock({ $0.outgoing }) {
                try await PacketSocket.send(run.map(\.bytes), into: socket.number)
            } else {
                try await notify(Array(run))
            }
        }
    }

    private func notify(_ values: [GATTValue]) async throws(LinkError) {
        try await flush()
        for value in values {
            if value.characteristic == .state { transaction.withLock { $0.served.end() } }
            do throws(BusError) {
                try await radio.stack.bus.emitChanged(
                    path(value.characteristic), Self.characteristic, ["Value": .bytes(value.bytes)])
            } catch { throw Problem(error, doing: "to notify").linkError }
        }
    }

    /// Waits until BlueZ has taken every part: from then on it keeps their order.
    private func flush() async throws(LinkError) {
        guard let socket = transaction.withLock({ $0.outgoing }) else { return }
        try await PacketSocket.flush { PacketSocket.unread(socket.number) <= 0 }
    }

    func receive() async throws(LinkError) -> GATTValue? { try await arrivals.take() }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] { throw .misplaced(characteristic) }

    /// The client disconnects by itself once the session is over; one that does not is disconnected.
    func close() async {
        await Radio.shielded { [self] in
            guard
                transaction.withLock({ transaction in
                    defer { transaction.isClosed = true }
                    return !transaction.isClosed
                })
            else { return }
            await hide()
            if transaction.withLock({ $0.served.isConnected }) { try? await flush() }
            await part()
            accepting.withLock { $0 }?.cancel()
            channel?.close()
            _ = try? await radio.call(
                radio.adapter.path, "org.bluez.GattManager1", "UnregisterApplication", [.path(Self.root)],
                doing: "to end its service")
            for slot in transaction.withLock({ $0.slots }) { await radio.stack.bus.remove(slot) }
            transaction.withLock { $0.outgoing = nil }
            arrivals.close()
            knocks.close()
        }
    }

    /// The client disconnects by itself once the transfer has ended; one that does not is disconnected. One that was lost must not come
    /// back.
    private func part() async {
        let (served, isByChannel) = transaction.withLock { ($0.served, $0.isByChannel) }
        guard let client = served.client else { return }
        if served.isConnected {
            let mayStay = served.hasEnded || isByChannel
            let hasLeft = mayStay ? await Self.came(disconnections) : false
            if !hasLeft {
                transaction.withLock { if !isByChannel { $0.served.stayed(Self.lingerSeconds) } }
                _ = try? await radio.call(client, "org.bluez.Device1", "Disconnect", doing: "to disconnect")
            }
        } else if served.isInterrupted {
            _ = await Self.came(resumptions)
        }
        await radio.forget(client)
    }

    private static func came(_ news: Mailbox<Bool>) async -> Bool {
        let taken = try? await TimeLimit.run(seconds: lingerSeconds, doing: "waiting for the client") {
            () async throws(LinkError) in try await news.take()
        }
        return taken != nil
    }

    private func awaitSubscription(_ characteristic: GATTCharacteristic) async throws(LinkError) {
        let (transaction, subscriptions) = (transaction, subscriptions)
        try await TimeLimit.run(
            seconds: Self.subscriptionSeconds, doing: "waiting for the peer to subscribe to \(characteristic.name)"
        ) {
            () async throws(LinkError) in
            while true {
                let (isReady, isConnected) = transaction.withLock {
                    ($0.served.isSubscribed(to: characteristic), $0.served.isConnected)
                }
                if isReady { return }
                guard isConnected else { throw .lost(.betweenMessages) }
                try await subscriptions.next()
            }
        }
    }
}

extension GATTServer {
    private func register() async throws(LinkError) {
        let bus = radio.stack.bus
        do throws(BusError) {
            for object in objects() { keep(try await bus.export(object)) }
            keep(
                try await bus.listen(to: Stack.name, nil, "org.freedesktop.DBus.Properties", "PropertiesChanged") { [weak self] in
                    self?.heed($0)
                })
            keep(
                try await bus.listen(to: "org.freedesktop.DBus", nil, "org.freedesktop.DBus", "NameOwnerChanged") { [weak self] in
                    guard $0.arguments.first?.text == Stack.name, $0.arguments.last?.text == "" else { return }
                    self?.lose(.failure(Problem.serviceAbsent.linkError))
                })
        } catch { throw Problem(error, doing: "to offer a service").linkError }
        try await radio.call(
            radio.adapter.path, "org.bluez.GattManager1", "RegisterApplication", [.path(Self.root), .properties([:])],
            doing: "to register a GATT service")
        guard offer.isAdvertised else { return }
        do throws(Problem) {
            try await radio.stack.call(
                radio.adapter.path, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                [.path(Self.advertisement), .properties([:])], doing: "to advertise")
        } catch {
            if case .refused(_, let cause) = error, cause.name == "org.bluez.Error.NotPermitted" {
                throw Problem.advertisementsTaken(radio.adapter.name).linkError
            }
            throw error.linkError
        }
        transaction.withLock { $0.isAdvertised = true }
    }

    private func keep(_ slot: Int) { transaction.withLock { $0.slots.append(slot) } }

    private func path(_ characteristic: GATTCharacteristic) -> String { "\(Self.service)/\(characteristic.rawValue)" }

    /// What BlueZ asks for.
    private func objects() -> [ExportedObject] {
        let (uuid, entries) = (offer.uuid.description, offer.entries)
        let service = ["org.bluez.GattService1": ["UUID": BusValue.string(uuid), "Primary": .bool(true)]]
        var tree = [Self.service: service]
        for entry in entries { tree[path(entry.characteristic)] = properties(entry) }
        let all = tree
        let advertisement = [
            "org.bluez.LEAdvertisement1": ["Type": BusValue.string("peripheral"), "ServiceUUIDs": .strings([uuid])]
        ]
        let characteristics = entries.map { entry in
            let (path, characteristic) = (path(entry.characteristic), entry.characteristic)
            return ExportedObject(
                path, properties: { all[path] ?? [:] },
                handle: { [weak self] call in self?.answer(call, characteristic) ?? .unknown })
        }
        return [
            ExportedObject(Self.root, tree: { all }),
            ExportedObject(Self.service, properties: { service }),
            // BlueZ calls Release when it drops the advertisement by itself.
            ExportedObject(
                Self.advertisement, properties: { advertisement }, handle: { $0.member == "Release" ? .reply([]) : .unknown }),
        ] + characteristics
    }

    private func properties(_ entry: GATTOffer.Entry) -> [String: [String: BusValue]] {
        let flags = entry.properties.map { $0 == .writeWithoutResponse ? "write-without-response" : $0.rawValue }
        var properties: [String: BusValue] = [
            "UUID": .string(entry.uuid.description), "Service": .path(Self.service), "Flags": .strings(flags.sorted()),
        ]
        // That the property is there is what makes BlueZ call AcquireNotify.
        if entry.characteristic == .server2Client { properties["NotifyAcquired"] = .bool(false) }
        return [Self.characteristic: properties]
    }

    private func answer(_ call: BusCall, _ characteristic: GATTCharacteristic) -> BusAnswer {
        guard call.interface == Self.characteristic else { return .unknown }
        switch call.member {
        case "WriteValue": return write(call, characteristic)
        case "ReadValue":
            guard let value = offer.readable[characteristic] else { return .refuse(BusError("org.bluez.Error.NotPermitted", "")) }
            let offset = call.arguments.first?.members?["offset"]?.integer ?? 0
            return offset <= value.count
                ? .reply([.bytes(Array(value[max(offset, 0)...]))]) : .refuse(BusError("org.bluez.Error.InvalidOffset", ""))
        case "StartNotify", "StopNotify":
            transaction.withLock { $0.served.subscribe(to: characteristic, call.member == "StartNotify") }
            subscriptions.note()
            return .reply([])
        case "AcquireNotify" where characteristic == .server2Client: return acquire(call)
        case "Confirm": return .reply([])
        default: return .unknown
        }
    }

    private func write(_ call: BusCall, _ characteristic: GATTCharacteristic) -> BusAnswer {
        guard let bytes = call.arguments.first?.byteArray, let options = call.arguments.dropFirst().first?.members,
            let device = options["device"]?.text, options["offset"]?.integer ?? 0 == 0
        else { return .refuse(BusError("org.bluez.Error.InvalidArguments", "")) }
        guard offer.acceptsParts else { return .refuse(BusError("org.bluez.Error.NotPermitted", "L2CAP only")) }
        let value = GATTValue(characteristic, bytes)
        let verdict = transaction.withLock { transaction in
            let verdict = transaction.served.write(value, by: device)
            if case .first = verdict { transaction.mtu = max(options["mtu"]?.integer ?? 23, 23) }
            return verdict
        }
        if case .refused = verdict {
            resumptions.put(true)
            return .refuse(BusError("org.bluez.Error.NotPermitted", "another central is served"))
        }
        arrivals.put(value)
        if case .first = verdict { knocks.put(.values) }
        return .reply([])
    }

    /// BlueZ wants a socket to read parts from.
    private func acquire(_ call: BusCall) -> BusAnswer {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            return .refuse(BusError("org.bluez.Error.Failed", String(cString: strerror(errno))))
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let (ours, theirs) = (BusDescriptor(ends[0]), BusDescriptor(ends[1]))
        let mtu = call.arguments.first?.members?["mtu"]?.integer ?? 23
        transaction.withLock { transaction in
            transaction.outgoing = ours
            transaction.served.subscribe(to: .server2Client)
        }
        subscriptions.note()
        return .reply([.descriptor(theirs), .uint16(UInt16(clamping: mtu))])
    }

    /// Takes the client that opens the channel first; whoever comes after it is refused.
    private func acceptChannels() {
        guard let channel else { return }
        accepting.withLock {
            $0 = Task { [weak self] in
                while let (device, pipe) = try? await channel.accept() {
                    if self?.open(device, pipe) != true { await pipe.close() }
                }
            }
        }
    }

    private func open(_ device: String, _ pipe: any PacketPipe) -> Bool {
        let isOurs = transaction.withLock { transaction in
            guard transaction.served.openChannel(by: device) else { return false }
            transaction.isByChannel = true
            return true
        }
        if isOurs { knocks.put(.channel(pipe)) }
        return isOurs
    }

    private func heed(_ signal: BusSignal) {
        guard signal.arguments.first?.text == "org.bluez.Device1", signal.path == transaction.withLock({ $0.served.client }),
            signal.arguments.dropFirst().first?.members?["Connected"]?.boolValue == false
        else { return }
        lose(.success(()))
    }

    private func lose(_ end: Result<Void, LinkError>) {
        transaction.withLock { $0.served.lose() }
        arrivals.close(end)
        disconnections.put(true)
        subscriptions.note()
        if case .failure = end { knocks.close(end) }
    }
}
