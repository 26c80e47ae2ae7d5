import Ports
import Proximity
import Testing

struct GATTChannelTests {
    private struct Ends {
        var client: GATTChannel
        var server: GATTChannel

        init(mode: GATTMode, mtu: Int = 515, limit: Int = 16 << 20) throws {
            client = GATTChannel(mode: mode, role: mode.server.peer, mtu: mtu, messageLimit: limit)
            server = GATTChannel(mode: mode, role: mode.server, mtu: mtu, messageLimit: limit)
            let start = client.start()
            #expect(try server.receive(start) == .started)
        }
    }

    @Test func servicesAreThoseOfTheTables() {
        let peripheral = GATTService(mode: .peripheral)
        #expect(peripheral.entries.map(\.uuid.description).first == "00000001-a123-48ce-896b-4c76973373e6")
        #expect(peripheral.entries.map(\.characteristic) == [.state, .client2Server, .server2Client, .l2cap])
        let central = GATTService(mode: .central)
        #expect(central.entries.map { $0.characteristic.number(in: .central) } == [0x05, 0x06, 0x07, 0x08, 0x0B])
        #expect(central.entries.filter(\.needsConfigurationDescriptor).map(\.characteristic) == [.state, .server2Client])
    }

    @Test(arguments: GATTMode.allCases, [0, 1, 19, 20, 21, 511, 512, 513, 1023, 5000])
    func carriesMessagesOfAnySize(mode: GATTMode, count: Int) throws {
        for mtu in [1, 23, 24, 185, 515, 517, 5000] {
            var ends = try Ends(mode: mode, mtu: mtu)
            let message = SeededRandom(seed: UInt64(count)).bytes(count)
            let parts = ends.client.parts(of: message)
            #expect(parts.allSatisfy { $0.bytes.count <= min(max(mtu, 23) - 3, 512) })
            for part in parts.dropLast() { #expect(try ends.server.receive(part) == nil) }
            #expect(try ends.server.receive(try #require(parts.last)) == .message(message))
            #expect(try ends.client.receive(GATTValue(.server2Client, [0] + message)) == .message(message))
        }
    }

    @Test(arguments: 2...64)
    func takesPartsOfAnySize(size: Int) throws {
        var ends = try Ends(mode: .peripheral, mtu: 23)
        let message = SeededRandom(seed: 5).bytes(300)
        var event: GATTChannel.Event?
        for start in stride(from: 0, to: message.count, by: size - 1) {
            let end = min(start + size - 1, message.count)
            event = try ends.server.receive(GATTValue(.client2Server, [end == message.count ? 0 : 1] + message[start..<end]))
        }
        #expect(event == .message(message))
        #expect(ends.server.oddities.isEmpty == (size <= 20))
    }

    @Test func endsFromEitherSide() throws {
        var ends = try Ends(mode: .central)
        guard let end = ends.server.end() else {
            Issue.record("not open")
            return
        }
        #expect(try ends.client.receive(end) == .ended)
        #expect(!ends.client.isOpen && !ends.server.isOpen)
        #expect(ends.client.end() == nil && ends.client.disconnected() == nil)
    }

    @Test(arguments: [
        (GATTValue(.client2Server, []), LinkError.partFirstByte(nil)), (GATTValue(.client2Server, [2, 1]), .partFirstByte(2)),
        (GATTValue(.state, [3]), .stateValue([3])), (GATTValue(.state, []), .stateValue([])),
        (GATTValue(.state, [1]), .stateValue([1])),
        (GATTValue(.server2Client, [0, 1]), .misplaced(.server2Client)), (GATTValue(.ident, [1]), .misplaced(.ident)),
    ])
    func refusesValuesThatCannotBe(value: GATTValue, error: LinkError) throws {
        var ends = try Ends(mode: .peripheral)
        #expect(throws: error) { try ends.server.receive(value) }
    }

    @Test func refusesDataBeforeStartAndAfterEnd() throws {
        var server = GATTChannel(mode: .peripheral, role: .mdoc, mtu: 515)
        #expect(throws: LinkError.dataBeforeStart) { try server.receive(GATTValue(.client2Server, [0, 1])) }
        #expect(try server.receive(GATTValue(.state, [1])) == .started)
        #expect(try server.receive(GATTValue(.state, [2])) == .ended)
        #expect(throws: LinkError.dataAfterEnd) { try server.receive(GATTValue(.client2Server, [0, 1])) }
    }

    @Test func saysWhereTheLinkWasLost() throws {
        var ends = try Ends(mode: .peripheral)
        #expect(ends.server.disconnected() == .lost(.betweenMessages))
        _ = try ends.server.receive(GATTValue(.client2Server, [1, 7]))
        _ = try ends.server.receive(GATTValue(.client2Server, [1, 7]))
        #expect(ends.server.disconnected() == .lost(.afterPart(2)))
        #expect(throws: LinkError.lost(.afterPart(2))) { try ends.server.receive(GATTValue(.state, [2])) }
        #expect(GATTChannel(mode: .peripheral, role: .mdoc, mtu: 23).disconnected() == .lost(.beforeStart))
    }

    @Test func floodsAreBounded() throws {
        var ends = try Ends(mode: .peripheral, limit: 10_000)
        #expect(throws: LinkError.messageTooLong(limit: 10_000)) {
            for _ in 0..<1000 { _ = try ends.server.receive(GATTValue(.client2Server, [1] + Array(repeating: 0, count: 511))) }
        }
        ends = try Ends(mode: .peripheral, limit: 10_000)
        #expect(throws: LinkError.messageTooLong(limit: 10_000)) {
            for _ in 0..<20_000 { _ = try ends.server.receive(GATTValue(.client2Server, [1])) }
        }
        #expect(ends.server.oddities == [.withoutPayload])
    }
}
