/// The end that advertises and is GATT server: an mdoc in peripheral mode, a reader in central mode.
public struct PeripheralEndpoint: LinkEndpoint {
    private let radio: any BluetoothRadio
    private let mode: GATTMode
    private let uuid: BluetoothUUID
    private let seconds: Int?
    private let channel: (any ChannelListener)?
    private let isChannelOnly: Bool
    private let namesPSM: Bool
    private let fitting: LinkFitting

    /// - Parameters:
    ///   - seconds: how long to wait for the peer; nil waits for ever.
    ///   - namesPSM: whether the engagement says it (2nd edition); the L2CAP characteristic always does.
    /// - Throws: when only channels are wanted and this machine has none.
    public init(
        _ radio: any BluetoothRadio, mode: GATTMode, uuid: BluetoothUUID, seconds: Int?, channels: ChannelUse = .preferred,
        namesPSM: Bool = false, fitting: LinkFitting = LinkFitting()
    ) async throws(LinkError) {
        (self.radio, self.mode, self.uuid, self.seconds, self.fitting) = (radio, mode, uuid, seconds, fitting)
        self.namesPSM = namesPSM
        isChannelOnly = channels == .only
        switch channels {
        case .never: channel = nil
        case .only: channel = try await radio.listen()
        case .preferred:
            // Without channels there is GATT.
            channel = try? await radio.listen()
        }
    }

    public var method: RetrievalMethod {
        var options = BLEOptions(mode, uuid)
        if namesPSM, mode == .peripheral { options.psm = channel.map { UInt64($0.psm) } }
        return .ble(options)
    }

    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let offer = GATTOffer(
            mode: mode, uuid: uuid, ident: mode == .central ? ident : nil, psm: channel?.psm, acceptsParts: !isChannelOnly,
            fitting: fitting)
        let server = try await radio.serve(offer, channel: channel)
        let arrival: Arrival
        do throws(LinkError) {
            if let seconds {
                arrival = try await TimeLimit.run(seconds: seconds, doing: "waiting for the peer to connect") {
                    () async throws(LinkError) in
                    try await server.awaitClient()
                }
            } else {
                arrival = try await server.awaitClient()
            }
            await server.hide()
        } catch {
            await server.close()
            throw error
        }
        switch arrival {
        case .channel(let pipe): return L2CAPLink(fitting.fit(pipe), over: server)
        case .values: return try await GATTLink.open(fitting.fit(server), mode: mode, role: role, ident: ident)
        }
    }

    public func close() async { channel?.close() }
}

extension BLEOptions {
    init(_ mode: GATTMode, _ uuid: BluetoothUUID) {
        self.init(
            peripheralServerUUID: mode == .peripheral ? uuid : nil, centralClientUUID: mode == .central ? uuid : nil)
    }
}
