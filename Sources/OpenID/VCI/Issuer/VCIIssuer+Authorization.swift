import Codec
import Credentials
import Ports

/// What an authorization request asks for, once it was checked.
struct AuthorizationRequest: Sendable {
    var clientID: String
    var redirectURI: String
    var state: String?
    var challenge: String
    var thumbprint: String?
    var configurations: [String]
    /// Whether authorization_details were used: the token response then names credential identifiers.
    var usesDetails: Bool
    var issuance: String
    var walletName: String?

    var record: JSONObject {
        var object: JSONObject = [
            "client": .string(clientID), "redirect": .string(redirectURI), "challenge": .string(challenge),
            "configurations": .array(configurations.map { .string($0) }), "details": .bool(usesDetails),
            "issuance": .string(issuance),
        ]
        if let state { object["state"] = .string(state) }
        if let thumbprint { object["jkt"] = .string(thumbprint) }
        if let walletName { object["wallet"] = .string(walletName) }
        return object
    }

    init?(_ record: JSONObject) {
        guard let client = record["client"]?.stringValue, let redirect = record["redirect"]?.stringValue,
            let challenge = record["challenge"]?.stringValue, let issuance = record["issuance"]?.stringValue
        else { return nil }
        self.init(
            clientID: client, redirectURI: redirect, state: record["state"]?.stringValue, challenge: challenge,
            thumbprint: record["jkt"]?.stringValue,
            configurations: record["configurations"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            usesDetails: record["details"]?.boolValue ?? false, issuance: issuance, walletName: record["wallet"]?.stringValue)
    }

    init(
        clientID: String, redirectURI: String, state: String?, challenge: String, thumbprint: String?, configurations: [String],
        usesDetails: Bool, issuance: String, walletName: String?
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.state = state
        self.challenge = challenge
        self.thumbprint = thumbprint
        self.configurations = configurations
        self.usesDetails = usesDetails
        self.issuance = issuance
        self.walletName = walletName
    }
}

extension VCIIssuer {
    // MARK: Pushed authorization requests (RFC 9126)

    func pushedRequest(_ exchange: inout Exchange) async throws -> AnswerDraft {
        exchange.checks.pass("II7.method", exchange.subject)
        let form = try exchange.form()
        let client = try await authenticate(form, &exchange)
        try exchange.require("II5.request-uri", form["request_uri"] == nil, "request_uri stands in a pushed request")
        let thumbprint = try await checkDPoP(&exchange, accessToken: nil)
        if let thumbprint, let stated = form["dpop_jkt"] {
            try exchange.require("II12.par", thumbprint == stated, "the DPoP proof is of another key than dpop_jkt")
        }
        let request = try await authorizationRequest(form, client, thumbprint ?? form["dpop_jkt"], &exchange)
        let uri = "urn:ietf:params:oauth:request_uri:\(secret())"
        // Kept beyond its use, so that a second one is told from an unknown one.
        try await records.put(.pushed, uri, request.record, lifetime: exchange.settings.requestURILifetime)
        exchange.detail = "the wallet \(request.walletName ?? request.clientID) pushed its request"
        return AnswerDraft(
            ["request_uri": .string(uri), "expires_in": .integer(exchange.settings.requestURILifetime)], status: 201)
    }

    /// Checks the parameters of an authorization request, wherever they came from (II4, II5, II6, II8).
    private func authorizationRequest(
        _ form: FormFields, _ client: AuthenticatedClient, _ thumbprint: String?, _ exchange: inout Exchange
    ) async throws -> AuthorizationRequest {
        guard let redirect = form["redirect_uri"], Self.isAllowed(redirect, exchange.settings) else {
            throw Refusal("II5.redirect", "redirect_uri \(form["redirect_uri"] ?? "missing")")
        }
        exchange.checks.pass("II5.redirect", exchange.subject)
        try exchange.require("II5.type", form["response_type"] == "code", "response_type \(form["response_type"] ?? "missing")")
        guard let challenge = form["code_challenge"] else { throw Refusal("II4.missing", "no code_challenge") }
        exchange.checks.pass("II4.missing", exchange.subject)
        try exchange.require(
            "II4.plain", form["code_challenge_method"] == PKCE.method && PKCE.isWellFormed(challenge),
            "code_challenge_method \(form["code_challenge_method"] ?? "missing"), S256 is wanted")
        guard let clientID = client.id ?? form["client_id"], !clientID.isEmpty else {
            throw Refusal(status: 400, code: "invalid_request", "no client_id")
        }
        let wanted = try configurations(form, &exchange)
        let issuance = try await issuance(of: form["issuer_state"], &exchange)
        exchange.issuance = issuance
        return AuthorizationRequest(
            clientID: clientID, redirectURI: redirect, state: form["state"], challenge: challenge, thumbprint: thumbprint,
            configurations: wanted.ids, usesDetails: wanted.usesDetails, issuance: issuance, walletName: client.walletName)
    }

