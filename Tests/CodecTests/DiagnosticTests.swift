import Codec
import Testing

@Suite struct DiagnosticTests {
    @Test(arguments: [
        ("1_1", "190001"), ("\"a\"_0", "780161"), ("h''_0", "5800"), ("[_1 1]", "99000101"), ("[_ 1, 2]", "9f0102ff"),
        ("{_ 1: 2}", "bf0102ff"), ("{_0 1: 2}", "b8010102"),
        ("1_0(2)", "d80102"), ("(_ h'01', h'0203')", "5f4101420203ff"), ("(_ \"a\", \"b\"_0)", "7f6161780162ff"), ("''_", "5fff"),
        ("\"\"_", "7fff"), ("1.5_3", "fb3ff8000000000000"),
        ("24(<<[1, 2]>>)", "d8184382" + "0102"), ("simple(99)", "f863"), ("-18446744073709551617", "c349010000000000000000"),
        ("float'7e01'", "f97e01"), ("NaN_2", "fa7fc00000"),
    ])
    func textAndBytesAgree(text: String, hex: String) throws {
        #expect(try CBORDiagnostic.parse(text) == Hex.decode(hex))
        #expect(try CBORDiagnostic.format(cbor(hex)) == text)
    }

    @Test(arguments: [
        ("0x1f", "181f"), ("0b101", "05"), ("0o17", "0f"), ("-0", "00"), ("+5", "05"), ("b64'AQI='", "420102"),
        ("b64'AQI'", "420102"), ("'ab'", "426162"),
        ("h'01 02 # two\n 03'", "43010203"), ("<<1, 2>>", "420102"), ("<<>>", "40"), (" / note / [1, # end\n 2] ", "820102"),
        ("\"\\u00fc\\uD800\\uDD51\"", "66c3bcf0908591"), ("1e3", "f963d0"),
        ("{1: [_ ]}", "a1019fff"),
    ])
    func readsOtherSpellings(text: String, hex: String) throws { #expect(try CBORDiagnostic.parse(text) == Hex.decode(hex)) }

    @Test(arguments: [
        "", "[", "[1", "[1,]", "{1}", "{1:2", "1 2", "h'0'", "h'zz'", "b64'a'", "\"", "\"\\x\"", "\"\\ud800\"", "simple(24)",
        "simple(256)", "(_ 1)", "(_ \"a\", h'01')", "24(", "nope", "256_0",
        "1.1_2", "/ open", "-", "0x", "1.2.3", "1e999", "18446744073709551616_3", "<<1", "24(1", "[_4 1]", "float'00'",
    ])
    func refusesWhatIsNotNotation(text: String) { #expect(throws: DiagnosticError.self) { try CBORDiagnostic.parse(text) } }

    @Test func refusesDeepText() {
        #expect(throws: DiagnosticError.self) { try CBORDiagnostic.parse(String(repeating: "[", count: 100_000)) }
        #expect(throws: DiagnosticError.self) { try CBORDiagnostic.parse(String(repeating: "1(", count: 100_000)) }
    }

    @Test func deepDocumentsInDocumentsReadBack() throws {
        let deep = [UInt8](repeating: 0x81, count: 60) + [0]
        let inner = CBOR.tag(24, .bytes([UInt8](repeating: 0x81, count: 50) + CBOR.tag(24, .bytes(deep)).encoded)).encoded
        #expect(try CBORDiagnostic.parse(CBORDiagnostic.format(CBOR(decoding: inner))) == inner)
    }

    @Test func linesOffsetsAndCutsAreComments() throws {
        let item = try cbor("a26161820102616243010203")
        let options = CBORDiagnostic.Options(isMultiline: true, showsOffsets: true, longestBytes: 2)
        let text = CBORDiagnostic.format(item, options: options)
        #expect(
            text == """
                {
                  / 0x1 / "a": [
                    / 0x4 / 1,
                    / 0x5 / 2
                  ],
                  / 0x6 / "b": h'0102' / … 3 bytes /
                }
                """)
        #expect(try CBORDiagnostic.parse(text) == Hex.decode("a261618201026162420102"))
    }
}
