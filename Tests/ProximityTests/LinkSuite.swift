import Glibc
import Ports
import Proximity
import Testing

/// Where the links of one run of the suite come from.
enum LinkKind: String, CaseIterable, Sendable {
    case loopback, tcp, unix

    static let ident: [UInt8] = Array(repeating: 0x1D, count: 16)

    /// Two endpoints that find each other.
    func endpoints(
        _ mode: GATTMode, mdoc: LinkFitting = LinkFitting(), reader: LinkFitting = LinkFitting()
    ) async throws -> (any LinkEndpoint, any LinkEndpoint) {
        let address: LinkAddress
        switch self {
        case .loopback:
            return LoopbackEndpoint.pair(mode: mode, ident: Self.ident, mdoc: mdoc, reader: reader)
        case .tcp: address = .tcp(host: "127.0.0.1", port: 0)
        case .unix: address = .unix(path: "/tmp/walletbench-test-\(getpid())-\(UInt32.random(in: .min ... .max)).sock")
        }
        let listener = try await SocketListener(address, mode: mode, fitting: mdoc)
        return (listener, SocketConnector(listener.address, mode: mode, fitting: reader))
    }

    func links(_ mode: GATTMode) async throws -> (mdoc: any Link, reader: any Link) {
        let (mdoc, reader) = try await endpoints(mode)
        async let one = mdoc.open(.mdoc, ident: Self.ident)
        async let other = reader.open(.reader, ident: Self.ident)
        return (try await one, try await other)
    }
}

/// What every link does, whatever carries it.
@Suite(.timeLimit(.minutes(3))) struct LinkSuite {
    @Test(arguments: LinkKind.allCases, GATTMode.allCases)
    func carriesMessagesBothWaysInOrder(kind: LinkKind, mode: GATTMode) async throws {
        let (mdoc, reader) = try await kind.links(mode)
        for size in [1, 511, 512, 300_000] {
            let message = SeededRandom(seed: UInt64(size)).bytes(size)
            async let sent: Void = reader.send(message)
            #expect(try await mdoc.receive() == message)
            try await sent
            async let answered: Void = mdoc.send(message.reversed())
            #expect(try await reader.receive() == message.reversed())
            try await answered
        }
        await reader.end()
        #expect(try await mdoc.receive() == nil)
        await reader.close()
        await mdoc.close()
        #expect(await mdoc.oddities().isEmpty)
    }

    @Test(arguments: LinkKind.allCases)
    func aVanishedPeerIsNoOrderlyEnd(kind: LinkKind) async throws {
        let (mdoc, reader) = try await kind.links(.peripheral)
        try await reader.send([1, 2, 3])
        await reader.close()
        #expect(try await mdoc.receive() == [1, 2, 3])
        await #expect(throws: LinkError.lost(.betweenMessages)) { try await mdoc.receive() }
        await mdoc.close()
    }

    @Test(arguments: LinkKind.allCases)
    func sendingOnAClosedLinkFails(kind: LinkKind) async throws {
        let (mdoc, reader) = try await kind.links(.peripheral)
        await reader.close()
        await #expect(throws: LinkError.closed) { try await reader.send([1]) }
        await mdoc.close()
    }

    @Test(arguments: LinkKind.allCases)
    func cancellingEndsAWait(kind: LinkKind) async throws {
        let (mdoc, reader) = try await kind.links(.peripheral)
        let waiting = Task { try await mdoc.receive() }
        waiting.cancel()
        await #expect(throws: LinkError.cancelled) { try await waiting.value }
        await mdoc.close()
        await reader.close()
    }

    @Test(arguments: LinkKind.allCases)
    func anotherReadersIdentIsRefused(kind: LinkKind) async throws {
        let (mdoc, reader) = try await kind.endpoints(.central)
        let expected: [UInt8] = Array(repeating: 9, count: 16)
        let opened = Task { try await reader.open(.reader, ident: LinkKind.ident) }
        await #expect(throws: LinkError.identMismatch(found: LinkKind.ident, expected: expected)) {
            try await mdoc.open(.mdoc, ident: expected)
        }
        await #expect(throws: LinkError.lost(.beforeStart)) { try await opened.value }
        await mdoc.close()
    }
}

