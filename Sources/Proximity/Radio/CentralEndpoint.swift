/// The end that scans, connects and is GATT client: a reader in peripheral mode, an mdoc in central mode.
public struct CentralEndpoint: LinkEndpoint {
    private let radio: any BluetoothRadio
    private let mode: GATTMode
    private let uuid: BluetoothUUID
    private let psm: Int?
    private let seconds: Int?
    private let channels: ChannelUse
    private let fitting: LinkFitting

    /// - Parameters:
    ///   - psm: of the peer's channel, where the engagement says it.
    ///   - seconds: how long to look for the peer; nil looks for ever.
    public init(
        _ radio: any BluetoothRadio, mode: GATTMode, uuid: BluetoothUUID, psm: Int? = nil, seconds: Int?,
        channels: ChannelUse = .preferred, fitting: LinkFitting = LinkFitting()
    ) {
        (self.radio, self.mode, self.uuid, self.psm, self.seconds) = (radio, mode, uuid, psm, seconds)
        (self.channels, self.fitting) = (channels, fitting)
    }

    public var method: RetrievalMethod { .ble(BLEOptions(mode, uuid)) }

    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let peer = try await radio.find(uuid, seconds: seconds)
        var way = Way(peer: peer, role: role)
        do throws(LinkError) { return try await open(&way, ident) } catch {
            // Not cancelled: the peer would stay connected.
            await Task { await peer.disconnect() }.value
            throw error
        }
    }

    public func close() async {}

    /// How far the connection has come, and what was seen on the way.
    private struct Way {
        let peer: any GATTPeer
        let role: MdocRole
        var noted: Set<GATTChannel.Oddity> = []
        var examined: Set<String> = ["P20"]
    }

    private func open(_ way: inout Way, _ ident: [UInt8]) async throws(LinkError) -> any Link {
        if let psm, let link = try await openChannel(psm, &way) { return link }
        let service = try await way.peer.discover(mode)
        way.noted.formUnion(try service.review())
        way.examined.formUnion(["P21.characteristic", "P21.property", "P21.cccd"])
        if mode == .central { try await check(ident, &way) }
        if psm == nil, let psm = try await offeredPSM(service, &way), let link = try await openChannel(psm, &way) { return link }
        guard channels != .only else {
            throw .environment("the peer has no L2CAP channel that can be used", mend: "leave --l2cap-only out to take GATT")
        }
        if fitting.faults.contains(.subscribedFirst) { try await way.peer.write(GATTValue(.state, [0x01])) }
        var link = try await openValues(way)
        if fitting.faults.contains(.secondCentral) { try await way.peer.intrude() }
        if fitting.faults.contains(.resumeAfterStart) {
            await way.peer.drop()
            _ = try await way.peer.discover(mode)
            link = try await openValues(way)
        }
        return link
    }

    private func openValues(_ way: Way) async throws(LinkError) -> any Link {
        let pipe = try await way.peer.subscribe()
        return try await GATTLink.open(
            fitting.fit(pipe), mode: mode, role: way.role, ident: nil, noted: way.noted, examined: way.examined)
    }

    /// The mdoc disconnects from a reader that has read another engagement (ISO/IEC 18013-5:2021 §8.3.3.1.1.3).
    private func check(_ ident: [UInt8], _ way: inout Way) async throws(LinkError) {
        let found = try await way.peer.read(.ident)
        fitting.note(.ident, found)
        way.examined.formUnion(["P25", "H1"])
        guard found == ident else { throw .identMismatch(found: found, expected: ident) }
    }

    private func offeredPSM(_ service: FoundService, _ way: inout Way) async throws(LinkError) -> Int? {
        guard channels != .never, service.characteristics[.l2cap] != nil else { return nil }
        let value = try await way.peer.read(.l2cap)
        fitting.note(.l2cap, value)
        way.examined.insert("P33.psm")
        if let psm = PSM.decode(value) { return psm }
        way.noted.insert(.psmUnreachable(value.prefix(4).reduce(0) { $0 << 8 | Int($1) }))
        return nil
    }

    /// - Returns: nil when the channel cannot be had: then there is GATT.
    private func openChannel(_ psm: Int, _ way: inout Way) async throws(LinkError) -> (any Link)? {
        guard channels != .never else { return nil }
        way.examined.insert("P33.psm")
        do throws(LinkError) {
            guard PSM.isValid(psm) else { throw .address("\(psm)") }
            let pipe = try await way.peer.channel(psm: psm)
            let connection = PeerConnection(peer: way.peer, noted: way.noted, looked: way.examined)
            return L2CAPLink(fitting.fit(pipe), over: connection)
        } catch {
            if error == .cancelled { throw error }
            way.noted.insert(.psmUnreachable(psm))
            return nil
        }
    }
}

/// A connection that carries a channel and no values.
private struct PeerConnection: GATTPipe {
    let peer: any GATTPeer
    let noted: Set<GATTChannel.Oddity>
    let looked: Set<String>

    var mtu: Int { 23 }
    func send(_ values: [GATTValue]) async throws(LinkError) { throw .misplaced(values.first?.characteristic) }
    func receive() async throws(LinkError) -> GATTValue? { nil }
    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] { try await peer.read(characteristic) }
    func close() async { await peer.disconnect() }
    func oddities() async -> Set<GATTChannel.Oddity> { noted }
    func examined() async -> Set<String> { looked }
}
