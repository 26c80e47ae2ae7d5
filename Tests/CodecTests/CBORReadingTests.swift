import Codec
import Testing

@Suite struct CBORReadingTests {
    @Test func readsIntegersAtTheirEdges() throws {
        #expect(try cbor("1b7fffffffffffffff").int() == .max)
        #expect(try cbor("3b7fffffffffffffff").int() == .min)
        #expect(try cbor("1bffffffffffffffff").uint() == .max)
        #expect(throws: CBORError(.outOfRange("integer 9223372036854775808"), offset: 0)) { try cbor("1b8000000000000000").int() }
        #expect(throws: CBORError(.outOfRange("integer -1-9223372036854775808"), offset: 0)) {
            try cbor("3b8000000000000000").int()
        }
        #expect(throws: CBORError(.expected("uint", found: "nint"), offset: 0)) { try cbor("20").uint() }
    }

    @Test func joinsTheChunksOfStrings() throws {
        #expect(try cbor("5f42010243030405ff").bytes() == [1, 2, 3, 4, 5])
        #expect(try cbor("7f657374726561646d696e67ff").text() == "streaming")
        #expect(try cbor("5fff").bytes() == [])
    }

    @Test func findsMembersAndElements() throws {
        let map = try cbor("a3616101200218640a")
        #expect(try map["a"].int() == 1)
        #expect(try map[-1].int() == 2)
        #expect(try map[100].int() == 10)
        #expect(try map.optional("b") == nil)
        #expect(throws: CBORError(.missing("\"b\""), offset: 0)) { try map["b"] }
        let array = try cbor("83010203")
        #expect(try array[2].int() == 3)
        #expect(try array.optional(3) == nil)
        #expect(try array.optional(-1) == nil)
        #expect(throws: CBORError(.missing("element 3"), offset: 0)) { try array[3] }
        #expect(throws: CBORError(.expected("map", found: "array"), offset: 0)) { try array["a"] }
    }

    @Test func findsAMemberWhoseKeyIsNotPreferablyEncoded() throws {
        #expect(try cbor("a178016105")["a"].int() == 5)
        #expect(try cbor("a17f6161ff05")["a"].int() == 5)
        #expect(try cbor("a1180105")[1].int() == 5)
    }

    @Test func typeErrorsSayWhere() throws {
        let item = try cbor("a161618201f5")
        let error = #expect(throws: CBORError.self) { try item["a"][1].text() }
        #expect(error == CBORError(.expected("tstr", found: "bool"), path: FieldPath([.key("a"), .index("1")]), offset: 5))
        #expect(error?.description == "expected tstr, found bool at a[1], offset 5")
    }

    @Test func errorsInEmbeddedItemsCarryOuterPathAndOffset() throws {
        let inner = CBOR.map([(.text("x"), .int(1))]).encoded
        let outer = CBOR.map([(.text("o"), .tag(24, .bytes(inner)))])
        let item = try CBOR(decoding: outer.encoded)
        let embedded = try item["o"].embedded()
        #expect(try embedded["x"].int() == 1)
        #expect(embedded.encoded == inner)
        let error = #expect(throws: CBORError.self) { try embedded["x"].text() }
        #expect(error?.path == FieldPath("o", "x"))
        #expect(error?.offset == outer.encoded.count - 1)
        let broken = try CBOR(decoding: CBOR.map([(.text("o"), .tag(24, .bytes([0xa1, 0x61, 0x78])))]).encoded)
        #expect(throws: CBORError(.countExceedsInput(1), path: FieldPath("o"), offset: 6)) {
            try CBOR(decoding: CBOR.map([(.text("o"), .tag(24, .bytes([0x81])))]).encoded)["o"].embedded()
        }
        #expect(throws: CBORError(.truncated(missing: 1), path: FieldPath("o", "x"), offset: 9)) { try broken["o"].embedded() }
    }

    @Test func embeddedKeepsTheBytesAsReceived() throws {
        struct Number: CBORCodable, Equatable {
            var value: Int
            init(value: Int) { self.value = value }
            init(_ cbor: CBOR) throws(CBORError) { value = try cbor.int() }
            func encode(to encoder: inout CBOREncoder) { encoder.int(value) }
        }
        for hex in ["d818421805", "d81858021805", "d8185f41184105ff", "d900185902001805".replacing("0200", with: "0002")] {
            let bytes = try Hex.decode(hex)
            let embedded = try Embedded<Number>(CBOR(decoding: bytes))
            #expect(embedded.value == Number(value: 5))
            #expect(embedded.encoded == bytes)
            #expect(Array(embedded.content) == [0x18, 0x05])
            #expect(embedded.encodedCBOR == bytes)
        }
        let made = Embedded(Number(value: 500))
        #expect(made.encoded == [0xd8, 0x18, 0x43, 0x19, 0x01, 0xf4])
        #expect(Array(made.content) == [0x19, 0x01, 0xf4])
        #expect(throws: CBORError(.expected("tag 24", found: "tag 23"), offset: 0)) { try Embedded<Number>(cbor("d7421805")) }
    }

    @Test func reportsWhatIsNotPreferred() throws {
        #expect(try cbor("8201182a").firstNonPreferredOffset == nil)
        #expect(try cbor("82011801").firstNonPreferredOffset == 2)
        #expect(try cbor("a161619f01ff").firstNonPreferredOffset == 3)
        #expect(try cbor("81fa3fc00000").firstNonPreferredOffset == 1)
        #expect(try cbor("81c24101").firstNonPreferredOffset == 1)
    }

    @Test func whatAStringEmbedsIsJudgedByItself() throws {
        // [24(<<24>> with a long head), 1 with a long head]
        let item = try cbor("82d8184218051801")
        #expect(item.firstNonPreferredOffset == 6)
        #expect(try item[0].embedded().firstNonPreferredOffset == 4)
        #expect(try item.array().map { try? $0.int() } == [nil, 1])
        #expect(item.count == 2)
    }

    @Test func whatCannotBeEmbeddedSaysWhyWhenItIsRead() throws {
        // Two items, a key twice, and nothing at all in a tag 24; after each the array goes on.
        for (hex, reason) in [
            ("82d81842010201", CBORError.Reason.trailingBytes(1)), ("82d81845a20101010201", .duplicateKey("1")),
            ("82d8184001", .truncated(missing: 1)),
        ] {
            let item = try cbor(hex)
            #expect(try item[1].int() == 1)
            #expect(try item[0].tagContent().bytes().count == item[0].encodedRange.count - 3)
            let error = #expect(throws: CBORError.self) { try item[0].embedded() }
            #expect(error?.reason == reason)
        }
    }

    @Test func embeddedItemsInEmbeddedItemsCarryTheirWholePath() throws {
        let inner = CBOR.map([(.text("x"), .tag(24, .bytes(CBOR.map([(.text("y"), .int(1))]).encoded)))]).encoded
        let item = try CBOR(decoding: CBOR.map([(.text("o"), .tag(24, .bytes(inner)))]).encoded)
        let deepest = try item["o"].embedded()["x"].embedded()
        let error = #expect(throws: CBORError.self) { try deepest["y"].text() }
        #expect(error?.path == FieldPath("o", "x", "y"))
        #expect(error?.offset == item.encoded.count - 1)
        #expect(try deepest["y"].int() == 1)
    }
}

