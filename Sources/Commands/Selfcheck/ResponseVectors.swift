import Codec
import Credentials
import Crypto
import Ports

/// Whether a response answers its query: `openid4vp/response-vs-dcql.json`.
///
/// The file holds the queries, and of most cases only the name of what was presented; that is made here, signed, and judged by the
/// verifier of `vp_token`s, of whose rows the one decides that the case is about.
struct ResponseVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/response-vs-dcql.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        let stage = try await ResponseStage()
        for entry in try file.json().list("cases") {
            let id = try entry.text("id")
            results.append(
                await VectorCase(id) {
                    let failed = try await Self.failed(id, try entry.list("json_blocks"), stage)
                    let isExpected = try entry.text("expected") == "fail"
                    try expect(!failed.isEmpty, equals: isExpected, "whether a check fails (\(failed.joined(separator: ", ")))")
                })
        }
        return results
    }

    /// The checks of the case that fail; `query` where the query itself is refused.
    private static func failed(_ id: String, _ blocks: [JSON], _ stage: ResponseStage) async throws -> [String] {
        let parts = id.split(separator: "/").map(String.init)
        guard parts.count == 2, let first = blocks.first else { throw Mismatch("no such case") }
        if parts[0] == "ExtractVP1FinalVpTokenDCQL" {
            return try stage.failed(query: ["credentials": [any("my_credential")]], first, ["VV6", "VV11"])
        }
        let json = first["credentials"] == nil && first["id"] != nil ? ["credentials": [first]] : first
        guard let query = whole(json) else { return ["query"] }
        if parts[0] == "ValidateVpTokenPresentationCountMatchesDcqlQuery" {
            return try stage.failed(query: query, blocks.count > 1 ? blocks[1] : JSON.null, ["VV6.one"])
        }
        // The suite presents "my_credential", and in the cases of several queries the second of them.
        let ids = query["credentials"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        let wanted = ids.count > 1 ? ids[1] : parts[1].lowercased().contains("notfound") || parts[1].lowercased().contains("notin") || parts[1].hasPrefix("nonMatchingCredentialId") ? "my_credential" : ids.first ?? "my_credential"
        let presented = wanted == "my_credential" || ids.contains(wanted) ? wanted : "my_credential"
        let isSkipped = parts[1] == "credentialIdNotInDcqlIsSilentlySkipped"
        let checks = parts[0] == "CheckOnlyRequestedMdocElementsDisclosed" ? ["VV8.extra"] : rows(parts[0])
        if parts[1] == "missingDecodedSdJwtFails" { return try stage.failed(query: query, [:], ["VV11"]) }
        let token = try await stage.token(parts[0], parts[1], query, presented, blocks.count > 1 ? blocks[1] : nil)
        return try stage.failed(query: query, .object([presented: [.string(token)]]), checks + (isSkipped ? [] : ["VV6.id"]))
    }

    private static func rows(_ test: String) -> [String] {
        switch test {
        case "ValidateVpTokenCredentialIdMatchesDcqlQuery": ["VV6.id"]
        case "ValidateCredentialVctMatchesDcqlQuery", "ValidateMdocDocTypeMatchesDcqlQuery": ["VV8.type", "VV7.mdoc"]
        default: ["VV8.claims"]
        }
    }

    private static func any(_ id: String) -> JSON { ["id": .string(id), "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:example"]]] }

    /// The query with the `meta` that the suite's fragments leave out, and without lists that are empty; nil when it is refused.
    private static func whole(_ json: JSON) -> JSON? {
        guard let credentials = json["credentials"]?.arrayValue else { return nil }
        let filled = credentials.map { credential -> JSON in
            guard var object = credential.objectValue else { return credential }
            if object["claims"] == [] { object["claims"] = nil }
            if object["format"] == "mso_mdoc", object["meta"]?["doctype_value"] == nil {
                object["meta"] = ["doctype_value": .string(ResponseStage.docType)]
            }
            if object["format"] == "dc+sd-jwt", object["meta"]?["vct_values"] == nil {
                object["meta"] = ["vct_values": [.string(ResponseStage.type)]]
            }
            return .object(object)
        }
        let query: JSON = ["credentials": .array(filled)]
        return (try? DCQLQuery(query)) == nil ? nil : query
    }
}

/// An issuer and a holder that present what the cases name.
private struct ResponseStage: Sendable {
    static let docType = "org.iso.18013.5.1.mDL"
    static let type = "https://example.com/identity_credential"

    private let time = Timestamp(secondsSince1970: 1_796_040_000)
    private let random = SeededRandom(seed: 5)
    private let authority: TestAuthority
    private let keys: MemoryKeyStore
    private let binding = PresentationBinding(
        .redirect(clientID: "x509_san_dns:verifier.example", responseURI: "https://verifier.example/r"), nonce: "n-0S6_WzA2Mj",
        keyThumbprint: nil)

    init() async throws {
        authority = try TestAuthority(at: time, random: random)
        keys = MemoryKeyStore(random: random)
    }

