import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

/// Encrypted texts: published ones, round trips, and what must be refused.
@Suite struct JWETests {
    private let fixture: JSON
    private let random = SeededRandom(seed: 6)

    init() throws { fixture = try Fixture.json("jose/rfc-examples.json") }

    @Test func publishedMessagesOpenInEveryForm() throws {
        for entry in try #require(fixture["jwe"]?.arrayValue) {
            let key = try PrivateKey(jwk: #require(entry["key"]))
            let plaintext = try #require(entry["plaintext"]?.stringValue)
            let compact = try JWE(compact: #require(entry["compact"]?.stringValue))
            #expect(compact.compact == entry["compact"]?.stringValue)
            let forms = try [compact, JWE(#require(entry["json"])), JWE(#require(entry["json_flat"]))]
            for jwe in forms { #expect(String(decoding: try jwe.decrypt(with: key), as: UTF8.self) == plaintext) }
        }
    }

    private func message(
        _ encryption: JWEEncryption = .a128GCM, curve: Curve = .p256, options: JWE.Options = .init(),
        _ text: [UInt8] = Array("hello".utf8)
    ) throws -> (JWE, PrivateKey) {
        let recipient = try PrivateKey.generate(curve, random: random)
        let jwe = try JWE.encrypt(
            text, to: recipient.publicKey, encryption, ephemeral: PrivateKey.generate(curve, random: random),
            iv: random.bytes(encryption.ivLength), options: options)
        return (try JWE(compact: jwe.compact), recipient)
    }

    @Test(arguments: JWEEncryption.allCases, [Curve.p256, .p384, .p521, .x25519, .x448])
    func opensWhatItSeals(encryption: JWEEncryption, curve: Curve) throws {
        let options = JWE.Options(header: ["kid": "1"], partyU: [1, 2], partyV: Array("nonce".utf8))
        let (jwe, key) = try message(encryption, curve: curve, options: options)
        #expect(try jwe.decrypt(with: key) == Array("hello".utf8))
        #expect(jwe["kid"] == "1")
        #expect(throws: JOSEError.decryptionFailed) { try jwe.decrypt(with: PrivateKey.generate(curve, random: random)) }
    }

    @Test func opensWithAKeyThatAStoreKeeps() async throws {
        let store = MemoryKeyStore(random: random)
        let key = try await store.create(KeyOptions())
        let jwe = try JWE.encrypt(
            [7], to: key.publicKey, .a256GCM, ephemeral: PrivateKey.generate(.p256, random: random), iv: random.bytes(12))
        #expect(try await jwe.decrypt(with: key, in: store, unlock: .automatic) == [7])
    }

    @Test func partyInformationGoesIntoTheKey() throws {
        let (jwe, key) = try message(options: .init(partyU: [1], partyV: [2]))
        let parts = jwe.compact.split(separator: ".", omittingEmptySubsequences: false)
        var header = jwe.protected.members
        header["apu"] = .string(Base64URL.encode([9]))
        let changed = try JWE(compact: ([JOSEHeader(header).encoded] + parts.dropFirst().map(String.init)).joined(separator: "."))
        #expect(throws: JOSEError.decryptionFailed) { try changed.decrypt(with: key) }
    }

    @Test func everyChangedPartIsRefused() throws {
        for encryption in JWEEncryption.allCases {
            let (jwe, key) = try message(encryption)
            for part in [2, 3, 4] {
                var parts = jwe.compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                var bytes = try Base64URL.decode(parts[part])
                bytes[0] ^= 1
                parts[part] = Base64URL.encode(bytes)
                let changed = try JWE(compact: parts.joined(separator: "."))
                #expect(throws: JOSEError.decryptionFailed) { try changed.decrypt(with: key) }
                parts[part] = Base64URL.encode(bytes.dropLast())
                let shortened = try JWE(compact: parts.joined(separator: "."))
                #expect(throws: JOSEError.self) { try shortened.decrypt(with: key) }
            }
        }
    }

    @Test func compressedTextOpensAndABombDoesNot() throws {
        let long = [UInt8](repeating: 65, count: 100_000)
        let (jwe, key) = try message(options: .init(compresses: true), long)
        #expect(jwe.ciphertext.count < 1000)
        #expect(try jwe.decrypt(with: key) == long)
        #expect(throws: JOSEError.tooLarge(limit: 1000)) { try jwe.decrypt(with: key, inflateLimit: 1000) }
    }

    @Test(arguments: [
        ("alg", JSON.string("ECDH-ES+A128KW")), ("alg", JSON.string("dir")), ("enc", JSON.string("A192GCM")),
        ("enc", JSON.integer(1)), ("crit", JSON.array(["x"])),
        ("epk", JSON.string("x")), ("epk", JSON.null), ("zip", JSON.string("GZIP")), ("apu", JSON.integer(1)),
        ("apv", JSON.string("A")),
    ]) func refusesHeaders(name: String, value: JSON) throws {
        let (jwe, key) = try message()
        var header = jwe.protected.members
        header[name] = value
        let parts = jwe.compact.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let changed = try JWE(compact: ([JOSEHeader(header).encoded] + parts).joined(separator: "."))
        #expect(throws: JOSEError.self) { try changed.decrypt(with: key) }
    }

    @Test func refusesAKeyOfAnotherCurve() throws {
        let (jwe, _) = try message()
        let other = try PrivateKey.generate(.p384, random: random)
        #expect(throws: JOSEError.key(.curveMismatch(own: .p384, peer: .p256))) { try jwe.decrypt(with: other) }
    }
}
