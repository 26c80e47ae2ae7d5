import Ports
import Proximity
import Testing

@testable import BlueZ

private let right = DaemonSettings(path: "", file: MainConf(MainConf.mended("")), isStale: false)
private let asShipped = DaemonSettings(path: "", file: MainConf(), isStale: false)
private let ident = Array(UInt8(1)...16)

/// Both ends of a transaction over a fake BlueZ.
private struct Pair {
    let fake: FakeBlueZ
    let mode: GATTMode
    let uuid = BluetoothUUID(random: SystemRandom())
    let server: PeripheralEndpoint
    let client: CentralEndpoint

    init(_ fake: FakeBlueZ, _ mode: GATTMode, _ settings: DaemonSettings = right) async throws {
        (self.fake, self.mode) = (fake, mode)
        let one = try await Radio.open(.name("hci0"), needsAdvertising: true, busAddress: fake.address, settings: settings)
        let two = try await Radio.open(.name("hci1"), needsAdvertising: false, busAddress: fake.address, settings: settings)
        server = try await PeripheralEndpoint(one, mode: mode, uuid: uuid, seconds: 60, channels: .never)
        client = CentralEndpoint(two, mode: mode, uuid: uuid, seconds: 60, channels: .never)
    }

    /// - Returns: the links of server and client.
    func open(clientIdent: [UInt8] = ident) async throws -> (server: any Link, client: any Link) {
        let (server, client, mode) = (server, client, mode)
        async let waiting = server.open(mode.server, ident: ident)
        async let coming = client.open(mode.server.peer, ident: clientIdent)
        return try await (waiting, coming)
    }
}

private func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

