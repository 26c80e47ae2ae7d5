import Codec
import TestSupport
import Testing

/// One item in hexadecimal, for short tests.
func cbor(_ hex: String, limits: CBORLimits = .standard) throws -> CBOR { try CBOR(decoding: try Hex.decode(hex), limits: limits) }

/// The reason why an item in hexadecimal is refused.
func refusal(_ hex: String, limits: CBORLimits = .standard) throws -> CBORError? {
    let bytes = try Hex.decode(hex)
    do throws(CBORError) {
        _ = try CBOR(decoding: bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

@Suite struct CBORDecodingTests {
    @Test func readsEveryExampleOfTheRFC() throws {
        for example in try #require(Fixture.json("cbor/rfc8949.json")["examples"]?.arrayValue) {
            let bytes = try Hex.decode(#require(example["hex"]?.stringValue))
            let text = try #require(example["diagnostic"]?.stringValue)
            let item = try CBOR(decoding: bytes)
            let value = try CBOR(decoding: item.canonical())
            #expect(item.encoded == bytes)
            if example["roundtrip"] == true { #expect(CBORDiagnostic.format(item, options: .init(opensEmbedded: false)) == text) }
            #expect(try CBOR(decoding: CBORDiagnostic.parse(text)).canonical() == value.encoded)
            #expect(item.usesPreferredEncoding == example["roundtrip"]?.boolValue)
        }
    }

    @Test func refusesEveryMalformedItemOfTheRFC() throws {
        for hex in try #require(Fixture.json("cbor/rfc8949.json")["malformed"]?.arrayValue).compactMap(\.stringValue) {
            #expect(try refusal(hex) != nil, "\(hex)")
        }
    }

    @Test(arguments: [
        ("a201020103", "1", 3), ("a2616101616102", "\"a\"", 4), ("a261610178016102", "\"a\"", 4),
        ("a2f93c0001fb3ff000000000000002", "h'fb3ff0000000000000'", 5),
        ("a27f6161ff01616102", "\"a\"", 6), ("a24161015f4161ff02", "h'5f4161ff'", 4), ("a281010181180102", "h'811801'", 4),
        ("a2c24102010202", "2", 5),
    ])
    func refusesDuplicateMapKeysByValue(hex: String, key: String, offset: Int) throws {
        let error = try #require(try refusal(hex))
        #expect(error.reason == .duplicateKey(key))
        #expect(error.offset == offset)
    }

    @Test func refusesADuplicateAmongManyKeys() throws {
        var encoder = CBOREncoder()
        encoder.map(1001)
        for key in (0..<1000).reversed() { encoder.text("key \(key)"); encoder.int(key) }
        encoder.text("key 500")
        encoder.int(0)
        #expect(throws: CBORError.self) { try CBOR(decoding: encoder.bytes) }
        encoder.bytes.removeLast(9)
        encoder.text("key 5OO")
        encoder.int(0)
        #expect(try CBOR(decoding: encoder.bytes)["key 7"].int() == 7)
    }

    @Test func keysOfDifferentTypesOrLengthsAreDifferent() throws {
        #expect(try cbor("a50001200141610161610162616201").count == 5)
        #expect(try cbor("a2f500f400").count == 2)
    }

    @Test(arguments: ["6180", "61c3", "62c080", "63eda080", "64f4908080", "7f61c361bcff", "6a61616161616161618080"])
    func refusesInvalidUTF8(hex: String) throws {
        #expect(try refusal(hex)?.reason == .invalidUTF8)
    }

    @Test func readsTextThatIsNotASCIIAnywhere() throws {
        for text in ["ü", "aaaaaaaü", "aaaaaaaaü", "aaaaaaaaaaaaaaaa水𐅑b", "é" + String(repeating: "x", count: 40)] {
            #expect(try CBOR(decoding: CBOR.text(text).encoded).text() == text)
        }
    }

    @Test func saysPathAndOffsetOfWhatIsWrong() throws {
        var encoder = CBOREncoder()
        encoder.map(1)
        encoder.text("issuerSigned")
        encoder.map(1)
        encoder.text("nameSpaces")
        encoder.map(1)
        encoder.text("org.iso.18013.5.1")
        encoder.array(2)
        encoder.int(1)
        let offset = encoder.bytes.count
        let broken = encoder.bytes + [0x1c]
        let error = #expect(throws: CBORError.self) { try CBOR(decoding: broken) }
        #expect(error?.path.description == "issuerSigned.nameSpaces[\"org.iso.18013.5.1\"][1]")
        #expect(error?.offset == offset)
        #expect(error?.reason == .malformedHead(0x1c))
    }

    @Test func aPathNamesTheMemberThatIsCutOff() throws {
        #expect(try refusal("a2616101616282")?.path.description == "b")
        #expect(try refusal("a26161016162820163ffff")?.path.description == "b[1]")
        #expect(try refusal("a20102038102ff")?.path.description == "(top)")
        #expect(try refusal("8201a12061")?.path.description == "[1][-1]")
    }

    @Test func aPathNamesTheMapWithTheDuplicate() throws {
        #expect(try refusal("8301a20102010302")?.path.description == "[1]")
        #expect(try refusal("a16161a2010201030000")?.path.description == "a")
        #expect(try refusal("a16161bf01020103ff00")?.path.description == "a")
    }

    @Test func refusesCountsThatTheInputCannotHold() throws {
        #expect(try refusal("9b0000000100000000")?.reason == .countExceedsInput(1 << 32))
        #expect(try refusal("bb8000000000000000")?.reason == .countExceedsInput(1 << 63))
        #expect(try refusal("5bffffffffffffffff")?.reason == .countExceedsInput(.max))
        #expect(try refusal("4301")?.reason == .truncated(missing: 2))
    }

    @Test func keepsItsLimits() throws {
        let limits = CBORLimits(depth: 4, items: 6, bytes: 16)
        #expect(try refusal("8181818100", limits: limits)?.reason == .tooDeep(limit: 4))
        #expect(try refusal("818181f6", limits: limits) == nil)
        #expect(try refusal("c1c1c1c100", limits: limits)?.reason == .tooDeep(limit: 4))
        #expect(try refusal("86000000000000", limits: limits)?.reason == .tooManyItems(limit: 6))
        #expect(try refusal("8500000000f6", limits: limits) == nil)
        #expect(try refusal("50" + String(repeating: "00", count: 16), limits: limits)?.reason == .tooLarge(limit: 16))
    }

    @Test(arguments: [[0x81], [0xc1], [0x9f], [0xa1, 0x00], [0xbf, 0x00], [0xd8, 0x18]] as [[UInt8]])
    func refusesDeepNestingWithoutHarm(unit: [UInt8]) throws {
        let deep = Array(repeatElement(unit, count: 100_000).joined())
        let error = #expect(throws: CBORError.self) { try CBOR(decoding: deep + [0]) }
        #expect(error?.reason == .tooDeep(limit: 64))
    }

    @Test func readsTheFirstItemOfASequence() throws {
        let (item, consumed) = try CBOR.prefix(of: [0x82, 1, 2, 0x0a])
        #expect(item.count == 2)
        #expect(consumed == 3)
        #expect(try refusal("8201020a")?.reason == .trailingBytes(1))
        #expect(try refusal("8201020a")?.offset == 3)
    }
}

@Suite struct HostileCBORTests {
    /// A message with everything in it, from the published annex D.
    private static let documents = ["device_response", "device_request", "device_engagement", "session_transcript"]

    @Test(arguments: documents)
    func everyPrefixIsRefused(name: String) throws {
        let bytes = try Fixture.hex(name, in: "cbor/annex-d.json")
        #expect(try CBOR(decoding: bytes).encoded == bytes)
        for length in stride(from: 0, to: bytes.count, by: bytes.count > 2000 ? 7 : 1) {
            let error = #expect(throws: CBORError.self) { try CBOR(decoding: Array(bytes[..<length])) }
            #expect((error?.offset ?? -1) <= length)
        }
    }

    @Test(arguments: documents)
    func flippedBitsDoNoHarm(name: String) throws {
        let bytes = try Fixture.hex(name, in: "cbor/annex-d.json")
        var state: UInt64 = 7
        for _ in 0..<400 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var changed = bytes
            changed[Int(state >> 33) % bytes.count] ^= 1 << UInt8(state >> 29 & 7)
            guard let item = try? CBOR(decoding: changed) else { continue }
            #expect(try CBORDiagnostic.parse(CBORDiagnostic.format(item)) == changed)
            #expect(try CBOR(decoding: item.canonical()).usesPreferredEncoding)
        }
    }

    @Test func arbitraryBytesDoNoHarm() throws {
        var state: UInt64 = 11
        for _ in 0..<4000 {
            let bytes = (0..<24).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 40)
            }
            guard let (item, consumed) = try? CBOR.prefix(of: bytes) else { continue }
            #expect(try CBORDiagnostic.parse(CBORDiagnostic.format(item)) == Array(bytes[..<consumed]))
        }
    }
}

@Suite struct CostlyCBORTests {
    @Test func refusesKeysThatAreCostlyToCompare() throws {
        let key = CBOR.array((0..<600).map { CBOR.int($0) })
        let map = CBOR.map([(key, .int(1)), (.int(1), .int(2))])
        #expect(try refusal(Hex.encode(map.encoded))?.reason == .tooLarge(limit: 1024))
        #expect(
            try CBOR(
                decoding: CBOR.map([(.array([.int(1)]), .int(1)), (.bytes([UInt8](repeating: 0, count: 5000)), .int(2))]).encoded
            ).count == 2)
    }

    @Test func refusesDocumentsInDocumentsWithoutEnd() throws {
        var bytes: [UInt8] = [0]
        for _ in 0..<40 { bytes = CBOR.tag(24, .bytes(bytes)).encoded }
        var item = try CBOR(decoding: bytes)
        var depth = 0
        let error = #expect(throws: CBORError.self) {
            while true {
                item = try item.embedded()
                depth += 1
            }
        }
        #expect(error?.reason == .tooDeep(limit: 16))
        #expect(depth == 16)
    }
}
