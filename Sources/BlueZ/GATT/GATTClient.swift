import Glibc
import Ports
import Proximity

/// The GATT client of one transaction. Notifications come through acquired sockets, which lose nothing while they are read at once;
/// parts go out through one too where bluetoothd keeps their order, else one write request at a time.
final class GATTClient: GATTPipe {
    /// Reading stops beyond this many unread values; a peer that sends more than that unread is not waited for.
    private static let unread = 65_536
    private static let characteristic = "org.bluez.GattCharacteristic1"

    let mtu: Int
    private let radio: Radio
    private let service: Discovery.Service
    private let state: BusDescriptor
    private let incoming: BusDescriptor
    /// Nil: parts are written by request.
    private let outgoing: BusDescriptor?
    private let wake: WakePipe
    private let arrivals = Mailbox<GATTValue>(capacity: GATTClient.unread)
    private let isClosed = Locked(false)

    /// Subscribes to State and Server2Client and opens the way for parts.
    static func open(_ service: Discovery.Service, with radio: Radio) async throws(LinkError) -> GATTClient {
        let (state, _) = try await acquire("AcquireNotify", .state, service, radio)
        let (incoming, mtu) = try await acquire("AcquireNotify", .server2Client, service, radio)
        var (outgoing, outgoingMTU): (BusDescriptor?, Int?)
        if !writesByRequest(service, radio) {
            let (descriptor, mtu) = try await acquire("AcquireWrite", .client2Server, service, radio)
            (outgoing, outgoingMTU) = (descriptor, mtu)
        }
        let known = outgoingMTU ?? service.characteristics[.client2Server]?.mtu ?? mtu
        let client = GATTClient(radio, service, state, incoming, outgoing, mtu: max(known, 23), wake: try WakePipe())
        guard Threads.start({ client.run() }) else { throw .system(doing: "starting a thread", code: EAGAIN) }
        return client
    }

    private init(
        _ radio: Radio, _ service: Discovery.Service, _ state: BusDescriptor, _ incoming: BusDescriptor, _ outgoing: BusDescriptor?,
        mtu: Int, wake: WakePipe
    ) {
        (self.radio, self.service, self.state, self.incoming) = (radio, service, state, incoming)
        (self.outgoing, self.mtu, self.wake) = (outgoing, mtu, wake)
    }

    /// A BlueZ server drops written values of more than 510 bytes.
    var partLimit: Int { min(mtu - 3, 510) }

    func send(_ values: [GATTValue]) async throws(LinkError) {
        for run in values.split(whereSeparator: { $0.characteristic == .state }) { try await sendParts(run.map(\.bytes)) }
        for value in values where value.characteristic == .state {
            try await flush()
            // A request would overtake commands that bluetoothd still holds.
            try await sendOverBus(value, type: outgoing == nil ? "request" : "command")
        }
    }

    func receive() async throws(LinkError) -> GATTValue? { try await arrivals.take() }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        try await Self.read(characteristic, service, radio)
    }

    static func read(
        _ characteristic: GATTCharacteristic, _ service: Discovery.Service, _ radio: Radio
    ) async throws(LinkError) -> [UInt8] {
        guard let known = service.characteristics[characteristic] else { throw .misplaced(characteristic) }
        let reply = try await radio.call(
            known.path, self.characteristic, "ReadValue", [.properties([:])], doing: "to read \(characteristic.name)")
        return reply.first?.byteArray ?? []
    }

    func close() async {
        await Radio.shielded { [self] in
            guard
                isClosed.withLock({ isClosed in
                    defer { isClosed = true }
                    return !isClosed
                })
            else { return }
            try? await flush()
            await Self.disconnect(service.device, radio)
            wake.signal()
        }
    }

    static func disconnect(_ device: String, _ radio: Radio) async {
        _ = try? await radio.call(device, "org.bluez.Device1", "Disconnect", doing: "to disconnect")
        await radio.forget(device)
    }

    /// Commands keep their order only over a single bearer. A peer without extra bearers has one anyway, but it cannot be asked.
    private static func writesByRequest(_ service: Discovery.Service, _ radio: Radio) -> Bool {
        let flags = service.characteristics[.client2Server]?.flags ?? []
        if !flags.contains("write-without-response") { return true }
        return flags.contains("write") && !radio.settings.holds(MainConf.channels)
    }

    private static func acquire(
        _ member: String, _ characteristic: GATTCharacteristic, _ service: Discovery.Service, _ radio: Radio
    ) async throws(LinkError) -> (BusDescriptor, mtu: Int) {
        guard let known = service.characteristics[characteristic] else { throw .misplaced(characteristic) }
        let reply = try await radio.call(
            known.path, Self.characteristic, member, [.properties([:])], doing: "to use \(characteristic.name)")
        guard case .descriptor(let descriptor)? = reply.first else {
            throw .environment("BlueZ gave no socket for \(characteristic.name)", mend: "systemctl restart bluetooth")
        }
        _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK)
        return (descriptor, reply.dropFirst().first?.integer ?? 23)
    }

    /// Writes one value over D-Bus.
    /// - Parameter type: `request` or `command`, where the peer offers both.
    static func write(
        _ value: GATTValue, type: String, _ service: Discovery.Service, _ radio: Radio
    ) async throws(LinkError) {
        guard let known = service.characteristics[value.characteristic] else { throw .misplaced(value.characteristic) }
        // State may offer the other way of writing only.
        let offered =
            known.flags.contains("write") ? (known.flags.contains("write-without-response") ? type : "request") : "command"
        try await radio.call(
            known.path, characteristic, "WriteValue", [.bytes(value.bytes), .properties(["type": .string(offered)])],
            seconds: 30, doing: "to write \(value.characteristic.name)")
    }

    private func sendParts(_ parts: [[UInt8]]) async throws(LinkError) {
        if let outgoing { return try await PacketSocket.send(parts, into: outgoing.number) }
        for part in parts { try await sendOverBus(GATTValue(.client2Server, part), type: "request") }
    }

    private func sendOverBus(_ value: GATTValue, type: String) async throws(LinkError) {
        do throws(LinkError) { try await Self.write(value, type: type, service, radio) } catch {
            if error != .cancelled, arrivals.end != nil { throw .lost(.betweenMessages) }
            throw error
        }
    }

    /// Waits until bluetoothd has taken every part from the socket, so that State does not come before them.
    private func flush() async throws(LinkError) {
        guard let outgoing else { return }
        try await PacketSocket.flush { PacketSocket.unread(outgoing.number) <= 0 }
    }

    /// The thread that reads: State may only be passed on after the parts that came before it.
    private func run() {
        while true {
            var watched = [
                pollfd(fd: incoming.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: state.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&watched, 3, -1) < 0, errno != EINTR { break }
            let (states, stateIsOpen) = PacketSocket.packets(from: state.number, size: 1024)
            let (parts, incomingIsOpen) = PacketSocket.packets(from: incoming.number, size: 1024)
            if !arrivals.isFull { for part in parts { arrivals.put(GATTValue(.server2Client, part)) } }
            for value in states { arrivals.put(GATTValue(.state, value)) }
            if watched[2].revents != 0 || !stateIsOpen || !incomingIsOpen { break }
        }
        arrivals.close()
    }
}
