import Codec
import Credentials
import Crypto
import Ports
import Testing

@Suite struct COSEKeyTests {
    @Test(arguments: Curve.allCases)
    func everyKeySurvivesTheTrip(_ curve: Curve) throws {
        let key = try PrivateKey.generate(curve, random: SeededRandom(seed: 4)).publicKey
        let read = try COSEKey(decoding: COSEKey(key, keyID: [1], algorithm: -7).encodedCBOR)
        #expect(try read.publicKey == key)
        #expect(read.keyID == [1] && read.algorithm == -7 && !read.isPrivate)
    }

    @Test func compressedPointsAreExpanded() throws {
        let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 4)).publicKey
        let isOdd = try #require(key.y.last) & 1 == 1
        let compressed = CBOR.map([(.int(1), .int(2)), (.int(-1), .int(1)), (.int(-2), .bytes(key.x)), (.int(-3), .bool(isOdd))])
        #expect(try COSEKey(compressed).publicKey == key)
        #expect(try COSEKey(compressed).thumbprint() == COSEKey(key).thumbprint())
    }

    @Test func unknownParametersAreIgnored() throws {
        let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 4)).publicKey
        let wide = CBOR.map([
            (.int(-70_001), .text("x")), (.int(-3), .bytes(key.y)), (.int(-2), .bytes(key.x)), (.int(-1), .int(1)),
            (.int(1), .int(2)),
            (.text("note"), .null), (.int(3), .text("ES256")),
        ])
        #expect(try COSEKey(wide).publicKey == key)
    }

    @Test func unknownTypesAndCurvesAreNamed() throws {
        let secp256k1 = try COSEKey(
            CBOR.map([(.int(1), .int(2)), (.int(-1), .int(8)), (.int(-2), .bytes([1])), (.int(-3), .bytes([1]))]))
        #expect(throws: COSEError.curveUnsupported(8)) { try secp256k1.publicKey }
        let rsa = try COSEKey(CBOR.map([(.int(1), .int(3)), (.int(-1), .bytes([1]))]))
        #expect(throws: COSEError.keyTypeUnsupported(3)) { try rsa.publicKey }
    }

    @Test(arguments: [
        "a0", "80", "a10102", "a2010220 01", "a30102200121 40", "a4010220012140 2201", "a3010120042101", "a10162454332",
    ])
    func missingAndIllTypedParametersAreRefused(_ text: String) throws {
        let bytes = try Hex.decode(text.filter { $0 != " " })
        #expect(throws: CBORError.self) { try COSEKey(decoding: bytes) }
    }

    @Test func aCurveOfTheOtherKeyTypeIsRefused() throws {
        let ed25519 = try PrivateKey.generate(.ed25519, random: SeededRandom(seed: 4)).publicKey
        let item = CBOR.map([(.int(1), .int(2)), (.int(-1), .int(6)), (.int(-2), .bytes(ed25519.x)), (.int(-3), .bytes([]))])
        #expect(throws: COSEError.self) { try COSEKey(item).publicKey }
    }

    @Test func privatePartsAreReadButNeverWritten() throws {
        let scalar: [UInt8] = Array(repeating: 0, count: 31) + [1]
        let key = try COSEKey(CBOR.map([(.int(1), .int(2)), (.int(-1), .int(1)), (.int(-4), .bytes(scalar))]))
        #expect(key.isPrivate)
        #expect(try key.privateKey.publicKey == key.publicKey)
        #expect(try CBOR(decoding: key.encodedCBOR).optional(-4) == nil)
        #expect("\(key)".contains("(secret)"))
    }
}
