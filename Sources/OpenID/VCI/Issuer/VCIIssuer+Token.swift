import Codec
import Credentials
import Ports

/// What a token stands for.
struct Grant: Sendable {
    /// Tokens of one authorization: all die together.
    var family: String
    var issuance: String
    var clientID: String?
    var thumbprint: String?
    var configurations: [String]
    var usesDetails: Bool

    var record: JSONObject {
        var object: JSONObject = [
            "family": .string(family), "issuance": .string(issuance),
            "configurations": .array(configurations.map { .string($0) }), "details": .bool(usesDetails),
        ]
        if let clientID { object["client"] = .string(clientID) }
        if let thumbprint { object["jkt"] = .string(thumbprint) }
        return object
    }

    init?(_ record: JSONObject) {
        guard let family = record["family"]?.stringValue, let issuance = record["issuance"]?.stringValue else { return nil }
        self.family = family
        self.issuance = issuance
        clientID = record["client"]?.stringValue
        thumbprint = record["jkt"]?.stringValue
        configurations = record["configurations"]?.arrayValue?.compactMap(\.stringValue) ?? []
        usesDetails = record["details"]?.boolValue ?? false
    }

    init(family: String, issuance: String, clientID: String?, thumbprint: String?, configurations: [String], usesDetails: Bool) {
        self.family = family
        self.issuance = issuance
        self.clientID = clientID
        self.thumbprint = thumbprint
        self.configurations = configurations
        self.usesDetails = usesDetails
    }

    /// The identifiers of the data sets of a configuration: one here.
    func identifiers(of configuration: String) -> [String] { ["\(configuration)#1"] }

    /// The configuration that an identifier belongs to.
    func configuration(ofIdentifier identifier: String) -> String? {
        configurations.first { identifiers(of: $0).contains(identifier) }
    }
}

extension VCIIssuer {
    func token(_ exchange: inout Exchange) async throws -> AnswerDraft {
        let form = try exchange.form()
        guard let type = form["grant_type"] else { throw Refusal(status: 400, code: "invalid_request", "no grant_type") }
        let known = [CredentialOffer.authorizationCodeGrant, CredentialOffer.preAuthorizedGrant, "refresh_token"]
        try exchange.require("II10.grant", known.contains(type), "grant_type \(type)")
        let client = try await authenticate(form, &exchange)
        let thumbprint = try await checkDPoP(&exchange, accessToken: nil)
        try exchange.require("II16.missing", thumbprint != nil || !exchange.settings.requiresDPoP, "no DPoP header")
        var grant: Grant
        switch type {
        case CredentialOffer.authorizationCodeGrant: grant = try await redeemCode(form, client, thumbprint, &exchange)
        case CredentialOffer.preAuthorizedGrant: grant = try await redeemPreAuthorized(form, client, thumbprint, &exchange)
        default: grant = try await redeemRefresh(form, client, thumbprint, &exchange)
        }
        exchange.issuance = grant.issuance
        if let details = try details(form, &exchange) {
            guard Set(details).isSubset(of: grant.configurations) else {
                throw Refusal("II6.details", "authorization_details exceed what was granted")
            }
            grant.configurations = details
            grant.usesDetails = true
        }
        exchange.detail = "a token for \(grant.configurations.joined(separator: ", "))"
        return try await tokenResponse(grant, exchange.settings)
    }

    private func tokenResponse(_ grant: Grant, _ settings: IssuerSettings) async throws -> AnswerDraft {
        let token = secret()
        try await records.put(.token, token, grant.record, lifetime: settings.tokenLifetime)
        var json: JSONObject = [
            "access_token": .string(token), "token_type": grant.thumbprint == nil ? "Bearer" : "DPoP",
            "expires_in": .integer(settings.tokenLifetime),
        ]
        if settings.givesRefreshTokens {
            let refresh = secret()
            try await records.put(.refresh, refresh, grant.record, lifetime: settings.refreshLifetime)
            json["refresh_token"] = .string(refresh)
        }
        if grant.usesDetails {
            json["authorization_details"] = .array(
                grant.configurations.map { id in
                    [
                        "type": .string(AuthorizationDetail.type), "credential_configuration_id": .string(id),
                        "credential_identifiers": .array(grant.identifiers(of: id).map { .string($0) }),
                    ]
                })
        }
        var answer = AnswerDraft(json)
        if settings.usesDPoPNonces, grant.thumbprint != nil {
            answer.headers["DPoP-Nonce"] = try await freshDPoPNonce("as", settings)
        }
        return answer
    }

    // MARK: Authorization code (RFC 6749 §4.1.3)

