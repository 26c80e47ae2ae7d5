/// A Bluetooth LE adapter that is ready for use: BlueZ's, or its twin in memory.
public protocol BluetoothRadio: Sendable {
    /// For people: `hci0 (AA:BB:CC:DD:EE:FF)`.
    var name: String { get }
    /// Whether long messages come through whole when this end is GATT server.
    var servesLongMessages: Bool { get }
    /// What a person should know before a transfer with this end as GATT server or client; nil when nothing can go wrong.
    func caveat(isServer: Bool) -> String?
    /// Listens for L2CAP channels, on a PSM that the machine chooses.
    /// - Throws: when this machine has no such channels.
    func listen() async throws(LinkError) -> any ChannelListener
    /// Offers a service, and advertises it unless a fault forbids.
    /// - Parameter channel: the listener whose PSM the service names; the server closes it.
    func serve(_ offer: GATTOffer, channel: (any ChannelListener)?) async throws(LinkError) -> any GATTServing
    /// Looks for somebody who advertises the service.
    /// - Parameter seconds: nil looks for ever.
    /// - Throws: `.notAdvertised` when the time is up.
    func find(_ uuid: BluetoothUUID, seconds: Int?) async throws(LinkError) -> any GATTPeer
}

/// A PSM that is listened to.
public protocol ChannelListener: Sendable {
    /// Chosen by the machine.
    var psm: Int { get }
    /// The next channel, and the device that opened it.
    func accept() async throws(LinkError) -> (device: String, pipe: any PacketPipe)
    /// Stops listening. Closing twice is fine.
    func close()
}

/// A service on offer, and the one client that is served.
public protocol GATTServing: GATTPipe {
    /// Waits for a client.
    func awaitClient() async throws(LinkError) -> Arrival
    /// Stops advertising: the transaction has its client.
    func hide() async
}

/// The way by which a client came.
public enum Arrival: Sendable {
    /// It writes values.
    case values
    /// It opened the channel.
    case channel(any PacketPipe)
}

/// Somebody who advertised the service, as a client sees it.
public protocol GATTPeer: Sendable {
    /// Connects, and finds the service's characteristics.
    func discover(_ mode: GATTMode) async throws(LinkError) -> FoundService
    /// Reads a characteristic.
    func read(_ characteristic: GATTCharacteristic) async throws(LinkError) -> [UInt8]
    /// Writes one value outside a pipe.
    func write(_ value: GATTValue) async throws(LinkError)
    /// Opens an L2CAP channel; connects if need be.
    func channel(psm: Int) async throws(LinkError) -> any PacketPipe
    /// Subscribes to State and Server2Client.
    func subscribe() async throws(LinkError) -> any GATTPipe
    /// Writes to the same server as yet another central.
    func intrude() async throws(LinkError)
    /// Disconnects, to connect again.
    func drop() async
    /// Disconnects, and forgets the peer.
    func disconnect() async
}

/// What is made of L2CAP channels.
public enum ChannelUse: Sendable {
    /// Used where the peer has them too; else GATT.
    case preferred
    case never, only
}
