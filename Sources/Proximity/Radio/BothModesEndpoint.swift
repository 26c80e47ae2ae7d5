/// An mdoc that offers both modes: whichever way a reader comes first is taken, the other is given up.
public struct BothModesEndpoint: LinkEndpoint {
    private let peripheral: PeripheralEndpoint
    private let central: CentralEndpoint

    /// - Parameter central: with another UUID, so that neither way is taken for the other.
    public init(_ peripheral: PeripheralEndpoint, _ central: CentralEndpoint) {
        (self.peripheral, self.central) = (peripheral, central)
    }

    public var method: RetrievalMethod {
        guard case .ble(var options) = peripheral.method, case .ble(let other) = central.method else { return peripheral.method }
        options.supportsCentralClient = true
        options.centralClientUUID = other.centralClientUUID
        return .ble(options)
    }

    public func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
        let ways: [(any LinkEndpoint, GATTMode)] = [(peripheral, .peripheral), (central, .central)]
        typealias Opened = Result<any Link, LinkError>
        let result: Opened = await withTaskGroup(of: Opened.self) { group in
            for (way, mode) in ways {
                group.addTask {
                    do throws(LinkError) {
                        return .success(ChosenLink(link: try await way.open(role, ident: ident), mode: mode))
                    } catch { return .failure(error) }
                }
            }
            var first: Opened?
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

    public func close() async { await peripheral.close() }
}

/// A link by the mode that the reader chose of two.
private struct ChosenLink: Link {
    let link: any Link
    let mode: GATTMode

    func send(_ message: [UInt8]) async throws(LinkError) { try await link.send(message) }
    func receive() async throws(LinkError) -> [UInt8]? { try await link.receive() }
    func end() async { await link.end() }
    func close() async { await link.close() }
    func oddities() async -> Set<GATTChannel.Oddity> {
        await link.oddities().union(mode == .peripheral ? [.peripheralPreferred] : [])
    }
    func examined() async -> Set<String> { await link.examined().union(["P32"]) }
    var endsByClosing: Bool { link.endsByClosing }
}