@Suite struct CBOREncodingTests {
    @Test(arguments: [
        0, 1, 23, 24, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, Int.max, -1, -24, -25, -256, -257, Int.min,
    ])
    func integersReadBack(value: Int) throws {
        let item = try CBOR(decoding: CBOR.int(value).encoded)
        #expect(try item.int() == value)
        #expect(item.usesPreferredEncoding)
    }

    @Test(arguments: [
        0.0, -0.0, 1.5, 65504, 65505, 5.960464477539063e-8, 1.1, 3.4028234663852886e+38, 1e300, .infinity, -.infinity,
        .greatestFiniteMagnitude, .leastNonzeroMagnitude, 100_000, 1.0 / 3,
    ])
    func floatsReadBackInTheirShortestForm(value: Double) throws {
        let item = try CBOR(decoding: CBOR.double(value).encoded)
        #expect(try item.double().bitPattern == value.bitPattern)
        #expect(item.usesPreferredEncoding)
    }

    @Test func keepsThePayloadOfANaN() throws {
        #expect(try cbor("fb7ff9100000000001").canonical() == Hex.decode("fb7ff9100000000001"))
        #expect(try cbor("fb7ff8000000000000").canonical() == Hex.decode("f97e00"))
        #expect(try cbor("faffc00000").canonical() == Hex.decode("f9fe00"))
    }

    @Test func sortsKeysBothWays() throws {
        let map = try cbor("a5" + "616201" + "186402" + "0a03" + "20f5" + "81180304")
        #expect(try map.canonical(.core) == Hex.decode("a5" + "0a03" + "186402" + "20f5" + "616201" + "810304"))
        #expect(try map.canonical(.lengthFirst) == Hex.decode("a5" + "0a03" + "20f5" + "186402" + "616201" + "810304"))
    }

    @Test func canonicalEncodingLeavesEmbeddedBytesAlone() throws {
        let item = try cbor("d8184318" + "0500")
        #expect(item.canonical() == item.encoded)
    }

    @Test func itemsAreEqualByTheirBytes() throws {
        #expect(try cbor("820102") == .array([.int(1), .int(2)]))
        #expect(try cbor("9f0102ff") != .array([.int(1), .int(2)]))
        #expect(try cbor("8301820102820102")[1] == cbor("8301820102820102")[2])
    }
}
