import Ports
import Proximity
import Testing

/// One transaction between two radios in memory.
struct AirPair: Sendable {
    let air: MemoryAir
    let mdoc: any LinkEndpoint
    let reader: any LinkEndpoint
    static let ident = [UInt8](repeating: 0x1D, count: 16)

    /// - Parameter isPSMKnown: the client has the PSM from the engagement.
    init(
        _ mode: GATTMode, manners: MemoryAir.Manners = .init(), mdocUse: ChannelUse = .preferred,
        readerUse: ChannelUse = .preferred,
        isPSMKnown: Bool = false, seconds: Int? = nil, mdoc mdocFaults: FaultSet = FaultSet(),
        reader readerFaults: FaultSet = FaultSet()
    ) async throws {
        air = MemoryAir(manners)
        let uuid = BluetoothUUID(random: SeededRandom(seed: 5))
        let (one, other) = (air.radio("mdoc"), air.radio("reader"))
        let (mdocFitting, readerFitting) = (LinkFitting(faults: mdocFaults), LinkFitting(faults: readerFaults))
        switch mode {
        case .peripheral:
            let server = try await PeripheralEndpoint(
                one, mode: mode, uuid: uuid, seconds: nil, channels: mdocUse, namesPSM: isPSMKnown, fitting: mdocFitting)
            var psm: Int?
            if case .ble(let options) = server.method { psm = options.psm.map { Int($0) } }
            mdoc = server
            reader = CentralEndpoint(
                other, mode: mode, uuid: uuid, psm: psm, seconds: seconds, channels: readerUse, fitting: readerFitting)
        case .central:
            mdoc = CentralEndpoint(one, mode: mode, uuid: uuid, seconds: seconds, channels: mdocUse, fitting: mdocFitting)
            reader = try await PeripheralEndpoint(
                other, mode: mode, uuid: uuid, seconds: nil, channels: readerUse, fitting: readerFitting)
        }
    }

    func open() async throws -> (mdoc: any Link, reader: any Link) {
        let (mdoc, reader) = (mdoc, reader)
        async let one = mdoc.open(.mdoc, ident: Self.ident)
        async let other = reader.open(.reader, ident: Self.ident)
        return try await (one, other)
    }
}

