import Codec
import Credentials
import Crypto
import Ports
import Proximity
import TestSupport
import Testing

/// Both session machines against each other, without links.
struct SessionTests {
    struct Pair {
        var holder: HolderSession
        var reader: ReaderSession
    }

    static func pair(curve: Curve = .p256, seed: UInt64 = 7) throws -> Pair {
        let random = SeededRandom(seed: seed)
        let (deviceKey, readerKey) = (
            try PrivateKey.generate(curve, random: random), try PrivateKey.generate(curve, random: random)
        )
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: nil)
        return Pair(
            holder: HolderSession(engagement: engagement, key: deviceKey, edition: .first),
            reader: try ReaderSession(engagement: engagement, eDeviceKey: deviceKey.publicKey, key: readerKey, edition: .first))
    }

    private static func request(_ event: HolderSession.Event) -> [UInt8]? {
        if case .request(let request) = event { request.bytes } else { nil }
    }

    private static func response(_ event: ReaderSession.Event) -> [UInt8]? {
        if case .response(let bytes, _) = event { bytes } else { nil }
    }

    private func violations(_ checks: CheckList) -> Set<String> {
        Set(checks.checks.filter { $0.outcome.isViolation }.map(\.id))
    }

    @Test(arguments: [
        Curve.p256, .p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1, .brainpoolP512r1, .x25519, .x448,
    ])
    func severalRequestsInOneSessionOnEveryCurve(curve: Curve) throws {
        var pair = try Self.pair(curve: curve)
        for ordinal in 1...3 {
            let question = Array("question \(ordinal)".utf8)
            let answer = Array("answer \(ordinal)".utf8)
            #expect(try Self.request(pair.holder.receive(pair.reader.request(question))) == question)
            #expect(try Self.response(pair.reader.receive(pair.holder.respond(answer))) == answer)
        }
        guard let goodbye = pair.reader.terminate() else {
            Issue.record("not open")
            return
        }
        #expect(Hex.encode(goodbye) == "a16673746174757314")
        guard case .terminated(.termination) = try pair.holder.receive(goodbye) else {
            Issue.record("not terminated")
            return
        }
        pair.holder.linkEnded(.orderly, oddities: [])
        pair.reader.linkEnded(.orderly, oddities: [])
        #expect(violations(pair.holder.checks).isEmpty && violations(pair.reader.checks).isEmpty)
        #expect(pair.holder.checks.check("H15", "session")?.outcome == .pass)
        #expect(pair.reader.checks.check("R4.after", "session")?.outcome == .pass)
        #expect(pair.holder.checks.check("P22.start", "session")?.outcome == .notRun(.notPresent))
    }

    @Test func aResponseMayEndTheSession() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        let message = try pair.holder.respond([2], then: .termination)
        guard case .response([2], status: .termination) = try pair.reader.receive(message, morePlanned: true) else {
            Issue.record("no response")
            return
        }
        #expect(pair.reader.isEnded && pair.holder.isEnded)
        #expect(violations(pair.reader.checks) == ["P47"])
    }

    /// The transcript is over the key as received: members in another order, and one that nobody needs (multipaz#1133).
    @Test func readerKeyCountsAsReceived() throws {
        let random = SeededRandom(seed: 21)
        let (deviceKey, readerKey) = (
            try PrivateKey.generate(.p256, random: random), try PrivateKey.generate(.p256, random: random)
        )
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: nil)
        var key = CBOREncoder()
        key.map(5)
        for (label, value) in [
            (-3, CBOR.bytes(readerKey.publicKey.y)), (-2, .bytes(readerKey.publicKey.x)), (-1, .int(1)), (3, .int(-7)),
            (1, .int(2)),
        ] {
            key.int(label)
            key.item(value)
        }
        var tagged = CBOREncoder()
        tagged.embedded(key.bytes)
        let transcript = try Handover.qr.transcript(of: engagement, eReaderKeyBytes: tagged.bytes)
        var cipher = try SessionCipher(
            role: .reader, sharedSecret: readerKey.agree(with: deviceKey.publicKey), transcript: transcript)
        let message = SessionEstablishment(eReaderKeyBytes: tagged.bytes, data: try cipher.seal([9])).encodedCBOR
        var holder = HolderSession(engagement: engagement, key: deviceKey, edition: .first)
        guard case .request(let request) = try holder.receive(message) else {
            Issue.record("no request")
            return
        }
        #expect(request.bytes == [9] && request.transcript == transcript)
        #expect(violations(holder.checks).isEmpty)
    }

    // MARK: The holder refuses

    private struct NotRefused: Error {}

    private func refusal(
        _ spoil: ([UInt8]) throws -> [UInt8], _ pair: Pair? = nil
    ) throws -> (SessionError, Set<String>) {
        var pair = try pair ?? Self.pair()
        let message = try spoil(pair.reader.request([1, 2, 3]))
        do throws(SessionError) {
            _ = try pair.holder.receive(message)
        } catch {
            #expect(pair.holder.isEnded)
            #expect(throws: SessionError.self, "nothing comes after a refusal") { try pair.holder.receive(message) }
            return (error, violations(pair.holder.checks).subtracting(["P45"]))
        }
        throw NotRefused()
    }

    @Test func establishmentThatIsNoCBORGetsStatus11() throws {
        let (error, ids) = try refusal { Array($0.dropLast()) }
        #expect(error.reply == .decodingError && ids == ["H2.cbor"])
    }

    @Test func snakeCaseKeyNameGetsStatus11() throws {
        let (error, ids) = try refusal { message in
            try Hex.decode(Hex.encode(message).replacing("6a655265616465724b6579", with: "6c655f7265616465725f6b6579"))
        }
        #expect(error.reply == .decodingError && ids == ["H2.shape"])
        guard case .shape = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func duplicateKeyIsNamed() throws {
        let (error, ids) = try refusal { message in
            let members = Array(try CBOR(decoding: message).map())
            let pairs = members.map { $0.key.encoded + $0.value.encoded }
            return [0xA3] + pairs.joined() + pairs[1]
        }
        #expect(error.reply == .decodingError && ids == ["P14", "H2.cbor"])
    }

    @Test func indefiniteMapIsAcceptedWithAWarning() throws {
        var pair = try Self.pair()
        let members = Array(try CBOR(decoding: pair.reader.request([5])).map())
        let message: [UInt8] = [0xBF] + members.map { $0.key.encoded + $0.value.encoded }.joined() + [0xFF]
        #expect(try Self.request(pair.holder.receive(message)) == [5])
        #expect(violations(pair.holder.checks) == ["P13"])
    }

    @Test func readerKeyOfAnotherCurveGetsStatus11() throws {
        let other = try PrivateKey.generate(.p384, random: SeededRandom(seed: 9))
        let (error, ids) = try refusal { message in
            let data = try SessionEstablishment(decoding: message).data
            return SessionEstablishment(eReaderKeyBytes: EphemeralKeyBytes(other.publicKey).encoded, data: data).encodedCBOR
        }
        #expect(error.reason == .curve(found: "P-384", wanted: "P-256") && error.reply == .decodingError && ids == ["H2.curve"])
    }

    @Test func readerKeyOffItsCurveGetsStatus11() throws {
        let (error, ids) = try refusal { message in
            var establishment = try SessionEstablishment(decoding: message)
            establishment.eReaderKeyBytes[establishment.eReaderKeyBytes.count - 1] ^= 1
            return establishment.encodedCBOR
        }
        #expect(error.reason == .point(curve: "P-256") && error.reply == .decodingError && ids == ["H2.point"])
    }

    @Test func alteredRequestGetsStatus10() throws {
        let (error, ids) = try refusal { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
        #expect(error.reply == .encryptionError && ids == ["H3"])
        #expect(error.replyMessage.map(Hex.encode) == "a1667374617475730a")
    }

    @Test func swappedIVIdentifierIsNamed() throws {
        var pair = try Self.pair()
        let message = try pair.reader.request([1], misuse: .swappedIdentifier)
        #expect(throws: SessionError.self) { try pair.holder.receive(message) }
        #expect(violations(pair.holder.checks) == ["H3", "P42"])
    }

    @Test func reusedCounterIsNamed() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        _ = try pair.reader.receive(pair.holder.respond([2]))
        let message = try pair.reader.request([3], misuse: .repeatedCounter)
        #expect(throws: SessionError.self) { try pair.holder.receive(message) }
        #expect(violations(pair.holder.checks) == ["H3", "P41", "H15"])
    }

    @Test func firstMessageMustBeAnEstablishment() throws {
        let (error, ids) = try refusal { SessionData(data: try SessionEstablishment(decoding: $0).data).encodedCBOR }
        guard case .notEstablishment = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(ids == ["H2.shape", "P44"])
    }

    @Test func secondEstablishmentIsRefused() throws {
        var pair = try Self.pair()
        let establishment = try pair.reader.request([1])
        _ = try pair.holder.receive(establishment)
        _ = try pair.holder.respond([2])
        #expect(throws: SessionError(reason: .secondEstablishment, state: "answered")) { try pair.holder.receive(establishment) }
        #expect(violations(pair.holder.checks) == ["P44"])
    }

    @Test func aRequestBeforeTheResponseIsOutOfTurn() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        #expect(throws: SessionError(reason: .outOfTurn, state: "requested")) {
            try pair.holder.receive(SessionData(data: [1, 2, 3]).encodedCBOR)
        }
    }

    @Test func theReaderMayEndBeforeTheResponse() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        guard let goodbye = pair.reader.terminate() else {
            Issue.record("not open")
            return
        }
        guard case .terminated(.termination) = try pair.holder.receive(goodbye) else {
            Issue.record("not terminated")
            return
        }
        #expect(throws: SessionError.self) { try pair.holder.respond([2]) }
    }

    // MARK: The reader refuses

    static let badResponses: [(String, SessionStatus?, Set<String>)] = [
        ("a1", .decodingError, ["R1.cbor", "R4.before"]),
        ("8101", .decodingError, ["R1.shape", "R4.before"]),
        ("a0", .decodingError, ["R1.shape", "R4.before"]),
        ("a16464617461181e", .decodingError, ["R1.shape", "R4.before"]),
        ("a1646461746143010203", .encryptionError, ["R2", "R4.before"]),
        ("a1667374617475730a", nil, ["R3.error", "R4.before"]),
        ("a26464617461420102667374617475730b", nil, ["R3.error", "R3.data", "R4.before"]),
    ]

    @Test(arguments: badResponses)
    func namesWhatIsWrongWithAResponse(hex: String, reply: SessionStatus?, ids: Set<String>) throws {
        var pair = try Self.pair()
        _ = try pair.reader.request([1])
        do throws(SessionError) {
            _ = try pair.reader.receive(Hex.decodeOrEmpty(hex))
            Issue.record("accepted")
        } catch {
            #expect(error.reply == reply)
        }
        #expect(violations(pair.reader.checks) == ids)
        #expect(pair.reader.terminate() == nil)
    }

    @Test func unknownStatusWithDataIsAWarning() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        var data = try SessionData(decoding: pair.holder.respond([2]))
        data.status = SessionStatus(rawValue: 42)
        #expect(try Self.response(pair.reader.receive(data.encodedCBOR)) == [2])
        #expect(violations(pair.reader.checks) == ["R3.unknown"])
        #expect(pair.reader.checks.check("R3.unknown", "session")?.outcome == .warn)
    }

    @Test func dataAfterTheEndIsNamed() throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        let message = try pair.holder.respond([2], then: .termination)
        _ = try pair.reader.receive(message)
        #expect(throws: SessionError(reason: .afterEnd, state: "ended")) { try pair.reader.receive(message) }
        #expect(violations(pair.reader.checks) == ["P45"])
    }

    @Test func silenceAfterABadEstablishmentIsNamed() throws {
        var pair = try Self.pair()
        _ = try pair.reader.request([1])
        pair.reader.expectError()
        pair.reader.linkEnded(.broken(.lost(.betweenMessages), idleSeconds: 0), oddities: [])
        #expect(violations(pair.reader.checks) == ["R4.before", "P43"])
    }

    static let ends: [(LinkEnd, Set<String>)] = [
        (.broken(.lost(.betweenMessages), idleSeconds: 3), ["P46"]), (.orderly, []),
        (.broken(.lost(.afterPart(4)), idleSeconds: 0), ["P27"]), (.broken(.partFirstByte(2), idleSeconds: 0), ["P26.first"]),
    ]

    @Test(arguments: ends)
    func holderSaysHowTheLinkEndedAfterTheResponse(end: LinkEnd, ids: Set<String>) throws {
        var pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        _ = try pair.holder.respond([2])
        pair.holder.linkEnded(end, oddities: [])
        #expect(violations(pair.holder.checks) == ids)
    }

    @Test func readerWhoGaveUpTooSoonIsNamed() throws {
        var pair = try Self.pair()
        pair.holder.linkEnded(.broken(.lost(.betweenMessages), idleSeconds: 29), oddities: [])
        #expect(violations(pair.holder.checks) == ["P48.engagement"])
        pair = try Self.pair()
        _ = try pair.holder.receive(pair.reader.request([1]))
        pair.holder.linkEnded(.broken(.lost(.betweenMessages), idleSeconds: 299), oddities: [])
        #expect(violations(pair.holder.checks) == ["P48.idle"])
        pair = try Self.pair()
        pair.holder.linkEnded(.broken(.lost(.betweenMessages), idleSeconds: 30), oddities: [])
        #expect(violations(pair.holder.checks).isEmpty)
    }

    /// Events in any order, from a seed: the machines never crash, and after an end nothing is accepted.
    @Test(arguments: 0..<64)
    func survivesAnyOrderOfEvents(seed: UInt64) throws {
        var pair = try Self.pair(seed: seed)
        let random = SeededRandom(seed: seed)
        var (toHolder, toReader): ([[UInt8]], [[UInt8]]) = ([[0xA0]], [[0xA0]])
        for _ in 0..<40 {
            let (holderHasEnded, readerHasEnded) = (pair.holder.isEnded, pair.reader.isEnded)
            switch random.bytes(1)[0] % 8 {
            case 0: (try? pair.reader.request([1])).map { toHolder.append($0) }
            case 1: (try? pair.holder.respond([2])).map { toReader.append($0) }
            case 2 where !toHolder.isEmpty:
                if case .request? = try? pair.holder.receive(toHolder.removeFirst()) { #expect(!holderHasEnded) }
            case 3 where !toReader.isEmpty:
                if case .response? = try? pair.reader.receive(toReader.removeFirst()) { #expect(!readerHasEnded) }
            case 4 where random.bytes(1)[0] < 30: pair.reader.terminate().map { toHolder.append($0) }
            case 5 where random.bytes(1)[0] < 30: pair.holder.terminate().map { toReader.append($0) }
            case 6: toHolder.append(random.bytes(12))
            default: toReader.append([0xA1] + random.bytes(6))
            }
        }
        #expect(Set(pair.holder.checks.checks.map(\.id)).count == pair.holder.checks.checks.count)
        #expect(Set(pair.reader.checks.checks.map(\.id)).count == pair.reader.checks.checks.count)
    }
}

extension Hex {
    /// For literals in test arguments; a wrong literal becomes an empty message, which no test expects.
    static func decodeOrEmpty(_ text: String) -> [UInt8] { (try? decode(text)) ?? [] }
}