    private func redeemCode(
        _ form: FormFields, _ client: AuthenticatedClient, _ thumbprint: String?, _ exchange: inout Exchange
    ) async throws -> Grant {
        guard let code = form["code"] else { throw Refusal(status: 400, code: "invalid_request", "no code") }
        let family = secret()
        let taken = try await records.change(.code, code, lifetime: 0) { record -> (record: JSONObject?, family: String?) in
            guard record != nil else { return (nil, nil) }
            let earlier = record?["family"]?.stringValue
            if earlier == nil { record?["family"] = .string(family) }
            return (record, earlier)
        }
        if let earlier = taken.family {
            // A code that comes twice was stolen once: whatever it bought is worth nothing (RFC 6749 §4.1.2).
            try await records.put(.revoked, earlier, JSONObject(), lifetime: exchange.settings.refreshLifetime)
            exchange.issuance = taken.record?["issuance"]?.stringValue
            throw Refusal("II10.code", "the code was used before; its tokens are revoked")
        }
        guard let record = taken.record, let request = AuthorizationRequest(record) else {
            throw Refusal("II10.code", "the code is unknown or expired")
        }
        exchange.issuance = request.issuance
        try exchange.require("II10.code", client.id == nil || client.id == request.clientID, "the code is of another client")
        try exchange.require(
            "II10.redirect", form["redirect_uri"] == request.redirectURI, "redirect_uri \(form["redirect_uri"] ?? "missing")")
        guard let verifier = form["code_verifier"] else { throw Refusal("II11.missing", "no code_verifier") }
        exchange.checks.pass("II11.missing", exchange.subject)
        try exchange.require(
            "II11.wrong", PKCE.isWellFormed(verifier) && PKCE.challenge(of: verifier) == request.challenge,
            "code_verifier does not match code_challenge")
        if let bound = request.thumbprint {
            try exchange.require("II12.key", thumbprint == bound, "the code is bound to another DPoP key")
        }
        return Grant(
            family: family, issuance: request.issuance, clientID: request.clientID, thumbprint: thumbprint,
            configurations: request.configurations, usesDetails: request.usesDetails)
    }

    // MARK: Pre-authorized code (OpenID4VCI 1.0 §6.1)

    private func redeemPreAuthorized(
        _ form: FormFields, _ client: AuthenticatedClient, _ thumbprint: String?, _ exchange: inout Exchange
    ) async throws -> Grant {
        guard let code = form["pre-authorized_code"] else { throw Refusal("II13.missing", "no pre-authorized_code") }
        exchange.checks.pass("II13.missing", exchange.subject)
        guard let known = try await records.get(.preAuthorized, code) else {
            throw Refusal("II13.wrong", "the code is unknown, expired or used")
        }
        exchange.issuance = known["issuance"]?.stringValue
        try exchange.require(
            "II13.anonymous", client.id != nil || exchange.settings.allowsAnonymous, "no client_id, and anonymous access is off")
        try exchange.require("II14.missing", known["tx"] == nil || form["tx_code"] != nil, "no tx_code, the offer asks for one")
        try exchange.require("II14.unexpected", known["tx"] != nil || form["tx_code"] == nil, "a tx_code, the offer asks for none")
        let (tx, attempts) = (form["tx_code"].map(DPoP.tokenHash), exchange.settings.transactionCodeAttempts)
        // Right code, wrong code and last attempt are one atomic change, so that guesses cannot be made side by side.
        let outcome = try await records.change(.preAuthorized, code, lifetime: 0) { record -> CodeOutcome in
            guard let present = record else { return .gone }
            if let wanted = present["tx"]?.stringValue, wanted != tx {
                let tries = (present["tries"]?.intValue ?? 0) + 1
                record?["tries"] = .integer(tries)
                if tries >= attempts { record = nil }
                return .wrong(left: max(0, attempts - Int(tries)))
            }
            record = nil
            return .redeemed(present)
        }
        switch outcome {
        case .gone: throw Refusal("II13.wrong", "the code is unknown, expired or used")
        case .wrong(let left): throw Refusal("II14.wrong", "tx_code is wrong, \(left) attempts are left")
        case .redeemed(let record):
            exchange.pass(["II13.wrong", "II14.wrong"])
            return Grant(
                family: secret(), issuance: record["issuance"]?.stringValue ?? "", clientID: client.id, thumbprint: thumbprint,
                configurations: record["configurations"]?.arrayValue?.compactMap(\.stringValue) ?? [], usesDetails: false)
        }
    }

    private enum CodeOutcome: Sendable {
        case gone
        case wrong(left: Int)
        case redeemed(JSONObject)
    }

    // MARK: Refresh (RFC 6749 §6)

    private func redeemRefresh(
        _ form: FormFields, _ client: AuthenticatedClient, _ thumbprint: String?, _ exchange: inout Exchange
    ) async throws -> Grant {
        guard let token = form["refresh_token"] else { throw Refusal(status: 400, code: "invalid_request", "no refresh_token") }
        let rotates = exchange.settings.rotatesRefreshTokens
        let taken = try await records.change(.refresh, token, lifetime: 0) { record -> (record: JSONObject?, wasUsed: Bool) in
            let wasUsed = record?["used"]?.boolValue ?? false
            let present = record
            if rotates { record?["used"] = true }
            return (present, wasUsed)
        }
        guard let record = taken.record, let grant = Grant(record) else {
            throw Refusal("II15", "the refresh token is unknown or expired")
        }
        exchange.issuance = grant.issuance
        if taken.wasUsed {
            try await records.put(.revoked, grant.family, JSONObject(), lifetime: exchange.settings.refreshLifetime)
            throw Refusal("II15", "the refresh token was rotated away; the tokens that came after it are revoked")
        }
        guard try await records.get(.revoked, grant.family) == nil else { throw Refusal("II15", "the authorization was revoked") }
        guard client.id == grant.clientID else { throw Refusal("II15", "the refresh token is of another client") }
        guard thumbprint == grant.thumbprint else { throw Refusal("II15", "the refresh token is bound to another DPoP key") }
        exchange.checks.pass("II15", exchange.subject)
        return grant
    }
}
