/// Two endpoints inside one process that find each other: what one opens as mdoc the other opens as reader.
public struct LoopbackEndpoint: LinkEndpoint {
    /// Which end is the GATT server.
    public let mode: GATTMode
    private let pipe: LoopbackPipe
    private let fitting: LinkFitting

    /// - Parameters:
    ///   - ident: what the reader offers in central mode.
    ///   - mtu: ATT MTU of the pretended connection.
    public static func pair(
        mode: GATTMode = .peripheral, ident: [UInt8] = [], mtu: Int = 515, mdoc: LinkFitting = LinkFitting(),
        reader: LinkFitting = LinkFitting()
    ) -> (mdoc: LoopbackEndpoint, reader: LoopbackEndpoint) {
        let (one, other) = LoopbackPipe.pair(mtu: mtu, readable: mode == .central ? [.ident: reader.ident(ident)] : [:])
        return (LoopbackEndpoint(mode: mode, pipe: one, fitting: mdoc), LoopbackEndpoint(mode: mode, pipe: other, fitting: reader))
    }

    public var method: RetrievalMethod { .stream(StreamOptions(address: .unix(path: "loopback"), mode: mode)) }

    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        try await GATTLink.open(fitting.fit(pipe), mode: mode, role: role, ident: ident)
    }

    public func close() async { await pipe.close() }
}
