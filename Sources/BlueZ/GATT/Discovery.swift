import Ports
import Proximity

/// Finds who advertises a service, and connects.
enum Discovery {
    private static let device = "org.bluez.Device1"
    private static let connectSeconds = 30
    /// BlueZ scans in rounds of 10.24 s with pauses of 5 s between; a scan that is begun anew has none. A kernel that waits for the answer
    /// to a scan request tells of an advertisement at the end of its round at the latest, so only the first round may be shorter.
    private static let firstRoundMilliseconds: Int64 = 4_000
    private static let roundMilliseconds: Int64 = 12_000

    /// The characteristics of a connected peer's service, by their place in the table.
    struct Service: Sendable {
        struct Characteristic: Sendable {
            let path: String
            let flags: Set<String>
            /// The ATT MTU; nil when BlueZ does not say.
            let mtu: Int?
            let hasConfigurationDescriptor: Bool
        }

        let device: String
        let characteristics: [GATTCharacteristic: Characteristic]
    }

    /// Scans until somebody advertises `uuid`.
    /// - Parameter seconds: nil looks for ever.
    /// - Returns: the device's path.
    static func find(_ uuid: BluetoothUUID, with radio: Radio, seconds: Int?) async throws(LinkError) -> String {
        let found: Result<String, LinkError>
        do throws(LinkError) {
            found = .success(
                try await watch(radio) { changes async throws(LinkError) in
                    try await limited(seconds, "looking for an advertisement of \(uuid)") { () async throws(LinkError) in
                        var round = firstRoundMilliseconds
                        while true {
                            try await scan(for: uuid, radio)
                            if let path = try await advertiser(of: uuid, radio, changes, milliseconds: round) { return path }
                            await stop(radio)
                            round = roundMilliseconds
                        }
                    }
                })
        } catch { found = .failure(error) }
        await Radio.shielded { await stop(radio) }
        if case .failure(.timedOut(let seconds, _)) = found { throw .notAdvertised(uuid.description, seconds: seconds) }
        return try found.get()
    }

    private static func scan(for uuid: BluetoothUUID, _ radio: Radio) async throws(LinkError) {
        let filter: [String: BusValue] = ["UUIDs": .strings([uuid.description]), "Transport": .string("le")]
        try await radio.call(
            radio.adapter.path, "org.bluez.Adapter1", "SetDiscoveryFilter", [.properties(filter)], doing: "to look for devices")
        do throws(Problem) {
            try await radio.stack.call(radio.adapter.path, "org.bluez.Adapter1", "StartDiscovery", doing: "to look for devices")
        } catch {
            if case .refused(_, .cancelled) = error { throw .cancelled }
            guard case .refused(_, let cause) = error, cause.name == "org.bluez.Error.InProgress" else { throw error.linkError }
        }
    }

    private static func stop(_ radio: Radio) async {
        _ = try? await radio.call(radio.adapter.path, "org.bluez.Adapter1", "StopDiscovery", doing: "to stop looking")
    }

    /// Waits for an advertiser, for one round of scanning.
    /// - Returns: nil when none was heard.
    private static func advertiser(
        of uuid: BluetoothUUID, _ radio: Radio, _ changes: Changes, milliseconds: Int64
    ) async throws(LinkError) -> String? {
        let deadline = monotonicMilliseconds() + milliseconds
        while monotonicMilliseconds() < deadline {
            if let path = advertiser(of: uuid, in: try await radio.objects(), radio.adapter) { return path }
            try await changes.next()
        }
        return nil
    }

    /// Connects and waits until BlueZ knows the peer's services.
    static func connect(
        _ path: String, uuid: BluetoothUUID, mode: GATTMode, with radio: Radio
    ) async throws(LinkError) -> Service {
        try await watch(radio) { changes async throws(LinkError) in
            try await limited(connectSeconds, "connecting to the peer") { () async throws(LinkError) in
                while true {
                    let known = try await radio.objects()
                    guard let properties = known[path]?[device] else { throw .lost(.beforeStart) }
                    if properties["Connected"]?.boolValue != true {
                        try await attempt(path, radio)
                    } else if properties["ServicesResolved"]?.boolValue == true {
                        return try service(of: path, uuid, mode, in: known)
                    }
                    try await changes.next()
                }
            }
        }
    }

    /// Asks BlueZ to connect; a failure is tried again until the time is up, as radio is.
    private static func attempt(_ path: String, _ radio: Radio) async throws(LinkError) {
        do throws(Problem) {
            try await radio.stack.call(path, device, "Connect", seconds: connectSeconds, doing: "to connect")
        } catch {
            switch error {
            case .refused(_, .cancelled): throw .cancelled
            case .refused(_, let cause) where cause.name.hasPrefix("org.bluez.Error."): return
            default: throw error.linkError
            }
        }
    }

    private static func advertiser(of uuid: BluetoothUUID, in objects: Stack.Objects, _ adapter: Adapter) -> String? {
        objects.first { path, interfaces in
            path.hasPrefix("\(adapter.path)/") && interfaces[device]?["UUIDs"]?.texts?.contains { uuid.isWritten($0) } == true
        }?.key
    }

    /// The service as found.
    private static func service(
        of device: String, _ uuid: BluetoothUUID, _ mode: GATTMode, in objects: Stack.Objects
    ) throws(LinkError) -> Service {
        let service = objects.first { path, interfaces in
            path.hasPrefix("\(device)/") && uuid.isWritten(interfaces["org.bluez.GattService1"]?["UUID"]?.text)
        }?.key
        guard let service else {
            throw .service(check: "P21.characteristic", "the service \(uuid) missing, although it is advertised")
        }
        var found: [GATTCharacteristic: Service.Characteristic] = [:]
        for entry in GATTService(mode: mode).entries {
            let match = objects.first { path, interfaces in
                path.hasPrefix("\(service)/") && entry.uuid.isWritten(interfaces["org.bluez.GattCharacteristic1"]?["UUID"]?.text)
            }
            guard let (path, interfaces) = match, let properties = interfaces["org.bluez.GattCharacteristic1"] else { continue }
            found[entry.characteristic] = Service.Characteristic(
                path: path, flags: Set(properties["Flags"]?.texts ?? []), mtu: properties["MTU"]?.integer,
                hasConfigurationDescriptor: objects.contains { descriptor, interfaces in
                    descriptor.hasPrefix("\(path)/")
                        && interfaces["org.bluez.GattDescriptor1"]?["UUID"]?.text?.lowercased().hasPrefix("00002902-") == true
                })
        }
        return Service(device: device, characteristics: found)
    }

    private static func limited<Value: Sendable>(
        _ seconds: Int?, _ doing: String, _ body: @escaping @Sendable () async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        guard let seconds else { return try await body() }
        return try await TimeLimit.run(seconds: seconds, doing: doing, body)
    }

    /// Runs `body` with news of BlueZ's objects.
    private static func watch<Value>(
        _ radio: Radio, _ body: (Changes) async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let changes = Changes()
        let bus = radio.stack.bus
        let slots: [Int]
        do throws(BusError) {
            slots = [
                try await bus.listen(to: Stack.name, nil, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") { _ in
                    changes.note()
                },
                try await bus.listen(to: Stack.name, nil, "org.freedesktop.DBus.Properties", "PropertiesChanged") { _ in
                    changes.note()
                },
            ]
        } catch { throw Problem(error, doing: "to listen to BlueZ").linkError }
        let result: Result<Value, LinkError>
        do throws(LinkError) { result = .success(try await body(changes)) } catch { result = .failure(error) }
        for slot in slots { await bus.remove(slot) }
        return try result.get()
    }
}