    /// The rows of a verdict that begin with one of the ids and fail.
    func failed(query: JSON, _ token: JSON, _ ids: [String]) throws -> [String] {
        let verifier = VPTokenVerifier(signers: SignerVerifier(anchors: authority.anchors, edition: .first))
        let report = verifier.verify(token, .init(query: try DCQLQuery(query), binding: binding), at: time)
        return report.checks.filter { check in check.outcome == .fail && ids.contains { check.id.hasPrefix($0) } }.map(\.id)
    }

    /// The presentation that a case names.
    func token(_ test: String, _ name: String, _ query: JSON, _ id: String, _ claims: JSON?) async throws -> String {
        let credentials = query["credentials"]?.arrayValue ?? []
        let asked = credentials.first { $0["id"]?.stringValue == id } ?? credentials[0]
        guard asked["format"] == "mso_mdoc" else {
            var object = claims?.objectValue ?? JSONObject()
            let types = asked["meta"]?["vct_values"]?.arrayValue ?? []
            object["vct"] = name.hasPrefix("nonMatchingVct") ? "https://example.com/different" : name.contains("SecondValue") ? types[1] : types.first
            if name == "missingVctClaimInCredentialFails" { object["vct"] = "urn:placeholder" }
            return try await sdJWT(object, isTyped: name != "missingVctClaimInCredentialFails")
        }
        if name == "missingDocTypeThrowsError" { return "oA" }
        let type = name == "docTypeMismatchThrowsError" ? "org.iso.23220.photoid.1" : Self.docType
        return try await mdoc(type, elements(name, asked))
    }

    /// What the cases about elements present.
    private func elements(_ name: String, _ asked: JSON) -> [String: [String]] {
        let standard = "org.iso.18013.5.1"
        switch name {
        case "extraDisclosedElementStillPassesAgainstRequested", "unrequestedElementDisclosedThrowsError":
            return [standard: ["given_name", "family_name"]]
        case "elementInUnrequestedNamespaceThrowsError": return [standard: ["given_name"], "org.iso.18013.5.1.aamva": ["organ_donor"]]
        case "noClaimsInDcqlWithoutDisclosuresPasses", "docTypeMatchesPasses", "noMetaSkipsValidation", "noDoctypeValueSkipsValidation":
            return [:]
        case "missingRequestedClaimThrowsError", "missingRequestedNamespaceThrowsError", "noClaimsInDcqlWithDisclosuresThrowsError":
            return [standard: ["given_name"]]
        default: return [standard: ["given_name", "family_name"]]
        }
    }

    private func sdJWT(_ claims: JSONObject, isTyped: Bool) async throws -> String {
        let key = try await keys.create(KeyOptions())
        var claims = claims
        claims["cnf"] = ["jwk": .object(key.publicKey.jwk)]
        var issuer = SDJWTIssuer(
            signer: try JWSSigner(authority.documentSigner.key), certificates: [authority.documentSigner.certificate], random: random)
        if !isTyped { issuer.tampering = try Tampering(named: ["required-claims"]) }
        let token = try await issuer.issueVC(claims, frame: .open)
        let terms = KeyBindingClaims(audience: binding.audience, nonce: binding.nonce, issuedAt: time)
        return try await token.bound(to: terms, by: JWSSigner(key, in: keys, unlock: .automatic)).compact
    }

    private func mdoc(_ type: DocType, _ elements: [String: [String]]) async throws -> String {
        let key = try await keys.create(KeyOptions())
        var object = JSONObject()
        for (nameSpace, names) in elements.isEmpty ? ["org.iso.18013.5.1": ["given_name"]] : elements {
            object[nameSpace] = .object(JSONObject(names.map { (key: $0, value: "x") }))
        }
        let order = DocumentOrder(
            docType: type, claims: try Claims(.object(object), definition: nil), deviceKey: key.publicKey, signed: time,
            validUntil: time.adding(days: 30), keyAuthorizations: nil)
        let identity = try IssuingIdentity(
            certificate: authority.documentSigner.certificate, key: authority.documentSigner.key, nonce: .deterministic,
            root: authority.iaca.certificate)
        let issued = try await MDocIssuer(signer: identity, random: random, tampering: .none).mint(order)
        let held = try HeldCredential(
            IssuedDocument(id: "mdoc", docType: type, issuerSigned: IssuerSigned(CBOR(decoding: issued.encodedCBOR)), keyID: key.id))
        var credential: JSONObject = ["id": "c", "format": "mso_mdoc", "meta": ["doctype_value": .string(type)]]
        let paths = elements.flatMap { nameSpace, names in names.map { JSON.object(["path": [.string(nameSpace), .string($0)]]) } }
        if !paths.isEmpty { credential["claims"] = .array(paths) }
        let query = try DCQLQuery(["credentials": [.object(credential)]])
        let presenter = Presenter(keyStore: keys)
        let proposal = presenter.propose(query, to: nil, from: [held])
        guard let consent = await Consent.obtain(for: proposal, from: AutomaticConsent(), at: time) else { throw Mismatch("no consent") }
        let token = try await presenter.vpToken(consent, TokenTerms(query: query, binding: binding, time: time), random: random)
        return token.presentations.first?.texts.first ?? ""
    }
}
