package import Codec
package import Ports

/// What an authorization server says of itself (RFC 8414), as far as a wallet uses it.
package struct ServerMetadata: Sendable {
    package var issuer: String
    package var authorizationEndpoint: WebURL?
    package var tokenEndpoint: WebURL
    package var parEndpoint: WebURL?
    package var requiresPAR: Bool
    package var challengeEndpoint: WebURL?
    package var challengeMethods: [String]
    package var dpopAlgorithms: [String]
    package var authMethods: [String]
    package var grantTypes: [String]
    package var allowsAnonymousPreAuthorized: Bool
    package var announcesIssuer: Bool
    package var detailsTypes: [String]
    /// As received.
    package var json: JSONObject

    /// Reads metadata and says everything that is wrong with them; nil where nothing can be done with them.
    ///
    /// - Parameters:
    ///   - expected: the identifier whose metadata were asked for.
    ///   - grant: the grant that is going to be used: the code grant needs an authorization endpoint.
    package static func read(
        _ json: JSON, expected: String, grant: String?, isHAIP: Bool
    ) -> (metadata: ServerMetadata?, findings: [MessageFinding]) {
        var findings: [MessageFinding] = []
        func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }
        guard let object = json.objectValue else {
            return (nil, [MessageFinding("IW4.endpoints", "the metadata are a JSON \(json.typeName), no object")])
        }
        let issuer = object["issuer"]?.stringValue
        if issuer != expected { add("IW4.issuer", "issuer \(issuer ?? "missing"), asked \(expected)") }
        func endpoint(_ name: String) -> WebURL? {
            guard let text = object[name]?.stringValue, let url = try? WebURL(text) else { return nil }
            let isSecure = url.scheme.lowercased() == "https" || (!isHAIP && url.isLoopback)
            if !isSecure { add("IW4.endpoints", "\(name) not https") }
            return url
        }
        func names(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        let isCodeGrant = grant == CredentialOffer.authorizationCodeGrant
        let authorization = endpoint("authorization_endpoint")
        if isCodeGrant, authorization == nil { add("IW4.endpoints", "authorization_endpoint missing") }
        guard let token = endpoint("token_endpoint") else {
            add("IW4.endpoints", "token_endpoint missing")
            return (nil, findings)
        }
        let metadata = ServerMetadata(
            issuer: issuer ?? expected, authorizationEndpoint: authorization, tokenEndpoint: token,
            parEndpoint: endpoint("pushed_authorization_request_endpoint"),
            requiresPAR: object["require_pushed_authorization_requests"]?.boolValue ?? false,
            challengeEndpoint: endpoint("challenge_endpoint"), challengeMethods: names("code_challenge_methods_supported"),
            dpopAlgorithms: names("dpop_signing_alg_values_supported"),
            authMethods: names("token_endpoint_auth_methods_supported"), grantTypes: names("grant_types_supported"),
            allowsAnonymousPreAuthorized: object["pre-authorized_grant_anonymous_access_supported"]?.boolValue ?? false,
            announcesIssuer: object["authorization_response_iss_parameter_supported"]?.boolValue ?? false,
            detailsTypes: names("authorization_details_types_supported"), json: object)
        if isCodeGrant, !metadata.challengeMethods.contains(PKCE.method) { add("IW4.pkce", "S256 not listed") }
        if isCodeGrant, metadata.parEndpoint == nil { add("IW4.par", "no PAR endpoint") }
        if metadata.dpopAlgorithms.isEmpty { add("IW4.dpop", "no dpop algorithms") }
        if !metadata.authMethods.contains(ClientAttestation.method) { add("IW4.auth", "no `\(ClientAttestation.method)`") }
        return (metadata, findings)
    }
}