    /// Loopback, https and private schemes, or the list of the settings.
    private static func isAllowed(_ text: String, _ settings: IssuerSettings) -> Bool {
        guard let url = try? WebURL(text), url.fragment == nil else { return false }
        if !settings.redirectURIs.isEmpty { return settings.redirectURIs.contains(text) }
        let scheme = url.scheme.lowercased()
        return scheme != "http" || url.isLoopback
    }

    /// The issuance that an offer began; one of its own for a wallet that came by itself.
    private func issuance(of state: String?, _ exchange: inout Exchange) async throws -> String {
        guard let state else {
            exchange.checks.notRun("II8", exchange.subject, .notPresent)
            return String(secret().prefix(12))
        }
        if let record = try await records.get(.pending, "state/\(state)"), let known = record["issuance"]?.stringValue {
            exchange.checks.pass("II8", exchange.subject)
            return known
        }
        exchange.checks.fail("II8", exchange.subject, "issuer_state unknown: ignored, may be injected")
        return String(secret().prefix(12))
    }

    /// The configurations that scope and authorization_details name together (§5.1.1, §5.1.2).
    func configurations(_ form: FormFields, _ exchange: inout Exchange) throws(Refusal) -> (ids: [String], usesDetails: Bool) {
        let settings = exchange.settings
        var ids: [String] = []
        let detailed = try details(form, &exchange)
        if let detailed { ids += detailed }
        for scope in (form["scope"] ?? "").split(separator: " ").map(String.init) {
            for configuration in settings.configurations where configuration.scope == scope && !ids.contains(configuration.id) {
                ids.append(configuration.id)
            }
        }
        try exchange.require("II6.scope", !ids.isEmpty, "scope \(form["scope"] ?? "missing") maps to no configuration")
        return (ids, detailed != nil)
    }

    /// The configurations of `authorization_details`; nil where there are none.
    func details(_ form: FormFields, _ exchange: inout Exchange) throws(Refusal) -> [String]? {
        guard let text = form["authorization_details"] else { return nil }
        guard let list = (try? JSON.decode(text))?.arrayValue, !list.isEmpty, list.count <= 100 else {
            throw Refusal("II6.details", "authorization_details is no JSON list")
        }
        var ids: [String] = []
        for (place, detail) in list.enumerated() {
            guard detail["type"]?.stringValue == AuthorizationDetail.type else {
                throw Refusal("II6.details", "element \(place): type is not \(AuthorizationDetail.type)")
            }
            guard let id = detail["credential_configuration_id"]?.stringValue else {
                let hint = detail["format"] == nil ? "" : "; format is of drafts before 1.0, it does not name a configuration"
                throw Refusal("II6.details", "element \(place): no credential_configuration_id\(hint)")
            }
            guard exchange.settings.configuration(id) != nil else {
                throw Refusal("II6.details", "element \(place): there is no configuration \(id)")
            }
            if let locations = detail["locations"] {
                let isNamed = locations.arrayValue?.contains(.string(exchange.settings.identifier)) == true
                guard isNamed else { throw Refusal("II6.locations", "element \(place): locations does not name this issuer") }
            }
            if !ids.contains(id) { ids.append(id) }
        }
        exchange.pass(["II6.details", "II6.locations"])
        return ids
    }

    // MARK: Authorization endpoint

    func authorize(_ exchange: inout Exchange) async throws -> AnswerDraft {
        if exchange.request.method == "POST" { return try await decide(&exchange) }
        guard let fields = try? FormFields(exchange.request.url.query ?? ""), fields.repeated == nil else {
            throw Refusal("II1.twice", "the query is malformed, or a parameter is repeated")
        }
        let request = try await wanted(fields, &exchange)
        exchange.issuance = request.issuance
        if let name = exchange.settings.presentation, let desk {
            return try await askForPresentation(request, name, desk, &exchange)
        }
        return try await decision(on: request, &exchange)
    }

