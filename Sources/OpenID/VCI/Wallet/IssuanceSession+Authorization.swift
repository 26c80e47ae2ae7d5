import Codec
import Credentials
import Crypto
package import Ports

/// An authorization request that waits for the person's browser to come back.
package struct PendingAuthorization: Sendable {
    /// What the person opens.
    package let url: WebURL
    package let redirectURI: String
    let state: String
    let pkce: PKCE
    /// The configurations of authorization_details; empty where scope was used.
    let detailed: [String]
}

extension IssuanceSession {
    /// Whether the wallet attests itself to this server.
    private func attests(_ server: ServerMetadata) -> Bool {
        settings.attestsClient && wallet.provider != nil
            && (server.authMethods.contains(ClientAttestation.method) || settings.isHAIP)
    }

    /// Makes the keys that the server's methods need, once.
    private mutating func prepare(_ server: ServerMetadata) async throws(IssuanceError) {
        if dpopKey == nil, settings.dpop != .off {
            if !server.dpopAlgorithms.isEmpty {
                dpopKey = try await wallet.protocolKey()
            } else if settings.dpop == .required {
                throw IssuanceError(
                    "the authorization server lists no dpop_signing_alg_values_supported, and DPoP is required here", .issuer,
                    check: "IW4.dpop", hint: "--dpop preferred goes on with a Bearer token")
            } else {
                warnings.append("the server has no DPoP: the token is a Bearer token, good for whoever has it")
            }
        }
        if clientKey == nil, attests(server) { clientKey = try await wallet.protocolKey() }
    }

    // MARK: Authorization endpoint

    /// Pushes the authorization request, or puts it into the URL.
    ///
    /// - Parameters:
    ///   - configurationIDs: what the person chose of the offer.
    ///   - redirectURI: where the browser comes back to; nil: the setting.
    package mutating func beginAuthorization(
        _ configurationIDs: [String], redirectURI: String? = nil
    ) async throws(IssuanceError) -> PendingAuthorization {
        guard let server, let metadata, let endpoint = server.authorizationEndpoint else {
            throw IssuanceError("the server has no authorization endpoint", .issuer, check: "IW4.endpoints")
        }
        try await prepare(server)
        let pkce = PKCE(random: wallet.random)
        let state = wallet.secret()
        let redirect = redirectURI ?? settings.redirectURI
        var form: FormFields = [
            "response_type": "code", "client_id": settings.clientID, "redirect_uri": redirect, "code_challenge": pkce.challenge,
            "code_challenge_method": PKCE.method, "state": state,
        ]
        let detailed = wanted(configurationIDs, metadata, server, &form)
        if let state = offer?.authorizationCode?.issuerState { form["issuer_state"] = state }
        if let dpopKey { form["dpop_jkt"] = DPoP.thumbprint(dpopKey.publicKey) }
        let url: WebURL
        if let par = server.parEndpoint, settings.pushes || server.requiresPAR {
            let requestURI = try await push(form, to: par, server)
            url = endpoint.with(query: ["client_id": settings.clientID, "request_uri": requestURI])
        } else {
            checks.notRun("IW5.par", server.issuer, .notRequested)
            url = endpoint.with(query: form)
        }
        return PendingAuthorization(
            url: wallet.faults.spoil(authorization: url, form, endpoint), redirectURI: redirect, state: state, pkce: pkce,
            detailed: detailed)
    }

    /// Adds scope or authorization_details to a request.
    private func wanted(
        _ ids: [String], _ metadata: IssuerMetadata, _ server: ServerMetadata, _ form: inout FormFields
    ) -> [String] {
        let scopes = ids.compactMap { metadata.configuration($0)?.scope }
        let takesDetails = server.detailsTypes.isEmpty || server.detailsTypes.contains(AuthorizationDetail.type)
        if scopes.count == ids.count, settings.prefersScope || !takesDetails {
            form["scope"] = scopes.joined(separator: " ")
            if !metadata.authorizationServers.isEmpty { form["resource"] = metadata.issuer }
            return []
        }
        let locations = metadata.authorizationServers.isEmpty ? nil : metadata.issuer
        form["authorization_details"] = AuthorizationDetail.request(ids, locations: locations).encoded()
        return ids
    }

    private mutating func push(
        _ form: FormFields, to url: WebURL, _ server: ServerMetadata
    ) async throws(IssuanceError) -> String {
        let response = try await post(form, to: url, server, .pushedAuthorization)
        let json = try? JSON.decode(response.bytes)
        guard response.status == 201, let uri = json?["request_uri"]?.stringValue, let lifetime = json?["expires_in"]?.intValue,
            lifetime > 0
        else {
            try judge(
                [], [MessageFinding("IW5.par", "answered \(response.status), not 201 with request_uri, expires_in")], server.issuer)
            return ""
        }
        checks.pass("IW5.par", server.issuer)
        return uri
    }

