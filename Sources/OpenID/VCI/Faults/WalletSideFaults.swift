import Codec
import Credentials
import Crypto
import Ports

extension IssuanceFault {
    private static func wallet(_ name: String, _ summary: String, also: [String] = [], _ acts: Act...) -> IssuanceFault {
        IssuanceFault(name, .holder, summary, also: also, acts: acts)
    }

    private static func pushed(_ name: String, _ value: String?) -> Act { .request(.pushed) { $0.form?[name] = value } }
    private static func token(_ name: String, _ value: String?) -> Act { .request(.token) { $0.form?[name] = value } }
    private static func credential(_ change: @escaping @Sendable (inout JSONObject) -> Void) -> Act {
        .request(.credential) { draft in
            guard var json = draft.json else { return }
            change(&json)
            draft.json = json
        }
    }

    private static func claim(_ kind: IssuanceFaults.JWTKind, _ name: String, _ value: JSON?) -> Act {
        .jwt(kind) { draft, _ in draft.claims[name] = value }
    }

    private static func member(_ kind: IssuanceFaults.JWTKind, _ name: String, _ value: JSON?) -> Act {
        .jwt(kind) { draft, _ in draft.header[name] = value }
    }

    private static func spoiled(_ kind: IssuanceFaults.JWTKind) -> Act { .jwt(kind) { draft, _ in draft.spoilsSignature = true } }
    private static func foreign(_ kind: IssuanceFaults.JWTKind) -> Act { .jwt(kind) { draft, _ in draft.usesForeignKey = true } }

