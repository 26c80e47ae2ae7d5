import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// `mdoc/device-engagement.json`: bytes and QR text both ways, contents, retrieval methods.
struct EngagementVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "mdoc/device-engagement.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var cases: [VectorCase] = []
        for one in json["cases"]?.arrayValue ?? [] {
            cases.append(await VectorCase(one.identifier) { try Self.checkEngagement(one) })
        }
        for one in json["retrieval_methods"]?.arrayValue ?? [] {
            cases.append(await VectorCase("retrieval method \(one.identifier)") { try Self.checkMethod(one) })
        }
        return cases
    }

    var builtIn: [VectorFile] {
        // ISO/IEC 18013-5:2021 D.3.1.
        [
            VectorFile(
                path: "mdoc/device-engagement.json",
                text: """
                    {"cases": [{"id": "D.3.1", "hex": "a30063312e30018201d818584ba4010220012158205a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b\
                    624343167fe225820b16e8cf858ddc7690407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc670281830201a300f401f50b5045efef742b2c4837\
                    a9a3b0e1d05a6917", "qr_text": "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVggWojRgrzl9C76WZQ_MzWdLoqWj_KJ2T5fpES2JDQxZ_4iWCCxboz4WN3H\
                    aQQHumHUwzgjeoz8895qpnL8YKVXqjL8ZwKBgwIBowD0AfULUEXv73QrLEg3qaOw4dBaaRc", "expected": {"0": "1.0", "1": [1, {"$tag": 24, \
                    "$embedded": {"1": 2, "-1": 1, "-2": {"$hex": "5a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b624343167fe"}, "-3": \
                    {"$hex": "b16e8cf858ddc7690407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc67"}}}], "2": [[2, 1, {"0": false, "1": true, \
                    "11": {"$hex": "45efef742b2c4837a9a3b0e1d05a6917"}}]]}}]}
                    """)
        ]
    }

    private static func checkEngagement(_ one: JSON) throws {
        let bytes = try one.hex("hex")
        let text = try one.text("qr_text")
        try expect(try EngagementText.decode(text), equals: bytes, "what the QR text holds")
        let engagement = try DeviceEngagement(decoding: bytes)
        try expect(EngagementText.encode(engagement), equals: text, "the QR text")
        let expected = one["expected"]
        try expect(engagement.version, equals: expected?["0"]?.stringValue ?? "", "the version")
        let security = expected?["1"]?.arrayValue ?? []
        try expect(Int64(engagement.cipherSuite), equals: security.first?.intValue ?? -1, "the cipher suite")
        try checkKey(engagement, security.last?["$embedded"])
        try expect(
            (engagement.retrievalMethods ?? []).map(\.notation), equals: expected?["2"]?.arrayValue ?? [], "the retrieval methods")
    }

    /// Some published engagements hold no COSE_Key (a SubjectPublicKeyInfo in its place): those have to be refused by P5.
    private static func checkKey(_ engagement: DeviceEngagement, _ published: JSON?) throws {
        let review = EngagementReview(bytes: engagement.encoded, edition: .first)
        guard let members = published?.objectValue else {
            try expect(review.eDeviceKey == nil, "an EDeviceKey that is no COSE_Key was taken")
            let outcome = review.checks.check("P5.curve", "engagement")?.outcome
            return try expect(outcome == .fail, "P5.curve did not fail for an EDeviceKey that is no COSE_Key")
        }
        guard let key = review.eDeviceKey else { throw Mismatch("EDeviceKey was refused") }
        try expect(key.x, equals: try members["-2"].hex("$hex"), "x of EDeviceKey")
        try expect(key.y, equals: try members["-3"].hex("$hex"), "y of EDeviceKey")
        try expect(Int64(key.curve.coseCurve), equals: members["-1"]?.intValue ?? 0, "the curve of EDeviceKey")
    }

    private static func checkMethod(_ one: JSON) throws {
        let bytes = try one.hex("hex")
        let method = try RetrievalMethod(decoding: bytes)
        if let expected = one["expected"] {
            try expect(method.notation, equals: expected, "the retrieval method")
        } else {
            // Published in diagnostic notation, made into bytes with the order of keys written there.
            try expect(try CBORDiagnostic.parse(one.text("diag")), equals: bytes, "the notation's encoding")
        }
        try expect(try RetrievalMethod(decoding: method.encodedCBOR) == method, "the method changes when encoded again")
        let isSorted = try CBOR(decoding: bytes).canonical(.core) == bytes
        if isSorted { try expect(method.encodedCBOR, equals: bytes, "the encoding") }
    }
}

