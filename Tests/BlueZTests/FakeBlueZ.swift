import Glibc
import Ports
import Proximity

@testable import BlueZ

/// A dbus-daemon of our own, for as long as this object lives.
final class PrivateBus: Sendable {
    struct Failed: Error { let what: String }

    let address: String
    private let identifier: pid_t

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failed(what: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let words = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, "dbus-daemon", &actions, nil, &arguments, environ)
        close(ends[1])
        defer { close(ends[0]) }
        guard code == 0 else { throw Failed(what: "dbus-daemon does not start (scripts/setup installs it)") }
        identifier = child
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        address = String(decoding: line, as: UTF8.self)
        guard !address.isEmpty else { throw Failed(what: "dbus-daemon gives no address") }
    }

    deinit {
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }
}

/// Stands in for bluetoothd: adapters in radio range of each other, on a bus of our own. What one adapter's application offers, the other
/// adapters see as a device.
final class FakeBlueZ: Sendable {
    /// What an application registered.
    private struct Application: Sendable {
        let sender: String
        let root: String
        var objects: Stack.Objects = [:]
    }

    private struct World {
        var applications: [String: Application] = [:]
        /// By adapter: who advertises, and which UUIDs.
        var advertisements: [String: (sender: String, path: String, uuids: [String])] = [:]
        var devices: [String: Device] = [:]
        var scanning: Set<String> = []
        /// Written packets that are not delivered yet.
        var queued = 0
        /// Exported objects by path.
        var exports: [String: Int] = [:]
        var log: [String] = []
    }

    /// A device as an adapter sees it.
    private struct Device: Sendable {
        let adapter: String
        let peer: String
        var uuids: [String] = []
        var isConnected = false
        var isResolved = false
        var sockets: [BusDescriptor] = []
    }

    struct Settings: Sendable {
        var adapters = ["hci0", "hci1"]
        var isPowered = true
        var canAdvertise = true
        var freeAdvertisements = 5
        /// What the client's MTU is, and what the server is told.
        var mtu = 515
        var toldMTU: Int?
        /// Characteristics (by the end of the UUID's first group) that the mirror of a service lacks.
        var hidden: Set<String> = []
    }

    let address: String
    private let daemon: PrivateBus
    private let bus: Bus
    private let settings: Settings
    private let world = Locked(World())

    init(_ settings: Settings = Settings()) async throws {
        self.settings = settings
        daemon = try PrivateBus()
        address = daemon.address
        bus = try await Bus.connect(address)
        _ = try await bus.export(
            ExportedObject("/", tree: { [weak self] in self?.tree ?? [:] }))
        for adapter in settings.adapters {
            let path = "/org/bluez/\(adapter)"
            _ = try await bus.export(
                ExportedObject(
                    path, properties: { [weak self] in self?.tree[path] ?? [:] },
                    handle: { [weak self] in self?.adapter(path, $0) ?? .unknown }))
        }
        try await bus.own("org.bluez")
    }

    /// Calls of methods and the like, in order: what must have been given back at the end.
    var log: [String] { world.withLock { $0.log } }
    /// What is registered, advertised, known or scanning now.
    var leftovers: [String] {
        world.withLock {
            $0.applications.keys.map { "application \($0)" } + $0.advertisements.keys.map { "advertisement \($0)" }
                + $0.devices.keys.map { "device \($0)" } + $0.scanning.map { "scan \($0)" }
        }
    }

    /// Another central writes into the service that `adapter` offers.
    func knock(at adapter: String, _ number: String, _ value: [UInt8], from device: String) async -> BusError? {
        guard let (application, path) = characteristic(number, of: "/org/bluez/\(adapter)") else {
            return BusError("no", "service")
        }
        let options: [String: BusValue] = ["device": .path(device), "mtu": .uint16(185)]
        do throws(BusError) {
            try await bus.call(
                BusRequest(
                    application.sender, path, "org.bluez.GattCharacteristic1", "WriteValue", [.bytes(value), .properties(options)]))
            return nil
        } catch { return error }
    }

