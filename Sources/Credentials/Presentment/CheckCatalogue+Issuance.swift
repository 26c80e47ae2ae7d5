extension CheckCatalogue {
    /// OpenID4VCI: what a wallet checks on an issuer (IW1–IW16), what an issuer checks on a wallet (II1–II33).
    static let issuance: [CheckDefinition] = Array(
        [offers, metadata, authorization, issuing, profile, clients, grants, requests].joined())

    private static let offers: [CheckDefinition] = [
        wallet("IW1.form", "offer-form", "4.1", "not exactly one of credential_offer, credential_offer_uri"),
        wallet("IW1.json", "offer-shape", "4.1.1", "<member> missing or mistyped"),
        wallet("IW1.fetch", "offer-fetch", "4.1.3", "offer answered <n>, or is not `application/json`, or not https"),
        wallet("IW1.ids", "offer-ids", "4.1.1", "ids empty or twice"),
        wallet("IW1.unknown", "offer-configuration", "4.1.1", "configuration <id> not in metadata"),
        wallet("IW1.tx-code", "offer-tx-code", "4.1.1", "tx_code: input_mode, length or description (> 300) wrong"),
        wallet(
            "IW1.server", "offer-authorization-server", "4.1.1",
            "authorization_server not in the list, or given for a single server"),
    ]

    private static let metadata: [CheckDefinition] = [
        wallet("IW2.http", "metadata-http", "12.2.2", "well-known URL answered <n>"),
        wallet("IW2.type", "metadata-type", "12.2.2", "content type <x>"),
        wallet("IW2.issuer", "metadata-issuer", "12.2.4", "credential_issuer <a>, asked <b>", fault: "metadata-wrong-issuer"),
        wallet("IW2.shape", "metadata-shape", "12.2.4", "<member> missing or mistyped"),
        wallet("IW2.https", "metadata-https", "12.2.4", "<endpoint> not https"),
        wallet(
            "IW2.proofs", "metadata-proof-types", "12.2.4",
            "proof_types_supported and cryptographic_binding_methods_supported not both or neither"),
        wallet("IW2.batch", "metadata-batch-size", "12.2.4", "batch_size < 2"),
        wallet("IW2.encryption", "metadata-encryption", "12.2.4", "encryption object incomplete, JWK without kid"),
        wallet("IW3.typ", "signed-metadata-typ", "12.2.3", "typ is not `openidvci-issuer-metadata+jwt`"),
        wallet("IW3.sub", "signed-metadata-sub", "12.2.3", "sub is not the issuer"),
        wallet("IW3.signature", "signed-metadata-signature", "12.2.3", "signature invalid"),
        wallet("IW3.path", "signed-metadata-path", "12.2.3", "signer not trusted"),
        wallet("IW3.times", "signed-metadata-times", "12.2.3", "iat missing or expired"),
        wallet("IW4.issuer", "as-issuer", source: "RFC 8414 3.3", "issuer <a>, asked <b>"),
        wallet("IW4.endpoints", "as-endpoints", "12.3", "<endpoint> missing"),
        wallet("IW4.pkce", "as-pkce", as: .warn, source: "RFC 7636", "S256 not listed"),
        wallet("IW4.par", "as-par", as: .warn, source: "RFC 9126", "no PAR endpoint"),
        wallet("IW4.dpop", "as-dpop", as: .warn, source: "RFC 9449", "no dpop algorithms"),
        wallet("IW4.auth", "as-auth-method", as: .warn, source: "ABCA 10.1", "no `attest_jwt_client_auth`"),
    ]

    private static let authorization: [CheckDefinition] = [
        wallet("IW5.par", "par-response", source: "RFC 9126 2.2", "not 201 with request_uri, expires_in"),
        wallet("IW5.state", "authz-state", source: "RFC 6749 4.1.2", "state differs"),
        wallet("IW5.iss", "authz-iss", source: "RFC 9207 2.4", "iss <a>, expected <b> (missing though announced)"),
        wallet("IW5.error", "authz-error", source: "RFC 6749 4.1.2.1", "authorization answered <code>"),
        wallet("IW7.shape", "token-shape", source: "RFC 6749 5.1", "<member> missing"),
        wallet("IW7.type", "token-type", source: "RFC 9449 5", "token_type <x>, DPoP expected"),
        wallet("IW7.store", "token-no-store", as: .warn, source: "RFC 6749 5.1", "no Cache-Control no-store"),
        wallet(
            "IW7.details", "token-details", "6.2", "authorization_details asked but not returned, or without credential_identifiers"
        ),
        wallet("IW7.lifetime", "token-lifetime", as: .warn, "6.2", "Bearer token longer than 5 min"),
        wallet("IW8.http", "nonce-http", "7.2", "nonce endpoint answered <n>: issuance stops", fault: "nonce-503"),
        wallet("IW8.nonce", "nonce-present", "7.2", "c_nonce missing"),
        wallet("IW8.store", "nonce-no-store", "7.2", "not marked no-store"),
        wallet(
            "IW9", "dpop-nonce-loop", source: "RFC 9449 8-9",
            "use_dpop_nonce again after one retry (AS and RS nonces apart, new jti)"),
        wallet("IW10", "challenge-loop", source: "ABCA 8", "use_attestation_challenge again after one retry"),
        wallet("IW15", "notification-answer", as: .warn, "11.2", "notification answered <n>"),
        wallet(
            "IW16", "reuse-policy-shape", as: .warn, source: "ETSI TS 119 472-3", "credential_reuse_policy <option> unusable: <why>"
        ),
    ]

    private static let issuing: [CheckDefinition] = [
        wallet("IW11.status", "credential-status", "8.3", "status <n> with this body (200 credentials, 202 transaction_id)"),
        wallet(
            "IW11.shape", "credential-shape", "8.3",
            "both or neither of credentials, transaction_id; notification_id without credentials"),
        wallet("IW11.interval", "credential-interval", "8.3", "interval missing or ≤ 0"),
        wallet("IW11.count", "credential-count", "8.3", "<n> credentials for <m> keys"),
        wallet("IW11.plain", "credential-encrypted", "8.3", "plain answer though encryption was asked"),
        wallet("IW11.type", "credential-type", "8.3", "content type <x>"),
        wallet("IW11.jwe", "credential-jwe", "10", "alg, enc, kid or zip differs from the request, or no opening"),
        wallet("IW12.format", "issued-format", "A.2, A.3", "encoding is not that of <format>"),
        wallet("IW12.type", "issued-type", "A.2, A.3", "docType / vct <a>, asked <b>"),
        wallet("IW12.key", "issued-key", "8.3", "bound to a key that was not sent"),
        wallet("IW12.content", "issued-content", "8.3", "R- or S-check <id> failed"),
        wallet("IW12.distinct", "issued-keys-distinct", "8.3", "two credentials share one key"),
        wallet(
            "IW12.batch", "issued-linkable", as: .warn, "15.4.1", "copies share salts, random, status index or timestamps"),
        wallet("IW13.id", "deferred-id", "9.2", "transaction_id changed"),
        wallet("IW13.denied", "deferred-denied", as: .warn, "9.3", "credential_request_denied: polling stops"),
        wallet("IW13.dead", "deferred-after-delivery", as: .warn, "9.2", "delivered transaction still answers"),
        wallet("IW14.code", "error-known", as: .warn, "6.3, 8.3.1.2, 9.3, 11.3", "code <x> not defined for <endpoint>"),
        wallet("IW14.status", "error-status", as: .warn, "6.3, 8.3.1.2, 9.3, 11.3", "status <n>, expected <m>"),
        wallet(
            "IW14.text", "error-text", as: .warn, "8.3.1.2", "error_description outside %x20-21 / 23-5B / 5D-7E (shown escaped)"),
        wallet("IW14.encrypted", "error-encrypted", "8.3.1.2", "error came encrypted"),
    ]

    /// Active under the HAIP profile only.
    private static let profile: [CheckDefinition] = [
        wallet("IW1.scope", "offer-scope", source: "HAIP 4.2", "authorization_code offered without a scope to use"),
        wallet("IW2.scope", "metadata-scope", source: "HAIP 4.1", "configuration <id> has no scope"),
        wallet("IW2.nonce-endpoint", "metadata-nonce-endpoint", source: "HAIP 4.1", "key binding without nonce_endpoint"),
        wallet("IW3.x5c", "signed-metadata-x5c", source: "HAIP 4.1", "no x5c"),
        wallet("IW3.anchor", "signed-metadata-anchor", source: "HAIP 4.1", "trust anchor is in x5c"),
        wallet("IW3.self-signed", "signed-metadata-self-signed", source: "HAIP 4.1", "signing certificate is self-signed"),
    ]

    private static let clients: [CheckDefinition] = [
        issuer("II1.form", "form-encoding", "RFC 6749 3.2", "PAR or token body is not a form"),
        issuer("II1.twice", "parameter-twice", "RFC 6749 3.1, 3.2", "a parameter is repeated"),
        issuer("II2.absent", "client-auth-absent", "ABCA 6.2", "no client authentication where required"),
        issuer("II2.client-id", "client-id-sub", "ABCA 6.3", "client_id is not the attestation's sub"),
        issuer("II3.typ", "attestation-typ", "ABCA 5.1", "typ is not `oauth-client-attestation+jwt`, or header twice"),
        issuer("II3.signature", "attestation-signature", "ABCA 9", "invalid or signer untrusted"),
        issuer("II3.exp", "attestation-exp", "ABCA 5.1", "expired"),
        issuer("II3.claims", "attestation-claims", "ABCA 5.1", "iss (-07), sub or cnf.jwk missing or private"),
        issuer("II3.fresh", "attestation-fresh", "ABCA 6.2", "iat older than policy though unexpired"),
        issuer("II3.challenge", "attestation-challenge", "ABCA 6.2", "challenge missing or stale"),
        issuer("II3.pop-typ", "pop-typ", "ABCA 5.2", "typ, or iss ≠ sub (-07)"),
        issuer("II3.pop-signature", "pop-signature", "ABCA 5.2", "not signed by cnf"),
        issuer("II3.pop-aud", "pop-aud", "ABCA 5.2", "aud is not the AS issuer"),
        issuer("II3.pop-iat", "pop-iat", "ABCA 9", "outside the window (300 s default)"),
        issuer("II3.pop-jti", "pop-jti", "ABCA 9", "jti seen"),
        issuer("II4.missing", "pkce-missing", "RFC 7636 4.4.1", "no code_challenge"),
        issuer("II4.plain", "pkce-plain", "RFC 7636 4.4.1", "method plain, absent or unknown"),
        issuer("II5.type", "code-response-type", "RFC 6749 4.1.2.1", "response_type is not code"),
        issuer("II5.redirect", "redirect-uri-registered", "RFC 6749 4.1.2.1", "redirect_uri missing or not allowed"),
        issuer("II5.request-uri", "par-request-uri", "RFC 9126 2.1", "request_uri sent to PAR"),
    ]

    private static let grants: [CheckDefinition] = [
        issuer("II6.scope", "scope-maps", "VCI 5.1.2", "nothing maps to a configuration (unknown scopes alone are ignored)"),
        issuer("II6.details", "authorization-details", "VCI 5.1.1", "type or configuration id wrong"),
        issuer("II6.locations", "details-locations", "VCI 5.1.1", "locations missing with authorization_servers"),
        issuer("II8", "issuer-state", as: .warn, "VCI 5.1.3", "issuer_state unknown: ignored, may be injected"),
        issuer("II7.method", "par-method", "RFC 9126 2.3", "PAR not by POST"),
        issuer("II7.direct", "par-required", "RFC 9126 4", "parameters direct though PAR is required"),
        issuer("II7.unknown", "request-uri-unknown", "RFC 9126 4", "unknown, expired or of another client"),
        issuer("II7.reused", "request-uri-reused", "RFC 9126 4", "second use"),
        issuer("II10.grant", "grant-type", "RFC 6749 5.2", "unknown grant"),
        issuer(
            "II10.code", "code", "RFC 6749 5.2", "code unknown, expired, used (tokens revoked) or of another client",
            fault: "code-replayed"),
        issuer("II10.redirect", "code-redirect", "RFC 6749 5.2", "redirect_uri differs"),
        issuer("II15", "refresh-token", "RFC 6749 5.2", "unknown, expired, rotated away, of another client or key"),
        issuer("II11.missing", "verifier-missing", "RFC 7636 4.6", "code_verifier absent"),
        issuer("II11.wrong", "verifier-wrong", "RFC 7636 4.6", "does not match"),
        issuer("II12.key", "dpop-key-other", "RFC 9449 10", "token request by another key than dpop_jkt"),
        issuer("II12.par", "dpop-jkt-par", "RFC 9449 10.1", "DPoP header and dpop_jkt differ at PAR"),
        issuer("II13.missing", "pre-code-missing", "VCI 6.1", "pre-authorized_code absent"),
        issuer("II13.wrong", "pre-code-wrong", "VCI 6.3", "unknown, expired or used"),
        issuer("II13.anonymous", "anonymous-not-allowed", "VCI 6.3", "no client_id and anonymous access not supported"),
        issuer("II14.missing", "tx-code-missing", "VCI 6.3", "expected, not sent"),
        issuer("II14.unexpected", "tx-code-unexpected", "VCI 6.3", "sent, not expected"),
        issuer("II14.wrong", "tx-code-wrong", "VCI 6.3", "wrong (attempts limited)"),
        issuer("II16.missing", "dpop-missing", "RFC 9449 5", "no DPoP where required"),
        issuer(
            "II16.proof", "dpop-proof", "RFC 9449 4.3", "typ, alg, jwk (private), signature, htm, htu, iat, jti reuse",
            fault: "dpop-bad"),
        issuer("II17.as", "dpop-nonce-as", as: .warn, "RFC 9449 8", "nonce missing or stale"),
        issuer("II17.rs", "dpop-nonce-rs", as: .warn, "RFC 9449 9", "nonce missing or stale"),
    ]

    private static let requests: [CheckDefinition] = [
        issuer("II20.none", "token-none", "RFC 6750 3", "no token"),
        issuer("II20.query", "token-in-query", "RFC 6750 3.1", "token only in the query or body"),
        issuer("II20.invalid", "token-invalid", "RFC 6750 3.1", "unknown, expired, DPoP-bound sent as Bearer, other key"),
        issuer("II20.scope", "token-scope", "RFC 6750 3.1", "does not cover the credential"),
        issuer("II21", "dpop-resource", "RFC 9449 7.1", "proof invalid, ath missing or wrong", fault: "dpop-ath-wrong"),
        issuer("II22.type", "request-type", "VCI 8.2", "media type"),
        issuer("II22.json", "request-json", "VCI 8.3.1.2", "malformed or repeated member"),
        issuer("II22.one", "request-one-id", "VCI 8.2", "both or neither id"),
        issuer(
            "II22.identifier", "request-identifier", "VCI 8.2", "configuration id though identifiers were returned, or the reverse"),
        issuer("II23.configuration", "unknown-configuration", "VCI 8.3.1.2", "not in metadata"),
        issuer("II23.identifier", "unknown-identifier", "VCI 8.3.1.2", "not of this token"),
        issuer("II24.missing", "proofs-missing", "VCI 8.2", "proofs absent though proof_types_supported"),
        issuer("II24.one", "proofs-one-type", "VCI 8.2", "not exactly one type or empty"),
        issuer("II24.type", "proofs-type", "VCI F", "type not offered"),
        issuer("II24.count", "proofs-count", "VCI 12.2.4", "more than batch_size"),
        issuer("II24.distinct", "proofs-distinct", "VCI 8.3", "key twice"),
        issuer("II25.typ", "proof-typ", "VCI F.1", "typ is not `openid4vci-proof+jwt`"),
        issuer("II25.alg", "proof-alg", "VCI F.4", "alg none, symmetric or not listed"),
        issuer("II25.key", "proof-key", "VCI F.1", "not exactly one of jwk, kid, x5c"),
        issuer("II25.private", "proof-private", "VCI F.4", "private key in the header"),
        issuer("II25.signature", "proof-signature", "VCI F.4", "invalid"),
        issuer("II25.aud", "proof-aud", "VCI F.1", "aud is not the issuer id"),
        issuer("II25.iat", "proof-iat", "VCI F.1", "iat missing or outside the window"),
        issuer("II25.iss", "proof-iss", "VCI F.1", "iss is not client_id, or present for anonymous access"),
        issuer("II26.missing", "proof-nonce-missing", "VCI 8.3.1.2", "no c_nonce though a nonce endpoint exists"),
        issuer("II26.wrong", "proof-nonce-wrong", "VCI 8.3.1.2", "unknown or expired"),
        issuer("II28.one", "attestation-one", "VCI F.3", "not exactly one attestation"),
        issuer("II28.nonce", "attestation-nonce", "VCI F.3", "nonce"),
        issuer("II27.typ", "ka-typ", "VCI D.1", "typ is not `key-attestation+jwt`"),
        issuer("II27.signature", "ka-signature", "VCI D.1", "invalid or untrusted"),
        issuer("II27.exp", "ka-exp", "VCI D.1", "expired, or no exp with jwt proof"),
        issuer("II27.keys", "ka-keys", "VCI D.1", "attested_keys empty"),
        issuer("II27.signer", "ka-signer", "VCI F.1", "proof signer not attested"),
        issuer("II27.level", "ka-level", "VCI D.2", "key_storage or user_authentication lacks <level>"),
        issuer("II29.response", "enc-required", "VCI 8.3.1.2", "response encryption required, object missing"),
        issuer("II29.algs", "enc-unsupported", "VCI 8.3.1.2", "alg, enc, zip not offered or JWK without alg"),
        issuer("II29.plain", "enc-request-plain", "VCI 8.2", "plain request though required, or carrying a response object"),
        issuer("II29.jwe", "enc-request-jwe", "VCI 10", "JWE does not open, kid unknown, inflates past the limit"),
        issuer("II30.id", "deferred-transaction", "VCI 9.1", "not issued, or to another token"),
        issuer("II30.used", "deferred-used", "VCI 9.3", "already delivered"),
        issuer("II30.early", "deferred-early", as: .warn, "VCI 9.1", "polled before interval"),
        issuer("II33", "retry-bounded", as: .warn, "RFC 9449 8", "more than one retry with the same cause", fault: "retry-endless"),
        issuer("II31.id", "notification-id", "VCI 11.3", "unknown"),
        issuer("II31.shape", "notification-shape", "VCI 11.1", "missing or mistyped member, event_description charset"),
        issuer("II31.event", "notification-event", "VCI 11.1", "event unknown"),
        issuer("II32", "nonce-method", "VCI 7.1", "nonce endpoint not by POST"),
    ]

    private static func wallet(
        _ id: String, _ name: String, as level: CheckDefinition.Level = .fail, _ clause: String, _ message: String,
        fault: String? = nil
    ) -> CheckDefinition {
        wallet(id, name, as: level, source: "OpenID4VCI 1.0 \(clause)", message, fault: fault)
    }

    private static func wallet(
        _ id: String, _ name: String, as level: CheckDefinition.Level = .fail, source: String, _ message: String,
        fault: String? = nil
    ) -> CheckDefinition {
        .init(id, name, level, .mdoc, nil, nil, other: source, .vci, message, [fault ?? name])
    }

    private static func issuer(
        _ id: String, _ name: String, as level: CheckDefinition.Level = .fail, _ source: String, _ message: String,
        fault: String? = nil
    ) -> CheckDefinition {
        let source = source.hasPrefix("VCI ") ? "OpenID4VCI 1.0 \(source.dropFirst(4))" : source
        return .init(id, name, level, .reader, nil, nil, other: source, .vci, message, [fault ?? name])
    }
}
