import Codec
import Credentials
import Crypto
import Ports
import Proximity
import TestSupport
import Testing

struct EngagementTests {
    static let annexD = "proximity/annex-d.json"

    struct Published: Sendable {
        let id: String
        let bytes: [UInt8]
        let text: String
    }

    static func published() throws -> [Published] {
        try (Fixture.json("proximity/engagements.json")["engagements"]?.arrayValue ?? []).map {
            Published(
                id: $0["id"]?.stringValue ?? "", bytes: try Hex.decode($0["hex"]?.stringValue ?? ""),
                text: $0["qr_text"]?.stringValue ?? "")
        }
    }

    @Test func readsEveryPublishedEngagementAndWritesItsText() throws {
        let all = try Self.published()
        #expect(all.count == 8)
        for case let one in all {
            let engagement = try DeviceEngagement(decoding: one.bytes)
            #expect(EngagementText.encode(engagement) == one.text)
            #expect(try EngagementText.decode(one.text) == one.bytes)
            #expect(engagement.version == "1.0" && engagement.cipherSuite == 1)
        }
    }

    @Test func encodesRetrievalMethodsAsPublished() throws {
        let methods = try Fixture.json("proximity/engagements.json")["retrieval_methods"]?.arrayValue ?? []
        #expect(methods.count == 4)
        for method in methods.prefix(3) {
            let bytes = try Hex.decode(method["hex"]?.stringValue ?? "")
            #expect(try RetrievalMethod(decoding: bytes).encodedCBOR == bytes)
        }
        // Published with its keys in another order.
        let wifi = try RetrievalMethod(decoding: Hex.decode("830301a40066666f6f62617202182a01182b03420102"))
        #expect(wifi == .wifiAware(WiFiAwareOptions(passphrase: "foobar", operatingClass: 43, channel: 42, bands: [1, 2])))
    }

    @Test func explainsTheAnnexDEngagement() throws {
        let review = EngagementReview(text: try Fixture.json(Self.annexD)["qr_text"]?.stringValue ?? "", edition: .first)
        let engagement = try #require(review.engagement)
        let uuid = try Hex.decode("45efef742b2c4837a9a3b0e1d05a6917")
        #expect(engagement.retrievalMethods == [.ble(BLEOptions(centralClientUUID: BluetoothUUID(bytes: uuid)))])
        #expect(review.eDeviceKey?.x == (try Fixture.hex("D.5.1_ephemeral_device_key_x", in: Self.annexD)))
        #expect(review.isUsable)
        #expect(review.checks.checks.allSatisfy { !$0.outcome.isViolation })
    }

    @Test func derivesIdentOverTheTaggedKey() throws {
        // The value that ISO/IEC 18013-5 WD2's D.3.1 key gives.
        let ident = try Ident.of(eDeviceKeyBytes: Fixture.hex("D.3.1_e_device_key_bytes", in: Self.annexD))
        #expect(Hex.encode(ident) == "8da0b7a85919f05673054ea996bbd124")
    }

    @Test(arguments: [
        ("mdoc://owBjMS4w", EngagementText.Refusal.scheme("mdoc://")), ("https://x", .scheme("https://")),
        ("MDOC:owBj", .scheme("MDOC:")),
        ("owBj", .scheme("no scheme")), ("mdoc:", .base64url("nothing after mdoc:")),
        ("mdoc:owBjMS4w==", .base64url("padding '=' at character 13")),
        ("mdoc:ow+j", .base64url("character 0x2b at 7 is not of base64url")),
        ("mdoc:owBjM", .base64url("5 characters that end in the middle of a byte")),
    ])
    func refusesOtherTexts(text: String, refusal: EngagementText.Refusal) {
        #expect(throws: refusal) { try EngagementText.decode(text) }
    }

    @Test func keepsUnknownMethodsAndIgnoresUnknownKeys() throws {
        let key = try Fixture.hex("D.3.1_e_device_key_bytes", in: Self.annexD)
        var encoder = CBOREncoder()
        encoder.map(5)
        encoder.int(0)
        encoder.text("1.7")
        encoder.int(1)
        encoder.array(2)
        encoder.int(1)
        encoder.raw(key)
        encoder.int(2)
        encoder.array(1)
        encoder.raw(try Hex.decode("82186301"))
        encoder.int(4)
        encoder.text("protocol info of the first edition")
        encoder.int(99)
        encoder.null()
        let engagement = try DeviceEngagement(decoding: encoder.bytes)
        #expect(engagement.retrievalMethods == [.other(type: 99, version: 1, encoded: try Hex.decode("82186301"))])
        #expect(engagement.encoded == encoder.bytes)
        let checks = EngagementReview(bytes: encoder.bytes, edition: .first).checks
        #expect(checks.checks.filter { $0.outcome == .fail }.map(\.id) == ["P6.known"])
    }