    /// A form to PAR or token endpoint, with client attestation and DPoP; one retry for each nonce or challenge that the server asks for.
    private mutating func post(
        _ form: FormFields, to url: WebURL, _ server: ServerMetadata, _ endpoint: ErrorMeaning.Endpoint
    ) async throws(IssuanceError) -> HTTPResponse {
        var retried: Set<String> = []
        if clientKey != nil, challenge == nil, let place = server.challengeEndpoint { try await fetchChallenge(place) }
        while true {
            var draft = OutgoingRequest("POST", url, form: form)
            if let proof = try await proof(draft, .authorization, accessToken: nil) { draft.headers["DPoP"] = proof }
            try await attest(&draft, server)
            wallet.faults.spoil(endpoint == .token ? .token : .pushed, &draft)
            let response = try await send(draft, .authorization)
            guard let refusal = try refusal(response, at: endpoint) else {
                if !retried.isEmpty { for id in ["IW9", "IW10"] { checks.pass(id, server.issuer) } }
                return response
            }
            let code = refusal.code ?? ""
            guard ["use_dpop_nonce", "use_attestation_challenge"].contains(code) else { throw refusal }
            let check = code == "use_dpop_nonce" ? "IW9" : "IW10"
            if retried.contains(code), !wallet.faults.has(.retriesEndlessly) || retried.count > 4 {
                try judge([], [MessageFinding(check, "\(code) again after one retry")], server.issuer)
            }
            // A wallet that never stops is stopped here all the same: after five rounds.
            retried.insert(retried.contains(code) ? "\(code)/\(retried.count)" : code)
        }
    }

    private mutating func fetchChallenge(_ url: WebURL) async throws(IssuanceError) {
        let response = try await send(OutgoingRequest("POST", url), .authorization)
        guard response.status == 200, let text = (try? JSON.decode(response.bytes))?["attestation_challenge"]?.stringValue,
            !wallet.faults.has(.ignoresChallenges)
        else { return }
        challenge = text
    }

    private mutating func attest(_ draft: inout OutgoingRequest, _ server: ServerMetadata) async throws(IssuanceError) {
        guard let clientKey, let provider = wallet.provider else { return }
        if attestation == nil {
            do {
                attestation = try await provider.clientAttestation(
                    clientKey.publicKey, clientID: settings.clientID, audience: server.issuer)
            } catch {
                throw IssuanceError("\(error)", .provider, hint: "the issuer is not to blame; --client-auth none goes without")
            }
        }
        draft.headers[ClientAttestation.header] = attestation
        let proof = ClientAttestation.proofDraft(
            clientID: settings.clientID, audience: server.issuer, challenge: challenge, draft: settings.draft, at: wallet.now,
            random: wallet.random)
        draft.headers[ClientAttestation.popHeader] = try await wallet.sign(proof, clientKey, .clientProof)
    }

    /// Takes the URL to which the browser came back, checks it, and gets the token (IW5).
    package mutating func finishAuthorization(
        _ pending: PendingAuthorization, callback: WebURL
    ) async throws(IssuanceError) {
        guard let server else { return }
        let fields: FormFields
        do { fields = try FormFields(callback.query ?? "") } catch {
            throw IssuanceError("the authorization response is malformed: \(error)", .issuer, check: "IW5.state")
        }
        var findings: [MessageFinding] = []
        if fields["state"] != pending.state { findings.append(MessageFinding("IW5.state", "state differs")) }
        let issuer = fields["iss"]
        if let issuer, issuer != server.issuer {
            findings.append(MessageFinding("IW5.iss", "iss \(issuer), expected \(server.issuer)"))
        } else if issuer == nil, server.announcesIssuer || settings.isHAIP {
            findings.append(MessageFinding("IW5.iss", "iss missing, expected \(server.issuer)"))
        }
        if let code = fields["error"] {
            let meaning = ErrorMeaning.of(code, at: .authorization)?.sentence ?? "not defined for the authorization endpoint"
            let text = fields["error_description"].map { ": \(ErrorText.shown($0))" } ?? ""
            findings.append(
                MessageFinding("IW5.error", "authorization answered \(ErrorText.shown(code)) (\(meaning))\(text)"))
        } else if fields["code"] == nil {
            findings.append(MessageFinding("IW5.error", "authorization answered neither code nor error"))
        }
        try judge(["IW5.state", "IW5.iss", "IW5.error"], findings, server.issuer)
        let form: FormFields = [
            "grant_type": CredentialOffer.authorizationCodeGrant, "code": fields["code"] ?? "", "redirect_uri": pending.redirectURI,
            "code_verifier": pending.pkce.verifier, "client_id": settings.clientID,
        ]
        try await requestToken(form, detailed: pending.detailed, isAnonymous: false)
    }