@Suite(.timeLimit(.minutes(3))) struct SocketTests {
    @Test func listenerOutlivesConnectionsThatNeverStart() async throws {
        let listener = try await SocketListener(.tcp(host: "127.0.0.1", port: 0))
        async let opened = listener.open(.mdoc, ident: [])
        for _ in 0..<3 { try connectAndClose(listener.address) }
        let reader = try await SocketConnector(listener.address).open(.reader, ident: [])
        let mdoc = try await opened
        try await reader.send([7])
        #expect(try await mdoc.receive() == [7])
        await reader.close()
        await mdoc.close()
    }

    @Test(arguments: [LinkKind.tcp, .unix])
    func aSecondReaderIsRefusedAtOnce(kind: LinkKind) async throws {
        let (mdocEnd, readerEnd) = try await kind.endpoints(.peripheral)
        async let served = mdocEnd.open(.mdoc, ident: [])
        let reader = try await readerEnd.open(.reader, ident: [])
        let mdoc = try await served
        await #expect(throws: LinkError.self) { try await readerEnd.open(.reader, ident: []) }
        await reader.close()
        await mdoc.close()
    }

    @Test func nobodyListeningIsSaid() async throws {
        let address: LinkAddress
        do {
            let listener = try await SocketListener(.tcp(host: "127.0.0.1", port: 0))
            address = listener.address
        }
        await #expect(throws: LinkError.system(doing: "connecting to \(address)", code: ECONNREFUSED)) {
            try await SocketConnector(address).open(.reader, ident: [])
        }
    }

    @Test func takenPortIsSaid() async throws {
        let listener = try await SocketListener(.tcp(host: "127.0.0.1", port: 0))
        await #expect(throws: LinkError.system(doing: "listening on \(listener.address)", code: EADDRINUSE)) {
            try await SocketListener(listener.address)
        }
        await listener.close()
    }

    @Test func closingTheListenerEndsItsWait() async throws {
        let listener = try await SocketListener(.tcp(host: "127.0.0.1", port: 0))
        let waiting = Task { try await listener.open(.mdoc, ident: []) }
        await listener.close()
        await #expect(throws: LinkError.cancelled) { try await waiting.value }
    }

    @Test func unixSocketsArePrivateAndLeaveNothingBehind() async throws {
        let path = "/tmp/walletbench-test-\(getpid())-private.sock"
        do {
            let listener = try await SocketListener(.unix(path: path))
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            await #expect(throws: LinkError.self) { try await SocketListener(.unix(path: path)) }
            await listener.close()
        }
        #expect(access(path, F_OK) != 0)
    }

    /// A peer that sends without end and never reads gets no more than its bounded place.
    @Test func aFloodingPeerIsCutOffAtTheMessageLimit() async throws {
        let (mdoc, reader) = LoopbackPipe.pair()
        let opening = Task { try await GATTLink.open(mdoc, mode: .peripheral, role: .mdoc, ident: [], messageLimit: 100_000) }
        try await reader.send([GATTValue(.state, [1])])
        let link = try await opening.value
        let flood = Task {
            let part = GATTValue(.client2Server, [1] + Array(repeating: 0, count: 511))
            while true { try await reader.send([part]) }
        }
        await #expect(throws: LinkError.messageTooLong(limit: 100_000)) { try await link.receive() }
        await link.close()
        await #expect(throws: LinkError.lost(.betweenMessages)) { try await flood.value }
    }

    @Test(arguments: ["tcp:127.0.0.1", "tcp::80", "tcp:h:70000", "unix:", "ble:hci0", "unix:" + String(repeating: "x", count: 108)])
    func refusesAddressesThatAreNone(text: String) {
        #expect(throws: LinkError.self) { try LinkAddress(text) }
    }

    @Test(arguments: ["tcp:127.0.0.1:0", "tcp:[::1]:4000", "tcp:localhost:65535", "unix:/tmp/x.sock"])
    func addressesReadBack(text: String) throws {
        #expect(try LinkAddress(text).description == text)
    }

    private func connectAndClose(_ address: LinkAddress) throws {
        guard case .tcp(_, let port) = address else { return }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafeBytes(of: &name) { raw in
            raw.baseAddress.map { connect(socket, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) } ?? -1
        }
        #expect(code == 0)
        close(socket)
    }
}
