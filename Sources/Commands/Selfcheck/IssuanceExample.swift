import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// An example of a specification, read by whatever reads such a message.
enum IssuanceExample {
    // MARK: JSON

    static func check(_ json: JSON) throws {
        try expect((try? JSON.decode(json.encoded())) == json, "is not read back as written")
        if let details = json.arrayValue { return try details.forEach(detail) }
        if json["di_vp"] != nil || json["proofs"]?["di_vp"] != nil { throw NotApplicable("W3C formats are refused") }
        if json["credentials"] != nil || json["transaction_id"] != nil { return try credentials(json) }
        if json["credential"] != nil {
            // A response of an earlier draft.
            return try expect(!CredentialResponse.read(json, status: 200, keys: 1).findings.isEmpty, "taken for a response")
        }
        if let keys = (json["jwks"] ?? json)["keys"]?.arrayValue { return try keys.forEach(key) }
        if json["kty"] != nil { return try key(json) }
        if let code = json["error"]?.stringValue { return try expect(ErrorDescription.isAllowed(code), "the code \(code)") }
        if json["notification_id"] != nil { return try notification(json) }
        if let details = json["authorization_details"]?.arrayValue { try details.forEach(detail) }
        for proof in (json["proofs"] ?? json)["jwt"]?.arrayValue ?? [] { try self.proof(proof.stringValue ?? "") }
        for name in ["access_token", "c_nonce", "attestation_challenge", "request_uri"] where json[name] != nil {
            try expect(json[name]?.stringValue?.isEmpty == false, "\(name) is no text")
        }
    }

    private static func detail(_ json: JSON) throws {
        try expect(json["type"]?.stringValue ?? "", equals: AuthorizationDetail.type, "type")
        let id = try json.text("credential_configuration_id")
        guard json["claims"] == nil, json["credential_identifiers"] == nil else { return }
        let made = AuthorizationDetail.request([id], locations: json["locations"]?[0]?.stringValue)
        try expect(made[0]?.isSame(as: json) ?? false, "ours would be \(made.encoded())")
    }

    private static func credentials(_ json: JSON) throws {
        let isDeferred = json["transaction_id"] != nil && json["interval"] != nil
        // A deferred request is the transaction's id alone.
        if json["transaction_id"] != nil, !isDeferred { return try expect(json["transaction_id"]?.stringValue != nil, "no id") }
        let read = CredentialResponse.read(json, status: isDeferred ? 202 : 200, keys: json["credentials"]?.arrayValue?.count)
        try expect(read.findings.isEmpty, read.findings.map(\.what).joined(separator: "; "))
    }

    private static func notification(_ json: JSON) throws {
        try expect(
            ["credential_accepted", "credential_failure", "credential_deleted"].contains(json["event"]?.stringValue ?? ""), "event")
        if let text = json["event_description"]?.stringValue { try expect(ErrorDescription.isAllowed(text), "event_description") }
    }

    /// A key on a curve; others are of algorithms that no profile here uses.
    private static func key(_ json: JSON) throws {
        guard json["kty"]?.stringValue == "EC" || json["kty"]?.stringValue == "OKP" else { return }
        _ = try PublicKey(jwk: json)
    }

    /// A proof that is whole, verified with the key in its header; figures cut most of them short.
    private static func proof(_ text: String) throws {
        guard let jwt = try? UnverifiedJWT(text), let jwk = jwt.header["jwk"] else { return }
        try expect(jwt.header.type ?? "", equals: "openid4vci-proof+jwt", "typ")
        try jwt.jws.verify(with: PublicKey(jwk: jwk))
    }

    // MARK: Text

    static func check(text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.first?.trimmingSpaces else { throw Mismatch("is empty") }
        if first.hasPrefix("openid-credential-offer:") { return try offer(text.filter { !$0.isWhitespace }) }
        if first.hasPrefix("{") { return try pseudoToken(text) }
        if first.hasPrefix("OAuth-Client-Attestation"), first.contains(": ") { return try header(text) }
        if first.hasPrefix("HTTP/") { return try response(lines) }
        if first.hasPrefix("GET ") || first.hasPrefix("POST ") { return try request(lines) }
        throw NotApplicable("a drawing or a grammar, no message")
    }

    private static func offer(_ link: String) throws {
        switch try CredentialOffer.link(link) {
        case .value(let text): _ = try CredentialOffer(JSON.decode(text))
        case .reference(let url): try expect(url.scheme, equals: "https", "the scheme")
        }
    }

    /// Header and claims as JSON with a dot between them; what stands in angle brackets is not told.
    private static func pseudoToken(_ text: String) throws {
        let plain = text.replacing(#/: *<[^>"]*>/#, with: ": \"…\"")
        guard let end = plain.firstRange(of: #/\}\s*\.\s*\{/#) else { throw Mismatch("no header and claims") }
        let header = try JSON.decode(String(plain[..<end.lowerBound]) + "}")
        let claims = try JSON.decode("{" + String(plain[end.upperBound...]))
        let types = ["openid4vci-proof+jwt", KeyAttestation.type, ClientAttestation.type, ClientAttestation.popType]
        try expect(types.contains(header["typ"]?.stringValue ?? ""), "typ")
        try expect((claims["iat"] ?? claims["exp"])?.intValue != nil, "neither iat nor exp")
    }

    /// A header whose value is a JWT, folded over lines.
    private static func header(_ text: String) throws {
        let jwt = try UnverifiedJWT(text.drop { $0 != ":" }.dropFirst().filter { !$0.isWhitespace })
        try expect(jwt.header.type?.hasPrefix("oauth-client-attestation") ?? false, "typ")
    }

    private static func response(_ lines: [String]) throws {
        guard let location = lines.firstIndex(where: { $0.hasPrefix("Location:") }) else {
            return try expect(lines[0].hasPrefix("HTTP/1.1 204"), "a response with neither body nor Location")
        }
        let url = try WebURL(lines[location...].joined().dropFirst("Location:".count).filter { !$0.isWhitespace })
        let fields = try url.fields()
        try expect(fields["code"] != nil || fields["error"] != nil, "neither code nor error")
    }

    private static func request(_ lines: [String]) throws {
        // A query goes on in lines that are set in.
        let headers = lines.indices.dropFirst().first { $0 < lines.count && lines[$0].first?.isWhitespace != true } ?? lines.count
        let target = lines[..<headers].joined().split(separator: " ").dropFirst().joined().replacing("HTTP/1.1", with: "")
        let url = try WebURL("https://server.example.com\(target.filter { !$0.isWhitespace })")
        if url.query?.hasPrefix("credential_offer") ?? false { return try offer(url.description) }
        var fields = try url.fields()
        let blank = lines[headers...].firstIndex(of: "") ?? lines.count
        let body = lines[blank...].joined().filter { !$0.isWhitespace }
        if !body.isEmpty, !body.hasPrefix("{") { fields = try FormFields(body) }
        try expect(fields.repeated == nil, "\(fields.repeated ?? "") is repeated")
        // Figures cut it short.
        if let text = fields["authorization_details"], text != "..." { try JSON.decode(text).arrayValue?.forEach(detail) }
        switch url.path {
        case "/authorize": try expect(fields["client_id"] != nil, "no client_id")
        case "/par", "/as/par": try expect(fields["response_type"] ?? "", equals: "code", "response_type")
        case "/token":
            let grants = ["authorization_code": "code", CredentialOffer.preAuthorizedGrant: "pre-authorized_code"]
            guard let grant = fields["grant_type"], let code = grants[grant] else { throw Mismatch("grant_type") }
            try expect(fields[code] != nil, "no \(code)")
        default: break
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