    @Test func makesTheSecondEditionsEngagementWithItsVersion() throws {
        let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 1))
        let engagement = DeviceEngagement(eDeviceKey: COSEKey(key.publicKey), retrievalMethods: [], capabilities: [4, 3])
        let read = try DeviceEngagement(decoding: engagement.encoded)
        #expect(read.version == "1.1" && read.capabilities == [3: true, 4: true] && read.originInfos == [0x80])
        #expect(read == engagement)
    }

    static let engagementFaults: [(SessionFault, String)] = [
        (.qrScheme, "P1.scheme"), (.qrBase64url, "P1.base64url"), (.engagementCBOR, "P2.cbor"), (.engagementShape, "P2.shape"),
        (.engagementMajor, "P3.major"), (.engagementMinor, "P3.minor"), (.cipherSuite, "P4"), (.deviceKeyTag, "P5.tag"),
        (.deviceKeyCurve, "P5.curve"), (.deviceKeyPoint, "P5.point"), (.retrievalPresent, "P6.present"),
        (.retrievalKnown, "P6.known"), (.retrievalDuplicate, "P7"), (.bleUUIDMissing, "P8.missing"),
        (.bleUUIDSurplus, "P8.surplus"), (.bleUUIDLength, "P8.length"), (.bleUUIDDistinct, "P9.distinct"),
        (.bleOptionsPeripheral, "P10"), (.capabilitiesNeedOrigins, "P12.origins"), (.capabilityTrue, "P12.true"),
    ]

    /// Each fault of the engagement trips its check and no other.
    @Test(arguments: engagementFaults)
    func namesWhatIsWrongWithAnEngagement(fault: SessionFault, id: String) throws {
        let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 2))
        for capabilities in [nil, [3]] {
            let honest = DeviceEngagement(
                eDeviceKey: COSEKey(key.publicKey),
                retrievalMethods: [.stream(StreamOptions(address: .tcp(host: "127.0.0.1", port: 7), mode: .peripheral))],
                capabilities: capabilities)
            let tampering = EngagementTampering(FaultSet([fault: ""]))
            let text = tampering.text(of: tampering.engagement(from: honest))
            let violations = EngagementReview(text: text, edition: .second).checks.checks.filter { $0.outcome.isViolation }
            #expect(violations.map(\.id) == [id])
        }
    }

    @Test func seesWhatWasUsedBefore() throws {
        let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 3))
        let tampering = EngagementTampering(FaultSet([.bleUUIDFresh: ""]))
        let engagement = tampering.engagement(from: DeviceEngagement(eDeviceKey: COSEKey(key.publicKey), retrievalMethods: []))
        guard case .ble(let options)? = engagement.retrievalMethods?.first, let uuid = options.peripheralServerUUID else {
            Issue.record("no BLE method")
            return
        }
        let history = EngagementHistory(serviceUUIDs: [uuid], eDeviceKeys: [engagement.eDeviceKeyBytes])
        let checks = EngagementReview(bytes: engagement.encoded, edition: .first, history: history).checks
        #expect(Set(checks.checks.filter { $0.outcome == .fail }.map(\.id)) == ["P9.fresh", "P11"])
    }

    @Test func cutAnywhereIsRefusedWithoutACrash() throws {
        let bytes = try Fixture.hex("D.3.1_device_engagement", in: Self.annexD)
        for count in 0..<bytes.count {
            let review = EngagementReview(bytes: Array(bytes.prefix(count)), edition: .first)
            #expect(review.engagement == nil && review.checks.check("P2.cbor", "engagement")?.outcome == .fail)
        }
    }
}

struct NFCHandoverTests {
    @Test func splitsPublishedMessagesIntoTheirRecords() throws {
        let messages = try Fixture.json("proximity/ndef.json")["messages"]?.arrayValue ?? []
        #expect(messages.count == 10)
        for message in messages {
            let records = try NDEFMessage(decoding: Hex.decode(message["hex"]?.stringValue ?? "")).records
            #expect(records.map(\.typeText) == message["types"]?.arrayValue?.compactMap(\.stringValue))
        }
    }

    @Test func readsTheAnnexDSelectMessage() throws {
        let bytes = try Fixture.hex("D.3.2_nfc_handover_select", in: EngagementTests.annexD)
        let (handover, checks) = NFCHandover.review(bytes, edition: .first)
        let select = try #require(handover)
        #expect(select.kind == .select && select.version == 0x15 && select.carriers == ["0"])
        #expect(select.bluetooth?.role == 1 && select.bluetooth?.address == [0x28, 0x28, 0x37, 0x8B, 0x12, 0x28])
        #expect(try DeviceEngagement(decoding: try #require(select.deviceEngagement)).retrievalMethods == nil)
        #expect(checks.checks.allSatisfy { !$0.outcome.isViolation })
    }

    @Test func turnsTheUUIDOfTheOutOfBandRecordAround() throws {
        let messages = try Fixture.json("proximity/ndef.json")["messages"]?.arrayValue ?? []
        let hex = messages.first { $0["id"]?.stringValue == "multipaz-static-handover-select" }?["hex"]?.stringValue ?? ""
        let (handover, checks) = NFCHandover.review(try Hex.decode(hex), edition: .first)
        #expect(handover?.bluetooth?.uuid?.description == "b3d52ac4-a1b6-4b51-a22e-78ee55ef6eb6")
        #expect(handover?.nfc == [1, 3, 1, 0xFF, 0xFF, 4, 2, 1, 0, 0])
        #expect(checks.check("P52", "handover")?.outcome == .pass)
        let wrong = hex.replacing("b66eef55ee782ea2514bb6a1c42ad5b3", with: "b3d52ac4a1b64b51a22e78ee55ef6eb6")
        #expect(NFCHandover.review(try Hex.decode(wrong), edition: .first).checks.check("P52", "handover")?.outcome == .fail)
    }

    @Test func missesTheEngagementRecord() throws {
        let select = try Hex.decode("d1020a487315d10204616301013000")
        let (handover, checks) = NFCHandover.review(select, edition: .first)
        #expect(handover?.carriers == ["0"])
        #expect(checks.check("P51", "handover")?.outcome == .fail)
    }

    @Test func cutAnywhereIsRefusedWithoutACrash() throws {
        let bytes = try Fixture.hex("D.3.2_nfc_handover_request", in: EngagementTests.annexD)
        for count in 0..<bytes.count {
            #expect(
                NFCHandover.review(Array(bytes.prefix(count)), edition: .first).checks.check("P50", "handover")?.outcome == .fail)
        }
    }
}
