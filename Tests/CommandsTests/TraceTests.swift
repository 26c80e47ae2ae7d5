import Codec
import Credentials
import Crypto
import Ports
import Proximity
import TestSupport
import Testing

@testable import Commands

/// Comparison of messages, and replays of sessions with a peer that makes a known mistake.
@Suite struct TraceTests {
    private func differences(_ a: CBOR, _ b: CBOR) -> [String] {
        MessageComparison.differences(a.encoded, b.encoded).map {
            "\($0.path) \($0.offsets.first ?? -1) \($0.offsets.second ?? -1)"
        }
    }

    @Test func equalMessagesHaveNoDifference() {
        let item = CBOR.map([(.text("a"), .int(1))])
        #expect(differences(item, item).isEmpty)
    }

    @Test func namesPathAndOffsetsInEmbeddedCBOR() {
        func message(_ value: Int) -> CBOR {
            let inner = CBOR.map([(.text("b"), .array([.int(0), .int(value)]))])
            return .map([(.text("a"), CBOR(encoding: { $0.embedded(inner.encoded) }))])
        }
        #expect(differences(message(1), message(2)) == ["a.b[1] 11 11"])
    }

    @Test func namesMembersThatAreOnlyOnOneSide() {
        let a = CBOR.map([(.text("a"), .int(1)), (.text("b"), .int(2))])
        let b = CBOR.map([(.text("a"), .int(1)), (.text("c"), .int(2))])
        #expect(differences(a, b) == ["b 6 -1", "c -1 6"])
    }

    @Test func seesValuesThatAreEncodedInAnotherWay() throws {
        let differences = MessageComparison.differences(try Hex.decode("a2616101616202"), try Hex.decode("a2616202616101"))
        #expect(differences.map(\.path) == ["(top)"])
        #expect(differences.first?.values.second == "in another")
    }

    @Test func pointsAtTheFirstByteThatDiffersInStrings() {
        let a = CBOR.bytes([1, 2, 3, 4])
        #expect(differences(a, .bytes([1, 2, 9, 4])) == ["(top) 3 3"])
    }

    @Test func comparesBytesThatAreNoCBOR() {
        #expect(MessageComparison.differences([0xFF, 1], [0xFF, 2]).map(\.path) == ["(bytes)"])
    }

    @Test func labelsPartsWithTheirMessage() {
        func part(_ first: UInt8) -> TraceEvent {
            TraceEvent(
                sequence: 0, time: TestPKI.time, session: "s", role: "reader", layer: "link", name: "Server2Client",
                direction: .received, bytes: [first, 7])
        }
        let parts = TracePart.all(in: [part(1), part(1), part(0), part(1)])
        #expect(parts[0] == TracePart(number: 1, count: 3) && parts[2] == TracePart(number: 3, count: 3))
        #expect(parts[3] == TracePart(number: 1, count: nil))
    }

    /// A holder's trace of a session whose reader derived its keys from a transcript with each known mistake in turn.
    @Test func explainsWhichTranscriptOpensAMessage() throws {
        let random = SeededRandom(seed: 5)
        let deviceKey = try PrivateKey.generate(.p256, random: random)
        let readerKey = try PrivateKey.generate(.p256, random: random)
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: [])
        let keyBytes = EphemeralKeyBytes(readerKey.publicKey).encoded
        let right = try Handover.qr.transcript(of: engagement, eReaderKeyBytes: keyBytes)
        #expect(right.knownMistakes.count >= 4)
        for mistake in right.knownMistakes {
            let secret = try readerKey.agree(with: deviceKey.publicKey)
            var cipher = try SessionCipher(role: .reader, sharedSecret: secret, transcript: mistake.transcript)
            let message = SessionEstablishment(eReaderKeyBytes: keyBytes, data: try cipher.seal([0xA0]))
            let steps = SessionReplay.run(
                try trace(engagement, deviceKey, received: message.encodedCBOR),
                ReplayBench(
                    edition: .first,
                    responses: PresentationVerifier(signers: SignerVerifier(anchors: .none, edition: .first)),
                    requests: RequestVerifier(readers: SignerVerifier(anchors: .none, edition: .first)), explains: true,
                    handovers: HandoverOptions()))
            let step = try #require(steps.last)
            // The recorded run got nothing out of the message either.
            #expect(step.outcome == .same)
            #expect(step.detail?.hasSuffix("the peer's session keys are over \(mistake.name)") == true, "\(step)")
        }
    }

    /// State 0x02 before this side's own start: no file may stop the program.
    @Test func aTraceInImpossibleOrderIsReplayedWithoutACrash() throws {
        func event(_ name: String, _ direction: TraceEvent.Direction, _ bytes: [UInt8]) -> TraceEvent {
            TraceEvent(
                sequence: 0, time: TestPKI.time, session: "s", role: "reader", layer: "link", name: name, direction: direction,
                bytes: bytes)
        }
        let session = try #require(
            TracedSession([
                event("State", .received, [0x02]), event("State", .sent, [0x01]), event("Server2Client", .received, [0x00, 0xA0]),
            ]))
        #expect(FramingReplay.run(session, role: .reader).map(\.outcome) == [.same])
    }

    private func trace(_ engagement: DeviceEngagement, _ key: PrivateKey, received message: [UInt8]) throws -> TracedSession {
        let memory = MemoryTrace()
        let trace = SessionTrace(sink: memory, session: "s", role: .mdoc, clock: FixedClock(TestPKI.time))
        trace.record(.sent, layer: "engagement", "DeviceEngagement", engagement.encoded)
        trace.record(key: key, "EDeviceKey", revealing: true)
        trace.record(.received, layer: "session", "SessionEstablishment", message)
        return try #require(TracedSession(memory.events))
    }
}
