import Ports
import Proximity

/// The GATT server of one transaction: the mdoc or reader service, its advertisement, and the one central that is served.
///
/// Values go out as PropertiesChanged and come in as WriteValue, all over one D-Bus connection: State keeps its place between the parts.
final class GATTServer: GATTPipe {
    private struct Transaction {
        /// The device that wrote first.
        var client: String?
        var isConnected = false
        /// As BlueZ said with the first write; it may exceed the connection's.
        var mtu = 23
        /// The longest value that the client has sent.
        var longest = 20
        var subscribed: Set<GATTCharacteristic> = []
        var hasEnded = false
        var isAdvertised = false
        var isClosed = false
        var oddities: Set<GATTChannel.Oddity> = []
        var slots: [Int] = []
    }

    private static let root = "/walletbench"
    private static let service = "\(root)/service"
    private static let advertisement = "\(root)/advertisement"
    private static let characteristic = "org.bluez.GattCharacteristic1"
    /// How long a client may stay connected after the end.
    private static let lingerSeconds = 2
    /// How long a client may take to subscribe after it has started.
    private static let subscriptionSeconds = 10

    private let radio: Radio
    private let mode: GATTMode
    private let uuid: BluetoothUUID
    private let readable: [GATTCharacteristic: [UInt8]]
    private let transaction = Locked(Transaction())
    private let arrivals = Mailbox<GATTValue>(capacity: 4096)
    private let knocks = Mailbox<Bool>(capacity: 1)
    private let subscriptions = Changes()
    private let disconnections = Mailbox<Bool>(capacity: 1)

    private init(_ radio: Radio, _ mode: GATTMode, _ uuid: BluetoothUUID, _ readable: [GATTCharacteristic: [UInt8]]) {
        (self.radio, self.mode, self.uuid, self.readable) = (radio, mode, uuid, readable)
    }

    /// Registers the service and advertises it.
    /// - Parameters:
    ///   - uuid: the transaction's, from the engagement.
    ///   - readable: Ident and L2CAP, where there are.
    static func start(
        _ radio: Radio, mode: GATTMode, uuid: BluetoothUUID, readable: [GATTCharacteristic: [UInt8]]
    ) async throws(LinkError) -> GATTServer {
        let server = GATTServer(radio, mode, uuid, readable)
        // Not cancelled half way: BlueZ would go on with what nobody takes back.
        let registered = await Task { () -> Result<Void, LinkError> in
            do throws(LinkError) { return .success(try await server.register()) } catch { return .failure(error) }
        }.value
        if case .failure(let error) = registered {
            await server.close()
            throw error
        }
        return server
    }

    var mtu: Int { transaction.withLock { $0.mtu } }

    /// Notifications must not exceed the client's MTU: one that does stops the link. Where BlueZ may name a larger one, only lengths are
    /// safe that the client has used itself. Two more bytes go to the header of a multiple notification.
    var partLimit: Int {
        let isExact = radio.settings.holds(MainConf.reverseDiscovery)
        return transaction.withLock { min($0.mtu - 5, 508, isExact ? 508 : max($0.longest - 2, 18)) }
    }

    func oddities() -> Set<GATTChannel.Oddity> { transaction.withLock { $0.oddities } }

