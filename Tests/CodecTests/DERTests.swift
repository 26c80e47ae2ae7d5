import Codec
import Testing

@Suite struct DERTests {
    @Test(arguments: [
        ("2.5.29.15", "551d0f"), ("1.2.840.10045.2.1", "2a8648ce3d0201"), ("1.0.18013.5.1.2", "28818c5d050102"),
        ("2.999.3", "883703"), ("0.39", "27"),
    ])
    func objectIdentifiersAgree(text: String, hex: String) throws {
        let oid = try #require(OID(text))
        #expect(Hex.encode(oid.content) == hex)
        #expect(try OID(content: Hex.decode(hex))?.description == text)
    }

    @Test(arguments: ["", "1", "1.", ".1", "3.1", "1.40", "1.2.x", "1.2.-3", "1.2.99999999999999999999"])
    func refusesMalformedDottedText(text: String) { #expect(OID(text) == nil) }

    @Test(arguments: ["", "80", "2a80", "2a8001", "2a86", "2affffffffffffffffffff7f"])
    func refusesMalformedOIDContent(hex: String) throws { #expect(try OID(content: Hex.decode(hex)) == nil) }

    @Test func whatIsWrittenReadsBack() throws {
        let bytes = DERWriter.encode { writer in
            writer.sequence { writer in
                writer.integer(-129)
                writer.integer([0, 0x80])
                writer.oid("1.2.840.10045.2.1")
                writer.bitString([0x80], unusedBits: 7)
                writer.octetString(.init(repeating: 7, count: 300))
                writer.boolean(true)
                writer.null()
                writer.utf8("ü")
                writer.explicit(3) { $0.integer(Int.min) }
                writer.implicit(0, [1, 2])
                writer.enumerated(1)
            }
        }
        try DERNode(decoding: bytes).sequence { (cursor) throws(DERError) in
            #expect(try cursor.next("a").int() == -129)
            #expect(try cursor.next("b").integerBytes() == [0, 0x80])
            #expect(try cursor.next("c").oid() == "1.2.840.10045.2.1")
            #expect(try cursor.next("d").bitString().unusedBits == 7)
            #expect(try cursor.next("e").octetString().count == 300)
            #expect(try cursor.next("f").bool())
            try cursor.next("g").null()
            #expect(try cursor.next("h").string() == "ü")
            #expect(cursor.optional(2, .contextSpecific) == nil)
            #expect(try cursor.next("i").explicit(3).int() == .min)
            #expect(cursor.optional(0, .contextSpecific)?.content == [1, 2])
            #expect(try cursor.next("j").int() == 1)
        }
    }

    @Test(arguments: [
        ("", DERError.Reason.truncated), ("30", .truncated), ("3003020101ff", .trailingBytes(1)), ("3004020101", .truncated),
        ("308103020101", .nonMinimalLength), ("30820003020101", .nonMinimalLength),
        ("3080020101" + "0000", .nonMinimalLength), ("30850000000003020101", .lengthTooLarge), ("1f1e00", .malformedTag),
        ("1f801f00", .malformedTag), ("1fffffffffff00", .malformedTag),
    ])
    func refusesWhatIsNotDER(hex: String, reason: DERError.Reason) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: DERError.self) { try DERNode(decoding: bytes) }
        do { _ = try DERNode(decoding: bytes) } catch { #expect(error.reason == reason) }
    }

    @Test(arguments: ["0200", "02020001", "0202ff80", "020900ffffffffffffffff"])
    func refusesIntegersThatAreNotMinimalOrTooLarge(hex: String) throws {
        let node = try DERNode(decoding: Hex.decode(hex))
        #expect(throws: DERError.self) { try node.int() }
    }

    @Test func refusesOtherLooseForms() throws {
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("010101")).bool() }
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("0300")).bitString() }
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("030108")).bitString() }
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("03020101")).bitString() }
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("0c01ff")).string() }
        #expect(throws: DERError.self) { try DERNode(decoding: Hex.decode("050100")).null() }
        #expect(throws: DERError(.unconsumed(1), offset: 0)) {
            try DERNode(decoding: Hex.decode("3003020101")).sequence { (_: inout DERCursor) throws(DERError) in }
        }
        #expect(throws: DERError(.expected("SEQUENCE", found: "SET"), offset: 0)) {
            try DERNode(decoding: Hex.decode("3100")).sequence()
        }
    }

    @Test func refusesDeepNesting() throws {
        let deep = (0..<40).reduce(into: [UInt8]()) { bytes, _ in
            bytes = DERWriter.encode { [bytes] writer in writer.sequence { $0.raw(bytes) } }
        }
        var node = try DERNode(decoding: deep)
        let error = #expect(throws: DERError.self) {
            while let child = try node.children().first { node = child }
        }
        #expect(error?.reason == .tooDeep)
    }

    @Test func everyPrefixOfACertificateIsRefused() throws {
        let bytes = try Hex.decode("301306072a8648ce3d020106082a8648ce3d030107")
        for length in 0..<bytes.count { #expect(throws: DERError.self) { try DERNode(decoding: Array(bytes[..<length])) } }
    }
}

@Suite struct DeflateTests {
    @Test(arguments: [Deflate.Format.raw, .zlib])
    func whatIsDeflatedInflates(format: Deflate.Format) throws {
        for bytes in [[], [1], (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }] {
            let packed = try Deflate.deflate(bytes, format: format)
            #expect(try Deflate.inflate(packed, limit: bytes.count, format: format) == bytes)
        }
    }

    @Test func stopsAtTheLimit() throws {
        let bomb = try Deflate.deflate(.init(repeating: 0, count: 10_000_000))
        #expect(bomb.count < 20_000)
        #expect(throws: DeflateError.outputLimit(100_000)) { try Deflate.inflate(bomb, limit: 100_000) }
    }

    @Test func refusesWhatIsDamaged() throws {
        let packed = try Deflate.deflate(Array("some text, some text, some text".utf8))
        #expect(throws: DeflateError.trailingBytes(1)) { try Deflate.inflate(packed + [0], limit: 1000) }
        #expect(throws: DeflateError.malformed) { try Deflate.inflate([0xff, 0xff, 0xff], limit: 1000) }
        for length in 0..<packed.count {
            #expect(throws: DeflateError.self) { try Deflate.inflate(Array(packed[..<length]), limit: 1000) }
        }
    }

    /// RFC 1951 by hand: one final stored block of "abc".
    @Test func readsAStoredBlock() throws {
        #expect(try Deflate.inflate([0x01, 3, 0, 0xfc, 0xff, 0x61, 0x62, 0x63], limit: 3, format: .raw) == Array("abc".utf8))
    }
}
