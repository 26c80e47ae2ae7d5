extension CheckCatalogue {
    /// OpenID4VP: a wallet on a request (VW), a verifier on a response (VV), both over the Digital Credentials API (VD).
    static let openID4VP: [CheckDefinition] = wallet + walletConduct + haipWallet + verifier + digitalCredentials

    private static let wallet: [CheckDefinition] = requestForm + clientIdentification + requestParameters

    private static let requestForm: [CheckDefinition] = [
        row("VW1", "request-form", "5; RFC 9101 5", "both `request` and `request_uri`, or unreadable request"),
        row("VW2.value", "request-uri-method", "5.1, 8.5", "request_uri_method <x>"),
        row("VW2.alone", "request-uri-method-alone", "5.1", "request_uri_method without request_uri"),
        row("VW3.http", "request-uri-http", "5.10.2", "request_uri answered <n>"),
        row("VW3.redirect", "request-uri-redirect", "5.10.1", "redirected (not followed)"),
        row(
            "VW3.type", "request-uri-type", "5.10.1", "content type <x>, `application/oauth-authz-req+jwt` expected"),
        row("VW3.limit", "request-uri-limit", "5.10.2", "body over <n> bytes or slower than <s> s"),
        row("VW4", "wallet-nonce", "5.10.1", "wallet_nonce missing or not echoed"),
        row("VW5.typ", "request-typ", "5; RFC 9101", "typ <x>, `oauth-authz-req+jwt` expected"),
        row("VW5.alg", "request-alg", "5; RFC 9101", "alg <a> none, symmetric or unsupported"),
        row("VW5.crit", "request-crit", "5; RFC 9101", "crit <h>"),
        row("VW7", "request-aud", "5.8", "aud <a>, expected `https://self-issued.me/v2` or own issuer"),
    ]

    private static let clientIdentification: [CheckDefinition] = [
        row("VW8.missing", "client-id-missing", "5.2", "client_id missing"),
        row("VW8.equal", "client-id-equal", "5.10.1", "client_id of link <a> and object <b> differ"),
        row(
            "VW9.prefix", "client-id-prefix", "5.9.1-3, 8.5",
            "prefix <p> unknown and client not pre-registered (x509_san_uri too)"),
        row("VW9.origin", "client-id-origin", "5.9.3", "prefix `origin:` is reserved"),
        row("VW10.signed", "redirect-uri-signed", "5.9.3", "signed request with prefix redirect_uri"),
        row("VW10.value", "redirect-uri-value", "5.9.3", "client_id <a> is not the response or redirect URI <b>"),
        row("VW11.san", "san-dns-match", "5.9.3", "leaf has no dNSName <n>"),
        row("VW11.host", "san-dns-host", "5.9.3", "response_uri host <h> is not <n>"),
        row("VW12", "x509-hash-match", "5.9.3", "x509_hash is not SHA-256 of the leaf certificate"),
        row("VW13.x5c", "request-x5c", "5.9.3", "x5c missing or unreadable"),
        row("VW13.path", "request-path", "5.9.3", "no path to a trusted verifier CA"),
        row("VW13.validity", "request-chain-validity", "5.9.3", "certificate <n> not valid at <t>"),
        row("VW14.jwt", "va-jwt", "5.9.3, 12", "attestation missing, typ or signature wrong"),
        row("VW14.sub", "va-sub", "5.9.3, 12", "sub is not <client>"),
        row("VW14.exp", "va-exp", "12", "expired"),
        row("VW14.cnf", "va-cnf", "5.9.3, 12", "request not signed by cnf"),
        row("VW14.uris", "va-redirect-uris", "5.9.3", "redirect URI not listed"),
        row("VW14.trust", "va-trust", "5.9.3", "issuer <i> not trusted"),
        row("VW15.kid", "did-kid", "5.9.3", "kid missing or not in the DID document"),
        row("VW15.resolve", "did-resolve", "5.9.3", "<did> not resolvable"),
        row("VW16", "pre-registered-metadata", "8.5", "client_metadata present for a pre-registered client"),
        row("VW17", "request-signature", "5.9.3; RFC 9101", "request signature invalid", fault: "request-signature-wrong"),
        row(
            "VW18", "request-times", "RFC 9101", "request object expired, not yet valid or issued in the future",
            fault: "request-expired"),
    ]

    private static let requestParameters: [CheckDefinition] = [
        row("VW19", "response-type", "5.6", "response_type <x>, `vp_token` expected"),
        row("VW20", "response-mode", "5.2, 8.2-8.3, A.2", "response_mode <x> missing or unknown"),
        row("VW21.missing", "response-uri-missing", "8.2", "no response_uri with direct_post"),
        row("VW21.redirect-uri", "redirect-uri-present", "8.2", "redirect_uri next to direct_post"),
        row("VW21.https", "response-uri-https", "14.3.1", "response_uri is not https"),
        row("VW22.missing", "nonce-missing", "5.2, 14.1", "nonce missing"),
        row("VW22.chars", "nonce-chars", "5.2", "characters outside URL-safe ASCII"),
        row("VW22.short", "nonce-short", .warn, "5.2", "below 128 bits"),
        row("VW22.reused", "nonce-reused", .warn, "5.2, 14.1", "seen before"),
        row(
            "VW23.required", "state-required", "5.3", "state missing though a query needs no holder binding (not over DC API)"),
        row("VW23.chars", "state-chars", "5.2", "characters outside URL-safe ASCII"),
        row("VW24.none", "query-missing", "5.1, 8.5", "neither dcql_query nor scope"),
        row("VW24.both", "query-and-scope", "5.1, 8.5", "both"),
        row("VW24.scope", "scope-known", "5.5", "scope <s> unknown"),
        row(
            "VW25.formats", "vp-formats-missing", "5.1, 11.1",
            "vp_formats_supported missing and not known by another mechanism"),
        row("VW25.unsupported", "vp-formats-unsupported", "8.5", "no format or algorithm in common"),
        row("VW26.key", "enc-key", "8.3", "no usable encryption key (use ≠ enc and unknown kty skipped)"),
        row("VW26.alg", "enc-key-alg", .warn, "8.3", "JWK <n> without alg skipped"),
        row("VW26.kid", "enc-key-kid", .warn, "5.1", "JWK without unique kid"),
        row("VW26.enc", "enc-value", "5.1, 8.3", "no enc in common (default A128GCM)"),
        row("VW27.decode", "tx-decode", "5.1, 8.4", "string <n> is not base64url JSON"),
        row("VW27.type", "tx-type", "8.4, 8.5", "type <t> unknown"),
        row("VW27.shape", "tx-shape", "8.5", "field <f> unknown, missing or mistyped"),
        row("VW27.ids", "tx-credential-ids", "5.1, 8.5", "id <i> not in the query or not held"),
        row("VW27.binding", "tx-holder-binding", "B.3.3", "transaction data on a query without holder binding"),
        row("VW27.mdoc", "tx-key-authorization", "B.2.1", "element <e> not authorised by the MSO"),
        row(
            "VW28", "verifier-info-shape", "5.1, 5.11",
            "verifier_info[<n>]: format or data missing (unknown formats ignored; registration_cert → T50)"),
        row(
            "VW29", "request-satisfiable", .warn, "6.4.2, 8.5", "not satisfiable: <query id: reason>", fault: "query-unsatisfiable"),
        row("VW30", "consent", .warn, "8.5, 15.1", "the person refused, or could not be authenticated", fault: nil),
    ]

    private static let walletConduct: [CheckDefinition] = [
        row("VW31.status", "response-answer-status", "8.2", "response endpoint answered <n>"),
        row("VW31.body", "response-answer-body", "8.2", "answer is not JSON `application/json`"),
        row("VW31.redirect", "response-answer-redirect", "8.2", "HTTP redirect (not followed)"),
        row("VW32.minimal", "own-response-minimal", "6.4.1", "own response holds more than selected", fault: "over-disclose"),
        row("VW32.claims", "own-response-no-claims", "6.4.1", "claims although the query has none"),
        row(
            "VW32.optional", "own-response-optional", "8.1", "entry for an unmatched optional query (own conduct)",
            fault: "empty-entry"),
    ]

    private static let haipWallet: [CheckDefinition] = [
        haip("VW13.anchor", "request-anchor-in-x5c", "HAIP 1.0 5", "trust anchor is in x5c"),
        haip("VW13.self-signed", "request-leaf-self-signed", "HAIP 1.0 5", "signing certificate is self-signed"),
        haip("VW26.p256", "enc-key-p256", "HAIP 1.0 5", "no ECDH-ES key on P-256"),
        haip("VW26.values", "enc-values-both", "HAIP 1.0 5", "A128GCM and A256GCM not both listed"),
        haip("VW26.reused", "enc-key-reused", "HAIP 1.0 5", "encryption key was seen in another request"),
        haip(
            "VW31.redirect-uri", "response-answer-redirect-uri", "HAIP 1.0 5.1",
            "no redirect_uri in a same-device answer (when there, it must be followed)"),
    ]

    // MARK: verifier

    private static let verifier: [CheckDefinition] = response4VP + token + presentations + endpoints

    private static let response4VP: [CheckDefinition] = [
        row("VV1.method", "response-method", "8.2", "not a POST with `application/x-www-form-urlencoded`"),
        row("VV1.form", "response-form", "8.2", "parameter missing, twice or not UTF-8"),
        row(
            "VV2.known", "transaction-known", "5.3, 14.3.2", "no transaction for this state or endpoint",
            fault: "response-foreign-state"),
        row("VV2.once", "transaction-once", "14.3.2", "transaction already answered", fault: "response-twice"),
        row("VV2.expired", "transaction-expired", "14.3.2", "transaction expired at <t>", fault: "response-late"),
        row("VV3.error", "wallet-error", "8.5", "wallet answered <code>: <sentence of VP>"),
        row("VV3.code", "wallet-error-known", .warn, "8.5", "error code <x> not defined"),
        row("VV4.plain", "response-encrypted", "8.3", "plain response though encryption was asked (plain errors allowed)"),
        row("VV4.form", "jwe-form", "8.3", "`response` is no compact JWE, or nests a signed JWT"),
        row("VV4.alg", "jwe-alg", "8.3", "alg <a>, JWK has <b>"),
        row("VV4.enc", "jwe-enc", "8.3", "enc <e> not listed"),
        row("VV4.kid", "jwe-kid", .warn, "8.3", "kid missing or unknown"),
        row("VV4.decrypt", "jwe-decrypt", "8.3", "JWE does not open with the key of this request", fault: "jwe-wrong-key"),
        row("VV4.outside", "jwe-parameters-outside", .warn, "8.3", "vp_token or state outside the JWE"),
        row("VV5", "state-returned", "5.3, 14.3.2", "state <a>, expected <b> (inside the JWE when encrypted)"),
    ]

    private static let token: [CheckDefinition] = [
        row("VV6.object", "vp-token-object", "8.1", "vp_token is a <string>, JSON object expected"),
        row("VV6.array", "vp-token-array", "8.1", "<id>: array expected"),
        row("VV6.id", "vp-token-id", "8.1", "<id> not in the query"),
        row("VV6.one", "vp-token-one", "8.1", "<id>: <n> presentations, multiple is false"),
        row("VV6.empty", "vp-token-empty", "8.1", "<id>: empty array"),
    ]

    private static let presentations: [CheckDefinition] = [
        row("VV7.mdoc", "mdoc-encoding", "B.2.5", "presentation is not base64url DeviceResponse"),
        row("VV7.single", "mdoc-one-document", "B.2.5; HAIP 1.0 5.3.1", "DeviceResponse with <n> documents"),
        row("VV7.format", "format-asked", "6.1", "presentation is <a>, query asks <b>"),
        row("VV8.type", "query-type", "6.4.1, 8.6", "type <t> not asked"),
        row("VV8.claims", "query-claims", "6.4.1, 8.6", "missing <paths>, no claim set satisfied"),
        row("VV8.extra", "query-extra", "6.4.1", "not selected: <paths>"),
        row("VV8.values", "query-values", .warn, "6.4.1", "<path>=<v> not among the values asked (not a security check)"),
        row("VV8.authority", "query-authority", .warn, "6.1.1", "issuer not among trusted_authorities"),
        row("VV9.binding", "holder-binding", "8.6", "no holder binding though required", fault: "kb-omitted"),
        row(
            "VV9.transcript", "handover-transcript", "14.1.2, B.2.6", "transcript of this request does not verify (detail in R24)",
            fault: "transcript-other"),
        row(
            "VV10", "formats-alg", "B.2.2, B.3.4",
            "alg <a> with curve <c> not in the requested alg values (MAC: −65537…−65545)"),
        row(
            "VV11", "set-satisfied", "6.4.2, 8.6", "required set <n> unsatisfied: whole vp_token rejected",
            fault: "drop-presentation"),
        row(
            "VV12", "tx-mdoc-element", "8.4, B.2.1",
            "device-signed element of transaction data <n> missing or wrong (SD-JWT: S17)"),
    ]

    private static let endpoints: [CheckDefinition] = [
        haip("VV13.followed", "redirect-followed", "HAIP 1.0 5.1", "wallet did not follow redirect_uri"),
        row("VV13.session", "redirect-session", "14.2", "came back in another session"),
        row("VV13.code", "response-code", "8.2, 14.2", "response_code unknown or used"),
        row("VV14.accept", "fetch-accept", .warn, "5.10", "Accept is not `application/oauth-authz-req+jwt`"),
        row("VV14.form", "fetch-form", "5.10", "POST body not a form"),
        row("VV14.metadata", "wallet-metadata", "5.10", "wallet_metadata is not JSON"),
    ]

    // MARK: Digital Credentials API

    private static let digitalCredentials: [CheckDefinition] = [
        row(
            "VD1", "dc-protocol", "A.1",
            "protocol <p> is none of `openid4vp-v1-unsigned`, `-signed`, `-multisigned`"),
        row("VD2", "dc-response-mode", "A.2", "response_mode is not dc_api / dc_api.jwt"),
        row("VD3.present", "expected-origins", "A.2", "expected_origins missing in a signed request"),
        row(
            "VD3.match", "origin-expected", "A.2", "origin <o> not in expected_origins (wallet: invalid_request)",
            fault: "origin-wrong"),
        row("VD4.header", "multisigned-header", "A.3.2.2", "client_id or verifier_info outside the protected header"),
        row(
            "VD4.one", "multisigned-any-valid", .warn, "A.3.2.2", "signature <n> invalid, another one is used",
            fault: "multisigned-one-invalid"),
        row("VD5", "dc-aud", "A.4", "aud is not `origin:<origin>`"),
        row("VD6", "dc-transcript", "B.2.6.2", "OpenID4VPDCAPIHandover does not verify"),
        annexC("VD7.info", "annex-c-encryption-info", "encryptionInfo malformed"),
        annexC("VD7.hpke", "annex-c-hpke", "response does not open"),
        annexC("VD7.transcript", "annex-c-transcript", "`[\"dcapi\", …]` transcript does not verify"),
    ]

    private static func annexC(_ id: String, _ name: String, _ message: String) -> CheckDefinition {
        .init(id, name, .fail, .both, nil, nil, other: "ISO/IEC TS 18013-7 C", .vp, message, [name])
    }

    /// A rule of the profile HAIP, which outside of it is not run.
    private static func haip(_ id: String, _ name: String, _ clause: String, _ message: String) -> CheckDefinition {
        .init(id, name, .fail, .both, nil, nil, other: clause, .vp, message, [name])
    }

    private static func row(
        _ id: String, _ name: String, _ level: CheckDefinition.Level, _ clause: String, _ message: String, fault: String?
    ) -> CheckDefinition {
        .init(id, name, level, .both, nil, nil, other: "OpenID4VP 1.0 \(clause)", .vp, message, fault.map { [$0] } ?? [])
    }

    private static func row(
        _ id: String, _ name: String, _ level: CheckDefinition.Level, _ clause: String, _ message: String
    ) -> CheckDefinition {
        row(id, name, level, clause, message, fault: name)
    }

    private static func row(_ id: String, _ name: String, _ clause: String, _ message: String) -> CheckDefinition {
        row(id, name, .fail, clause, message, fault: name)
    }

    private static func row(
        _ id: String, _ name: String, _ clause: String, _ message: String, fault: String
    ) -> CheckDefinition {
        row(id, name, .fail, clause, message, fault: fault)
    }
}
