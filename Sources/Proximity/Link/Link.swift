/// Carries whole messages between the two ends of one transaction. One task sends and one receives at a time.
public protocol Link: Sendable {
    /// Hands a message to the peer's end; returns when this end needs no longer hold it.
    func send(_ message: [UInt8]) async throws(LinkError)
    /// The next message; nil when the peer ended the transfer in the orderly way (State 0x02).
    func receive() async throws(LinkError) -> [UInt8]?
    /// Tells the peer that the transfer has ended (State 0x02), after everything sent before.
    func end() async
    /// Disconnects, after what was sent is delivered or a short while has passed. Closing twice is fine.
    func close() async
    /// What was odd about the parts received so far.
    func oddities() async -> Set<GATTChannel.Oddity>
    /// The checks that were made on the way, whatever they found: ids of the catalogue.
    func examined() async -> Set<String>
    /// Whether only the end of the connection tells the peer that the transfer has ended; else State 0x02 does.
    var endsByClosing: Bool { get }
}

extension Link {
    public func examined() async -> Set<String> { [] }
    public var endsByClosing: Bool { false }
}

/// A place where a link can be opened: an advertised service, a listening socket, an address to connect to.
public protocol LinkEndpoint: Sendable {
    /// How the device engagement names this place.
    var method: RetrievalMethod { get }
    /// Waits for the peer, or connects to it, up to and including Start.
    /// - Parameter ident: 16 bytes from EDeviceKeyBytes (`Ident`): offered by a reader that is server, demanded by an mdoc that is client.
    func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link
    /// Stops waiting and gives the place free.
    func close() async
}