    /// The radio link goes away, as when a laptop is carried off.
    func cut() async {
        for path in world.withLock({ $0.devices.filter(\.value.isConnected).keys.sorted() }) { await disconnect(path) }
    }

    private var tree: Stack.Objects {
        let world = world.withLock { $0 }
        var tree: Stack.Objects = [:]
        for adapter in settings.adapters {
            let path = "/org/bluez/\(adapter)"
            tree[path] = [
                "org.bluez.Adapter1": [
                    "Address": .string(Self.address(path)), "AddressType": .string("public"), "Powered": .bool(settings.isPowered),
                    "Roles": .strings(["central", "peripheral"]), "Modalias": .string("usb:v1D6Bp0246d0542"),
                ],
                "org.bluez.GattManager1": [:],
            ]
            if settings.canAdvertise {
                tree[path]?["org.bluez.LEAdvertisingManager1"] = ["SupportedInstances": .byte(UInt8(settings.freeAdvertisements))]
            }
        }
        for (path, device) in world.devices {
            tree[path] = ["org.bluez.Device1": Self.properties(device)]
            guard device.isResolved, let application = world.applications[device.peer] else { continue }
            for (object, interfaces) in mirror(application, at: path) { tree[object] = interfaces }
        }
        return tree
    }

    private static func address(_ adapter: String) -> String { "00:AA:01:00:00:0\(adapter.suffix(1))" }

    private static func properties(_ device: Device) -> [String: BusValue] {
        [
            "Address": .string(address(device.peer)), "UUIDs": .strings(device.uuids), "Connected": .bool(device.isConnected),
            "ServicesResolved": .bool(device.isResolved), "Paired": .bool(false), "Trusted": .bool(false), "RSSI": .int16(-40),
        ]
    }

    /// A server's objects as they appear below a client's device.
    private func mirror(_ application: Application, at device: String) -> Stack.Objects {
        var objects: Stack.Objects = [:]
        for (path, interfaces) in application.objects where path != application.root {
            var interfaces = interfaces
            if var characteristic = interfaces["org.bluez.GattCharacteristic1"] {
                if settings.hidden.contains(where: { characteristic["UUID"]?.text?.hasPrefix("000000\($0)") == true }) { continue }
                characteristic["Service"] = characteristic["Service"]?.text.map { .path(device + $0) }
                characteristic["MTU"] = .uint16(UInt16(settings.mtu))
                interfaces["org.bluez.GattCharacteristic1"] = characteristic
            }
            objects[device + path] = interfaces
            guard interfaces["org.bluez.GattCharacteristic1"]?["Flags"]?.texts?.contains("notify") == true else { continue }
            // BlueZ adds it, on both sides.
            objects["\(device)\(path)/desc"] = [
                "org.bluez.GattDescriptor1": ["UUID": .string("00002902-0000-1000-8000-00805f9b34fb")]
            ]
        }
        return objects
    }

    private func note(_ text: String) { world.withLock { $0.log.append(text) } }

    private func characteristic(_ number: String, of adapter: String) -> (Application, path: String)? {
        guard let application = world.withLock({ $0.applications[adapter] }) else { return nil }
        let found = application.objects.first {
            $0.value["org.bluez.GattCharacteristic1"]?["UUID"]?.text?.hasPrefix("000000\(number)") == true
        }
        return found.map { (application, $0.key) }
    }
}

