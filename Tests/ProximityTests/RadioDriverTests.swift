import Credentials
import Ports
import Proximity
import Testing

/// Both drivers between radios in memory, with every fault of Bluetooth.
@Suite(.timeLimit(.minutes(5))) struct RadioDriverTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: SessionFault
        let by: MdocRole
        let mode: GATTMode
        var argument = ""
        var use = ChannelUse.never
        var holder: Set<String> = []
        var reader: Set<String> = []
        /// Of one client, in seconds, where it does not go by itself.
        var stay = 60
        var resume = 0
        var seconds: Int?
        var testDescription: String { "\(fault.rawValue) by the \(by.rawValue), \(mode.rawValue)" }
    }

    private static let cases: [Case] = [
        Case(fault: .noAdvertisement, by: .mdoc, mode: .peripheral, reader: ["P20"], seconds: 1),
        Case(fault: .noAdvertisement, by: .reader, mode: .central, holder: ["P20"], seconds: 1),
        Case(fault: .gattCharacteristic, by: .mdoc, mode: .peripheral, reader: ["P21.characteristic"]),
        Case(fault: .gattCharacteristic, by: .reader, mode: .central, holder: ["P21.characteristic"]),
        Case(fault: .gattProperty, by: .mdoc, mode: .peripheral, reader: ["P21.property"]),
        Case(fault: .gattProperty, by: .reader, mode: .central, holder: ["P21.property"]),
        Case(fault: .gattDescriptor, by: .mdoc, mode: .peripheral, reader: ["P21.cccd"]),
        Case(fault: .gattDescriptor, by: .reader, mode: .central, holder: ["P21.cccd"]),
        Case(fault: .noStateStart, by: .reader, mode: .peripheral, holder: ["P22.start"], reader: ["R4.before"]),
        Case(fault: .stateUnknown, by: .reader, mode: .peripheral, holder: ["P22.value"], reader: ["R4.before"]),
        Case(fault: .stateUnknown, by: .mdoc, mode: .peripheral, reader: ["P22.value", "R4.before"]),
        Case(fault: .stateUnknown, by: .reader, mode: .central, holder: ["P22.value"], reader: ["R4.before"]),
        Case(fault: .subscribedFirst, by: .reader, mode: .peripheral, holder: ["P23"]),
        Case(fault: .subscribedFirst, by: .mdoc, mode: .central, reader: ["P23"]),
        Case(fault: .identLength, by: .reader, mode: .central, holder: ["P25", "H1"]),
        Case(fault: .identOtherSession, by: .reader, mode: .central, holder: ["H1"]),
        Case(fault: .partByte02, by: .reader, mode: .peripheral, holder: ["P26.first"], reader: ["R4.before"]),
        Case(fault: .partTooLong, by: .mdoc, mode: .peripheral, reader: ["P26.size"]),
        Case(fault: .partEmpty, by: .mdoc, mode: .central, reader: ["P26.empty"]),
        Case(fault: .disconnectAfterPart, by: .mdoc, mode: .peripheral, argument: "1", reader: ["P27", "R4.before"]),
        Case(fault: .noStateEnd, by: .reader, mode: .peripheral, holder: ["P28"]),
        Case(fault: .clientDisconnects, by: .reader, mode: .peripheral, holder: ["P29"], stay: 1),
        Case(fault: .clientDisconnects, by: .mdoc, mode: .central, reader: ["P29"], stay: 1),
        Case(fault: .secondCentral, by: .reader, mode: .peripheral, holder: ["P31"]),
        Case(fault: .secondCentral, by: .mdoc, mode: .central, reader: ["P31"]),
        Case(fault: .l2capPSM, by: .mdoc, mode: .peripheral, use: .preferred, reader: ["P33.psm"]),
        Case(fault: .l2capPSM, by: .reader, mode: .central, use: .preferred, holder: ["P33.psm"]),
        Case(fault: .l2capLength, by: .mdoc, mode: .peripheral, use: .preferred, reader: ["P33.length", "R4.before"]),
        Case(fault: .l2capLength, by: .reader, mode: .central, use: .preferred, holder: ["P33.length"], reader: ["R4.before"]),
    ]

    private static func run(_ one: Case) async throws -> DriverTests.Run {
        var manners = MemoryAir.Manners()
        (manners.staySeconds, manners.resumeSeconds) = (one.stay, one.resume)
        let faults = FaultSet([one.fault: one.argument])
        let (holder, reader) = one.by == .mdoc ? (faults, FaultSet()) : (FaultSet(), faults)
        let pair = try await AirPair(
            one.mode, manners: manners, mdocUse: one.use, readerUse: one.use, seconds: one.seconds, mdoc: holder, reader: reader)
        return try await DriverTests.converse((pair.mdoc, pair.reader), holderFaults: holder, readerFaults: reader)
    }

    @Test(arguments: cases.filter { $0.fault != .noAdvertisement && !$0.isUnmet })
    func theOtherSideNamesIt(one: Case) async throws {
        let run = try await Self.run(one)
        #expect(run.holderViolations == one.holder)
        #expect(run.readerViolations == one.reader)
    }

    /// The server waits for ever for who cannot find or use it.
    @Test(arguments: cases.filter { $0.fault == .noAdvertisement || $0.isUnmet })
    func whoCannotMeetNamesIt(one: Case) async throws {
        let faults = FaultSet([one.fault: one.argument])
        let (holder, reader) = one.by == .mdoc ? (faults, FaultSet()) : (FaultSet(), faults)
        let pair = try await AirPair(
            one.mode, mdocUse: one.use, readerUse: one.use, seconds: one.seconds, mdoc: holder, reader: reader)
        let outcome = try await DriverTests.meet(
            (pair.mdoc, pair.reader), waiting: one.by, holderFaults: holder, readerFaults: reader)
        let violations = Set(outcome.checks.checks.filter { $0.outcome.isViolation }.map(\.id))
        #expect(violations == one.holder.union(one.reader))
        #expect(outcome.failure != nil && outcome.exchanges == 0)
        #expect(pair.air.leftovers == [])
    }

    @Test func whoComesBackIntoTheOldTransactionIsNamed() async throws {
        var manners = MemoryAir.Manners()
        manners.resumeSeconds = 60
        let faults = FaultSet([.resumeAfterStart: ""])
        let pair = try await AirPair(.peripheral, manners: manners, mdocUse: .never, reader: faults)
        let outcome = try await DriverTests.meet(
            (pair.mdoc, pair.reader), waiting: .reader, holderFaults: FaultSet(), readerFaults: faults)
        let violations = Set(outcome.checks.checks.filter { $0.outcome.isViolation }.map(\.id))
        #expect(violations == ["P30", "P48.engagement"])
    }

    @Test(arguments: GATTMode.allCases, [ChannelUse.never, .preferred])
    func withoutAFaultNothingIsViolated(mode: GATTMode, use: ChannelUse) async throws {
        let pair = try await AirPair(mode, mdocUse: use)
        let run = try await DriverTests.converse((pair.mdoc, pair.reader), requests: 2)
        #expect(run.responses == 2 && run.holder.failure == nil && run.reader.failure == nil)
        #expect(run.holderViolations.isEmpty && run.readerViolations.isEmpty)
        let client = mode == .peripheral ? run.reader : run.holder
        for id in ["P20", "P21.characteristic", "P21.property", "P21.cccd"] {
            #expect(client.checks.check(id, "session")?.outcome == .pass)
        }
        if mode == .central { #expect(run.holder.checks.check("H1", "session")?.outcome == .pass) }
        #expect(pair.air.leftovers == [])
    }

    @Test(arguments: GATTMode.allCases, [ChannelUse.never, .preferred])
    func aRefusalIsHeard(mode: GATTMode, use: ChannelUse) async throws {
        let pair = try await AirPair(mode, mdocUse: use)
        let run = try await DriverTests.converse((pair.mdoc, pair.reader), refuses: true)
        #expect(run.readerViolations == ["R4.before"])
        #expect(run.reader.checks.check("R4.before", "session")?.reason == "session terminated before a response")
        #expect(run.holderViolations.isEmpty)
        #expect(pair.air.leftovers == [])
    }
}

extension RadioDriverTests.Case {
    /// Whether the client goes before the server hears of it.
    fileprivate var isUnmet: Bool { [.gattCharacteristic, .identLength, .identOtherSession].contains(fault) }
}
