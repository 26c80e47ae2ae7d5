import Codec
import Credentials
import Crypto

/// Project Wycheproof on JOSE: `jose/wycheproof/json_web_*.json`.
struct JSONWebVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path.hasPrefix("jose/wycheproof/json_web_") }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for group in try file.json().list("testGroups") {
            for test in try group.list("tests") {
                results.append(await VectorCase("tcId \(test["tcId"]?.intValue ?? 0)") { try Self.judge(group, test) })
            }
        }
        return results
    }

    private static func judge(_ group: JSON, _ test: JSON) throws {
        let key = try group["public"] ?? group.member("private")
        for key in key["keys"]?.arrayValue ?? [key] { try JOSEProfile.requireKey(key) }
        let isValid = try test.text("result") == "valid"
        do {
            if test["jwe"] != nil { try decrypt(group, test) } else { try verify(key, text(test, "jws")) }
        } catch let error where error is JOSEError || error is CryptoError {
            return try expect(!isValid, "refused: \(error)")
        }
        try expect(isValid, "accepted")
    }

    private static func verify(_ key: JSON, _ compact: String) throws {
        let keys = key["keys"]?.arrayValue ?? [key]
        guard keys.count == 1 else { throw NotApplicable("choosing from a key set belongs to the protocol") }
        try JWS(compact: compact).verify(with: JWK(keys[0]))
    }

    private static func decrypt(_ group: JSON, _ test: JSON) throws {
        let key = try group.member("private")
        try JOSEProfile.requireKeyManagement(key["alg"]?.stringValue ?? "")
        let jwe = try JWE(compact: text(test, "jwe"))
        try JOSEProfile.requireEncryption(jwe["enc"]?.stringValue ?? "")
        let plaintext = try jwe.decrypt(with: PrivateKey(jwk: key))
        if test["pt"] != nil { try expect(plaintext, equals: try test.hex("pt"), "the plaintext") }
    }

    /// Some cases offer a JSON serialisation, or nothing, where a compact one is due.
    private static func text(_ test: JSON, _ name: String) -> String {
        test[name].map { $0.stringValue ?? ($0.isNull ? "" : $0.encoded()) } ?? ""
    }
}