extension FakeBlueZ {
    private func adapter(_ adapter: String, _ call: BusCall) -> BusAnswer {
        note("\(adapter.suffix(4)) \(call.member)")
        let path = call.arguments.first?.text ?? ""
        switch call.member {
        case "SetDiscoveryFilter": return .reply([])
        case "StartDiscovery":
            world.withLock { _ = $0.scanning.insert(adapter) }
            return .later { await self.discover(for: adapter) }
        case "StopDiscovery":
            world.withLock { _ = $0.scanning.remove(adapter) }
            return .reply([])
        case "RegisterApplication": return .later { await self.register(call.sender, path, at: adapter) }
        case "UnregisterApplication":
            world.withLock { $0.applications[adapter] = nil }
            return .reply([])
        case "RegisterAdvertisement":
            guard settings.freeAdvertisements > 0 else {
                return .refuse(BusError("org.bluez.Error.NotPermitted", "Maximum advertisements reached"))
            }
            return .later { await self.advertise(call.sender, path, at: adapter) }
        case "UnregisterAdvertisement":
            world.withLock { $0.advertisements[adapter] = nil }
            return .reply([])
        case "RemoveDevice": return .later { await self.remove(path) }
        default: return .unknown
        }
    }

    private func register(_ sender: String, _ root: String, at adapter: String) async -> Result<[BusValue], BusError> {
        do throws(BusError) {
            let reply = try await bus.call(BusRequest(sender, root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))
            guard case .dictionary(_, _, let entries)? = reply.first else { throw BusError("org.bluez.Error.Failed", "no objects") }
            var application = Application(sender: sender, root: root)
            for (path, interfaces) in entries {
                application.objects[path.text ?? ""] = interfaces.members?.compactMapValues(\.members)
            }
            world.withLock { [application] in $0.applications[adapter] = application }
            return .success([])
        } catch { return .failure(error) }
    }

    private func advertise(_ sender: String, _ path: String, at adapter: String) async -> Result<[BusValue], BusError> {
        do throws(BusError) {
            let reply = try await bus.call(
                BusRequest(sender, path, "org.freedesktop.DBus.Properties", "GetAll", [.string("org.bluez.LEAdvertisement1")]))
            let uuids = reply.first?.members?["ServiceUUIDs"]?.texts ?? []
            world.withLock { $0.advertisements[adapter] = (sender, path, uuids) }
            for scanner in world.withLock({ $0.scanning }) { _ = await discover(for: scanner) }
            return .success([])
        } catch { return .failure(error) }
    }

    /// Makes devices of all advertisements that `adapter` hears.
    private func discover(for adapter: String) async -> Result<[BusValue], BusError> {
        for (peer, advertisement) in world.withLock({ $0.advertisements }) where peer != adapter {
            await makeDevice(adapter, peer, advertisement.uuids)
        }
        return .success([])
    }

    @discardableResult
    private func makeDevice(_ adapter: String, _ peer: String, _ uuids: [String]) async -> String {
        let path = "\(adapter)/dev_\(Self.address(peer).replacing(":", with: "_"))"
        let isNew = world.withLock { world in
            defer { world.devices[path, default: Device(adapter: adapter, peer: peer)].uuids = uuids }
            return world.devices[path] == nil
        }
        guard isNew else { return path }
        await export(path) { [weak self] in self?.device(path, $0) ?? .unknown }
        let added = world.withLock { $0.devices[path].map(Self.properties) } ?? [:]
        try? await bus.emit(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
            [.path(path), ExportedObject.interfaces(["org.bluez.Device1": added])])
        return path
    }

    private func export(_ path: String, _ handle: @escaping @Sendable (BusCall) -> BusAnswer) async {
        let object = ExportedObject(path, properties: { [weak self] in self?.tree[path] ?? [:] }, handle: handle)
        guard let id = try? await bus.export(object) else { return }
        world.withLock { $0.exports[path] = id }
    }

    private func device(_ path: String, _ call: BusCall) -> BusAnswer {
        note("device \(call.member)")
        switch call.member {
        case "Connect": return .later { await self.connect(path) }
        case "Disconnect":
            return .later {
                await self.disconnect(path)
                return .success([])
            }
        default: return .unknown
        }
    }