    /// The key of the header with a private member: what it says is no secret of anyone.
    private static func leaked(_ jwk: JSON?) -> JSON? {
        guard var object = jwk?.objectValue else { return jwk }
        object["d"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"
        return .object(object)
    }

    static let clients: [IssuanceFault] = [
        wallet(
            "form-encoding", "the PAR body is called JSON", .request(.pushed) { $0.headers["Content-Type"] = "application/json" }),
        wallet(
            "parameter-twice", "client_id is sent twice",
            .request(.pushed) { draft in draft.raw = draft.form.map { Array("\($0.encoded)&client_id=other".utf8) } }),
        wallet("client-auth-absent", "no client authentication where it is required", .wallet { $0.attestsClient = false }),
        wallet("client-id-sub", "client_id is another than the attestation's", pushed("client_id", "https://other.example")),
        wallet("attestation-typ", "the attestation is typ JWT", member(.clientAttestation, "typ", "JWT")),
        wallet("attestation-signature", "the signature of the attestation is wrong", spoiled(.clientAttestation)),
        wallet("attestation-exp", "the attestation has expired", claim(.clientAttestation, "exp", 1_000_000_000)),
        wallet("attestation-claims", "the attestation has no sub", claim(.clientAttestation, "sub", nil)),
        wallet("attestation-fresh", "the attestation is old, though not expired", claim(.clientAttestation, "iat", 1_000_000_000)),
        wallet("attestation-challenge", "the challenge of the server is ignored", .conduct(.ignoresChallenges)),
        wallet("pop-typ", "the proof of the attestation is typ JWT", member(.clientProof, "typ", "JWT")),
        wallet("pop-signature", "the proof is signed by another key", foreign(.clientProof)),
        wallet("pop-aud", "the proof is for another server", claim(.clientProof, "aud", "https://other.example")),
        wallet("pop-iat", "the proof is old", claim(.clientProof, "iat", 1_000_000_000)),
        wallet("pop-jti", "the same proof is used twice", claim(.clientProof, "jti", "always-the-same")),
        wallet("pkce-missing", "no code_challenge", pushed("code_challenge", nil)),
        wallet("pkce-plain", "code_challenge_method is plain", pushed("code_challenge_method", "plain")),
        wallet("code-response-type", "response_type is token", pushed("response_type", "token")),
        wallet(
            "redirect-uri-registered", "redirect_uri is http to somewhere", pushed("redirect_uri", "http://wallet.example/callback")
        ),
        wallet("par-request-uri", "request_uri in a pushed request", pushed("request_uri", "urn:example:1")),
    ]

    static let grants: [IssuanceFault] = [
        wallet(
            "scope-maps", "a scope that maps to nothing", pushed("authorization_details", nil), pushed("scope", "no-such-scope")),
        wallet(
            "authorization-details", "authorization_details of another type",
            pushed("authorization_details", #"[{"type":"payment","credential_configuration_id":"mdl"}]"#)),
        wallet(
            "details-locations", "locations name another issuer",
            .request(.pushed) { draft in
                let details = draft.form?["authorization_details"]
                draft.form?["authorization_details"] = details?.replacing(
                    "\"credential_configuration_id\"",
                    with: "\"locations\":[\"https://other.example\"],\"credential_configuration_id\"")
            }),
        wallet("issuer-state", "issuer_state is made up", pushed("issuer_state", "made-up")),
        wallet("par-method", "PAR by GET", .request(.pushed) { $0.method = "GET" }),
        wallet(
            "par-required", "the parameters go straight to the authorization endpoint",
            .open { _, form, endpoint in endpoint.with(query: form) }),
        wallet(
            "request-uri-unknown", "request_uri is made up",
            .open { _, form, endpoint in
                endpoint.with(query: ["client_id": form["client_id"] ?? "", "request_uri": "urn:example:unknown"])
            }),
        wallet("request-uri-reused", "request_uri is used twice", .conduct(.repeatsPushed)),
        wallet("grant-type", "the grant type is password", token("grant_type", "password")),
        wallet("code-replayed", "the code is redeemed twice", .conduct(.repeatsTokenRequest)),
        wallet(
            "code-redirect", "redirect_uri of the token request is another", token("redirect_uri", "https://other.example/callback")
        ),
        wallet("refresh-token", "a rotated refresh token is used again", .conduct(.repeatsRefresh)),
        wallet("verifier-missing", "no code_verifier", token("code_verifier", nil)),
        wallet("verifier-wrong", "the code_verifier is another", token("code_verifier", String(repeating: "x", count: 43))),
        wallet(
            "dpop-key-other", "the token is asked for with another DPoP key", pushed("dpop_jkt", nil),
            .request(.pushed) { draft in
                draft.headers["DPoP"] = nil
                draft.form?["dpop_jkt"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            }),
        wallet(
            "dpop-jkt-par", "dpop_jkt is not the key of the proof at PAR",
            pushed("dpop_jkt", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
        wallet("pre-code-missing", "no pre-authorized_code", token("pre-authorized_code", nil)),
        wallet("pre-code-wrong", "the pre-authorized_code is made up", token("pre-authorized_code", "made-up")),
        wallet(
            "anonymous-not-allowed", "no client_id though anonymous access is off", .wallet { $0.attestsClient = false },
            token("client_id", nil)),
        wallet("tx-code-missing", "no transaction code", token("tx_code", nil)),
        wallet("tx-code-unexpected", "a transaction code that nobody asked for", token("tx_code", "1234")),
        wallet("tx-code-wrong", "the transaction code is wrong", token("tx_code", "0000")),
        wallet("dpop-missing", "no DPoP where it is required", .wallet { $0.dpop = .off }),
        wallet(
            "dpop-bad", "the DPoP proof at the token endpoint is wrong in the member after the colon (signature by default)",
            .jwt(.tokenProof) { draft, member in
                switch member {
                case "typ": draft.header["typ"] = "JWT"
                case "alg": draft.header["alg"] = "HS256"
                case "jwk": draft.header["jwk"] = leaked(draft.header["jwk"])
                case "htm": draft.claims["htm"] = "GET"
                case "htu": draft.claims["htu"] = "https://other.example/token"
                case "iat": draft.claims["iat"] = 1_000_000_000
                case "jti": draft.claims["jti"] = "always-the-same"
                default: draft.spoilsSignature = true
                }
            }),
        wallet(
            "dpop-nonce-as", "the DPoP nonce of the server is never sent",
            .jwt(.tokenProof) { draft, _ in draft.claims["nonce"] = nil }),
        wallet(
            "dpop-nonce-rs", "the DPoP nonce of the issuer is never sent",
            .jwt(.resourceProof) { draft, _ in draft.claims["nonce"] = nil }),
    ]

    static let tokens: [IssuanceFault] = [
        wallet(
            "token-none", "no access token",
            .request(.protected) { draft in
                draft.headers["Authorization"] = nil
                draft.headers["DPoP"] = nil
            }),
        wallet(
            "token-in-query", "the access token stands in the query",
            .request(.protected) { draft in
                draft.headers["Authorization"] = nil
                draft.url = draft.url.with(query: ["access_token": "x"])
            }),
        wallet(
            "token-invalid", "the access token is made up", .request(.protected) { $0.headers["Authorization"] = "DPoP made-up" }),
        wallet(
            "token-scope", "a credential that the token does not cover",
            credential { json in
                json["credential_identifier"] = nil
                json["credential_configuration_id"] = "photo-id"
            }),
        wallet("dpop-ath-wrong", "ath is that of another token", claim(.resourceProof, "ath", "AAAA")),
        wallet("nonce-method", "the nonce endpoint by GET", .request(.nonceRequest) { $0.method = "GET" }),
        wallet(
            "retry-endless", "retries without end", also: ["II17.as"],
            .jwt(.tokenProof) { draft, _ in draft.claims["nonce"] = nil }, .conduct(.retriesEndlessly)),
    ]

    static let messages: [IssuanceFault] = [
        wallet(
            "request-type", "the credential request is text/plain",
            .request(.credential) { draft in
                draft.raw = draft.json.map { Array(JSON.object($0).encoded().utf8) }
                draft.headers["Content-Type"] = "text/plain"
            }),
        wallet(
            "request-json", "the credential request is cut off",
            .request(.credential) { draft in
                draft.raw = Array("{\"credential_configuration_id\":".utf8)
                draft.headers["Content-Type"] = "application/json"
            }),
        wallet(
            "request-one-id", "the request names both id and identifier",
            credential { json in
                json["credential_identifier"] = "mdl#1"
                json["credential_configuration_id"] = "mdl"
            }),
        wallet(
            "request-identifier", "the request names the id though the token named identifiers",
            credential { json in
                json["credential_identifier"] = nil
                json["credential_configuration_id"] = "mdl"
            }),
        wallet(
            "unknown-configuration", "the request names a configuration that does not exist",
            credential { json in
                json["credential_configuration_id"] = "no-such-configuration"
            }),
        wallet(
            "unknown-identifier", "the request names an identifier that does not exist",
            credential { json in
                json["credential_identifier"] = "no-such-identifier"
            }),
        wallet(
            "enc-required", "no response encryption though it is required",
            credential { $0["credential_response_encryption"] = nil }),
        wallet(
            "enc-unsupported", "enc of the response is one that the issuer does not offer",
            credential { json in
                guard var object = json["credential_response_encryption"]?.objectValue else { return }
                object["enc"] = "XC20P"
                json["credential_response_encryption"] = .object(object)
            }),
        wallet("enc-request-plain", "the request is plain though it says how to encrypt the response", .conduct(.sendsPlain)),
        wallet(
            "enc-request-jwe", "the encrypted request is damaged",
            .request(.encrypted) { draft in
                guard var raw = draft.raw, raw.count > 24 else { return }
                let place = raw.count - 4
                raw[place] = raw[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                draft.raw = raw
            }),
        wallet(
            "deferred-transaction", "the transaction is made up", .request(.deferred) { $0.json?["transaction_id"] = "made-up" }),
        wallet("deferred-used", "a delivered transaction is asked for again", .conduct(.repeatsDeferred)),
        wallet("deferred-early", "polled before the interval is over", .conduct(.pollsEarly)),
        wallet(
            "notification-id", "the notification id is made up", .request(.notification) { $0.json?["notification_id"] = "made-up" }
        ),
        wallet("notification-shape", "the notification has no event", .request(.notification) { $0.json?["event"] = nil }),
        wallet(
            "notification-event", "the event is one of nobody's", .request(.notification) { $0.json?["event"] = "credential_eaten" }
        ),
    ]

    static let proofs: [IssuanceFault] = [
        wallet("proofs-missing", "no proofs", credential { $0["proofs"] = nil }),
        wallet("proofs-one-type", "the list of proofs is empty", credential { $0["proofs"] = ["jwt": []] }),
        wallet("proofs-type", "a proof type that is not offered", credential { $0["proofs"] = ["ldp_vp": ["x"]] }),
        wallet(
            "proofs-count", "more proofs than batch_size",
            credential { json in
                guard let list = json["proofs"]?["jwt"]?.arrayValue, let first = list.first else { return }
                json["proofs"] = ["jwt": .array(list + Array(repeating: first, count: 1001))]
            }),
        wallet(
            "proofs-distinct", "one key is proven twice",
            credential { json in
                guard let list = json["proofs"]?["jwt"]?.arrayValue, let first = list.first else { return }
                json["proofs"] = ["jwt": [first, first]]
            }),
        wallet("proof-typ", "the proof is typ JWT", member(.keyProof, "typ", "JWT")),
        wallet("proof-alg", "the proof is alg none", member(.keyProof, "alg", "none")),
        wallet("proof-key", "the proof has jwk and kid", member(.keyProof, "kid", "0")),
        wallet(
            "proof-private", "the proof's jwk is private",
            .jwt(.keyProof) { draft, _ in draft.header["jwk"] = leaked(draft.header["jwk"]) }),
        wallet("proof-signature", "the proof's signature is wrong", spoiled(.keyProof)),
        wallet("proof-aud", "the proof is for another issuer", claim(.keyProof, "aud", "https://other.example")),
        wallet("proof-iat", "the proof is old", claim(.keyProof, "iat", 1_000_000_000)),
        wallet("proof-iss", "iss of the proof is another client", claim(.keyProof, "iss", "https://other.example")),
        wallet("proof-nonce-missing", "the proof has no nonce", claim(.keyProof, "nonce", nil)),
        wallet("proof-nonce-wrong", "the proof's nonce is made up", claim(.keyProof, "nonce", "made-up")),
        wallet(
            "attestation-one", "two attestations", .wallet { $0.proofType = "attestation" },
            credential { json in
                guard let list = json["proofs"]?["attestation"]?.arrayValue else { return }
                json["proofs"] = ["attestation": .array(list + list)]
            }),
        wallet(
            "attestation-nonce", "the attestation has no nonce", .wallet { $0.proofType = "attestation" },
            claim(.keyAttestation, "nonce", nil)),
        wallet(
            "ka-typ", "the key attestation is typ JWT", .wallet { $0.attestsKeys = true }, member(.keyAttestation, "typ", "JWT")),
        wallet(
            "ka-signature", "the key attestation's signature is wrong", .wallet { $0.attestsKeys = true }, spoiled(.keyAttestation)),
        wallet(
            "ka-exp", "the key attestation has expired", .wallet { $0.attestsKeys = true },
            claim(.keyAttestation, "exp", 1_000_000_000)),
        wallet(
            "ka-keys", "the key attestation attests no key", .wallet { $0.attestsKeys = true },
            claim(.keyAttestation, "attested_keys", [])),
        wallet(
            "ka-signer", "the key attestation is of other keys", .wallet { $0.attestsKeys = true },
            .jwt(.keyAttestation) { draft, _ in
                // The generator of P-256 as a point: a public key of nobody here.
                draft.claims["attested_keys"] = [
                    [
                        "kty": "EC", "crv": "P-256", "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
                        "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
                    ]
                ]
            }),
        wallet(
            "ka-level", "the key attestation states no level", .wallet { $0.attestsKeys = true },
            claim(.keyAttestation, "key_storage", nil)),
    ]
}
