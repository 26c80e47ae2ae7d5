import Codec
import Credentials
import Crypto
import Ports

/// SD-JWT and SD-JWT VC: `sd-jwt/*.json`.
struct SDJWTVectors: VectorSuite {
    func matches(_ path: String) -> Bool { Self.kinds.contains { path == "sd-jwt/\($0.name).json" } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds.first(where: { file.path == "sd-jwt/\($0.name).json" }) else { return [] }
        return try await kind.run(try file.json())
    }

    private static let kinds: [(name: String, run: @Sendable (JSON) async throws -> [VectorCase])] = [
        ("published-tokens", published), ("reference-examples", reference), ("processing", processing),
        ("disclosure-frames", frames),
        ("vc-type-metadata", metadata),
    ]

    // MARK: published tokens

    private static func published(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            results.append(await VectorCase(try entry.text("id")) { try token(entry, in: json) })
        }
        return results
    }

    private static func token(_ entry: JSON, in file: JSON) throws {
        let expected = try entry.member("expected")
        let token = try SDJWT(compact: entry.text("compact"))
        if expected["rejected"] != nil { return try refused(token) }
        let processed = try token.processed()
        try expect(token.disclosures.count, equals: Int(expected["disclosures"]?.intValue ?? -1), "the number of disclosures")
        try expect(JSON.object(try token.jws().protected.members), equals: try expected.member("header"), "the header")
        try expect(processed.violations, equals: [], "what is wrong")
        try expect(JSON.object(processed.claims), equals: try expected.member("processed_payload"), "the processed payload")
        try checks(token, expected, try issuerKey(token, expected, file))
    }

    private static func refused(_ token: SDJWT) throws {
        let isAccepted: Bool
        do { isAccepted = try token.processed().violations.isEmpty } catch { isAccepted = false }
        try expect(!isAccepted, "accepted")
    }

    /// The verifier's view: signature and key binding come out as published.
    private static func checks(_ token: SDJWT, _ expected: JSON, _ key: PublicKey?) throws {
        let binding = expected["kb"]
        let payload = binding?["payload"]
        let time = payload?["iat"]?.intValue ?? expected["processed_payload"]?["iat"]?.intValue ?? 0
        let verifier = SDJWTVerifier(
            signers: SignerVerifier(anchors: .none, edition: .first), issuerKeys: key.map { [$0] } ?? [],
            rule: VerdictRule(trustWaived: true, holderBindingRequired: binding != nil))
        let report = verifier.verify(
            token.compact,
            expecting: .presentation(
                types: nil,
                binding: payload.map {
                    KeyBindingExpectation(audience: $0["aud"]?.stringValue ?? "", nonce: $0["nonce"]?.stringValue ?? "")
                }),
            at: Timestamp(secondsSince1970: time))
        if let name = try token.jws().protected["alg"]?.stringValue, name.hasPrefix("RS") {
            // RSA is used by no profile here: refused by its name.
            try expect(report.outcome("S3.alg"), equals: "fail", "S3.alg")
        } else if key != nil {
            try expect(report.outcome("S5"), equals: "pass", "S5")
        }
        guard let binding else { return }
        if let valid = binding["signature_valid"]?.boolValue {
            try expect(report.outcome("S16.signature"), equals: valid ? "pass" : "fail", "S16.signature")
        }
        if let matches = binding["sd_hash_matches"]?.boolValue {
            try expect(report.outcome("S16.sd-hash"), equals: matches ? "pass" : "fail", "S16.sd-hash")
        }
        try expect(report.outcome("S16.nonce"), equals: "pass", "S16.nonce")
    }

    /// The key that the file says the token verifies with; nil where it knows none.
    private static func issuerKey(_ token: SDJWT, _ expected: JSON, _ file: JSON) throws -> PublicKey? {
        let header = try token.jws().protected
        guard header["alg"]?.stringValue?.hasPrefix("RS") != true else { return nil }
        switch try expected.text("issuer_signature") {
        case "RFC 9901 issuer key (settings.yml)": return try PublicKey(jwk: file.member("rfc9901_issuer_key"))
        case "example issuer key (in this file)": return try PublicKey(jwk: file.member("example_issuer_key"))
        case "jwk header": return try PublicKey(jwk: JSON.object(header.members).member("jwk"))
        case "x5c leaf":
            guard let leaf = try header.x5c()?.first else { throw Mismatch("no x5c") }
            return try Certificate(der: leaf).publicKey()
        case "did:jwk kid":
            let name = header.keyID?.prefix { $0 != "#" }.dropFirst("did:jwk:".count) ?? ""
            return try PublicKey(jwk: JSON.decode(Base64URL.decode(String(name.filter { $0 != "=" }))))
        case let text where text.hasPrefix("no key known"): return nil
        case let text: throw Mismatch("unknown key: \(text)")
        }
    }

    // MARK: reference examples

    private static func reference(_ json: JSON) async throws -> [VectorCase] {
        let key = try PublicKey(jwk: json.member("issuer_key"))
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            results.append(
                await VectorCase(try entry.text("id")) {
                    try example(entry, key)
                    try await issueAgain(entry)
                })
        }
        return results
    }

    private static func example(_ entry: JSON, _ key: PublicKey) throws {
        let issued = try SDJWT(published: entry.member("sd_jwt_issuance"))
        let presented = try SDJWT(published: entry.member("sd_jwt_presentation"))
        for token in [issued, presented] { try expect(token.processed().violations, equals: [], "what is wrong") }
        try expect(JSON.object(issued.jws().claims()), equals: try entry.member("sd_jwt_payload"), "the payload")
        try expect(Set(presented.disclosures).isSubset(of: issued.disclosures), "a disclosure of the presentation was not issued")
        try expect(
            JSON.object(presented.processed().claims), equals: try entry.member("verified_contents"), "the processed payload")
        let isBound = entry["key_binding"]?.boolValue == true
        let verifier = SDJWTVerifier(
            signers: SignerVerifier(anchors: .none, edition: .first), issuerKeys: [key],
            rule: VerdictRule(trustWaived: true, holderBindingRequired: isBound))
        let terms = entry["kb_jwt_payload"]
        let binding = KeyBindingExpectation(
            audience: terms?["aud"]?.stringValue ?? "", nonce: terms?["nonce"]?.stringValue ?? "")
        let time = terms?["iat"]?.intValue ?? 1_683_000_000
        // In the form it was published in; compact and JSON come to the same.
        let text = try entry.member("sd_jwt_presentation")
        let report = verifier.verify(
            text.stringValue ?? text.encoded(), expecting: .presentation(types: nil, binding: isBound ? binding : nil),
            at: Timestamp(secondsSince1970: time))
        for id in ["S5"] + (isBound ? ["S16.signature", "S16.aud", "S16.nonce", "S16.sd-hash"] : []) {
            try expect(report.outcome(id), equals: "pass", id)
        }
    }

    /// Our issuer makes the same claims disclosable, and showing the same claims shows the same payload.
    private static func issueAgain(_ entry: JSON) async throws {
        guard let claims = try entry.member("user_claims").objectValue else { throw Mismatch("user_claims") }
        let published = try entry.list("sd_paths").map { path in
            (path.arrayValue ?? []).map { $0.stringValue ?? $0.encoded() }
        }
        let token = try await issue(claims, DisclosureFrame(paths: published))
        let processed = try token.processed()
        try expect(JSON.object(processed.claims), equals: .object(claims), "the claims issued")
        try expect(
            Set(processed.placements.map(\.path.texts)), equals: Set(published), "what is selectively disclosable")
        let paths = Self.paths(try entry.member("holder_disclosed_claims"), in: .object(claims), withContainers: true)
        let shown = try token.showing(paths, nested: false).processed().claims
        let expected = try entry.member("verified_contents").objectValue?.filter { claims[$0.key] != nil } ?? []
        try expect(JSON.object(shown), equals: .object(JSONObject(expected)), "the claims shown")
    }

    private static func issue(_ claims: JSONObject, _ frame: DisclosureFrame) async throws -> SDJWT {
        let random = SeededRandom(seed: 9)
        let signer = try JWSSigner(PrivateKey.generate(.p256, random: random))
        return try await SDJWTIssuer(signer: signer, random: random).issue(claims, frame: frame)
    }

    /// What a tree of `true` names; in some files what is around a choice is chosen, too.
    private static func paths(
        _ choice: JSON, in claims: JSON, _ above: [ClaimPath.Component] = [], withContainers: Bool = false
    ) -> [ClaimPath] {
        let inside = pathsInside(choice, in: claims, above, withContainers)
        let isContainer = choice.objectValue?.isEmpty == false || choice.arrayValue?.isEmpty == false
        return inside + (withContainers && isContainer && !above.isEmpty ? [ClaimPath(above)] : [])
    }

    private static func pathsInside(
        _ choice: JSON, in claims: JSON, _ above: [ClaimPath.Component], _ withContainers: Bool
    ) -> [ClaimPath] {
        func paths(_ choice: JSON, in claims: JSON, _ above: [ClaimPath.Component]) -> [ClaimPath] {
            Self.paths(choice, in: claims, above, withContainers: withContainers)
        }
        switch choice {
        case .bool(true): return above.isEmpty ? [] : [ClaimPath(above)]
        case .object(let members):
            return members.flatMap { name, inner -> [ClaimPath] in
                if let index = Int(name), let element = claims[index] { return paths(inner, in: element, above + [.index(index)]) }
                return claims[name].map { paths(inner, in: $0, above + [.key(name)]) } ?? []
            }
        case .array(let elements):
            return elements.enumerated().flatMap { index, inner in
                claims[index].map { paths(inner, in: $0, above + [.index(index)]) } ?? []
            }
        case .null, .bool, .integer, .real, .string:
            // Anything that says yes: the value itself, as some files give it.
            let says = choice != .null && choice != false && choice != 0 && choice != ""
            return says && !above.isEmpty ? [ClaimPath(above)] : []
        }
    }

    // MARK: disclosure frames

    private static func frames(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            results.append(
                await VectorCase(try entry.text("file")) {
                    guard let claims = try entry.member("claims").objectValue else { throw Mismatch("claims") }
                    let frame = try DisclosureFrame(entry.member("disclosureFrame"))
                    let token = try await issue(claims, frame)
                    try expect(JSON.object(token.processed().claims), equals: .object(claims), "the claims issued")
                    let paths = paths(try entry.member("presentationFrames"), in: .object(claims))
                    let shown = try token.showing(paths).processed().claims
                    // That library leaves out an object that lost all its members; RFC 9901 §7.1 keeps it.
                    let kept = shown.filter { $0.value != [:] || claims[$0.key] == [:] }
                    let published = try entry.member("presentedClaims")
                    try expect(JSON.object(shown) == published || .object(JSONObject(kept)) == published, "shown: \(shown)")
                })
        }
        return results
    }

    // MARK: processing

    private static func processing(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            results.append(
                await VectorCase(try entry.text("id")) {
                    guard let payload = try entry.member("payload").objectValue else { throw Mismatch("payload") }
                    let processed = ProcessedSDJWT(payload, disclosures: try entry.list("disclosures").compactMap(\.stringValue))
                    let isAccepted = processed.violations.isEmpty
                    try expect(isAccepted, equals: try entry.text("expected") == "accept", "accepted")
                    if isAccepted {
                        try expect(JSON.object(processed.claims), equals: try entry.member("processed"), "the payload")
                    }
                })
        }
        for entry in try json.list("kb_checks") {
            results.append(await VectorCase(try entry.text("id")) { try await KeyBindingTrial().run(entry.text("id")) })
        }
        return results
    }

    // MARK: type metadata

    private static func metadata(_ json: JSON) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for (place, entry) in try json.list("draft_examples").enumerated() {
            results.append(await VectorCase("draft example \(place)") { try await draft(entry) })
        }
        for entry in try json.list("eudi_resources") {
            results.append(await VectorCase(try entry.text("file")) { try resource(entry) })
        }
        return results
    }

    /// A header, or a payload that has to pass as a credential's.
    private static func draft(_ entry: JSON) async throws {
        guard let claims = entry.objectValue, entry["vct"] != nil else {
            return try expect(try entry.text("typ"), equals: SDJWTVC.mediaType, "typ")
        }
        let token = try await issue(claims, .everyMember(of: claims, except: SDJWTVC.neverDisclosable))
        let types = try [entry["aka_vcts"]?[0]?.stringValue ?? entry.text("vct")]
        let verifier = SDJWTVerifier(signers: SignerVerifier(anchors: .none, edition: .first))
        let report = verifier.verify(
            token.compact, expecting: .presentation(types: types, binding: nil), at: Timestamp(secondsSince1970: 1_700_000_000))
        for id in ["S12.disclosed", "S12.required", "S14.form", "S14.vct"] { try expect(report.outcome(id), equals: "pass", id) }
        if entry["aka_vcts"] != nil { try expect(report.outcome("S14.aka"), equals: "pass", "S14.aka") }
    }

    private static func resource(_ entry: JSON) throws {
        let published = try entry.member("json")
        var bytes = Array(published.encoded().utf8)
        if let raw = entry["raw_b64"]?.stringValue {
            bytes = try Base64.decode(raw)
            try expect(SubresourceIntegrity.matches(try entry.text("sha256_sri"), bytes), "the integrity value does not match")
            try expect(!SubresourceIntegrity.matches(try entry.text("sha256_sri"), bytes + [0x20]), "any octets match")
        }
        let isMetadata = published["vct"] != nil
        do {
            let document = try TypeMetadata(bytes)
            try expect(isMetadata, "no type metadata, and accepted")
            try expect(document.type, equals: try published.text("vct"), "vct")
            try expect(document.claims.count, equals: published["claims"]?.arrayValue?.count ?? 0, "claims")
            for (claim, other) in zip(document.claims, published["claims"]?.arrayValue ?? []) {
                try expect(claim.path.json == other["path"], "a path differs")
                try expect(claim.disclosure.rawValue == other["sd"]?.stringValue, "sd differs")
            }
        } catch let error as TypeMetadataError { try expect(!isMetadata, "refused: \(error)") }
    }

    let builtIn = [
        // After RFC 9901 §7.1.
        VectorFile(
            path: "sd-jwt/processing.json",
            text: """
                {"cases": [{"id": "ok-recursive", "expected": "accept", "payload": {"_sd": ["7S_w3LHcXE041TrXnpiVthp20yhOfu6f4xk3M1W29cU"]},
                "disclosures": ["WyJzOSIsICJhZGRyZXNzIiwgeyJfc2QiOiBbIlJHdEd2Z19tMTlRTlRMT0UyYnFjUG8tSVZzNTdrNi1HVzlxTzVUT1NoOFUiXX1d",
                "WyJzOCIsICJzdHJlZXQiLCAieCJd"], "processed": {"address": {"street": "x"}}}, {"id": "nested-disclosure-parent-missing",
                "expected": "reject", "payload": {"_sd": ["7S_w3LHcXE041TrXnpiVthp20yhOfu6f4xk3M1W29cU"]},
                "disclosures": ["WyJzOCIsICJzdHJlZXQiLCAieCJd"]}], "kb_checks": [{"id": "kb-nonce"}]}
                """)
    ]
}

extension ProcessedSDJWT {
    /// What is wrong, but for what is merely worth a warning.
    fileprivate var violations: [String] { findings.filter { $0.check != "S8.salt" }.map { "\($0.check): \($0.reason)" } }
}

extension PresentationReport {
    /// The outcome of a check as the report prints it.
    func outcome(_ id: String) -> String { checks.last { $0.id == id }?.outcome.word ?? "missing" }
}

extension SDJWT {
    /// Compact, or in JSON.
    fileprivate init(published: JSON) throws {
        self = try published.stringValue.map { try SDJWT(compact: $0) } ?? SDJWT(json: published)
    }
}

extension ClaimPath {
    fileprivate var texts: [String] { (json.arrayValue ?? []).map { $0.stringValue ?? $0.encoded() } }
}
