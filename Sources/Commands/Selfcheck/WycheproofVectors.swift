import Codec
import Crypto

/// Project Wycheproof: `jose/wycheproof/*.json` of the primitives. A case is `valid` (has to work), `invalid` (has to be refused)
/// or `acceptable` (either, but never a wrong result).
struct WycheproofVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path.hasPrefix("jose/wycheproof/") && Self.kind(of: path) != nil }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kind(of: file.path) else { return [] }
        var results: [VectorCase] = []
        for group in try file.json().list("testGroups") {
            for test in try group.list("tests") {
                results.append(
                    await VectorCase("tcId \(test["tcId"]?.intValue ?? 0)") { try Self.judge(test) { try kind(group, test) } })
            }
        }
        return results
    }

    /// Returns for an operation that worked as published, throws for one that was refused.
    private typealias Kind = @Sendable (_ group: JSON, _ test: JSON) throws -> Void

    private static func kind(of path: String) -> Kind? { kinds.first { path.contains("/\($0.prefix)") }?.kind }

    private static let kinds: [(prefix: String, kind: Kind)] = [
        ("aes_gcm_", aesGCM), ("a128cbc_hs256_", aesCBCHMAC), ("a256cbc_hs512_", aesCBCHMAC), ("aes_cbc_pkcs5_", aesCBC),
        ("hkdf_sha256_", hkdf), ("hmac_sha256_", hmac), ("ecdsa_", ecdsa), ("ed25519_", eddsa), ("ecdh_", ecdh),
        ("x25519_", x25519), ("rsa_signature_", rsaPKCS1),
    ]

    private struct Refused: Error {}

    private static func judge(_ test: JSON, _ body: () throws -> Void) throws {
        let result = try test.text("result")
        do {
            try body()
        } catch let error where error is Refused || error is CryptoError {
            return try expect(result != "valid", "refused: \(error)")
        }
        try expect(result != "invalid", "accepted")
    }

    private static func accept(_ condition: Bool) throws(Refused) {
        guard condition else { throw Refused() }
    }

    // MARK: symmetric

    private static func aesGCM(_ group: JSON, _ test: JSON) throws {
        let cipher = try AESGCM(key: test.hex("key"))
        let (nonce, aad) = (try test.hex("iv"), try test.hex("aad"))
        let sealed = try test.hex("ct") + test.hex("tag")
        try expect(try cipher.open(sealed, nonce: nonce, aad: aad), equals: try test.hex("msg"), "the plaintext")
        try expect(try cipher.seal(try test.hex("msg"), nonce: nonce, aad: aad), equals: sealed, "the ciphertext")
    }

    private static func aesCBCHMAC(_ group: JSON, _ test: JSON) throws {
        let cipher = try AESCBCHMAC(key: test.hex("key"))
        let (iv, aad, ciphertext, tag) = (try test.hex("iv"), try test.hex("aad"), try test.hex("ct"), try test.hex("tag"))
        let message = try test.hex("msg")
        try expect(try cipher.open(ciphertext, tag: tag, iv: iv, aad: aad), equals: message, "the plaintext")
        let sealed = try cipher.seal(message, iv: iv, aad: aad)
        try expect(sealed.ciphertext + sealed.tag, equals: ciphertext + tag, "the ciphertext")
    }

    private static func aesCBC(_ group: JSON, _ test: JSON) throws {
        let cipher = try AESCBC(key: test.hex("key"))
        let (iv, ciphertext, message) = (try test.hex("iv"), try test.hex("ct"), try test.hex("msg"))
        try expect(try cipher.decrypt(ciphertext, iv: iv), equals: message, "the plaintext")
        try expect(try cipher.encrypt(message, iv: iv), equals: ciphertext, "the ciphertext")
    }

    private static func hkdf(_ group: JSON, _ test: JSON) throws {
        let derived = try HKDF.sha256(
            ikm: test.hex("ikm"), salt: test.hex("salt"), info: test.hex("info"), length: Int(test["size"]?.intValue ?? -1))
        try expect(derived, equals: try test.hex("okm"), "the output")
    }

    private static func hmac(_ group: JSON, _ test: JSON) throws {
        let tag = try test.hex("tag")
        try expect(Int64(tag.count * 8), equals: group["tagSize"]?.intValue ?? 0, "tagSize")
        try accept(ConstantTime.equal(Array(HMAC.sha256(key: try test.hex("key"), try test.hex("msg")).prefix(tag.count)), tag))
    }

    // MARK: signatures

    private static func ecdsa(_ group: JSON, _ test: JSON) throws {
        let key = try PublicKey(spki: group.hex("publicKeyDer"))
        guard let hash = HashAlgorithm(rawValue: try group.text("sha")) else { throw Mismatch("hash \(try group.text("sha"))") }
        let (signature, message) = (try test.hex("sig"), try test.hex("msg"))
        let isRaw = try group.text("type") == "EcdsaP1363Verify"
        try accept(
            isRaw
                ? key.verify(signature: signature, message: message, hash: hash)
                : key.verifyDER(signature: signature, message: message, hash: hash))
    }

    private static func eddsa(_ group: JSON, _ test: JSON) throws {
        let key = try PublicKey(spki: group.hex("publicKeyDer"))
        try accept(key.verify(signature: try test.hex("sig"), message: try test.hex("msg")))
    }

    private static func rsaPKCS1(_ group: JSON, _ test: JSON) throws {
        let key = try RSAPublicKey(spki: group.hex("publicKeyDer"))
        guard let hash = HashAlgorithm(rawValue: try group.text("sha")) else { throw Mismatch("hash \(try group.text("sha"))") }
        try accept(key.verifyPKCS1(signature: try test.hex("sig"), message: try test.hex("msg"), hash: hash))
    }

    // MARK: key agreement

    private static func ecdh(_ group: JSON, _ test: JSON) throws {
        let secret =
            switch try group.text("encoding") {
            case "webcrypto": try PrivateKey(jwk: member(test, "private")).agree(with: PublicKey(jwk: member(test, "public")))
            case "ecpoint":
                try scalar(test, try curve(group)).agree(with: PublicKey(curve: curve(group), point: test.hex("public")))
            default: try scalar(test, try curve(group)).agree(with: PublicKey(spki: test.hex("public")))
            }
        try expect(secret, equals: try test.hex("shared"), "the shared secret")
    }

    private static func x25519(_ group: JSON, _ test: JSON) throws {
        let key = try PrivateKey(curve: .x25519, scalar: test.hex("private"))
        let secret = try key.agree(with: PublicKey(curve: .x25519, point: test.hex("public")))
        try expect(secret, equals: try test.hex("shared"), "the shared secret")
    }

    /// Wycheproof writes scalars as signed numbers of any length.
    private static func scalar(_ test: JSON, _ curve: Curve) throws -> PrivateKey {
        let digits = try test.hex("private").drop { $0 == 0 }
        let padding = [UInt8](repeating: 0, count: max(0, curve.fieldSize - digits.count))
        return try PrivateKey(curve: curve, scalar: padding + digits)
    }

    private static func curve(_ group: JSON) throws -> Curve {
        switch try group.text("curve") {
        case "secp256r1": return .p256
        case "secp384r1": return .p384
        case "secp521r1": return .p521
        case let name:
            guard let curve = Curve(rawValue: name) else { throw Mismatch("curve \(name)") }
            return curve
        }
    }

    private static func member(_ json: JSON, _ name: String) throws(Mismatch) -> JSON {
        guard let member = json[name] else { throw Mismatch("the case has no \"\(name)\"") }
        return member
    }
}
