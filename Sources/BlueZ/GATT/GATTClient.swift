import Glibc
import Ports
import Proximity

/// The GATT client of one transaction. Notifications come through acquired sockets, which lose nothing while they are read at once;
/// parts go out through one too where bluetoothd keeps their order, else one write request at a time.
final class GATTClient: GATTPipe {
    /// Reading stops beyond this many unread values; a peer that sends more than that unread is not waited for.
    private static let unread = 65_536
    private static let stallMilliseconds: Int64 = 30_000
    private static let flushMilliseconds: Int64 = 2_000
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
            try await write(value, type: outgoing == nil ? "request" : "command")
        }
    }

    func receive() async throws(LinkError) -> GATTValue? { try await arrivals.take() }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        guard let known = service.characteristics[characteristic] else { throw .misplaced(characteristic) }
        let reply = try await radio.call(
            known.path, Self.characteristic, "ReadValue", [.properties([:])], doing: "to read \(characteristic.name)")
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

    private func write(_ value: GATTValue, type: String) async throws(LinkError) {
        guard let known = service.characteristics[value.characteristic] else { throw .misplaced(value.characteristic) }
        // State may offer the other way of writing only.
        let offered =
            known.flags.contains("write") ? (known.flags.contains("write-without-response") ? type : "request") : "command"
        do throws(Problem) {
            try await radio.stack.call(
                known.path, Self.characteristic, "WriteValue", [.bytes(value.bytes), .properties(["type": .string(offered)])],
                seconds: 30,
                doing: "to write \(value.characteristic.name)")
        } catch {
            if case .refused(_, .cancelled) = error { throw .cancelled }
            if arrivals.end != nil { throw .lost(.betweenMessages) }
            throw error.linkError
        }
    }

    private func sendParts(_ parts: [[UInt8]]) async throws(LinkError) {
        guard let outgoing else {
            for part in parts { try await write(GATTValue(.client2Server, part), type: "request") }
            return
        }
        let cancel = try WakePipe()
        try await Threads.run(cancel: cancel) { () -> Result<Void, LinkError> in
            for part in parts {
                if let error = Self.put(part, into: outgoing.number, cancel) { return .failure(error) }
            }
            return .success(())
        }
    }

    /// Waits until bluetoothd has taken every part from the socket, so that State does not come before them.
    private func flush() async throws(LinkError) {
        guard let outgoing else { return }
        let cancel = try WakePipe()
        try await Threads.run(cancel: cancel) { () -> Result<Void, LinkError> in
            let deadline = monotonicMilliseconds() + Self.flushMilliseconds
            while Self.unsent(outgoing.number) > 0, monotonicMilliseconds() < deadline {
                var watched = [pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0)]
                if poll(&watched, 1, 2) > 0 { return .failure(.cancelled) }
            }
            return .success(())
        }
    }
}

extension GATTClient {
    /// Writes one part, as one packet.
    /// - Returns: what went wrong.
    private static func put(_ part: [UInt8], into socket: Int32, _ cancel: WakePipe) -> LinkError? {
        let deadline = monotonicMilliseconds() + stallMilliseconds
        while true {
            let count = part.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count >= 0 { return nil }
            guard errno == EAGAIN || errno == EINTR else { return .lost(.betweenMessages) }
            let left = deadline - monotonicMilliseconds()
            guard left > 0 else { return .timedOut(seconds: Int(stallMilliseconds / 1000), doing: "sending") }
            var watched = [
                pollfd(fd: socket, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&watched, 2, Int32(clamping: left))
            if watched[1].revents != 0 { return .cancelled }
        }
    }

    /// Bytes that the other end has not read.
    private static func unsent(_ socket: Int32) -> Int32 {
        // SIOCOUTQ
        var count: Int32 = 0
        return ioctl(socket, UInt(0x5411), &count) == 0 ? count : 0
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
            let (states, stateIsOpen) = Self.packets(from: state.number)
            let (parts, incomingIsOpen) = Self.packets(from: incoming.number)
            if !arrivals.isFull { for part in parts { arrivals.put(GATTValue(.server2Client, part)) } }
            for value in states { arrivals.put(GATTValue(.state, value)) }
            if watched[2].revents != 0 || !stateIsOpen || !incomingIsOpen { break }
        }
        arrivals.close()
    }

    /// Every packet that waits.
    /// - Returns: also whether the socket is still connected.
    private static func packets(from socket: Int32) -> (packets: [[UInt8]], isOpen: Bool) {
        var packets: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                packets.append(Array(buffer[..<count]))
            } else if count == 0 {
                return (packets, false)
            } else if errno != EINTR {
                return (packets, errno == EAGAIN)
            }
        }
    }
}