    /// Asks the person, where that is wanted; else approves.
    func decision(on request: AuthorizationRequest, _ exchange: inout Exchange) async throws -> AnswerDraft {
        guard exchange.settings.asksPerson, let consentPage else { return try await approve(request, &exchange) }
        let id = secret()
        try await records.put(.pending, "consent/\(id)", request.record, lifetime: 600)
        exchange.detail = "a person is asked"
        let prompt = ConsentPrompt(
            action: exchange.settings.endpoint("authorize"), id: id, clientID: request.clientID, walletName: request.walletName,
            configurations: request.configurations.compactMap(exchange.settings.configuration))
        return AnswerDraft(text: consentPage(prompt), type: "text/html; charset=utf-8")
    }

    private func wanted(_ fields: FormFields, _ exchange: inout Exchange) async throws -> AuthorizationRequest {
        guard let uri = fields["request_uri"] else {
            try exchange.require("II7.direct", !exchange.settings.requiresPAR, "parameters came directly, PAR is required")
            let client = AuthenticatedClient(id: fields["client_id"], isAttested: false)
            do {
                return try await authorizationRequest(fields, client, fields["dpop_jkt"], &exchange)
            } catch let refusal as Refusal where refusal.check != "II5.redirect" {
                throw Redirect(refusal, fields, exchange.settings)
            }
        }
        let taken = try await records.change(.pushed, uri, lifetime: 0) { record -> (JSONObject?, Bool) in
            let wasUsed = record?["used"]?.boolValue ?? false
            record?["used"] = true
            return (record, wasUsed)
        }
        guard let record = taken.0, let request = AuthorizationRequest(record), request.clientID == fields["client_id"] else {
            throw Refusal("II7.unknown", "request_uri is unknown, expired, or of another client")
        }
        exchange.issuance = request.issuance
        try exchange.require("II7.reused", !taken.1, "request_uri was used before")
        exchange.pass(["II7.direct", "II7.unknown"])
        return request
    }

    /// The person's answer at the page.
    private func decide(_ exchange: inout Exchange) async throws -> AnswerDraft {
        let form = try exchange.form()
        guard let id = form["id"], let record = try await records.take(.pending, "consent/\(id)"),
            let request = AuthorizationRequest(record)
        else { throw Refusal("II7.unknown", "this page was answered already, or is too old") }
        exchange.issuance = request.issuance
        guard form["decision"] == "approve" else {
            exchange.detail = "the person denied"
            return redirect(request, ["error": "access_denied", "error_description": "the person denied"], exchange.settings)
        }
        return try await approve(request, &exchange)
    }

    private func approve(_ request: AuthorizationRequest, _ exchange: inout Exchange) async throws -> AnswerDraft {
        let code = secret()
        try await records.put(.code, code, request.record, lifetime: exchange.settings.codeLifetime)
        let before = exchange.detail.isEmpty ? "" : "\(exchange.detail); "
        exchange.detail = "\(before)approved: \(request.configurations.joined(separator: ", "))"
        return redirect(request, ["code": code], exchange.settings)
    }

    func redirect(_ request: AuthorizationRequest, _ answer: FormFields, _ settings: IssuerSettings) -> AnswerDraft {
        var fields = answer
        if let state = request.state { fields["state"] = state }
        fields["iss"] = settings.identifier
        faults.spoil(redirect: &fields)
        return Redirect.answer(to: request.redirectURI, fields)
    }
}

/// A refusal that goes back to the client by the person's browser (RFC 6749 §4.1.2.1).
struct Redirect: Error {
    let refusal: Refusal
    let target: String
    let fields: FormFields

    init(_ refusal: Refusal, _ request: FormFields, _ settings: IssuerSettings) {
        self.refusal = refusal
        target = request["redirect_uri"] ?? ""
        var fields: FormFields = [
            "error": refusal.code ?? "invalid_request", "error_description": ErrorDescription.allowed(refusal.detail),
            "iss": settings.identifier,
        ]
        if let state = request["state"] { fields["state"] = state }
        self.fields = fields
    }

    /// 302 to the client with these parameters added to what its URI already has.
    static func answer(to target: String, _ fields: FormFields) -> AnswerDraft {
        let separator = target.contains("?") ? (target.hasSuffix("?") ? "" : "&") : "?"
        return AnswerDraft(
            text: "", type: "text/plain", status: 302, headers: ["Location": "\(target)\(separator)\(fields.encoded)"])
    }
}