    private func connect(_ path: String) async -> Result<[BusValue], BusError> {
        guard let device = world.withLock({ $0.devices[path] }) else { return .failure(BusError("org.bluez.Error.Failed", "gone")) }
        guard let application = world.withLock({ $0.applications[device.peer] }) else {
            return .failure(BusError("org.bluez.Error.Failed", "le-connection-abort-by-local"))
        }
        let back = await makeDevice(device.peer, device.adapter, [])
        for (object, interfaces) in mirror(application, at: path) where interfaces["org.bluez.GattCharacteristic1"] != nil {
            let target = String(object.dropFirst(path.count))
            await export(object) { [weak self] in self?.remote(path, application, target, $0) ?? .unknown }
        }
        for end in [path, back] {
            world.withLock {
                $0.devices[end]?.isConnected = true
                $0.devices[end]?.isResolved = end == path
            }
            try? await bus.emitChanged(
                end, "org.bluez.Device1", ["Connected": .bool(true), "ServicesResolved": .bool(end == path)])
        }
        return .success([])
    }

    private func disconnect(_ path: String) async {
        guard let device = world.withLock({ $0.devices[path] }) else { return }
        let back = "\(device.peer)/dev_\(Self.address(device.adapter).replacing(":", with: "_"))"
        for end in [path, back] {
            let sockets = world.withLock { world -> [BusDescriptor]? in
                guard world.devices[end]?.isConnected == true else { return nil }
                defer {
                    world.devices[end]?.sockets = []
                    world.devices[end]?.isConnected = false
                    world.devices[end]?.isResolved = false
                }
                return world.devices[end]?.sockets
            }
            guard let sockets else { continue }
            for socket in sockets { shutdown(socket.number, Int32(SHUT_RDWR)) }
            try? await bus.emitChanged(end, "org.bluez.Device1", ["Connected": .bool(false), "ServicesResolved": .bool(false)])
        }
    }

    private func remove(_ path: String) async -> Result<[BusValue], BusError> {
        await disconnect(path)
        let exports = world.withLock { world in
            world.devices[path] = nil
            let gone = world.exports.filter { $0.key == path || $0.key.hasPrefix("\(path)/") }
            for object in gone.keys { world.exports[object] = nil }
            return gone.values.sorted()
        }
        for export in exports { await bus.remove(export) }
        return .success([])
    }
}