    // MARK: Token endpoint

    /// Redeems the offer's pre-authorized code.
    package mutating func redeemPreAuthorizedCode(transactionCode: String?) async throws(IssuanceError) {
        guard let server, let grant = offer?.preAuthorized else { return }
        try await prepare(server)
        let isAnonymous = clientKey == nil && server.allowsAnonymousPreAuthorized
        var form: FormFields = [
            "grant_type": CredentialOffer.preAuthorizedGrant, "pre-authorized_code": grant.code,
        ]
        if !isAnonymous { form["client_id"] = settings.clientID }
        if let transactionCode { form["tx_code"] = transactionCode }
        try await requestToken(form, detailed: [], isAnonymous: isAnonymous)
    }

    /// Gets a new access token with the refresh token.
    package mutating func refresh() async throws(IssuanceError) {
        guard let token, let refresh = token.refreshToken else {
            throw IssuanceError("there is no refresh token", .issuer, hint: "accept a new offer")
        }
        var form: FormFields = ["grant_type": "refresh_token", "refresh_token": refresh]
        if !token.isAnonymous { form["client_id"] = settings.clientID }
        let identifiers = token.identifiers
        try await requestToken(form, detailed: [], isAnonymous: token.isAnonymous)
        // A rotated token replaces the old one; where none came, the old one stays.
        if self.token?.refreshToken == nil { self.token?.refreshToken = refresh }
        if self.token?.identifiers.isEmpty ?? false { self.token?.identifiers = identifiers }
    }

    private mutating func requestToken(
        _ form: FormFields, detailed: [String], isAnonymous: Bool
    ) async throws(IssuanceError) {
        guard let server else { return }
        let response = try await post(form, to: server.tokenEndpoint, server, .token)
        if wallet.faults.has(.repeatsTokenRequest) { _ = try await post(form, to: server.tokenEndpoint, server, .token) }
        let json = (try? JSON.decode(response.bytes)) ?? .null
        var findings: [MessageFinding] = []
        func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }
        guard response.status == 200, let value = json["access_token"]?.stringValue, !value.isEmpty,
            let type = json["token_type"]?.stringValue
        else {
            try judge(
                [], [MessageFinding("IW7.shape", "status \(response.status), access_token or token_type missing")], server.issuer)
            return
        }
        let isDPoP = type.lowercased() == "dpop"
        if isDPoP != (dpopKey != nil) {
            add("IW7.type", "token_type \(ErrorText.shown(type)), \(dpopKey == nil ? "Bearer" : "DPoP") expected")
        }
        if !isDPoP, type.lowercased() != "bearer" { add("IW7.type", "token_type \(ErrorText.shown(type)) is unknown") }
        if !response.isNotStored { add("IW7.store", "no Cache-Control no-store") }
        let lifetime = json["expires_in"]?.intValue
        if !isDPoP, (lifetime ?? .max) > 300 { add("IW7.lifetime", "Bearer token longer than 5 min") }
        let identifiers = Self.identifiers(json["authorization_details"], asked: detailed, &findings)
        try judge(["IW7.shape", "IW7.type", "IW7.store", "IW7.details", "IW7.lifetime"], findings, server.issuer)
        token = AccessToken(
            value: value, isDPoP: isDPoP, expires: lifetime.map { wallet.now.adding(seconds: $0) },
            refreshToken: json["refresh_token"]?.stringValue, identifiers: identifiers, isAnonymous: isAnonymous)
    }

    private static func identifiers(
        _ details: JSON?, asked: [String], _ findings: inout [MessageFinding]
    ) -> [String: [String]] {
        guard let details else {
            if !asked.isEmpty { findings.append(MessageFinding("IW7.details", "authorization_details asked but not returned")) }
            return [:]
        }
        var identifiers: [String: [String]] = [:]
        for detail in details.arrayValue ?? [] where detail["type"]?.stringValue == AuthorizationDetail.type {
            guard let id = detail["credential_configuration_id"]?.stringValue,
                let names = detail["credential_identifiers"]?.arrayValue?.compactMap(\.stringValue), !names.isEmpty
            else {
                findings.append(MessageFinding("IW7.details", "authorization_details without credential_identifiers"))
                continue
            }
            identifiers[id] = names
        }
        return identifiers
    }
}