/// `mdoc/nfc-engagement.json`: NDEF messages into records, handover messages into their parts. APDUs are not played.
struct NFCEngagementVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "mdoc/nfc-engagement.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var cases: [VectorCase] = []
        for one in json["ndef_messages"]?.arrayValue ?? [] {
            cases.append(await VectorCase(one.identifier) { try Self.check(one, in: json) })
        }
        for one in (json["apdu_transcripts"]?.arrayValue ?? []) + (json["negative"]?.arrayValue ?? []) {
            cases.append(
                VectorCase(one.identifier, .notApplicable("APDU sequences are not played: handover messages are decoded only")))
        }
        return cases
    }

    private static func check(_ one: JSON, in file: JSON) throws {
        let bytes = try one.hex("hex")
        let message = try NDEFMessage(decoding: bytes)
        try expect(message.records.map(\.notation), equals: one["records"]?.arrayValue ?? [], "the records")
        guard let first = message.records.first?.typeText, NFCHandover.Kind(rawValue: first) != nil else { return }
        let (handover, checks) = NFCHandover.review(bytes, edition: .first)
        guard let handover else { throw Mismatch("\(checks.checks.first?.reason ?? "the handover message was refused")") }
        let wrong = checks.checks.filter { $0.outcome.isViolation }.map(\.id)
        try expect(wrong, equals: [], "the list of checks that did not pass")
        guard one.identifier.hasPrefix("multipaz") else { return }
        let uuid = file["connection_methods"]?.arrayValue?.first?.stringValue?.split(separator: " ").last.map(String.init)
        if let found = handover.bluetooth?.uuid { try expect(found.description, equals: uuid ?? "", "the UUID of the OOB record") }
        guard let engagement = handover.deviceEngagement else { return }
        let key = EngagementReview(bytes: engagement, edition: .first).eDeviceKey
        try expect(key?.x ?? [], equals: try file["e_device_key"].hex("x_hex"), "x of EDeviceKey")
        try expect(key?.y ?? [], equals: try file["e_device_key"].hex("y_hex"), "y of EDeviceKey")
    }
}

extension RetrievalMethod {
    /// As the vectors write decoded CBOR: `[2, 1, {"0": false, "11": {"$hex": "…"}}]`.
    fileprivate var notation: JSON {
        var options = JSONObject()
        func put(_ key: String, _ bytes: [UInt8]?) { if let bytes { options[key] = ["$hex": .string(Hex.encode(bytes))] } }
        func put(_ key: String, _ number: UInt64?) { if let number { options[key] = .integer(Int64(clamping: number)) } }
        switch self {
        case .nfc(let nfc):
            put("0", nfc.commandDataLimit)
            put("1", nfc.responseDataLimit)
        case .ble(let ble):
            options["0"] = .bool(ble.supportsPeripheralServer)
            options["1"] = .bool(ble.supportsCentralClient)
            put("10", ble.peripheralServerUUID)
            put("11", ble.centralClientUUID)
            put("20", ble.deviceAddress)
            put("21", ble.psm)
        case .wifiAware(let wifi):
            wifi.passphrase.map { options["0"] = .string($0) }
            put("1", wifi.operatingClass)
            put("2", wifi.channel)
            put("3", wifi.bands)
        case .stream, .other:
            break
        }
        return [.integer(Int64(clamping: type)), .integer(Int64(clamping: version)), .object(options)]
    }
}

extension NDEFRecord {
    /// As the vectors write records.
    fileprivate var notation: JSON {
        [
            "tnf": .integer(Int64(typeNameFormat)), "mb": .bool(isFirst), "me": .bool(isLast), "type": .string(typeText),
            "id": .string(idText), "payload_hex": .string(Hex.encode(payload)),
        ]
    }
}

extension JSON {
    fileprivate var identifier: String { self["id"]?.stringValue ?? "case without id" }
}

extension JSON? {
    fileprivate func hex(_ member: String) throws(Mismatch) -> [UInt8] {
        guard let self else { throw Mismatch("the case has no \(member)") }
        return try self.hex(member)
    }
}