/// Both modes, GATT and L2CAP, without a radio.
@Suite(.timeLimit(.minutes(5))) struct RadioTests {
    private func exchange(_ pair: AirPair, sizes: [Int] = [1, 511, 512, 2044, 2045, 300_000]) async throws -> (any Link, any Link) {
        let (mdoc, reader) = try await pair.open()
        for size in sizes {
            let message = SeededRandom(seed: UInt64(size)).bytes(size)
            async let sent: Void = reader.send(message)
            #expect(try await mdoc.receive() == message)
            try await sent
            async let answered: Void = mdoc.send(message.reversed())
            #expect(try await reader.receive() == message.reversed())
            try await answered
        }
        return (mdoc, reader)
    }

    private func end(_ mdoc: any Link, _ reader: any Link, _ air: MemoryAir) async throws {
        await reader.end()
        async let one: Void = reader.close()
        async let other: Void = mdoc.close()
        _ = await (one, other)
        #expect(air.leftovers == [])
        #expect(await mdoc.oddities().subtracting([.endedWithoutState]) == [])
    }

    @Test(arguments: GATTMode.allCases, [23, 185, 515, 517])
    func valuesCarryMessagesAtEveryMTU(mode: GATTMode, mtu: Int) async throws {
        var manners = MemoryAir.Manners()
        manners.mtu = mtu
        let pair = try await AirPair(mode, manners: manners, mdocUse: .never)
        let sizes = mtu == 23 ? [1, 18, 19, 20, 5_000] : [1, 511, 512, 300_000]
        let (mdoc, reader) = try await exchange(pair, sizes: sizes)
        #expect(mdoc is GATTLink && reader is GATTLink)
        try await end(mdoc, reader, pair.air)
    }

    @Test(arguments: GATTMode.allCases, [false, true])
    func channelsCarryThemWhereBothHaveThem(mode: GATTMode, isPSMKnown: Bool) async throws {
        let pair = try await AirPair(mode, isPSMKnown: isPSMKnown)
        let (mdoc, reader) = try await exchange(pair)
        #expect(mdoc is L2CAPLink && reader is L2CAPLink)
        try await end(mdoc, reader, pair.air)
        #expect(await reader.oddities() == [])
    }

    @Test func theEngagementNamesThePSMOnlyIfItMay() async throws {
        let air = MemoryAir()
        let uuid = BluetoothUUID(random: SeededRandom(seed: 1))
        for (mode, names, expected) in [(GATTMode.peripheral, true, 0x80), (.peripheral, false, nil), (.central, true, nil)]
            as [(GATTMode, Bool, UInt64?)]
        {
            let endpoint = try await PeripheralEndpoint(air.radio("a"), mode: mode, uuid: uuid, seconds: nil, namesPSM: names)
            guard case .ble(let options) = endpoint.method else { return #expect(Bool(false)) }
            #expect(options.psm == expected)
            await endpoint.close()
        }
        #expect(air.leftovers == [])
    }

    @Test(arguments: GATTMode.allCases, [ChannelUse.never, .preferred])
    func aSideWithoutChannelsIsServedByValues(mode: GATTMode, use: ChannelUse) async throws {
        var manners = MemoryAir.Manners()
        manners.hasChannels = use == .never
        let pair = try await AirPair(mode, manners: manners, readerUse: use)
        let (mdoc, reader) = try await exchange(pair, sizes: [4_000])
        #expect(mdoc is GATTLink && reader is GATTLink)
        try await end(mdoc, reader, pair.air)
    }

    @Test(arguments: GATTMode.allCases)
    func channelOnlyDoesNotFallBack(mode: GATTMode) async throws {
        let (mdocUse, readerUse): (ChannelUse, ChannelUse) = mode == .peripheral ? (.never, .only) : (.only, .never)
        let pair = try await AirPair(mode, mdocUse: mdocUse, readerUse: readerUse)
        let (server, client) = mode == .peripheral ? (pair.mdoc, pair.reader) : (pair.reader, pair.mdoc)
        let waiting = Task { try await server.open(mode.server, ident: AirPair.ident) }
        await #expect(
            throws: LinkError.environment(
                "the peer has no L2CAP channel that can be used", mend: "leave --l2cap-only out to take GATT")
        ) { try await client.open(mode.server.peer, ident: AirPair.ident) }
        waiting.cancel()
        _ = await waiting.result
        #expect(pair.air.leftovers == [])
    }

    @Test(arguments: GATTMode.allCases, [false, true])
    func aPSMThatNobodyListensOnLeadsBackToValues(mode: GATTMode, isPSMKnown: Bool) async throws {
        let faults = FaultSet([.l2capPSM: ""])
        let pair = try await AirPair(
            mode, isPSMKnown: false, mdoc: mode == .peripheral ? faults : FaultSet(), reader: mode == .central ? faults : FaultSet()
        )
        let (mdoc, reader) = try await exchange(pair, sizes: [700])
        let client = mode == .peripheral ? reader : mdoc
        #expect(await client.oddities() == [.psmUnreachable(0xFE)])
        #expect(await client.examined().contains("P33.psm"))
        await mdoc.close()
        await reader.close()
    }

    @Test(arguments: GATTMode.allCases, [true, false])
    func ofTwoModesTheReadersChoiceIsTaken(chosen: GATTMode, hasChannels: Bool) async throws {
        var manners = MemoryAir.Manners()
        manners.hasChannels = hasChannels
        let air = MemoryAir(manners)
        let random = SeededRandom(seed: 6)
        let (one, other) = (BluetoothUUID(random: random), BluetoothUUID(random: random))
        let mdoc = BothModesEndpoint(
            try await PeripheralEndpoint(air.radio("mdoc"), mode: .peripheral, uuid: one, seconds: nil),
            CentralEndpoint(air.radio("mdoc"), mode: .central, uuid: other, seconds: nil))
        guard case .ble(let options) = mdoc.method else { return #expect(Bool(false)) }
        #expect(options.peripheralServerUUID == one.bytes && options.centralClientUUID == other.bytes)
        let reader: any LinkEndpoint =
            chosen == .peripheral
            ? CentralEndpoint(air.radio("reader"), mode: .peripheral, uuid: one, seconds: nil)
            : try await PeripheralEndpoint(air.radio("reader"), mode: .central, uuid: other, seconds: nil)
        async let waiting = mdoc.open(.mdoc, ident: AirPair.ident)
        async let coming = reader.open(.reader, ident: AirPair.ident)
        let (holder, verifier) = try await (waiting, coming)
        try await verifier.send([1, 2, 3])
        #expect(try await holder.receive() == [1, 2, 3])
        #expect(await holder.oddities() == (chosen == .peripheral ? [.peripheralPreferred] : []))
        await verifier.end()
        async let parting: Void = verifier.close()
        await holder.close()
        await parting
        #expect(air.leftovers == [])
    }

    @Test func aServiceThatNobodyAdvertisesIsNamed() async throws {
        let air = MemoryAir()
        let uuid = BluetoothUUID(random: SeededRandom(seed: 9))
        let client = CentralEndpoint(air.radio("reader"), mode: .peripheral, uuid: uuid, seconds: 1)
        await #expect(throws: LinkError.notAdvertised(uuid.description, seconds: 1)) {
            try await client.open(.reader, ident: AirPair.ident)
        }
    }

    @Test func twentyTransactionsLeaveNothingBehind() async throws {
        for turn in 0..<20 {
            let pair = try await AirPair(
                turn.isMultiple(of: 2) ? .peripheral : .central, mdocUse: turn % 4 < 2 ? .preferred : .never)
            let (mdoc, reader) = try await exchange(pair, sizes: [2_000])
            try await end(mdoc, reader, pair.air)
        }
    }

    /// Values and packets that come late change nothing.
    @Test(arguments: [GATTMode.peripheral], [ChannelUse.preferred, .never])
    func aPeerThatVanishesInMidMessageIsNamed(mode: GATTMode, use: ChannelUse) async throws {
        let pair = try await AirPair(mode, mdocUse: use, reader: FaultSet([.disconnectAfterPart: "2"]))
        let (mdoc, reader) = try await pair.open()
        await #expect(throws: LinkError.self) { try await reader.send(SeededRandom(seed: 3).bytes(20_000)) }
        await #expect(throws: LinkError.lost(.afterPart(2))) { try await mdoc.receive() }
        await mdoc.close()
        await reader.close()
        #expect(pair.air.leftovers == [])
    }
}
