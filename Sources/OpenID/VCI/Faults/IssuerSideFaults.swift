import Codec
import Credentials
import Ports

extension IssuanceFault {
    private static func issuer(_ name: String, _ summary: String, also: [String] = [], _ acts: Act...) -> IssuanceFault {
        IssuanceFault(name, .issuer, summary, also: also, acts: acts)
    }

    /// Changes one configuration of the metadata.
    private static func configuration(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Act {
        .metadata { metadata in
            guard var all = metadata["credential_configurations_supported"]?.objectValue, let id = all.keys.first,
                var first = all[id]?.objectValue
            else { return }
            change(&first)
            all[id] = .object(first)
            metadata["credential_configurations_supported"] = .object(all)
        }
    }

    private static func grant(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Act {
        .offer { offer in
            guard var grants = offer["grants"]?.objectValue, let name = grants.keys.first, var grant = grants[name]?.objectValue
            else {
                return
            }
            change(&grant)
            grants[name] = .object(grant)
            offer["grants"] = .object(grants)
        }
    }

    static let offers: [IssuanceFault] = [
        issuer("offer-form", "the offer's link carries the offer and says where it is", .link { "\($0)&credential_offer=%7B%7D" }),
        issuer("offer-shape", "the offer names no issuer", .offer { $0["credential_issuer"] = nil }),
        issuer(
            "offer-fetch", "the offer by reference is text/plain", .answer(.offer) { $0.headers["Content-Type"] = "text/plain" }),
        issuer(
            "offer-ids", "the offer names one configuration twice",
            .offer { offer in
                let ids = offer["credential_configuration_ids"]?.arrayValue ?? []
                offer["credential_configuration_ids"] = .array(ids + ids)
            }),
        issuer(
            "offer-configuration", "the offer names a configuration that the metadata do not have",
            .offer { $0["credential_configuration_ids"] = ["no-such-configuration"] }),
        issuer("offer-tx-code", "tx_code has an input_mode of its own", grant { $0["tx_code"] = ["input_mode": "emoji"] }),
        issuer(
            "offer-authorization-server", "the offer names an authorization server though there is only one",
            grant { $0["authorization_server"] = "https://as.elsewhere.example" }),
        issuer("offer-scope", "no configuration has a scope", also: ["IW2.scope"], configuration { $0["scope"] = nil }),
    ]

    static let metadata: [IssuanceFault] = [
        issuer("metadata-http", "the well-known URL answers 404", .answer(.metadata) { $0.status = 404 }),
        issuer("metadata-type", "the metadata are text/html", .answer(.metadata) { $0.headers["Content-Type"] = "text/html" }),
        issuer(
            "metadata-wrong-issuer", "the metadata are those of another issuer",
            .metadata { $0["credential_issuer"] = "https://other.example" }),
        issuer("metadata-shape", "there is no credential endpoint", .metadata { $0["credential_endpoint"] = nil }),
        issuer(
            "metadata-https", "the nonce endpoint is http",
            .metadata { $0["nonce_endpoint"] = "http://issuer.example/nonce" }),
        issuer(
            "metadata-proof-types", "a configuration has proof types without binding methods",
            configuration { $0["cryptographic_binding_methods_supported"] = nil }),
        issuer("metadata-batch-size", "batch_size is 1", .metadata { $0["batch_credential_issuance"] = ["batch_size": 1] }),
        issuer(
            "metadata-encryption", "the key of encrypted requests has no kid",
            .metadata { metadata in
                guard var object = metadata["credential_request_encryption"]?.objectValue,
                    var key = object["jwks"]?["keys"]?[0]?.objectValue
                else { return }
                key["kid"] = nil
                object["jwks"] = ["keys": [.object(key)]]
                metadata["credential_request_encryption"] = .object(object)
            }),
        issuer("metadata-scope", "a configuration has no scope", also: ["IW1.scope"], configuration { $0["scope"] = nil }),
        issuer("metadata-nonce-endpoint", "key binding without nonce endpoint", .issuer { $0.hasNonceEndpoint = false }),
        issuer(
            "signed-metadata-typ", "the signed metadata are typ JWT",
            .jwt(.signedMetadata) { draft, _ in draft.header["typ"] = "JWT" }),
        issuer(
            "signed-metadata-sub", "sub of the signed metadata is another issuer",
            .jwt(.signedMetadata) { draft, _ in draft.claims["sub"] = "https://other.example" }),
        issuer(
            "signed-metadata-signature", "the signature of the metadata is wrong",
            .jwt(.signedMetadata) { draft, _ in draft.spoilsSignature = true }),
        issuer(
            "signed-metadata-path", "the signer of the metadata comes from a root that nobody trusts",
            .conduct(.unknownMetadataSigner)),
        issuer(
            "signed-metadata-times", "the signed metadata have no iat",
            .jwt(.signedMetadata) { draft, _ in draft.claims["iat"] = nil }),
        issuer(
            "signed-metadata-x5c", "the signed metadata have no x5c", also: ["IW3.signature", "IW3.path"],
            .jwt(.signedMetadata) { draft, _ in draft.header["x5c"] = nil }),
        issuer(
            "signed-metadata-anchor", "x5c of the metadata contains the trust anchor", also: ["IW3.path"],
            .conduct(.anchorInMetadata)),
        issuer(
            "signed-metadata-self-signed", "the metadata are signed by a self-signed certificate", also: ["IW3.path"],
            .conduct(.selfSignedMetadata)),
    ]

    private static func server(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Act {
        .answer(.serverMetadata) { change(&$0.json) }
    }

    static let authorization: [IssuanceFault] = [
        issuer(
            "as-issuer", "the server's metadata are those of another server", also: ["IW5.iss"],
            server { $0["issuer"] = "https://other.example" }),
        issuer("as-endpoints", "the server has no token endpoint", server { $0["token_endpoint"] = nil }),
        issuer("as-pkce", "the server does not list S256", server { $0["code_challenge_methods_supported"] = ["plain"] }),
        issuer(
            "as-par", "the server lists no PAR endpoint", .issuer { $0.requiresPAR = false },
            server { $0["pushed_authorization_request_endpoint"] = nil }),
        issuer(
            "as-dpop", "the server lists no DPoP algorithms", also: ["IW7.lifetime"], .issuer { $0.requiresDPoP = false },
            server { $0["dpop_signing_alg_values_supported"] = nil }),
        issuer(
            "as-auth-method", "the server does not list attest_jwt_client_auth", .issuer { $0.requiresClientAttestation = false },
            server { $0["token_endpoint_auth_methods_supported"] = ["none"] }),
        issuer("par-response", "PAR answers 200", .answer(.par) { $0.status = 200 }),
        issuer("authz-state", "the authorization response has another state", .redirect { $0["state"] = "other" }),
        issuer(
            "authz-iss", "the authorization response comes from another issuer", .redirect { $0["iss"] = "https://other.example" }),
        issuer(
            "authz-error", "the authorization is denied",
            .redirect { fields in
                fields["code"] = nil
                fields["error"] = "access_denied"
            }),
        issuer("token-shape", "the token response has no access token", .answer(.token) { $0.json["access_token"] = nil }),
        issuer("token-type", "the token is Bearer though a DPoP proof came", .answer(.token) { $0.json["token_type"] = "Bearer" }),
        issuer(
            "token-no-store", "the token response may be stored", .answer(.token) { $0.headers["Cache-Control"] = "max-age=60" }),
        issuer(
            "token-details", "authorization_details are not returned", .answer(.token) { $0.json["authorization_details"] = nil }),
        issuer(
            "token-lifetime", "the Bearer token lives an hour", also: ["IW4.dpop"], .issuer { $0.tokenLifetime = 3600 },
            server { $0["dpop_signing_alg_values_supported"] = nil }),
        issuer("nonce-503", "the nonce endpoint answers 503", .answer(.nonce) { $0.status = 503 }),
        issuer("nonce-present", "the nonce response has no c_nonce", .answer(.nonce) { $0.json["c_nonce"] = nil }),
        issuer("nonce-no-store", "the nonce may be stored", .answer(.nonce) { $0.headers["Cache-Control"] = "max-age=60" }),
        issuer("dpop-nonce-loop", "every DPoP nonce is refused", .issuer { $0.nonceLifetime = -1 }),
        issuer(
            "challenge-loop", "every challenge is refused",
            .issuer {
                $0.requiresChallenge = true
                $0.usesDPoPNonces = false
                $0.nonceLifetime = -1
            }),
        issuer("notification-answer", "the notification endpoint answers 500", .answer(.notification) { $0.status = 500 }),
        issuer(
            "reuse-policy-shape", "the first option of the reuse policy is unknown",
            .issuer { settings in
                for place in settings.configurations.indices {
                    settings.configurations[place].reusePolicy = [
                        "id": "arf_annex_ii", "options": [["details": "whenever"], ["details": "once_only", "batch_size": 2]],
                    ]
                }
            }),
    ]

    static let issuing: [IssuanceFault] = [
        issuer("credential-status", "the credential response is 201", .inner(.credential) { $0.status = 201 }),
        issuer(
            "credential-shape", "the response has credentials and a transaction",
            .inner(.credential) { $0.json["transaction_id"] = "t" }),
        issuer(
            "credential-interval", "the deferred response has no interval", .issuer { $0.deferrals = 2 },
            .inner(.credential) { $0.json["interval"] = nil }),
        issuer("credential-count", "one credential too many comes", also: ["IW12.distinct"], .conduct(.tooMany)),
        issuer(
            "credential-encrypted", "the response is plain though encryption was asked",
            .answer(.credential) { draft in
                draft.raw = nil
                draft.json = ["credentials": []]
                draft.headers["Content-Type"] = "application/json"
            }),
        issuer("credential-type", "the response is text/plain", .answer(.credential) { $0.headers["Content-Type"] = "text/plain" }),
        issuer(
            "credential-jwe", "the response is encrypted by another method",
            .encryption { $0.encryption = $0.encryption == .a128GCM ? .a256GCM : .a128GCM }),
        issuer("issued-format", "the credential is no base64url", .conduct(.badEncoding)),
        issuer("issued-type", "a credential of another type comes", .conduct(.wrongType)),
        issuer("issued-key", "the credential is bound to a key of nobody", .conduct(.wrongKey)),
        issuer("issued-content", "the issuer's signature is wrong", .credential { $0.signature = true }),
        issuer("issued-keys-distinct", "all copies are bound to one key", also: ["IW12.batch"], .conduct(.sameKey)),
        issuer("issued-linkable", "all copies have the same salts and times", .credential { $0.isLinkable = true }),
        issuer(
            "deferred-id", "the transaction gets another id", .issuer { $0.deferrals = 3 },
            .inner(.deferred) { $0.json["transaction_id"] = "other" }),
        issuer(
            "deferred-denied", "the deferred credential is denied",
            .issuer {
                $0.deferrals = 1
                $0.deniesDeferred = true
            }),
        issuer(
            "deferred-after-delivery", "a delivered transaction answers again", .issuer { $0.deferrals = 1 },
            .conduct(.answersAfterDelivery)),
        issuer(
            "error-known", "an error has a code of no specification", .issuer { $0.deniesCredential = true },
            .answer(.error) { $0.json["error"] = "no_luck_today" }),
        issuer(
            "error-status", "an error comes with status 418", .issuer { $0.deniesCredential = true },
            .answer(.error) { $0.status = 418 }),
        issuer(
            "error-text", "an error_description holds a quote and an umlaut", .issuer { $0.deniesCredential = true },
            .answer(.error) { $0.json["error_description"] = "\"nein\", sagte Jürgen" }),
        issuer(
            "error-encrypted", "an error comes as application/jwt", .issuer { $0.deniesCredential = true },
            .answer(.error) { draft in
                draft.raw = Array("e30.e30.e30.e30.e30".utf8)
                draft.headers["Content-Type"] = "application/jwt"
            }),
    ]
}
