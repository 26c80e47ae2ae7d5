import Codec
import Glibc
import Ports
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696), ("2026-11-30T12:00:00Z", 1_796_040_000),
        ("1969-12-31T23:59:59Z", -1), ("2038-01-19T03:14:08Z", 2_147_483_648),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1950-01-01T00:00:00Z", -631_152_000),
    ])
    func agreesWithPublishedSeconds(text: String, seconds: Int64) throws {
        let time = try Timestamp(rfc3339: text)
        #expect(time.secondsSince1970 == seconds)
        #expect(time.rfc3339 == text)
    }

    @Test func readsOffsetsAndFractions() throws {
        let time = try Timestamp(rfc3339: "1996-12-19t16:39:57.25-08:00")
        #expect(time.rfc3339 == "1996-12-20T00:39:57Z")
        #expect(time.nanoseconds == 250_000_000)
        #expect(try Timestamp(rfc3339: "1990-12-31T23:59:60Z").rfc3339 == "1991-01-01T00:00:00Z")
    }

    @Test(arguments: [
        "", "2026-11-30", "2026-11-30T12:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z",
        "2026-11-30T12:60:00Z", "2026-11-30T12:00:00.Z", "2026-11-30T12:00:00Z ", "0000-01-01T00:00:00Z",
        "2026-11-30T12:00:00+24:00",
    ])
    func refusesWhatIsNoTime(text: String) { #expect(throws: Timestamp.Malformed(text: text)) { try Timestamp(rfc3339: text) } }

    @Test func everyDayOfFourHundredYearsHasItsName() throws {
        for day in stride(from: -80_000, through: 80_000, by: 17) {
            let time = Timestamp(secondsSince1970: Int64(day) * 86400 + 3661)
            #expect(try Timestamp(rfc3339: time.rfc3339) == time)
        }
    }

    @Test func staysWithinItsRange() {
        #expect(Timestamp(secondsSince1970: .max).adding(seconds: 1).secondsSince1970 == .max)
        #expect(Timestamp(secondsSince1970: .min).adding(days: .min).secondsSince1970 == .min)
        #expect(Timestamp(secondsSince1970: .max).seconds(since: Timestamp(secondsSince1970: .min)) == .max)
        #expect(!Timestamp(secondsSince1970: .min).rfc3339.isEmpty)
        #expect(!Timestamp(secondsSince1970: .max).rfc3339.isEmpty)
    }

    @Test func writesTheTimesOfCertificates() throws {
        let time = try Timestamp(rfc3339: "2026-01-02T03:04:05Z")
        #expect(time.utcTime == "260102030405Z")
        #expect(time.generalizedTime == "20260102030405Z")
    }
}

@Suite struct RandomTests {
    /// Published values of SplitMix64 with seed 1234567.
    @Test func theSeededSequenceIsSplitMix64() {
        let words: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
        #expect(SeededRandom(seed: 1_234_567).bytes(24) == bytes)
    }

    @Test func seededRandomRepeatsAndSaysSo() {
        let (one, other) = (SeededRandom(seed: 5), SeededRandom(seed: 5))
        #expect((0..<5).map { one.bytes($0 * 3) } == (0..<5).map { other.bytes($0 * 3) })
        #expect(SeededRandom(seed: 6).bytes(32) != SeededRandom(seed: 5).bytes(32))
        #expect(one.isDeterministic)
    }

    @Test func systemRandomDiffersEachTime() {
        #expect(SystemRandom().bytes(32) != SystemRandom().bytes(32))
        #expect([0, 1, 7, 8, 9, 33].allSatisfy { SystemRandom().bytes($0).count == $0 })
        #expect(!SystemRandom().isDeterministic)
    }
}

@Suite struct MemoryTableTests {
    @Test func keepsPartitionsApart() async throws {
        let table = MemoryTable()
        try await table.write([1], "k", in: "a")
        try await table.write([2], "k", in: "b")
        #expect(try await table.read("k", in: "a") == [1])
        #expect(try await table.delete("k", in: "a"))
        #expect(try await !table.delete("k", in: "a"))
        #expect(try await table.read("k", in: "a") == nil)
        #expect(try await table.read("k", in: "b") == [2])
        #expect(try await table.keys(in: "b") == ["k"])
    }

