import Codec
import Testing

@Suite struct TextEncodingTests {
    @Test func hexReadsBothCases() throws {
        #expect(try Hex.decode("00fFA5") == [0, 255, 165])
        #expect(Hex.encode([0, 255, 165]) == "00ffa5")
        #expect(throws: TextEncodingError.invalidLength(3)) { try Hex.decode("abc") }
        #expect(throws: TextEncodingError.invalidCharacter("g", offset: 1)) { try Hex.decode("0g") }
        #expect(throws: TextEncodingError.invalidCharacter("ü", offset: 2)) { try Hex.decode("00ü") }
    }

    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64AsPublished(text: String, encoded: String) throws {
        let bytes = Array(text.utf8)
        let unpadded = encoded.replacing("=", with: "")
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64URL.encode(bytes) == unpadded)
        #expect(try Base64.decode(encoded) == bytes)
        #expect(try Base64URL.decode(unpadded) == bytes)
    }

    @Test func alphabetsAreKeptApart() throws {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        #expect(throws: TextEncodingError.invalidCharacter("+", offset: 0)) { try Base64URL.decode("+_8") }
        #expect(throws: TextEncodingError.invalidCharacter("-", offset: 0)) { try Base64.decode("-/8=") }
    }

    @Test func oneTextForEachValue() {
        #expect(throws: TextEncodingError.trailingBits) { try Base64URL.decode("Zh") }
        #expect(throws: TextEncodingError.trailingBits) { try Base64.decode("Zm9=") }
        #expect(throws: TextEncodingError.padding) { try Base64URL.decode("Zg==") }
        #expect(throws: TextEncodingError.padding) { try Base64.decode("Zg") }
        #expect(throws: TextEncodingError.padding) { try Base64.decode("Z===") }
        #expect(throws: TextEncodingError.padding) { try Base64.decode("Zg==Zg==") }
        #expect(throws: TextEncodingError.invalidLength(5)) { try Base64URL.decode("Zm9vY") }
        #expect(throws: TextEncodingError.invalidCharacter("\n", offset: 4)) { try Base64.decode("Zm9v\nYg=") }
    }

    @Test func pemBlocksReadBack() throws {
        let bytes = (0..<100).map { UInt8($0) }
        let text =
            "Subject: someone\n" + PEM.encode(bytes, label: "CERTIFICATE") + "\r\n" + PEM.encode([1], label: "EC PRIVATE KEY")
        let blocks = try PEM.blocks(in: text)
        #expect(blocks.map(\.label) == ["CERTIFICATE", "EC PRIVATE KEY"])
        #expect(blocks.map(\.bytes) == [bytes, [1]])
        #expect(try PEM.blocks(in: text.replacing("\n", with: "\r\n")).map(\.bytes) == [bytes, [1]])
    }

    @Test(arguments: [
        "-----BEGIN A-----\nAQ==\n", "-----BEGIN A-----\nAQ==\n-----END B-----\n", "-----END A-----\n",
        "-----BEGIN A-----\n-----BEGIN A-----\n", "-----BEGIN A-----\nA?==\n-----END A-----",
    ])
    func refusesBrokenArmour(text: String) { #expect(throws: TextEncodingError.self) { try PEM.blocks(in: text) } }
}
