import Ports
package import Proximity

/// The end that advertises and is GATT server: an mdoc in peripheral mode, a reader in central mode.
package struct PeripheralEndpoint: LinkEndpoint {
    private let radio: Radio
    private let mode: GATTMode
    private let uuid: BluetoothUUID
    private let seconds: Int?
    private let fitting: LinkFitting

    /// - Parameter seconds: how long to wait for the peer; nil waits for ever.
    package init(_ radio: Radio, mode: GATTMode, uuid: BluetoothUUID, seconds: Int?, fitting: LinkFitting) {
        (self.radio, self.mode, self.uuid, self.seconds, self.fitting) = (radio, mode, uuid, seconds, fitting)
    }

    package var method: RetrievalMethod { .ble(BLEOptions(mode, uuid)) }

    package func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let server = try await GATTServer.start(radio, mode: mode, uuid: uuid, readable: mode == .central ? [.ident: ident] : [:])
        do throws(LinkError) {
            if let seconds {
                try await TimeLimit.run(seconds: seconds, doing: "waiting for the peer to connect") { () async throws(LinkError) in
                    try await server.awaitClient()
                }
            } else {
                try await server.awaitClient()
            }
            await server.hide()
        } catch {
            await server.close()
            throw error
        }
        return try await GATTLink.open(fitting.fit(server), mode: mode, role: role, ident: ident)
    }

    package func close() async {}
}

/// The end that scans, connects and is GATT client: a reader in peripheral mode, an mdoc in central mode.
package struct CentralEndpoint: LinkEndpoint {
    private let radio: Radio
    private let mode: GATTMode
    private let uuid: BluetoothUUID
    private let seconds: Int?
    private let fitting: LinkFitting

    /// - Parameter seconds: how long to look for the peer; nil looks for ever.
    package init(_ radio: Radio, mode: GATTMode, uuid: BluetoothUUID, seconds: Int?, fitting: LinkFitting) {
        (self.radio, self.mode, self.uuid, self.seconds, self.fitting) = (radio, mode, uuid, seconds, fitting)
    }

    package var method: RetrievalMethod { .ble(BLEOptions(mode, uuid)) }

    package func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let device = try await Discovery.find(uuid, with: radio, seconds: seconds)
        let client: GATTClient
        do throws(LinkError) {
            let service = try await Discovery.connect(device, uuid: uuid, mode: mode, with: radio)
            client = try await GATTClient.open(service, with: radio)
        } catch {
            await Radio.shielded { [radio] in await GATTClient.disconnect(device, radio) }
            throw error
        }
        return try await GATTLink.open(fitting.fit(client), mode: mode, role: role, ident: ident)
    }

    package func close() async {}
}

/// An mdoc that offers both modes: whichever way a reader comes first is taken, the other is given up.
package struct BothModesEndpoint: LinkEndpoint {
    private let peripheral: PeripheralEndpoint
    private let central: CentralEndpoint
    private let uuids: (peripheral: BluetoothUUID, central: BluetoothUUID)

    /// - Parameter uuids: two different ones, so that neither way is taken for the other.
    package init(
        _ radio: Radio, uuids: (peripheral: BluetoothUUID, central: BluetoothUUID), seconds: Int?, fitting: LinkFitting
    ) {
        self.uuids = uuids
        peripheral = PeripheralEndpoint(radio, mode: .peripheral, uuid: uuids.peripheral, seconds: seconds, fitting: fitting)
        central = CentralEndpoint(radio, mode: .central, uuid: uuids.central, seconds: seconds, fitting: fitting)
    }

    package var method: RetrievalMethod {
        .ble(BLEOptions(peripheralServerUUID: uuids.peripheral, centralClientUUID: uuids.central))
    }

    package func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let ways: [any LinkEndpoint] = [peripheral, central]
        let result: Result<any Link, LinkError> = await withTaskGroup(of: Result<any Link, LinkError>.self) { group in
            for way in ways {
                group.addTask {
                    do throws(LinkError) { return .success(try await way.open(role, ident: ident)) } catch {
                        return .failure(error)
                    }
                }
            }
            var first: Result<any Link, LinkError>?
            for await result in group {
                switch (result, first) {
                case (.success(let late), .success?):
                    await late.close()
                case (.success, _):
                    first = result
                    group.cancelAll()
                case (.failure, nil):
                    first = result
                    // Whatever the one way met, the other cannot help: Ident of another reader, or no Bluetooth.
                    group.cancelAll()
                case (.failure, _): break
                }
            }
            return first ?? .failure(.closed)
        }
        return try result.get()
    }

    package func close() async {}
}

extension BLEOptions {
    fileprivate init(_ mode: GATTMode, _ uuid: BluetoothUUID) {
        self.init(
            peripheralServerUUID: mode == .peripheral ? uuid : nil, centralClientUUID: mode == .central ? uuid : nil)
    }
}
