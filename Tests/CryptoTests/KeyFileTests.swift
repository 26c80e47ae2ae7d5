import Codec
import Crypto
import Glibc
import Ports
import Testing

/// Keys as files hold them, against keys that OpenSSL wrote (fixtures/keys).
@Suite struct KeyFileTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let curve: Curve
        let pkcs8: String
        let sec1: String?
        let spki: [UInt8]
        var testDescription: String { curve.rawValue }
    }

    @Test(arguments: try samples()) func readsWhatOpenSSLWrites(_ sample: Sample) throws {
        let expected = try PublicKey(spki: sample.spki)
        #expect(expected.curve == sample.curve)
        #expect(try PrivateKey(pem: sample.pkcs8).publicKey == expected)
        if let sec1 = sample.sec1 { #expect(try PrivateKey(pem: sec1).publicKey == expected) }
    }

    @Test(arguments: try samples()) func writesTheBytesThatOpenSSLWrites(_ sample: Sample) throws {
        let blocks = try PEM.blocks(in: sample.pkcs8)
        #expect(try PrivateKey(pem: sample.pkcs8).pkcs8() == blocks[0].bytes)
    }

    @Test func readsTheExampleOfRFC7517() throws {
        // RFC 7517 A.2, first key.
        let key = try PrivateKey(
            jwk: JSON.decode(
                """
                {"kty":"EC", "crv":"P-256", "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                 "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"}
                """))
        #expect(Base64URL.encode(key.publicKey.x) == "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4")
        #expect(key.publicKey.jwk["y"]?.stringValue == "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM")
    }

    @Test func readsTheExampleOfRFC8037() throws {
        // RFC 8037 A.1.
        let key = try PrivateKey(
            jwk: [
                "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
                "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            ])
        #expect(key.publicKey.jwk["x"]?.stringValue == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    }

    @Test(arguments: [
        #"{"kty":"EC"}"#, #"{"kty":"OKP","crv":"P-256","d":"AA"}"#, #"{"kty":"EC","crv":"P-256","d":"AAAA"}"#,
        #"{"kty":"EC","crv":"secp256k1","d":"AA"}"#, #"{"kty":"EC","crv":"P-256","d":"not base64!"}"#,
    ])
    func refusesAMalformedJWK(_ text: String) throws {
        let jwk = try JSON.decode(text)
        #expect(throws: CryptoError.self) { try PrivateKey(jwk: jwk) }
    }

    @Test func refusesAPrivatePartOfAnotherPublicPart() throws {
        let random = SeededRandom(seed: 1)
        let (one, other) = (try PrivateKey.generate(.p256, random: random), try PrivateKey.generate(.p256, random: random))
        var jwk = other.publicKey.jwk
        jwk["d"] = .string(Base64URL.encode(Array(try one.pkcs8()[36..<68])))
        let mixed = JSON.object(jwk)
        #expect(throws: CryptoError.malformedKey("private and public part of the JWK do not belong together")) {
            try PrivateKey(jwk: mixed)
        }
    }

    @Test func refusesEveryTruncationWithoutCrashing() throws {
        for sample in try Self.samples() {
            let der = try PEM.blocks(in: sample.pkcs8)[0].bytes
            for length in der.indices {
                #expect(throws: CryptoError.self) { try PrivateKey(der: Array(der[..<length])) }
            }
        }
    }

    @Test func saysThatAKeyIsEncrypted() {
        let pem = PEM.encode([0x30, 0x00], label: "ENCRYPTED PRIVATE KEY")
        #expect(throws: CryptoError.malformedKey("the key is encrypted; decrypt it first, for instance with openssl pkey")) {
            try PrivateKey(pem: pem)
        }
    }

    static func samples() throws -> [Sample] {
        let path = #filePath.replacing("Tests/CryptoTests/KeyFileTests.swift", with: "fixtures/keys/openssl.json")
        guard let file = fopen(path, "r") else { throw CryptoError.failed("opening \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return try (JSON.decode(Array(bytes[..<count]))["keys"]?.arrayValue ?? []).map { key in
            Sample(
                curve: try #require(Curve(rawValue: key["curve"]?.stringValue ?? "")),
                pkcs8: try #require(key["pkcs8"]?.stringValue), sec1: key["sec1"]?.stringValue,
                spki: try PEM.blocks(in: try #require(key["spki"]?.stringValue))[0].bytes)
        }
    }
}
