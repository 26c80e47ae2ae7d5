import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// Published values of OpenID4VCI: DPoP proofs of RFC 9449, JWTs of the protocol, offers and metadata.
struct IssuanceVectors: VectorSuite {
    private static let files = [
        "jose/rfc9449-dpop.json", "openid4vci/proofs-attestations-metadata-jwts.json", "openid4vci/eudi-metadata-and-offers.json",
        "openid4vci/conformance-unit-tests.json", "openid4vci/spec-examples-1.0.json",
        "openid4vci/attestation-based-client-auth-examples.json",
    ]

    func matches(_ path: String) -> Bool { Self.files.contains(path) }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        switch file.name {
        case "rfc9449-dpop.json": return try await dpop(json)
        case "proofs-attestations-metadata-jwts.json": return await tokens(json)
        case "conformance-unit-tests.json": return await ConformanceVectors.cases(json)
        case "eudi-metadata-and-offers.json": return await messages(json["files"]?.arrayValue ?? [])
        default:
            let blocks = await examples(json["blocks"]?.arrayValue ?? [])
            return await messages(json["files"]?.arrayValue ?? []) + blocks
        }
    }

    // MARK: DPoP

    private func dpop(_ json: JSON) async throws -> [VectorCase] {
        var cases: [VectorCase] = []
        for item in json["cases"]?.arrayValue ?? [] {
            cases.append(
                await VectorCase(item["id"]?.stringValue ?? "") {
                    let claims = item["claims"] ?? .null
                    let verified = try DPoP.verify(
                        item["dpop"]?.stringValue ?? "", method: claims["htm"]?.stringValue ?? "",
                        url: WebURL(claims["htu"]?.stringValue ?? ""), accessToken: item["access_token"]?.stringValue,
                        at: Timestamp(secondsSince1970: claims["iat"]?.intValue ?? 0))
                    try expect(verified.thumbprint, equals: item["jkt"]?.stringValue ?? "", "jkt")
                    try expect(verified.identifier, equals: claims["jti"]?.stringValue ?? "", "jti")
                })
        }
        for item in json["checks"]?.arrayValue ?? [] {
            cases.append(
                await VectorCase(item["id"]?.stringValue ?? "") {
                    let text = item["dpop"]?.stringValue ?? ""
                    let issued = try UnverifiedJWT(text).time("iat") ?? Timestamp(secondsSince1970: 0)
                    let now = item["now"]?.intValue.map { Timestamp(secondsSince1970: $0) } ?? issued
                    let outcome = Result { () throws(DPoP.Rejection) in
                        try DPoP.verify(
                            text, method: item["request"]?["method"]?.stringValue ?? "",
                            url: (try? WebURL(item["request"]?["url"]?.stringValue ?? "")) ?? Self.nowhere,
                            accessToken: item["access_token"]?.stringValue, at: now)
                    }
                    let isRefusal = item["expected"]?.stringValue?.hasPrefix("reject") ?? false
                    try expect((try? outcome.get()) == nil, equals: isRefusal, "whether it is refused")
                })
        }
        return cases
    }

    private static var nowhere: WebURL {
        guard let url = try? WebURL("https://nowhere.example/") else { preconditionFailure("a constant is a URL") }
        return url
    }

    // MARK: JWTs

    private func tokens(_ json: JSON) async -> [VectorCase] {
        var cases: [VectorCase] = []
        for (place, item) in (json["cases"]?.arrayValue ?? []).enumerated() {
            let type = item["typ"]?.stringValue ?? ""
            cases.append(
                await VectorCase("\(place) \(type)") {
                    let text = item["jwt"]?.stringValue ?? ""
                    // A figure of a specification may hold a placeholder in the place of its claims.
                    if item["payload"]?.isNull ?? true, item["signature_verified_with"]?.isNull ?? true {
                        return try expect((try? UnverifiedJWT(text)) == nil, "taken for a JWT, though its claims are none")
                    }
                    let jwt: UnverifiedJWT
                    do { jwt = try UnverifiedJWT(text) } catch {
                        // Two figures of a draft are wrong as published: their signatures are no canonical base64url.
                        let isUnverified = item["signature_verified_with"]?.isNull ?? true
                        return try expect(isUnverified && "\(error)".contains("canonical"), "\(error)")
                    }
                    try expect(jwt.header.type ?? "", equals: type, "typ")
                    for (name, value) in item["header"]?.objectValue ?? JSONObject() {
                        try expect(jwt.header[name] ?? .null, equals: value, "header member \(name)")
                    }
                    if let payload = item["payload"]?.objectValue {
                        try expect(JSON.object(jwt.claims), equals: .object(payload), "the claims")
                    }
                    // Where the file knows no key, what is signed is all there is to compare.
                    guard let method = item["signature_verified_with"]?.stringValue else { return }
                    try jwt.jws.verify(with: try Self.key(of: jwt, method))
                })
        }
        return cases
    }

    private static func key(of jwt: UnverifiedJWT, _ method: String) throws -> PublicKey {
        if method.hasPrefix("x5c"), let leaf = try jwt.header.x5c()?.first { return try Certificate(der: leaf).publicKey() }
        if method.hasPrefix("jwk"), let jwk = jwt.header["jwk"] { return try PublicKey(jwk: jwk) }
        if method.hasPrefix("did:jwk"), let id = jwt.header.keyID {
            let text = id.dropFirst("did:jwk:".count).prefix { $0 != "#" }
            return try PublicKey(jwk: JSON.decode(try Base64URL.decode(String(text))))
        }
        throw Mismatch("a key by \(method), which nothing here knows")
    }

    // MARK: Offers and metadata

    private func messages(_ files: [JSON]) async -> [VectorCase] {
        var cases: [VectorCase] = []
        for item in files {
            let name = item["file"]?.stringValue ?? ""
            cases.append(await VectorCase(name) { try Self.message(name, item) })
        }
        return cases
    }

    private static func message(_ name: String, _ item: JSON) throws {
        let json = item["json"] ?? item["body_json"]
        if let text = item["text"]?.stringValue, json == nil {
            if text.allSatisfy(\.isWhitespace) { return try expect((try? JSON.decode(text)) == nil, "nothing is taken for JSON") }
            if text.hasPrefix("-----BEGIN") { return try certificates(text) }
            return try signed(name, text)
        }
        guard let json else { throw Mismatch("neither JSON nor text") }
        if json["credential_configuration_ids"] != nil { return try offer(name, json) }
        if json["credential_configurations_supported"] != nil { return try metadata(name, whole(json)) }
        if let issuer = json["issuer"]?.stringValue, json["token_endpoint"] != nil {
            let read = ServerMetadata.read(json, expected: issuer, grant: nil, isHAIP: false)
            return try expect(read.metadata != nil, "no token endpoint")
        }
        if json["credentials"] != nil || json["transaction_id"] != nil { return try response(json) }
        if json["format"]?.stringValue?.hasPrefix("jwt_vc") ?? json["format"]?.stringValue?.hasPrefix("ldp") ?? false {
            throw NotApplicable("W3C formats are refused")
        }
        try IssuanceExample.check(json)
    }

    /// Metadata of which a specification shows a part: the rest is added.
    private static func whole(_ json: JSON) throws -> JSON {
        guard json["credential_issuer"] == nil, var object = json.objectValue else { return json }
        let formats =
            object["credential_configurations_supported"]?.objectValue?.map { $0.value["format"]?.stringValue ?? "" } ?? []
        guard Set(formats).isSubset(of: CredentialConfiguration.formats) else { throw NotApplicable("W3C formats are refused") }
        object["credential_issuer"] = "https://issuer.example.com"
        object["credential_endpoint"] = "https://issuer.example.com/credential"
        return .object(object)
    }

    private static func signed(_ name: String, _ text: String) throws {
        let compact = text.filter { !$0.isWhitespace }
        let jwt = try UnverifiedJWT(compact)
        guard let method = try jwt.header.x5c() != nil ? "x5c" : jwt.header["jwk"] != nil ? "jwk" : nil else {
            throw Mismatch("it names no key")
        }
        try jwt.jws.verify(with: try key(of: jwt, method))
        guard jwt.header.type == SignedMetadata.type || name.contains("signed") else { return }
        let issuer = jwt.claims["sub"]?.stringValue ?? ""
        let time = jwt.time("iat") ?? Timestamp(secondsSince1970: 0)
        let read = SignedMetadata.read(compact, issuer: issuer, anchors: [], isHAIP: false, skew: 60, at: time)
        try expect(read.findings.isEmpty, equals: !name.contains("invalid"), "whether nothing is found wrong")
    }

    private static func certificates(_ text: String) throws {
        for block in try PEM.blocks(in: text) { _ = try Certificate(der: block.bytes).publicKey() }
    }

    private static func offer(_ name: String, _ json: JSON) throws {
        let outcome = Result { () throws(OfferError) in try CredentialOffer(json) }
        // The file of this name in one of the two libraries holds a code that is not blank.
        let isRefused =
            name != "swift/credential_offer_with_blank_pre_authorized_code.json"
            && ["over_sized", "blank_pre_authorized"].contains { name.contains($0) }
        try expect((try? outcome.get()) == nil, equals: isRefused, "whether it is refused")
    }

    private static func metadata(_ name: String, _ json: JSON) throws {
        let reader = IssuerMetadataReader(json, expected: json["credential_issuer"]?.stringValue, isHAIP: false)
        let isRefused = ["invalid_", "_invalid"].contains { name.contains($0) }
        let found = reader.findings.map(\.what) + reader.advice
        if isRefused {
            try expect(!found.isEmpty, "nothing is found wrong")
        } else {
            try expect(reader.metadata != nil, "cannot be used: \(found.joined(separator: "; "))")
        }
    }

    private static func response(_ json: JSON) throws {
        let first = json["credentials"]?[0]
        guard first?["credential"]?.objectValue == nil else { throw NotApplicable("W3C formats are refused") }
        let isDeferred = json["transaction_id"] != nil
        let read = CredentialResponse.read(json, status: isDeferred ? 202 : 200, keys: json["credentials"]?.arrayValue?.count)
        // Earlier drafts listed the credentials themselves.
        try expect(read.findings.isEmpty, equals: first?.stringValue == nil, "whether nothing is found wrong")
    }

    /// Code blocks of specifications.
    private func examples(_ blocks: [JSON]) async -> [VectorCase] {
        var cases: [VectorCase] = []
        for (place, block) in blocks.enumerated() {
            cases.append(
                await VectorCase("block \(place), \(block["section"]?.stringValue ?? "")") {
                    if let json = block["json"] ?? block["body_json"] { return try IssuanceExample.check(json) }
                    try IssuanceExample.check(text: block["text"]?.stringValue ?? "")
                })
        }
        return cases
    }
}
