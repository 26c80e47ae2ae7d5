import Codec
import Credentials
import Crypto

/// Encrypted responses: `openid4vp/encrypted-responses.json`.
struct EncryptedResponseVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/encrypted-responses.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try file.json().list("cases") {
            results.append(
                await VectorCase(try entry.text("id")) {
                    let jwe = try JWE(compact: entry.text("jwe"))
                    let plaintext = try jwe.decrypt(with: PrivateKey(jwk: entry.member("recipient_jwk")))
                    let expected = try entry.member("expected")
                    if let payload = expected["payload"] {
                        try expect(try JSON.decode(plaintext), equals: payload, "the payload")
                    } else {
                        try expect(plaintext, equals: try Base64URL.decode(expected.text("payload_b64u")), "the payload")
                    }
                })
        }
        return results
    }
}
