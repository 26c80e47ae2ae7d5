import Codec
import QR
import Testing

@testable import Commands

@Suite struct SnifferTests {
    private static let cbor: [UInt8] = [0xA1, 0x61, 0x61, 0x01]
    private static let der: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x05]

    private func recognise(_ bytes: [UInt8]) throws -> (String, [String]) {
        let input = try InputReader.recognise(bytes, origin: "test")
        return (input.content.name, input.encodings)
    }

    @Test func recognisesBytesHoweverTheyAreWritten() throws {
        for (bytes, name) in [(Self.cbor, "CBOR"), (Self.der, "DER")] {
            let forms: [(String, [UInt8], [String])] = [
                ("raw", bytes, []), ("hex", Array(Hex.encode(bytes).utf8), ["hex"]),
                ("spaced hex", Array("\(Hex.encode(bytes.prefix(2))) \(Hex.encode(bytes.dropFirst(2)))\n".utf8), ["hex"]),
                ("base64url", Array(Base64URL.encode(bytes).utf8), ["base64url"]),
                ("base64", Array(Base64.encode(bytes).utf8), ["base64"]),
            ]
            for (form, text, encodings) in forms {
                let found = try recognise(text)
                #expect(found.0 == name, "\(name) as \(form)")
                #expect(found.1 == encodings || (form == "base64" && found.1 == ["base64url"]), "\(name) as \(form)")
            }
        }
    }

    @Test(arguments: [
        ("mdoc:owBj", "an mdoc: link"), ("MDOC:owBj", "an mdoc: link"), ("openid4vp://x", "an openid4vp:// link"),
        ("haip-vci://?x", "an haip-vci:// link"), ("https://example.com", "an https:// link"), (" {\"a\": 1}", "JSON"),
        ("[1]", "JSON"),
        ("eyJhIjoxfQ.e30.AAAA", "a JWS"), ("eyJhIjoxfQ.AA.AA.AA.AA", "a JWE"), ("eyJhIjoxfQ.e30.AAAA~WyJh~", "an SD-JWT"),
        ("-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n", "PEM"),
    ])
    func recognisesText(_ text: String, _ name: String) throws {
        #expect(try recognise(Array(text.utf8)).0 == name)
    }

    @Test func recognisesPictures() throws {
        let png = try QRSymbol("x").png()
        #expect(try recognise(png).0 == "a picture")
        #expect(try recognise(Array(Base64.encode(png).utf8)) == ("a picture", ["base64"]))
    }

    /// Broken CBOR goes on to the decoder, which says where it breaks.
    @Test func takesWhatBeginsLikeCBORForCBOR() throws {
        #expect(try recognise([0xA2, 0x01]).0 == "CBOR")
    }

    @Test(arguments: [
        ("GIF89a\u{1}", "a GIF"), ("just words here", "plain text"), ("\u{1}\u{2}\u{3}", "3 bytes that begin 010203"),
    ])
    func refusesTheRestWithWhatItLooksLike(_ text: String, _ looks: String) {
        do throws(CommandError) {
            _ = try InputReader.recognise(Array(text.utf8), origin: "test")
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.exit == .refused && error.what.contains(looks) && error.hint != nil, "\(error)")
        }
    }
}
