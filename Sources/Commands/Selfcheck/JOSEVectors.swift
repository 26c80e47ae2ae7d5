import Codec
import Credentials
import Crypto

/// The examples of the JOSE specifications: `jose/rfc7515-…`, `rfc7516-7518`, `rfc7517-keys`, `rfc7520-cookbook`, `jwk-thumbprints`.
struct JOSEVectors: VectorSuite {
    func matches(_ path: String) -> Bool { Self.kinds.contains { path == "jose/\($0.name).json" } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds.first(where: { file.path == "jose/\($0.name).json" }) else { return [] }
        return try await kind.run(try file.json())
    }

    private static let kinds: [(name: String, run: @Sendable (JSON) async throws -> [VectorCase])] = [
        ("rfc7515-appendix-a", signatures), ("rfc7516-7518", encryption), ("rfc7517-keys", keys), ("rfc7520-cookbook", cookbook),
        ("jwk-thumbprints", thumbprints),
    ]

    // MARK: RFC 7515

    private static func signatures(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json, "cases") { entry in
            let expected = try entry.text("expected")
            guard expected.hasPrefix("valid") else { return try refused(entry.text("compact")) }
            if let compact = entry["compact"]?.stringValue {
                let jws = try JWS(compact: compact)
                try expect(jws.payload, equals: try entry.hex("payload_hex"), "the payload")
                try expect(jws.compact, equals: compact, "the text written again")
                return try verify(jws, entry.member("key"))
            }
            let form = try entry["json"] ?? entry.member("json_flattened")
            try verifyAll(form, try entry["keys"]?.arrayValue ?? [entry.member("key")])
        }
    }

    /// `alg: none` and unknown `crit` are refused whatever the key.
    private static func refused(_ compact: String) throws {
        let key = try PublicKey(
            curve: .p256, point: Hex.decode("0360fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"))
        let wasAccepted: Bool
        do {
            try JWS(compact: compact).verify(with: key)
            wasAccepted = true
        } catch JOSEError.algorithmUnsupported, JOSEError.criticalHeader { wasAccepted = false }
        try expect(!wasAccepted, "accepted")
    }

    /// Every signature of an algorithm that is spoken here verifies; at least one is.
    private static func verifyAll(_ form: JSON, _ keys: [JSON]) throws {
        let all = try JWSSerialization(form).signatures
        try expect(all.count, equals: keys.count, "the number of signatures")
        var verified = 0
        var others: [String] = []
        for (jws, key) in zip(all, keys) {
            do {
                try verify(jws, key)
                verified += 1
            } catch let reason as NotApplicable { others.append(reason.reason) }
        }
        if verified == 0, let reason = others.first { throw NotApplicable(reason) }
    }

    static func verify(_ jws: JWS, _ key: JSON) throws {
        if let name = (jws.protected["alg"] ?? jws.unprotected["alg"])?.stringValue { try JOSEProfile.requireSignature(name) }
        try jws.verify(with: JWK(key))
    }

    // MARK: RFC 7516, RFC 7518

    private static func encryption(_ json: JSON) async throws -> [VectorCase] {
        let messages = try await cases(json, "jwe_cases") { entry in
            if let compact = entry["compact"]?.stringValue {
                let plaintext = try decrypt(try JWE(compact: compact), entry.member("key"))
                return try expect(plaintext, equals: try entry.hex("plaintext_hex"), "the plaintext")
            }
            let form = try entry["json"] ?? entry.member("json_flattened")
            let headers = (form["recipients"]?.arrayValue ?? [form]).compactMap { $0["header"]?["alg"]?.stringValue }
            try headers.forEach(JOSEProfile.requireKeyManagement)
            throw Mismatch("no recipient with ECDH-ES")
        }
        return messages + [await VectorCase("RFC7518-C") { try agreement(json.member("ecdh_es_case")) }]
    }

    private static func agreement(_ entry: JSON) throws {
        let header = try entry.member("header")
        let (own, peer) = (
            try PrivateKey(jwk: entry.member("ephemeral_private")), try PrivateKey(jwk: entry.member("recipient_private"))
        )
        let secret = try own.agree(with: peer.publicKey)
        let expected = try entry.member("expected")
        try expect(secret, equals: try expected.hex("Z_hex"), "Z")
        guard let encryption = JWEEncryption(rawValue: try header.text("enc")) else { throw Mismatch("enc") }
        let parties = (try Base64URL.decode(header.text("apu")), try Base64URL.decode(header.text("apv")))
        try expect(
            encryption.otherInfo(partyU: parties.0, partyV: parties.1), equals: try expected.hex("otherinfo_hex"), "OtherInfo")
        try expect(
            try encryption.derivedKey(secret: secret, partyU: parties.0, partyV: parties.1),
            equals: try Base64URL.decode(expected.text("derived_key_b64u")), "the derived key")
    }

    static func decrypt(_ jwe: JWE, _ key: JSON) throws -> [UInt8] {
        try JOSEProfile.requireKeyManagement(jwe["alg"]?.stringValue ?? "none")
        try JOSEProfile.requireEncryption(jwe["enc"]?.stringValue ?? "none")
        return try jwe.decrypt(with: PrivateKey(jwk: key))
    }

    // MARK: keys

    private static func keys(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for (name, set) in json.objectValue?.members ?? [] where set.objectValue != nil {
            for (place, key) in (set["keys"]?.arrayValue ?? [set]).enumerated() {
                let thumbprint = set["thumbprints"]?[place]?.stringValue
                results.append(await VectorCase("\(name)[\(place)]") { try Self.key(key, thumbprint) })
            }
        }
        return results
    }

    private static func key(_ key: JSON, _ thumbprint: String?) throws {
        if let thumbprint { try expect(Base64URL.encode(try JWK.thumbprint(of: key)), equals: thumbprint, "the thumbprint") }
        try JOSEProfile.requireKey(key)
        if let curve = key["crv"]?.stringValue, JOSEProfile.foreignCurves.contains(curve) { return try refused(key, curve) }
        let read = try JWK(key)
        if key["d"] != nil { try expect(try PrivateKey(jwk: key).publicKey == read.publicKey, "d is not of this key") }
        for (name, value) in read.publicKey.jwk { try expect(key[name] == value, "\(name) written again differs") }
        if key["thumbprints"] == nil {
            try expect(read.publicKey.jwkThumbprint, equals: try JWK.thumbprint(of: key), "thumbprints")
        }
    }

    /// A key on a curve that no profile here uses: refused, and the curve is named.
    private static func refused(_ key: JSON, _ curve: String) throws {
        let reason: String
        do {
            _ = try JWK(key)
            reason = ""
        } catch { reason = "\(error)" }
        try expect(reason.contains(curve), "the refusal of curve \(curve) is \"\(reason)\"")
    }

    private static func thumbprints(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json, "cases") { entry in
            let thumbprint = try JWK.thumbprint(of: entry.member("jwk"))
            try expect(Base64URL.encode(thumbprint), equals: try entry.text("sha256_b64u"), "the thumbprint")
        }
    }

    // MARK: RFC 7520, RFC 8037, RFC 7797

    private static func cookbook(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json, "cases", name: "file") { entry in
            let content = try entry.member("content")
            guard let input = content["input"] ?? content["sign"]?["input"] else { return try key(content, nil) }
            if input["plaintext"] != nil { return try recipe(encrypted: content, input) }
            try recipe(signed: content["sign"] ?? content, input)
        }
    }

    private static func recipe(signed content: JSON, _ input: JSON) throws {
        let (keys, output) = (try input.one("key"), try content.member("output"))
        let algorithms = try input.one("alg").compactMap(\.stringValue)
        if algorithms.count == 1 { try JOSEProfile.requireSignature(algorithms[0]) }
        if let compact = output["compact"]?.stringValue {
            let jws = try JWS(compact: compact)
            try expect(jws.payload, equals: Array(try input.text("payload").utf8), "the payload")
            try verify(jws, keys[0])
        }
        for form in ["json", "json_flat"] { if let form = output[form] { try verifyAll(form, keys) } }
    }

    private static func recipe(encrypted content: JSON, _ input: JSON) throws {
        let algorithms = input["alg"].map { $0.arrayValue ?? [$0] } ?? []
        try algorithms.compactMap(\.stringValue).forEach(JOSEProfile.requireKeyManagement)
        let (key, output) = (try input.member("key"), try content.member("output"))
        let plaintext = Array(try input.text("plaintext").utf8)
        var forms: [JWE] = []
        if let compact = output["compact"]?.stringValue { forms.append(try JWE(compact: compact)) }
        for form in ["json", "json_flat"] { if let form = output[form] { forms.append(try JWE(form)) } }
        for jwe in forms { try expect(try decrypt(jwe, key), equals: plaintext, "the plaintext") }
    }

    private static func cases(
        _ json: JSON, _ list: String, name: String = "id", _ body: (JSON) async throws -> Void
    ) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list(list) { results.append(await VectorCase(try entry.text(name)) { try await body(entry) }) }
        return results
    }

    let builtIn = [
        // RFC 7515 A.5 and E, RFC 7638 §3.1 and RFC 8037 A.3.
        VectorFile(
            path: "jose/rfc7515-appendix-a.json",
            text: """
                {"cases": [{"id": "RFC7515-A.5", "expected": "refused", "compact":
                "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."},
                {"id": "RFC7515-A.3", "expected": "valid", "payload_hex":
                "7b22697373223a226a6f65222c0d0a2022657870223a313330303831393338302c0d0a2022687474703a2f2f6578616d706c652e636f6d2f69735f726f6f74223a747275657d",
                "compact": "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
                "key": {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}}]}
                """),
        VectorFile(
            path: "jose/jwk-thumbprints.json",
            text: """
                {"cases": [{"id": "RFC8037-A.3", "jwk": {"kty": "OKP", "crv": "Ed25519",
                "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}, "sha256_b64u": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"}]}
                """),
    ]
}