    @Test func recordsExpire() async throws {
        let clock = SteppedClock()
        let table = MemoryTable(clock: clock)
        try await table.write([1], "k", in: "p", expiring: Timestamp(secondsSince1970: 10))
        #expect(try await table.read("k", in: "p") == [1])
        clock.time.withLock { $0 = 10 }
        #expect(try await table.read("k", in: "p") == nil)
        #expect(try await table.keys(in: "p").isEmpty)
        #expect(try await table.update("k", in: "p") { $0 == nil })
    }

    @Test func updatesComeOneAfterTheOther() async throws {
        let table = MemoryTable()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await table.update("n", in: "p") { $0 = [($0?.first ?? 0) + 1] } } }
            try await group.waitForAll()
        }
        #expect(try await table.read("n", in: "p") == [100])
    }

    private final class SteppedClock: Ports.Clock {
        let time = Locked<Int64>(0)
        func now() -> Timestamp { Timestamp(secondsSince1970: time.withLock { $0 }) }
    }
}

@Suite struct TraceTests {
    private let event = TraceEvent(
        sequence: 3, time: Timestamp(secondsSince1970: 0), session: "s", role: "holder", layer: "session", name: "SessionData",
        direction: .sent, bytes: [1, 2],
        annotation: Annotation("SessionData", "2 bytes", clause: "9.1.1.4", offset: 0, length: 2, children: [Annotation("data")]),
        faults: ["drop"])

    @Test func linesReadBack() throws {
        #expect(TraceEvent(json: try JSON.decode(event.json.encoded())) == event)
        var redacted = event
        redacted.isRedacted = true
        #expect(redacted.json["bytes"] == nil)
        #expect(TraceEvent(json: redacted.json)?.isRedacted == true)
        #expect(TraceEvent(json: ["sequence": 1]) == nil)
    }

    @Test func writesOneLineForEachEvent() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let trace = JSONLinesTrace(fileDescriptor: ends[1])
        trace.record(event)
        trace.record(event)
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &buffer, buffer.count)
        close(ends[0])
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(try lines.allSatisfy { TraceEvent(json: try JSON.decode(String($0))) == event })
        #expect(!trace.hasFailed)
        JSONLinesTrace(fileDescriptor: -1).record(event)
    }

    @Test func saysThatALineWasLost() {
        let trace = JSONLinesTrace(fileDescriptor: -1)
        trace.record(event)
        #expect(trace.hasFailed)
    }
}

@Suite struct FaultPlanTests {
    @Test func appliesEachRuleToItsMessageOnly() {
        let plan = FaultPlan(
            seed: 1,
            rules: [
                .init(.sent, ordinal: 0, .drop), .init(.sent, ordinal: 1, .duplicate), .init(.sent, ordinal: 1, .truncate(to: 1)),
                .init(.received, ordinal: 0, .close),
                .init(.sent, ordinal: 2, .delay(milliseconds: 50)),
            ])
        #expect(plan.apply(to: [1, 2], .sent, ordinal: 0) == .deliver([], afterMilliseconds: 0))
        #expect(plan.apply(to: [1, 2], .sent, ordinal: 1) == .deliver([[1], [1]], afterMilliseconds: 0))
        #expect(plan.apply(to: [1, 2], .sent, ordinal: 2) == .deliver([[1, 2]], afterMilliseconds: 50))
        #expect(plan.apply(to: [1, 2], .received, ordinal: 0) == .close)
        #expect(plan.apply(to: [1, 2], .received, ordinal: 1) == .deliver([[1, 2]], afterMilliseconds: 0))
    }

    @Test func flipsExactlyOneBitRepeatably() {
        let message = [UInt8](repeating: 0, count: 40)
        let plan = FaultPlan(seed: 9, rules: [.init(.received, ordinal: 4, .flipBit)])
        guard case .deliver(let messages, _) = plan.apply(to: message, .received, ordinal: 4) else {
            return #expect(Bool(false), "not delivered")
        }
        #expect(messages.first?.reduce(0) { $0 + $1.nonzeroBitCount } == 1)
        #expect(plan.apply(to: message, .received, ordinal: 4) == .deliver(messages, afterMilliseconds: 0))
        #expect(plan.apply(to: [], .received, ordinal: 4) == .deliver([[]], afterMilliseconds: 0))
    }
}