    /// Waits for a central that writes.
    func awaitClient() async throws(LinkError) {
        guard try await knocks.take() != nil else { throw .closed }
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
        for value in values {
            try await awaitSubscription(value.characteristic)
            if Task.isCancelled { throw .cancelled }
            guard transaction.withLock({ $0.isConnected && !$0.isClosed }) else { throw .lost(.betweenMessages) }
            if value.characteristic == .state { transaction.withLock { $0.hasEnded = true } }
            do throws(BusError) {
                try await radio.stack.bus.emitChanged(
                    path(value.characteristic), Self.characteristic, ["Value": .bytes(value.bytes)])
            } catch { throw Problem(error, doing: "to notify").linkError }
        }
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
            await part()
            _ = try? await radio.call(
                radio.adapter.path, "org.bluez.GattManager1", "UnregisterApplication", [.path(Self.root)],
                doing: "to end its service")
            for slot in transaction.withLock({ $0.slots }) { await radio.stack.bus.remove(slot) }
            arrivals.close()
            knocks.close()
        }
    }

    private func part() async {
        let (client, isConnected, hasEnded) = transaction.withLock { ($0.client, $0.isConnected, $0.hasEnded) }
        guard let client else { return }
        if isConnected {
            let disconnections = disconnections
            let left = try? await TimeLimit.run(seconds: Self.lingerSeconds, doing: "waiting for the client to disconnect") {
                () async throws(LinkError) in try await disconnections.take()
            }
            if left == nil {
                if hasEnded { _ = transaction.withLock { $0.oddities.insert(.stayedConnected(seconds: Self.lingerSeconds)) } }
                _ = try? await radio.call(client, "org.bluez.Device1", "Disconnect", doing: "to disconnect")
            }
        }
        await radio.forget(client)
    }

    private func awaitSubscription(_ characteristic: GATTCharacteristic) async throws(LinkError) {
        let (transaction, subscriptions) = (transaction, subscriptions)
        try await TimeLimit.run(
            seconds: Self.subscriptionSeconds, doing: "waiting for the peer to subscribe to \(characteristic.name)"
        ) {
            () async throws(LinkError) in
            while true {
                let (isReady, isConnected) = transaction.withLock { ($0.subscribed.contains(characteristic), $0.isConnected) }
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

    /// The rows of the service's table that are offered.
    private var entries: [GATTService.Entry] {
        GATTService(mode: mode).entries.filter { !$0.properties.contains(.read) || readable[$0.characteristic] != nil }
    }

    /// What BlueZ asks for.
    private func objects() -> [ExportedObject] {
        let uuid = uuid.description
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

    /// Write with response is offered beside write without, as one written value at a time is what a BlueZ client has on default settings.
    private func properties(_ entry: GATTService.Entry) -> [String: [String: BusValue]] {
        let flags = entry.properties.flatMap { property in
            switch property {
            case .read: ["read"]
            case .notify: ["notify"]
            case .writeWithoutResponse: ["write-without-response", "write"]
            }
        }
        return [
            Self.characteristic: [
                "UUID": .string(entry.uuid.description), "Service": .path(Self.service), "Flags": .strings(flags.sorted()),
            ]
        ]
    }

    private func answer(_ call: BusCall, _ characteristic: GATTCharacteristic) -> BusAnswer {
        guard call.interface == Self.characteristic else { return .unknown }
        switch call.member {
        case "WriteValue": return write(call, characteristic)
        case "ReadValue":
            guard let value = readable[characteristic] else { return .refuse(BusError("org.bluez.Error.NotPermitted", "")) }
            let offset = call.arguments.first?.members?["offset"]?.integer ?? 0
            return offset <= value.count
                ? .reply([.bytes(Array(value[max(offset, 0)...]))]) : .refuse(BusError("org.bluez.Error.InvalidOffset", ""))
        case "StartNotify", "StopNotify":
            transaction.withLock {
                if call.member == "StartNotify" {
                    $0.subscribed.insert(characteristic)
                } else {
                    $0.subscribed.remove(characteristic)
                }
            }
            subscriptions.note()
            return .reply([])
        case "Confirm": return .reply([])
        default: return .unknown
        }
    }

    private func write(_ call: BusCall, _ characteristic: GATTCharacteristic) -> BusAnswer {
        guard let bytes = call.arguments.first?.byteArray, let options = call.arguments.dropFirst().first?.members,
            let device = options["device"]?.text, options["offset"]?.integer ?? 0 == 0
        else { return .refuse(BusError("org.bluez.Error.InvalidArguments", "")) }
        let (isOurs, isFirst) = transaction.withLock { transaction -> (Bool, Bool) in
            let isFirst = transaction.client == nil
            if isFirst {
                transaction.client = device
                transaction.isConnected = true
                transaction.mtu = max(options["mtu"]?.integer ?? 23, 23)
            }
            guard transaction.client == device else {
                transaction.oddities.insert(.secondCentral)
                return (false, false)
            }
            transaction.longest = max(transaction.longest, bytes.count)
            if characteristic == .state {
                if bytes == [0x01], !transaction.subscribed.isSuperset(of: [.state, .server2Client]) {
                    transaction.oddities.insert(.startedUnsubscribed)
                }
                if bytes == [0x02] { transaction.hasEnded = true }
            }
            return (true, isFirst)
        }
        guard isOurs else { return .refuse(BusError("org.bluez.Error.NotPermitted", "another central is served")) }
        arrivals.put(GATTValue(characteristic, bytes))
        if isFirst { knocks.put(true) }
        return .reply([])
    }

    private func heed(_ signal: BusSignal) {
        guard signal.arguments.first?.text == "org.bluez.Device1", signal.path == transaction.withLock({ $0.client }),
            signal.arguments.dropFirst().first?.members?["Connected"]?.boolValue == false
        else { return }
        lose(.success(()))
    }

    private func lose(_ end: Result<Void, LinkError>) {
        transaction.withLock { $0.isConnected = false }
        arrivals.close(end)
        disconnections.put(true)
        subscriptions.note()
        if case .failure = end { knocks.close(end) }
    }
}