extension FakeBlueZ {
    /// A client's call on a characteristic of a server.
    private func remote(_ device: String, _ application: Application, _ target: String, _ call: BusCall) -> BusAnswer {
        switch call.member {
        case "WriteValue":
            let value = call.arguments.first?.byteArray ?? []
            let type = call.arguments.dropFirst().first?.members?["type"]?.text ?? "request"
            return .later {
                // As bluetoothd does: what came through sockets before goes first.
                while self.world.withLock({ $0.queued }) > 0 { await Task.yield() }
                return await self.write(value, type, device, application, target)
            }
        case "ReadValue":
            return .later {
                do throws(BusError) {
                    return .success(
                        try await self.bus.call(
                            BusRequest(application.sender, target, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([:])])
                        ))
                } catch { return .failure(error) }
            }
        case "AcquireNotify": return .later { await self.acquireNotify(device, application, target) }
        case "AcquireWrite": return .later { await self.acquireWrite(device, application, target) }
        default: return .unknown
        }
    }

    private func write(
        _ value: [UInt8], _ type: String, _ device: String, _ application: Application, _ target: String
    ) async -> Result<[BusValue], BusError> {
        let known = world.withLock { $0.devices[device] }
        guard let known, known.isConnected else { return .failure(BusError("org.bluez.Error.Failed", "Not connected")) }
        // As bluetoothd does: longer values are dropped without a word.
        guard value.count <= 510 else { return .success([]) }
        let back = "\(known.peer)/dev_\(Self.address(known.adapter).replacing(":", with: "_"))"
        let options: [String: BusValue] = [
            "device": .path(back), "mtu": .uint16(UInt16(settings.toldMTU ?? settings.mtu)), "type": .string(type),
        ]
        do throws(BusError) {
            return .success(
                try await bus.call(
                    BusRequest(
                        application.sender, target, "org.bluez.GattCharacteristic1", "WriteValue",
                        [.bytes(value), .properties(options)])))
        } catch { return .failure(error) }
    }

    private func pair(_ device: String) -> (ours: BusDescriptor, theirs: BusDescriptor)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let ours = BusDescriptor(ends[0])
        world.withLock { $0.devices[device]?.sockets.append(ours) }
        return (ours, BusDescriptor(ends[1]))
    }

    private func acquireNotify(_ device: String, _ application: Application, _ target: String) async -> Result<[BusValue], BusError>
    {
        guard let (ours, theirs) = pair(device) else { return .failure(BusError("org.bluez.Error.Failed", "no socket")) }
        let characteristic = application.objects[target]?["org.bluez.GattCharacteristic1"]
        do throws(BusError) {
            let limit = settings.mtu - 5
            if characteristic?["NotifyAcquired"] != nil {
                let options: [String: BusValue] = ["mtu": .uint16(UInt16(settings.toldMTU ?? settings.mtu))]
                let reply = try await bus.call(
                    BusRequest(
                        application.sender, target, "org.bluez.GattCharacteristic1", "AcquireNotify", [.properties(options)]))
                guard case .descriptor(let source)? = reply.first else { throw BusError("org.bluez.Error.Failed", "no socket") }
                pump(source, into: ours, limit: limit)
                return .success([.descriptor(theirs), .uint16(UInt16(settings.mtu))])
            }
            _ = try await bus.listen(
                to: application.sender, target, "org.freedesktop.DBus.Properties", "PropertiesChanged"
            ) { signal in
                guard let value = signal.arguments.dropFirst().first?.members?["Value"]?.byteArray else { return }
                // As bluetoothd does: cut without a word.
                let bytes = Array(value.prefix(limit))
                _ = bytes.withUnsafeBytes { send(ours.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            try await bus.call(BusRequest(application.sender, target, "org.bluez.GattCharacteristic1", "StartNotify"))
            return .success([.descriptor(theirs), .uint16(UInt16(settings.mtu))])
        } catch { return .failure(error) }
    }

    /// Passes a server's parts on. Each is taken from its socket only when it was passed on, as bluetoothd does nothing between.
    private func pump(_ source: BusDescriptor, into target: BusDescriptor, limit: Int) {
        _ = Threads.start {
            var buffer = [UInt8](repeating: 0, count: 1024)
            while true {
                var watched = pollfd(fd: source.number, events: Int16(POLLIN), revents: 0)
                _ = poll(&watched, 1, -1)
                let count = recv(source.number, &buffer, buffer.count, Int32(MSG_PEEK))
                guard count > 0 else { break }
                // As bluetoothd does: cut without a word.
                guard send(target.number, &buffer, min(count, limit), Int32(MSG_NOSIGNAL)) >= 0 else { break }
                _ = recv(source.number, &buffer, buffer.count, 0)
            }
        }
    }

    private func acquireWrite(_ device: String, _ application: Application, _ target: String) async -> Result<[BusValue], BusError>
    {
        guard let (ours, theirs) = pair(device) else { return .failure(BusError("org.bluez.Error.Failed", "no socket")) }
        let packets = Mailbox<[UInt8]>(capacity: 1024)
        _ = Threads.start {
            var buffer = [UInt8](repeating: 0, count: 1024)
            while true {
                var watched = pollfd(fd: ours.number, events: Int16(POLLIN), revents: 0)
                _ = poll(&watched, 1, -1)
                // Counted before it is taken: then the socket is never empty and the count 0 while a packet is between.
                self.world.withLock { $0.queued += 1 }
                let count = recv(ours.number, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                packets.put(Array(buffer[..<count]))
            }
            self.world.withLock { $0.queued -= 1 }
            packets.close()
        }
        Task {
            while let packet = try? await packets.take() {
                _ = await self.write(packet, "command", device, application, target)
                self.world.withLock { $0.queued -= 1 }
            }
        }
        return .success([.descriptor(theirs), .uint16(UInt16(settings.mtu))])
    }
}
