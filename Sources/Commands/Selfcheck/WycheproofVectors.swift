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
        ("x25519_", x25519), ("rsa_signature_", rsaPKCS1), ("rsa_pss_", rsaPSS),
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

    /// MGF1 over the same hash and a salt as long as it: the one way of this kind that is spoken here.
    private static func rsaPSS(_ group: JSON, _ test: JSON) throws {
        let key = try RSAPublicKey(spki: group.hex("publicKeyDer"))
        guard let hash = HashAlgorithm(rawValue: try group.text("sha")) else { throw Mismatch("hash \(try group.text("sha"))") }
        guard group["mgfSha"] == group["sha"], group["sLen"]?.intValue == Int64(hash.length) else {
            throw Mismatch("another hash for MGF1, or another length of the salt")
        }
        try accept(key.verifyPSS(signature: try test.hex("sig"), message: try test.hex("msg"), hash: hash))
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

    /// From C2SP/wycheproof testvectors_v1 (Apache-2.0).
    let builtIn = [
        VectorFile(
            path: "jose/wycheproof/aes_gcm_test.json",
            text: """
                {"testGroups": [{"tests": [{"tcId": 1, "key": "5b9604fe14eadba931b0ccf34843dab9", "iv": "028318abc1824029138141a2", "aad": "", "msg": "001d0c231287c1182784554ca3a21908", "ct": "26073cc1d851beff176384dc9896d5ff", "tag": "0a3ea7a5487cb5f7d70fb6c58d038554", "result": "valid"}, {"tcId": 41, "key": "000102030405060708090a0b0c0d0e0f", "iv": "505152535455565758595a5b", "aad": "", "msg": "202122232425262728292a2b2c2d2e2f", "ct": "eb156d081ed6b6b55f4612f021d87b39", "tag": "d9847dbc326a06e988c77ad3863e6083", "result": "invalid"}]}]}
                """),
        VectorFile(
            path: "jose/wycheproof/ecdsa_secp256r1_sha256_p1363_test.json",
            text: """
                {"testGroups": [{"type": "EcdsaP1363Verify", "publicKeyDer": "3059301306072a8648ce3d020106082a8648ce3d030107034200042927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e", "sha": "SHA-256", "tests": [{"tcId": 1, "msg": "313233343030", "sig": "2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e184cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76", "result": "valid"}, {"tcId": 2, "msg": "313233343030", "sig": "012ba3a8bd6b94d5ed80a6d9d1190a436ebccc0833490686deac8635bcb9bf536900b329f479a2bbd0a5c384ee1493b1f5186a87139cac5df4087c134b49156847db", "result": "invalid"}]}]}
                """),
        VectorFile(
            path: "jose/wycheproof/hkdf_sha256_test.json",
            text: """
                {"testGroups": [{"tests": [{"tcId": 1, "ikm": "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "salt": "000102030405060708090a0b0c", "info": "f0f1f2f3f4f5f6f7f8f9", "size": 42, "okm": "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865", "result": "valid"}]}]}
                """),
        VectorFile(
            path: "jose/wycheproof/x25519_test.json",
            text: """
                {"testGroups": [{"tests": [{"tcId": 1, "public": "504a36999f489cd2fdbc08baff3d88fa00569ba986cba22548ffde80f9806829", "private": "c8a9d5a91091ad851c668b0736c1c9a02936c0d3ad62670858088047ba057475", "shared": "436a2c040cf45fea9b29a0cb81b1f41458f863d0d61b453d0a982720d6d61320", "result": "valid"}]}]}
                """),
    ]
}
