import Ports

/// A server of a `MemoryAir` as a client sees it.
final class MemoryPeer: GATTPeer {
    private let air: MemoryAir
    private let server: MemoryServer
    private let device: String
    private let connection = Locked<MemoryServer.Connection?>(nil)

    init(_ air: MemoryAir, _ server: MemoryServer, _ radio: String) {
        (self.air, self.server, device) = (air, server, "\(radio)-\(air.number())")
    }

    func discover(_ mode: GATTMode) async throws(LinkError) -> FoundService {
        _ = try connected()
        return FoundService(
            mode: mode,
            Dictionary(
                uniqueKeysWithValues: server.offer.entries.map { entry in
                    (
                        entry.characteristic,
                        FoundService.Characteristic(
                            properties: entry.properties, hasConfigurationDescriptor: entry.hasConfigurationDescriptor)
                    )
                }))
    }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        guard let value = server.offer.readable[characteristic] else { throw .misplaced(characteristic) }
        return value
    }

    func write(_ value: GATTValue) async throws(LinkError) { try await server.write(value, by: try connected()) }

    func channel(psm: Int) async throws(LinkError) -> any PacketPipe {
        guard let listener = air.listener(psm) else { throw .system(doing: "connecting to PSM \(psm)", code: 111) }
        return listener.connect(device)
    }

    func subscribe() async throws(LinkError) -> any GATTPipe {
        let connection = try connected()
        server.subscribe(connection)
        return MemoryClient(server: server, connection: connection)
    }

    func intrude() async throws(LinkError) {
        let other = MemoryServer.Connection("\(device)-other")
        try? await server.write(GATTValue(.state, [0x01]), by: other)
    }

    func drop() async { close() }
    func disconnect() async { close() }

    private func close() {
        let old = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        if let old { server.disconnect(old) }
    }

    private func connected() throws(LinkError) -> MemoryServer.Connection {
        if let known = connection.withLock({ $0 }) { return known }
        let new = try server.connect(device)
        connection.withLock { $0 = new }
        return new
    }
}

/// The client's end of a connection to a `MemoryServer`.
struct MemoryClient: GATTPipe {
    let server: MemoryServer
    let connection: MemoryServer.Connection

    var mtu: Int { server.mtu }

    func send(_ values: [GATTValue]) async throws(LinkError) {
        for value in values { try await server.write(value, by: connection) }
    }

    func receive() async throws(LinkError) -> GATTValue? { try await connection.toClient.take() }

    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8] {
        guard let value = server.offer.readable[characteristic] else { throw .misplaced(characteristic) }
        return value
    }

    func close() async { server.disconnect(connection) }
}
