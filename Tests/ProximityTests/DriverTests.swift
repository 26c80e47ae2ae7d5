import Credentials
import Crypto
import Ports
import Proximity
import Testing

/// Both drivers over every link, with every fault of session and transport.
@Suite(.timeLimit(.minutes(3))) struct DriverTests {
    /// Answers `[ordinal]` to every request; keeps the requests.
    final class Holder: HolderConversation {
        let requests = Locked<[[UInt8]]>([])
        let refuses: Bool
        init(refuses: Bool = false) { self.refuses = refuses }

        func answer(_ request: SessionRequest) async throws -> [UInt8]? {
            requests.withLock { $0.append(request.bytes) }
            return refuses ? nil : Array(repeating: UInt8(request.ordinal), count: 2000)
        }
        func note(_ event: SessionEvent) async {}
    }

    /// Asks `count` times; keeps the responses.
    final class Reader: ReaderConversation {
        let responses = Locked<[[UInt8]]>([])
        let count: Int
        init(count: Int) { self.count = count }

        func request(_ ordinal: Int, over transcript: SessionTranscript) async throws -> [UInt8]? {
            ordinal <= count ? Array(repeating: UInt8(ordinal), count: 1500) : nil
        }
        func hasRequest(after ordinal: Int) -> Bool { ordinal < count }
        func take(_ response: [UInt8], to ordinal: Int, over transcript: SessionTranscript) async throws {
            responses.withLock { $0.append(response) }
        }
        func note(_ event: SessionEvent) async {}
    }

    struct Run: Sendable {
        let holder: SessionOutcome
        let reader: SessionOutcome
        let taken: [[UInt8]]

        var responses: Int { taken.count }

        var holderViolations: Set<String> { Set(holder.checks.checks.filter { $0.outcome.isViolation }.map(\.id)) }
        var readerViolations: Set<String> { Set(reader.checks.checks.filter { $0.outcome.isViolation }.map(\.id)) }
    }

    static func run(
        _ kind: LinkKind, mode: GATTMode = .peripheral, requests: Int = 1, refuses: Bool = false,
        holderFaults: FaultSet = FaultSet(), readerFaults: FaultSet = FaultSet()
    ) async throws -> Run {
        let (deviceKey, _) = try keys()
        let keyBytes = EphemeralKeyBytes(deviceKey.publicKey).encoded
        let (mdocFitting, readerFitting) = (LinkFitting(faults: holderFaults), LinkFitting(faults: readerFaults))
        let endpoints: (any LinkEndpoint, any LinkEndpoint)
        if kind == .loopback {
            endpoints = LoopbackEndpoint.pair(
                mode: mode, ident: try Ident.of(eDeviceKeyBytes: keyBytes), mdoc: mdocFitting, reader: readerFitting)
        } else {
            endpoints = try await kind.endpoints(mode, mdoc: mdocFitting, reader: readerFitting)
        }
        return try await converse(
            endpoints, requests: requests, refuses: refuses, holderFaults: holderFaults, readerFaults: readerFaults)
    }

    private static func keys() throws -> (PrivateKey, PrivateKey) {
        let random = SeededRandom(seed: 11)
        return (try PrivateKey.generate(.p256, random: random), try PrivateKey.generate(.p256, random: random))
    }

    /// Both drivers between two endpoints that have their faults already.
    static func converse(
        _ endpoints: (any LinkEndpoint, any LinkEndpoint), requests: Int = 1, refuses: Bool = false,
        holderFaults: FaultSet = FaultSet(), readerFaults: FaultSet = FaultSet()
    ) async throws -> Run {
        let (deviceKey, readerKey) = try keys()
        let (mdocFitting, readerFitting) = (LinkFitting(faults: holderFaults), LinkFitting(faults: readerFaults))
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: [endpoints.0.method])
        let session = try ReaderSession(engagement: engagement, eDeviceKey: deviceKey.publicKey, key: readerKey, edition: .first)
        let (holder, reader) = (Holder(refuses: refuses), Reader(count: requests))
        let holderDriver = HolderDriver(
            endpoint: endpoints.0, engagement: engagement, key: deviceKey, edition: .first, fitting: mdocFitting,
            faults: holderFaults)
        let readerDriver = ReaderDriver(
            endpoint: endpoints.1, engagement: engagement, session: session, fitting: readerFitting, faults: readerFaults)
        async let one = holderDriver.run(holder)
        async let other = readerDriver.run(reader)
        return Run(holder: try await one, reader: try await other, taken: reader.responses.withLock { $0 })
    }

    /// Both drivers where one side waits in vain.
    /// - Returns: the other side's outcome.
    static func meet(
        _ endpoints: (any LinkEndpoint, any LinkEndpoint), waiting: MdocRole, holderFaults: FaultSet, readerFaults: FaultSet
    ) async throws -> SessionOutcome {
        let (deviceKey, readerKey) = try keys()
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: [endpoints.0.method])
        let session = try ReaderSession(engagement: engagement, eDeviceKey: deviceKey.publicKey, key: readerKey, edition: .first)
        let holder = HolderDriver(
            endpoint: endpoints.0, engagement: engagement, key: deviceKey, edition: .first,
            fitting: LinkFitting(faults: holderFaults), faults: holderFaults)
        let reader = ReaderDriver(
            endpoint: endpoints.1, engagement: engagement, session: session, fitting: LinkFitting(faults: readerFaults),
            faults: readerFaults)
        let one = Task { try await holder.run(Holder()) }
        let other = Task { try await reader.run(Reader(count: 1)) }
        let (idle, busy) = waiting == .mdoc ? (one, other) : (other, one)
        let outcome = try await busy.value
        idle.cancel()
        _ = await idle.result
        return outcome
    }

    @Test(arguments: LinkKind.allCases, GATTMode.allCases)
    func twoRequestsInOneSession(kind: LinkKind, mode: GATTMode) async throws {
        let run = try await Self.run(kind, mode: mode, requests: 2)
        #expect(run.responses == 2 && run.holder.exchanges == 2 && run.reader.exchanges == 2)
        #expect(run.holder.failure == nil && run.reader.failure == nil)
        #expect(run.holderViolations.isEmpty && run.readerViolations.isEmpty)
        #expect(run.holder.checks.check("P46", "session")?.outcome == .pass)
        #expect(run.reader.checks.check("R4.after", "session")?.outcome == .pass)
    }

    @Test(arguments: LinkKind.allCases)
    func refusalEndsTheSessionWithStatus20(kind: LinkKind) async throws {
        let run = try await Self.run(kind, refuses: true)
        #expect(run.responses == 0)
        #expect(run.readerViolations == ["R4.before"])
        #expect(run.reader.checks.check("R4.before", "session")?.reason == "session terminated before a response")
        #expect(run.holderViolations.isEmpty)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let fault: SessionFault
        var argument = ""
        var requests = 1
        var holder: Set<String> = []
        var reader: Set<String> = []
        var testDescription: String { fault.rawValue }
    }

    /// Faults of the mdoc and what both sides see of them.
    static let holderCases: [Case] = [
        Case(fault: .sessionDataTruncated, reader: ["R1.cbor", "R4.before"]),
        Case(fault: .sessionDataAsArray, reader: ["R1.shape", "R4.before"]),
        Case(fault: .sessionDataBitflip, reader: ["R2", "R4.before"]),
        Case(fault: .sendStatus10, reader: ["R3.error", "R4.before"]),
        Case(fault: .statusUnknown, reader: ["R3.unknown"]),
        Case(fault: .statusWithData, reader: ["R3.error", "R3.data", "R4.before"]),
        Case(fault: .closeBeforeResponse, reader: ["R4.before"]),
        Case(fault: .status20Early, requests: 2, reader: ["P47"]),
        Case(fault: .counterReused, reader: ["R2", "P41", "R4.before"]),
        Case(fault: .ivSwapped, reader: ["R2", "P42", "R4.before"]),
        Case(fault: .dataAfterTermination, reader: ["P45"]),
        Case(fault: .indefiniteMap, reader: ["P13"]),
        Case(fault: .duplicateMapKey, reader: ["P14", "R1.cbor", "R4.before"]),
        Case(fault: .partByte02, reader: ["P26.first", "R4.before"]),
        Case(fault: .partTooLong, reader: ["P26.size"]),
        Case(fault: .partEmpty, reader: ["P26.empty"]),
        Case(fault: .disconnectAfterPart, argument: "2", reader: ["P27", "R4.before"]),
    ]

    @Test(arguments: holderCases)
    func readerNamesWhatTheMdocDoesWrong(one: Case) async throws {
        let run = try await Self.run(.tcp, requests: one.requests, holderFaults: FaultSet([one.fault: one.argument]))
        #expect(run.readerViolations == one.reader)
    }

    /// Faults of the reader and what both sides see of them.
    static let readerCases: [Case] = [
        Case(fault: .establishmentTruncated, holder: ["H2.cbor"], reader: ["R3.error", "R4.before"]),
        Case(fault: .snakeCaseKey, holder: ["H2.shape"], reader: ["R3.error", "R4.before"]),
        Case(fault: .readerKeyCurve, holder: ["H2.curve"], reader: ["R3.error", "R4.before"]),
        Case(fault: .readerKeyPoint, holder: ["H2.point"], reader: ["R3.error", "R4.before"]),
        Case(fault: .requestBitflip, holder: ["H3"], reader: ["R3.error", "R4.before"]),
        Case(fault: .firstMessage, holder: ["H2.shape", "P44"], reader: ["R3.error", "R4.before"]),
        Case(fault: .requestCounterReused, requests: 2, holder: ["H3", "P41", "H15"], reader: ["R3.error"]),
        Case(fault: .counterReused, holder: ["H3", "P41"], reader: ["R3.error", "R4.before"]),
        Case(fault: .ivSwapped, holder: ["H3", "P42"], reader: ["R3.error", "R4.before"]),
        Case(fault: .duplicateMapKey, holder: ["P14", "H2.cbor"], reader: ["R3.error", "R4.before"]),
        Case(fault: .indefiniteMap, holder: ["P13"]),
        Case(fault: .readerNoTermination, holder: ["P46"]),
        Case(fault: .engagementTimeout, holder: ["P48.engagement"]),
        Case(fault: .dataAfterTermination, holder: ["P45"]),
        Case(fault: .partByte02, holder: ["P26.first"], reader: ["R4.before"]),
        Case(fault: .partTooLong, holder: ["P26.size"]),
        Case(fault: .partEmpty, holder: ["P26.empty"]),
        Case(fault: .disconnectAfterPart, argument: "1", holder: ["P27"], reader: ["R4.before"]),
    ]

    @Test(arguments: readerCases)
    func mdocNamesWhatTheReaderDoesWrong(one: Case) async throws {
        let run = try await Self.run(.tcp, requests: one.requests, readerFaults: FaultSet([one.fault: one.argument]))
        #expect(run.holderViolations == one.holder)
        #expect(run.readerViolations == one.reader)
    }

    @Test func silentDropIsNamed() async throws {
        let run = try await Self.run(.tcp, holderFaults: FaultSet([.silentDrop: ""]), readerFaults: FaultSet([.requestBitflip: ""]))
        #expect(run.readerViolations == ["R4.before", "P43"])
    }

    /// Whatever a link does to messages, both sides end, and nothing passes that was altered.
    @Test(
        arguments: [
            FaultPlan.Action.drop, .duplicate, .truncate(to: 40), .flipBit, .delay(milliseconds: 5), .close,
        ], [FaultPlan.Direction.sent, .received])
    func bothSidesEndUnderEveryFaultPlan(action: FaultPlan.Action, direction: FaultPlan.Direction) async throws {
        for ordinal in 0..<2 {
            let plan = FaultPlan(seed: 3, rules: [FaultPlan.Rule(direction, ordinal: ordinal, action)])
            let run = try await planned(plan)
            let hasFailed = run.holder.failure != nil || run.reader.failure != nil
            let hasNoticed = hasFailed || !run.holderViolations.isEmpty || !run.readerViolations.isEmpty
            if case .delay = action {
                #expect(!hasNoticed && run.responses == 2)
            } else {
                #expect(hasNoticed, "\(plan)")
            }
            for (position, response) in run.taken.enumerated() {
                #expect(response == Array(repeating: UInt8(position + 1), count: 2000))
            }
        }
    }

    private struct PlannedEndpoint: LinkEndpoint {
        let endpoint: any LinkEndpoint
        let plan: FaultPlan
        var method: RetrievalMethod { endpoint.method }
        func open(_ role: MdocRole, ident: [UInt8]) async throws(LinkError) -> any Link {
            FaultyLink(try await endpoint.open(role, ident: ident), plan: plan)
        }
        func close() async { await endpoint.close() }
    }

    private func planned(_ plan: FaultPlan) async throws -> Run {
        let random = SeededRandom(seed: 12)
        let (deviceKey, readerKey) = (
            try PrivateKey.generate(.p256, random: random), try PrivateKey.generate(.p256, random: random)
        )
        let endpoints = LoopbackEndpoint.pair()
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: [endpoints.mdoc.method])
        let session = try ReaderSession(engagement: engagement, eDeviceKey: deviceKey.publicKey, key: readerKey, edition: .first)
        var limits = SessionLimits()
        // A message that never comes is given up soon; one that is only late must come on a busy machine too.
        let isLate = plan.rules.contains { if case .delay = $0.action { true } else { false } }
        limits.idleSeconds = isLate ? 60 : 1
        limits.lingerSeconds = isLate ? 60 : 1
        let (holder, reader) = (Holder(), Reader(count: 2))
        let holderDriver = HolderDriver(
            endpoint: PlannedEndpoint(endpoint: endpoints.mdoc, plan: plan), engagement: engagement, key: deviceKey,
            edition: .first,
            limits: limits)
        let readerDriver = ReaderDriver(endpoint: endpoints.reader, engagement: engagement, session: session, limits: limits)
        async let one = holderDriver.run(holder)
        async let other = readerDriver.run(reader)
        return Run(holder: try await one, reader: try await other, taken: reader.responses.withLock { $0 })
    }

    @Test func cancellingTheReaderTellsTheMdoc() async throws {
        struct Stuck: HolderConversation {
            let asked: Mailslot
            func answer(_ request: SessionRequest) async throws -> [UInt8]? {
                await asked.put()
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            func note(_ event: SessionEvent) async {}
        }
        let random = SeededRandom(seed: 13)
        let (deviceKey, readerKey) = (
            try PrivateKey.generate(.p256, random: random), try PrivateKey.generate(.p256, random: random)
        )
        let endpoints = LoopbackEndpoint.pair()
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: [endpoints.mdoc.method])
        let session = try ReaderSession(engagement: engagement, eDeviceKey: deviceKey.publicKey, key: readerKey, edition: .first)
        let asked = Mailslot()
        let holder = Task {
            try await HolderDriver(endpoint: endpoints.mdoc, engagement: engagement, key: deviceKey, edition: .first)
                .run(Stuck(asked: asked))
        }
        let reader = Task {
            try await ReaderDriver(endpoint: endpoints.reader, engagement: engagement, session: session).run(Reader(count: 1))
        }
        await asked.take()
        holder.cancel()
        let outcome = try await reader.value
        #expect(outcome.exchanges == 0)
        #expect(outcome.checks.check("R4.before", "session")?.reason == "session terminated before a response")
        _ = try await holder.value
    }
}

/// Lets one task wait for another.
actor Mailslot {
    private var isFull = false
    private var waiter: CheckedContinuation<Void, Never>?

    func put() {
        isFull = true
        waiter?.resume()
        waiter = nil
    }

    func take() async {
        if !isFull { await withCheckedContinuation { waiter = $0 } }
    }
}
