/// Carries characteristic values between two connected ends and knows nothing of their meaning. BLE and its stand-ins differ only here.
public protocol GATTPipe: Sendable {
    /// The ATT MTU; a pipe that has none says 515, which lets parts have their greatest size.
    var mtu: Int { get }
    /// The longest part this end should send now, its first byte included; at most min(MTU − 3, 512).
    var partLimit: Int { get }
    /// Sends the values in order with nothing between them; waits while the peer is slow.
    func send(_ values: [GATTValue]) async throws(LinkError)
    /// The next value; nil when the peer has disconnected.
    func receive() async throws(LinkError) -> GATTValue?
    /// Reads a characteristic of the server; for clients.
    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8]
    /// Disconnects once what was sent is delivered.
    func close() async
    /// What was odd about the connection itself.
    func oddities() async -> Set<GATTChannel.Oddity>
    /// The checks that were made on the connection, whatever they found: ids of the catalogue.
    func examined() async -> Set<String>
}

extension GATTPipe {
    public var partLimit: Int { GATTChannel.partSize(mtu: mtu) }
    public func oddities() async -> Set<GATTChannel.Oddity> { [] }
    public func examined() async -> Set<String> { [] }
}
