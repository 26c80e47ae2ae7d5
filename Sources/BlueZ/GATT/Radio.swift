package import Proximity

/// An adapter that is ready, with the connection to BlueZ and the settings that BlueZ works by.
package struct Radio: BluetoothRadio {
    package let stack: Stack
    package let adapter: Adapter
    package let settings: DaemonSettings

    package init(stack: Stack, adapter: Adapter, settings: DaemonSettings) {
        (self.stack, self.adapter, self.settings) = (stack, adapter, settings)
    }

    /// - Parameters:
    ///   - needsAdvertising: whether this end may have to be the peripheral.
    ///   - busAddress: of another D-Bus than the system's.
    ///   - settings: instead of what the running daemon shows.
    /// - Throws: `.environment`, whatever is in the way.
    package static func open(
        _ choice: AdapterChoice, needsAdvertising: Bool, busAddress: String? = nil, settings: DaemonSettings? = nil
    ) async throws(LinkError) -> Radio {
        do throws(Problem) {
            let stack = try await Stack.connect(busAddress)
            let adapter = try await stack.adapter(choice, needsAdvertising: needsAdvertising)
            if needsAdvertising, adapter.freeAdvertisements == 0 { throw .advertisementsTaken(adapter.name) }
            let found = if let settings { settings } else { await DaemonSettings.current(stack) }
            return Radio(stack: stack, adapter: adapter, settings: found)
        } catch { throw error.linkError }
    }

    package var name: String { "\(adapter.name) (\(adapter.address))" }
    package var servesLongMessages: Bool { settings.isRight }

    package func listen() async throws(LinkError) -> any ChannelListener { try L2CAPListener(adapter) }

    package func serve(_ offer: GATTOffer, channel: (any ChannelListener)?) async throws(LinkError) -> any GATTServing {
        guard offer.entries.allSatisfy({ $0.hasConfigurationDescriptor || !$0.properties.contains(.notify) }) else {
            throw .environment(
                "BlueZ adds descriptor 0x2902 by itself: the fault gatt-cccd cannot be made with it",
                mend: "choose another fault: walletbench faults")
        }
        return try await GATTServer.start(self, offer, channel)
    }

    package func find(_ uuid: BluetoothUUID, seconds: Int?) async throws(LinkError) -> any GATTPeer {
        BlueZPeer(self, try await Discovery.find(uuid, with: self, seconds: seconds), uuid)
    }

    package func caveat(isServer: Bool) -> String? {
        guard !settings.isRight else { return nil }
        let why =
            settings.isStale
            ? "bluetoothd was not restarted since its main.conf was changed" : "bluetoothd has its default settings"
        return isServer
            ? "\(why): unless the peer takes L2CAP, long messages can be lost or arrive out of order"
            : "\(why): unless the peer has L2CAP, parts are written one at a time, and a peer with BlueZ may not send long messages right"
    }

    /// Calls BlueZ for a link.
    @discardableResult
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [], seconds: Int = 25, doing: String
    ) async throws(LinkError) -> [BusValue] {
        do throws(Problem) {
            return try await stack.call(path, interface, member, arguments, seconds: seconds, doing: doing)
        } catch {
            if case .refused(_, .cancelled) = error { throw .cancelled }
            throw error.linkError
        }
    }

    func objects() async throws(LinkError) -> Stack.Objects {
        do throws(Problem) { return try await stack.objects() } catch {
            if case .refused(_, .cancelled) = error { throw .cancelled }
            throw error.linkError
        }
    }

    /// Forgets a device of an earlier connection, so that neither BlueZ's objects nor its knowledge of the device's MTU pile up. A device
    /// that the person has paired is left alone.
    func forget(_ device: String) async {
        let known = try? await stack.objects()[device]?["org.bluez.Device1"]
        guard let known, known["Paired"]?.boolValue != true, known["Trusted"]?.boolValue != true else { return }
        _ = try? await stack.call(adapter.path, "org.bluez.Adapter1", "RemoveDevice", [.path(device)], doing: "to forget a device")
    }

    /// Runs `body` to its end although the task may be cancelled: for giving back what BlueZ holds for us.
    static func shielded(_ body: @escaping @Sendable () async -> Void) async {
        await Task { await body() }.value
    }
}

/// Tells that something has changed in BlueZ; many changes are one.
final class Changes: Sendable {
    private let mailbox = Mailbox<Bool>(capacity: 1)

    func note() { if !mailbox.isFull { mailbox.put(true) } }

    /// Waits for a change, or a second.
    func next() async throws(LinkError) {
        let mailbox = mailbox
        do throws(LinkError) {
            _ = try await TimeLimit.run(seconds: 1, doing: "waiting for BlueZ") { () async throws(LinkError) in
                try await mailbox.take()
            }
        } catch LinkError.timedOut {
            return
        }
    }
}

extension BluetoothUUID {
    /// Whether BlueZ's spelling of a UUID is this one.
    func isWritten(_ text: String?) -> Bool { text?.lowercased() == description }
}