@Suite(.serialized, .timeLimit(.minutes(2))) struct LinkTests {
    @Test(arguments: GATTMode.allCases, [right, asShipped])
    func messagesCrossInBothDirectionsWholeAndEverythingIsGivenBack(_ mode: GATTMode, _ settings: DaemonSettings) async throws {
        let fake = try await FakeBlueZ()
        let links = try await Pair(fake, mode, settings).open()
        for count in [1, 19, 507, 508, 509, 510, 511, 40_000] {
            try await links.client.send(message(count))
            #expect(try await links.server.receive() == message(count))
            try await links.server.send(message(count))
            #expect(try await links.client.receive() == message(count))
        }
        await links.client.end()
        #expect(try await links.server.receive() == nil)
        async let parting: Void = links.client.close()
        await links.server.close()
        await parting
        #expect(await links.server.oddities() == [])
        #expect(fake.leftovers == [])
    }

    @Test func theEndComesAfterTheMessageBeforeIt() async throws {
        let fake = try await FakeBlueZ()
        for mode in GATTMode.allCases {
            let links = try await Pair(fake, mode).open()
            try await links.client.send(message(30_000))
            await links.client.end()
            #expect(try await links.server.receive() == message(30_000))
            #expect(try await links.server.receive() == nil)
            await links.client.close()
            await links.server.close()
        }
        #expect(fake.leftovers == [])
    }

    @Test func theServersEndComesAfterTheMessageBeforeIt() async throws {
        let fake = try await FakeBlueZ()
        let links = try await Pair(fake, .peripheral).open()
        try await links.server.send(message(30_000))
        await links.server.end()
        #expect(try await links.client.receive() == message(30_000))
        #expect(try await links.client.receive() == nil)
        await links.client.close()
        await links.server.close()
        #expect(fake.leftovers == [])
    }

    @Test(arguments: [23, 185, 515, 517])
    func everyMTUIsServed(_ mtu: Int) async throws {
        var settings = FakeBlueZ.Settings()
        settings.mtu = mtu
        let fake = try await FakeBlueZ(settings)
        let links = try await Pair(fake, .peripheral).open()
        try await links.client.send(message(5_000))
        #expect(try await links.server.receive() == message(5_000))
        try await links.server.send(message(5_000))
        #expect(try await links.client.receive() == message(5_000))
        await links.client.close()
        await links.server.close()
    }

    @Test func anMTUThatBlueZTellsTooLargeDoesNoHarmWithoutTheRightSettings() async throws {
        var settings = FakeBlueZ.Settings()
        (settings.mtu, settings.toldMTU) = (185, 517)
        let fake = try await FakeBlueZ(settings)
        let links = try await Pair(fake, .peripheral, asShipped).open()
        try await links.client.send(message(1_000))
        #expect(try await links.server.receive() == message(1_000))
        try await links.server.send(message(3_000))
        #expect(try await links.client.receive()?.count == 3_000)
        await links.client.close()
        await links.server.close()
    }

    @Test func anotherReadersIdentIsRefusedByTheMdoc() async throws {
        let fake = try await FakeBlueZ()
        let pair = try await Pair(fake, .central)
        let server = pair.server
        let waiting = Task { try await server.open(.reader, ident: ident) }
        await #expect(throws: LinkError.identMismatch(found: ident, expected: message(16))) {
            try await pair.client.open(.mdoc, ident: message(16))
        }
        waiting.cancel()
        _ = await waiting.result
        // The server never heard of the client, whose device BlueZ itself forgets after a while.
        #expect(fake.leftovers == ["device /org/bluez/hci0/dev_00_AA_01_00_00_01"])
    }

    @Test func aSecondCentralIsRefusedAndNamed() async throws {
        let fake = try await FakeBlueZ()
        let links = try await Pair(fake, .peripheral).open()
        let refusal = await fake.knock(at: "hci0", "02", [0x00, 0xFF], from: "/org/bluez/hci0/dev_11_11_11_11_11_11")
        #expect(refusal?.name == "org.bluez.Error.NotPermitted")
        try await links.client.send(message(10))
        #expect(try await links.server.receive() == message(10))
        #expect(await links.server.oddities() == [.secondCentral])
        await links.client.close()
        await links.server.close()
    }

    @Test func aLinkThatIsCutIsSeenAtBothEnds() async throws {
        let fake = try await FakeBlueZ()
        let links = try await Pair(fake, .peripheral).open()
        await fake.cut()
        await #expect(throws: LinkError.lost(.betweenMessages)) { try await links.client.receive() }
        await #expect(throws: LinkError.lost(.betweenMessages)) { try await links.server.receive() }
        await links.client.close()
        await links.server.close()
        #expect(fake.leftovers == [])
    }

    @Test func cancellingWhileNobodyComesGivesEverythingBack() async throws {
        let fake = try await FakeBlueZ()
        let pair = try await Pair(fake, .peripheral)
        let radio = try await Radio.open(.any, needsAdvertising: true, busAddress: fake.address, settings: right)
        let other = BluetoothUUID(random: SystemRandom())
        let both = BothModesEndpoint(
            try await PeripheralEndpoint(radio, mode: .peripheral, uuid: pair.uuid, seconds: nil, channels: .never),
            CentralEndpoint(radio, mode: .central, uuid: other, seconds: nil, channels: .never))
        let waiting = Task { try await both.open(.mdoc, ident: ident) }
        while !fake.log.contains("hci0 RegisterAdvertisement") || !fake.log.contains("hci0 StartDiscovery") { await Task.yield() }
        waiting.cancel()
        await #expect(throws: LinkError.cancelled) { try await waiting.value }
        #expect(fake.leftovers == [])
    }

    @Test(arguments: GATTMode.allCases)
    func anMdocThatOffersBothModesTakesTheOneThatTheReaderChose(_ chosen: GATTMode) async throws {
        let fake = try await FakeBlueZ()
        let uuids = (peripheral: BluetoothUUID(random: SystemRandom()), central: BluetoothUUID(random: SystemRandom()))
        let own = try await Radio.open(.name("hci0"), needsAdvertising: true, busAddress: fake.address, settings: right)
        let mdoc = BothModesEndpoint(
            try await PeripheralEndpoint(own, mode: .peripheral, uuid: uuids.peripheral, seconds: 60),
            CentralEndpoint(own, mode: .central, uuid: uuids.central, seconds: 60))
        let radio = try await Radio.open(.name("hci1"), needsAdvertising: true, busAddress: fake.address, settings: right)
        let reader: any LinkEndpoint =
            chosen == .peripheral
            ? CentralEndpoint(radio, mode: .peripheral, uuid: uuids.peripheral, seconds: 60)
            : try await PeripheralEndpoint(radio, mode: .central, uuid: uuids.central, seconds: 60)
        async let waiting = mdoc.open(.mdoc, ident: ident)
        async let coming = reader.open(.reader, ident: ident)
        let (holder, verifier) = try await (waiting, coming)
        try await verifier.send(message(700))
        #expect(try await holder.receive() == message(700))
        async let parting: Void = verifier.close()
        await holder.close()
        await parting
        #expect(fake.leftovers == [])
    }

    @Test func aServiceThatLacksACharacteristicIsNamed() async throws {
        var settings = FakeBlueZ.Settings()
        settings.hidden = ["03"]
        let fake = try await FakeBlueZ(settings)
        let pair = try await Pair(fake, .peripheral)
        let server = pair.server
        let waiting = Task { try await server.open(.mdoc, ident: ident) }
        await #expect(throws: LinkError.service(check: "P21.characteristic", "Server2Client missing")) {
            try await pair.client.open(.reader, ident: ident)
        }
        waiting.cancel()
        _ = await waiting.result
        // The server never heard of the client, whose device BlueZ itself forgets after a while.
        #expect(fake.leftovers == ["device /org/bluez/hci0/dev_00_AA_01_00_00_01"])
    }

    @Test func twentyPresentationsLeaveNothingBehind() async throws {
        let fake = try await FakeBlueZ()
        for turn in 0..<20 {
            let links = try await Pair(fake, turn.isMultiple(of: 2) ? .peripheral : .central).open()
            try await links.client.send(message(2_000))
            #expect(try await links.server.receive() == message(2_000))
            await links.client.end()
            async let parting: Void = links.client.close()
            await links.server.close()
            await parting
            #expect(fake.leftovers == [])
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct ProblemTests {
    private func problem(_ settings: FakeBlueZ.Settings, _ choice: AdapterChoice = .any) async throws -> LinkError? {
        let fake = try await FakeBlueZ(settings)
        do throws(LinkError) {
            _ = try await Radio.open(choice, needsAdvertising: true, busAddress: fake.address, settings: right)
            return nil
        } catch { return error }
    }

    @Test func eachObstacleHasItsOwnWordAndMend() async throws {
        let usable = FakeBlueZ.Settings()
        #expect(try await problem(usable) == nil)
        var none = usable
        none.adapters = []
        #expect(try await problem(none) == Problem.noAdapter.linkError)
        var off = usable
        off.isPowered = false
        #expect(try await problem(off) == Problem.poweredOff("hci0").linkError)
        var silent = usable
        silent.canAdvertise = false
        #expect(try await problem(silent) == Problem.cannotAdvertise("hci0").linkError)
        var taken = usable
        taken.freeAdvertisements = 0
        #expect(try await problem(taken) == Problem.advertisementsTaken("hci0").linkError)
        let known = ["hci0 (00:AA:01:00:00:00)", "hci1 (00:AA:01:00:00:01)"]
        #expect(try await problem(usable, .name("hci7")) == Problem.unknownAdapter("hci7", known: known).linkError)
        #expect(try await problem(usable, .address("00:AA:01:00:00:01")) == nil)
    }

    @Test func aBusWithoutBlueZIsToldFromNoBus() async throws {
        let bus = try PrivateBus()
        await #expect(throws: Problem.serviceAbsent.linkError) {
            try await Radio.open(.any, needsAdvertising: false, busAddress: bus.address)
        }
        await #expect {
            try await Radio.open(.any, needsAdvertising: false, busAddress: "unix:path=/nonexistent/bus")
        } throws: { error in
            guard case LinkError.environment(let what, let mend) = error else { return false }
            return what.contains("D-Bus cannot be reached") && mend.contains("dbus")
        }
    }
}
