import Codec
import Credentials
import Crypto
import Ports

/// Something wrong with a request of OpenID4VP, made by the verifier: data, and one small change.
public struct VPRequestFault: Sendable, Identifiable {
    /// The name on the command line: "nonce-missing".
    public let name: String
    /// What it does, for people.
    public let summary: String
    /// Checks that may fail or warn along with those it must trip.
    public let also: [String]
    private let link: (@Sendable (inout FormFields) -> Void)?
    private let object: (@Sendable (inout RequestDraft) throws -> Void)?

    public var id: String { name }

    /// The ids of the checks that it must trip.
    public var trips: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }

    /// Every fault of requests.
    public static let all =
        linkFaults + endpointFaults + objectFaults + clientFaults + parameterFaults + keyFaults
        + transactionFaults + queryFaults + digitalFaults

    private init(
        _ name: String, _ summary: String, also: [String] = [],
        _ object: (@Sendable (inout RequestDraft) throws -> Void)? = nil
    ) {
        self.name = name
        self.summary = summary
        self.also = also
        self.link = nil
        self.object = object
    }

    /// A change of the link alone.
    private init(
        link name: String, _ summary: String, also: [String] = [], _ change: @escaping @Sendable (inout FormFields) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.also = also
        self.link = change
        self.object = nil
    }

    static func spoil(link fields: inout FormFields, _ faults: VPFaultSet) {
        for fault in all where faults.contains(fault.name) { fault.link?(&fields) }
    }

    static func spoil(_ draft: inout RequestDraft, _ faults: VPFaultSet) throws {
        for fault in all where faults.contains(fault.name) { try fault.object?(&draft) }
    }

    // MARK: link

    private static let linkFaults: [VPRequestFault] = [
        .init(link: "request-form", "both request and request_uri") { $0["request"] = "e30.e30.e30" },
        .init(link: "request-uri-method", "request_uri_method is PUT") { $0["request_uri_method"] = "PUT" },
        .init(link: "request-uri-method-alone", "request_uri_method without request_uri", also: ["VW1"]) { fields in
            fields["request_uri_method"] = "get"
            fields["request_uri"] = nil
        },
        .init(link: "client-id-equal", "the link names another client_id than the object") {
            $0["client_id"] = "x509_hash:another"
        },
    ]

    private static let endpointFaults: [VPRequestFault] = [
        .init("request-uri-http", "request_uri answers 500"), .init("request-uri-redirect", "request_uri redirects"),
        .init("request-uri-type", "request_uri answers application/json"),
        .init("request-uri-limit", "request_uri answers 2 MiB"),
        .init("response-answer-status", "the response endpoint answers 500"),
        .init("response-answer-body", "the response endpoint answers no JSON"),
        .init("response-answer-redirect", "the response endpoint redirects"),
        .init("response-answer-redirect-uri", "no redirect_uri in a same-device answer"),
    ]

    // MARK: object

    private static let objectFaults: [VPRequestFault] = [
        .init("wallet-nonce", "wallet_nonce is not echoed") { $0.parameters["wallet_nonce"] = nil },
        .init("request-typ", "typ is JWT") { $0.header["typ"] = "JWT" },
        .init("request-alg", "the request object is not secured: alg none", also: ["VW17"]) { $0.isUnsecured = true },
        .init("request-crit", "crit names an extension that nobody knows", also: ["VW17"]) { draft in
            draft.header["crit"] = ["x-walletbench"]
            draft.header["x-walletbench"] = true
        },
        .init("request-aud", "aud is another wallet") { $0.parameters["aud"] = "https://other-wallet.example" },
        .init("request-signature-wrong", "one bit of the request's signature is flipped") { $0.spoilsSignature = true },
        .init("request-expired", "the request object has expired") { draft in
            draft.parameters["iat"] = .integer(draft.time.adding(days: -2).secondsSince1970)
            draft.parameters["exp"] = .integer(draft.time.adding(days: -1).secondsSince1970)
        },
    ]

    // MARK: client

    private static let clientFaults: [VPRequestFault] = [
        .init("client-id-missing", "the object has no client_id") { $0.parameters["client_id"] = nil },
        .init("client-id-prefix", "a prefix that nobody knows", also: ["VW8.equal"]) {
            $0.setClient("x509_san_uri:https://verifier.example")
        },
        .init("client-id-origin", "the reserved prefix origin", also: ["VW8.equal"]) {
            $0.setClient("origin:https://verifier.example")
        },
        .init("redirect-uri-signed", "a signed request with the prefix redirect_uri", also: ["VW8.equal"]) { draft in
            draft.setClient("redirect_uri:\(draft.transaction.responseURI)")
        },
        .init("redirect-uri-value", "client_id is another address than response_uri", also: ["VW8.equal"]) {
            $0.setClient("redirect_uri:https://other.example/response")
        },
        .init("san-dns-match", "a DNS name that the certificate does not have", also: ["VW8.equal", "VW11.host"]) {
            $0.setClient("x509_san_dns:other.example")
        },
        .init("san-dns-host", "responses go to another host than the client's") { draft in
            draft.parameters["response_uri"] = "https://other.example/response"
        },
        .init("x509-hash-match", "the hash of another certificate", also: ["VW8.equal"]) { draft in
            draft.setClient("x509_hash:" + Base64URL.encode(HashAlgorithm.sha256.digest([0])))
        },
        .init("request-x5c", "no x5c") { $0.header["x5c"] = nil },
        .init("request-path", "a chain that leads to a root that nobody trusts", also: ["VW8.equal"]) { draft in
            let maker = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
            let reader = try maker.endEntity(.reader, issuer: maker.authority("TEST Reader CA"))
            try draft.sign(by: reader, chain: [reader.certificate])
        },
        .init("request-chain-validity", "the certificate has expired", also: ["VW8.equal", "VW13.path"]) { draft in
            let maker = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
            let reader = try maker.endEntity(.reader, issuer: maker.authority("TEST Reader CA")) { builder in
                builder.notBefore = maker.time.adding(days: -20)
                builder.notAfter = maker.time.adding(days: -1)
            }
            try draft.sign(by: reader, chain: [reader.certificate])
        },
        .init(
            "request-leaf-self-signed", "the signing certificate is self-signed", also: ["VW8.equal", "VW13.path", "VW13.anchor"]
        ) { draft in
            let maker = CertificateMaker(at: draft.time, random: draft.random, organization: "Erewhon")
            let reader = try maker.authority("TEST Self-Signed Reader")
            try draft.sign(by: reader, chain: [reader.certificate])
        },
        .init("request-anchor-in-x5c", "the trust anchor is in x5c") { draft in
            guard let root = draft.anchor else {
                throw TamperingError.needs("an identity whose root is known", fault: "request-anchor-in-x5c")
            }
            draft.header["x5c"] = .array((draft.certificates + [root]).map { .string(Base64.encode($0.der)) })
        },
        .init("va-jwt", "the attestation's signature is wrong") { draft in
            try draft.changeAttestation(fault: "va-jwt") { String($0.dropLast(4)) + ($0.hasSuffix("AAAA") ? "BBBB" : "AAAA") }
        },
        .init("va-sub", "client_id is not sub of the attestation", also: ["VW8.equal"]) {
            $0.setClient("verifier_attestation:somebody")
        },
        .init("va-exp", "the attestation has expired", also: ["VW14.jwt"]) { draft in
            let expired = JSON.integer(draft.time.adding(days: -1).secondsSince1970)
            try draft.changeAttestationClaims(fault: "va-exp") { $0["exp"] = expired }
        },
        .init("va-cnf", "another key signs than the attestation confirms") { draft in
            draft.signer = try JWSSigner(
                PrivateKey.generate(.p256, random: draft.random), nonce: draft.random.isDeterministic ? .deterministic : .random)
        },
        .init("va-redirect-uris", "the response address is not one of the attestation", also: ["VW14.jwt"]) { draft in
            try draft.changeAttestationClaims(fault: "va-redirect-uris") { $0["redirect_uris"] = ["https://other.example/cb"] }
        },
        .init("va-trust", "the attestation is of an issuer that nobody trusts", also: ["VW14.jwt"]) { draft in
            try draft.changeAttestationClaims(fault: "va-trust") { $0["iss"] = "https://nobody.example" }
        },
        .init("did-kid", "kid is of no key in the DID document") { draft in
            draft.header["kid"] = .string((draft.header["kid"]?.stringValue ?? "did:example") + "-other")
        },
        .init("did-resolve", "a DID that does not resolve", also: ["VW8.equal"]) {
            $0.setClient("decentralized_identifier:did:example:1")
        },
        .init("pre-registered-metadata", "client_metadata although the client is registered") { draft in
            draft.parameters["client_metadata"] = ["vp_formats_supported": draft.transaction.formats.json]
        },
    ]

    // MARK: parameters

    private static let parameterFaults: [VPRequestFault] = [
        .init("response-type", "response_type is code") { $0.parameters["response_type"] = "code" },
        .init("response-mode", "response_mode is form_post") { $0.parameters["response_mode"] = "form_post" },
        .init("response-uri-missing", "no response_uri") { $0.parameters["response_uri"] = nil },
        .init("redirect-uri-present", "redirect_uri next to response_uri") {
            $0.parameters["redirect_uri"] = "https://verifier.example/cb"
        },
        .init("response-uri-https", "response_uri is http") { $0.parameters["response_uri"] = "http://verifier.example/response" },
        .init("nonce-missing", "no nonce") { $0.parameters["nonce"] = nil },
        .init("nonce-chars", "a nonce with a space", also: ["VW22.short"]) {
            $0.parameters["nonce"] = "not url safe, but long enough"
        },
        .init("nonce-short", "a nonce of 48 bits", also: ["S16.nonce", "VV9.transcript", "R24.signature"]) {
            $0.parameters["nonce"] = "abcdefgh"
        },
        .init("nonce-reused", "the same nonce every time", also: ["S16.nonce", "VV9.transcript", "R24.signature"]) {
            $0.parameters["nonce"] = "the-same-nonce-every-time"
        },
        .init("state-required", "no state though a query needs no holder binding", also: ["VV5", "VW31.status"]) {
            $0.parameters["state"] = nil
        },
        .init("state-chars", "a state with a space", also: ["VV5", "VW31.status"]) { $0.parameters["state"] = "not url safe" },
        .init("query-missing", "no dcql_query") { $0.parameters["dcql_query"] = nil },
        .init("query-and-scope", "dcql_query and scope") { $0.parameters["scope"] = "org.walletbench.licence" },
        .init("scope-known", "a scope that nobody knows") { draft in
            draft.parameters["dcql_query"] = nil
            draft.parameters["scope"] = "org.walletbench.unheard-of"
        },
        .init("vp-formats-missing", "no vp_formats_supported") { $0.setMetadata("vp_formats_supported", nil) },
        .init("vp-formats-unsupported", "only a format of the W3C") { $0.setMetadata("vp_formats_supported", ["ldp_vc": [:]]) },
        .init("verifier-info-shape", "an entry of verifier_info without data") {
            $0.parameters["verifier_info"] = [["format": "jwt"]]
        },
        .init("query-unsatisfiable", "a query that no wallet satisfies") { draft in
            draft.parameters["dcql_query"] = [
                "credentials": [["id": "nothing", "format": "mso_mdoc", "meta": ["doctype_value": "org.walletbench.nothing"]]]
            ]
        },
    ]

    private static let keyFaults: [VPRequestFault] = [
        .init("enc-key", "no encryption key") { $0.setMetadata("jwks", nil) },
        .init("enc-key-alg", "a key without alg before the good one") { draft in
            draft.changeKeys { keys in [keys[0].replacing("alg", nil).replacing("kid", "other")] + keys }
        },
        .init("enc-key-kid", "the key has no kid", also: ["VV4.kid"]) { draft in
            draft.changeKeys { $0.map { $0.replacing("kid", nil) } }
        },
        .init("enc-value", "only an enc that nobody knows") {
            $0.setMetadata("encrypted_response_enc_values_supported", ["XC20P"])
        },
        .init("enc-key-p256", "only a key on P-384", also: ["VV4.decrypt"]) { draft in
            let key = try PrivateKey.generate(.p384, random: draft.random)
            var jwk = key.publicKey.jwk
            for (name, value) in ["use": "enc", "alg": "ECDH-ES", "kid": "p384"] as [String: String] { jwk[name] = .string(value) }
            draft.setMetadata("jwks", ["keys": [.object(jwk)]])
        },
        .init("enc-values-both", "only A128GCM") { $0.setMetadata("encrypted_response_enc_values_supported", ["A128GCM"]) },
        .init("enc-key-reused", "the same encryption key every time", also: ["VV4.decrypt"]) { draft in
            let key = try PrivateKey.generate(.p256, random: SeededRandom(seed: 7))
            var jwk = key.publicKey.jwk
            for (name, value) in ["use": "enc", "alg": "ECDH-ES", "kid": "always"] as [String: String] {
                jwk[name] = .string(value)
            }
            draft.setMetadata("jwks", ["keys": [.object(jwk)]])
        },
    ]

    private static let transactionFaults: [VPRequestFault] = [
        .init("tx-decode", "transaction data that is no base64url") { $0.parameters["transaction_data"] = ["not base64url!"] },
        .init("tx-type", "transaction data of a type that nobody knows") {
            try $0.setTransaction(["type": "urn:walletbench:unheard-of"])
        },
        .init("tx-shape", "transaction data without a field that its type wants") {
            try $0.setTransaction(["type": "urn:walletbench:payment"])
        },
        .init("tx-credential-ids", "transaction data for a query that is not there") {
            try $0.setTransaction(Self.payment.merging(["credential_ids": ["nothing"]]))
        },
        .init("tx-holder-binding", "transaction data for a query without holder binding") { draft in
            draft.changeQuery { $0.replacing("require_cryptographic_holder_binding", false) }
            try draft.setTransaction(Self.payment)
        },
        .init("tx-key-authorization", "transaction data that the issuer does not let an mdoc sign") {
            try $0.setTransaction(Self.payment)
        },
    ]

    private static let payment: JSONObject = [
        "type": "urn:walletbench:payment", "payee": "Shop", "amount": "12.00", "currency": "EUR",
    ]

    // MARK: query

    private static let queryFaults: [VPRequestFault] = [
        .init("credentials-present", "an empty query") { $0.parameters["dcql_query"] = ["credentials": []] },
        .init("query-id", "a query id with a space") { $0.changeQuery { $0.replacing("id", "no id") } },
        .init("format-present", "no format") { $0.changeQuery { $0.replacing("format", nil) } },
        .init("meta-required", "no meta") { $0.changeQuery { $0.replacing("meta", nil) } },
        .init("flag-type", "multiple is a text") { $0.changeQuery { $0.replacing("multiple", "yes") } },
        .init("trusted-authorities-shape", "an authority without values") {
            $0.changeQuery { $0.replacing("trusted_authorities", [["type": "aki"]]) }
        },
        .init("claims-shape", "empty claims") { $0.changeQuery { $0.replacing("claims", []) } },
        .init("claim-path", "a claim whose path is empty") { $0.changeQuery { $0.replacing("claims", [["path": []]]) } },
        .init("mdoc-path", "an mdoc path of one component") { draft in
            draft.changeQuery { query in
                query.replacing("format", "mso_mdoc").replacing("meta", ["doctype_value": "org.iso.18013.5.1.mDL"])
                    .replacing("claims", [["path": ["family_name"]]])
            }
        },
        .init("claim-id", "claim_sets over claims without id", also: ["VQ14"]) { draft in
            draft.changeQuery { query in
                query.replacing("claims", .array((query["claims"]?.arrayValue ?? []).map { $0.replacing("id", nil) }))
                    .replacing("claim_sets", [["a"]])
            }
        },
        .init("claim-duplicate", "a claim is asked for twice") { draft in
            draft.changeQuery { query in
                let claims = query["claims"]?.arrayValue ?? []
                return query.replacing("claims", .array(claims + claims.prefix(1).map { $0.replacing("id", "again") }))
            }
        },
        .init("claim-values", "a value that is an object") { draft in
            draft.changeQuery { query in
                query.replacing("claims", .array((query["claims"]?.arrayValue ?? []).map { $0.replacing("values", [["a": 1]]) }))
            }
        },
        .init("claim-sets-alone", "claim_sets without claims", also: ["VQ14"]) { draft in
            draft.changeQuery { $0.replacing("claims", nil).replacing("claim_sets", [["a"]]) }
        },
        .init("claim-sets-reference", "claim_sets names a claim that is not there") { draft in
            draft.changeQuery { query in
                let claims = (query["claims"]?.arrayValue ?? []).enumerated().map { $1.replacing("id", .string("c\($0)")) }
                return query.replacing("claims", .array(claims)).replacing("claim_sets", [["nothing"]])
            }
        },
        .init("credential-sets-shape", "a credential set without options") { draft in
            draft.parameters["dcql_query"] = draft.parameters["dcql_query"]?.replacing("credential_sets", [["required": true]])
        },
        .init("credential-sets-reference", "a credential set names a query that is not there") { draft in
            draft.parameters["dcql_query"] = draft.parameters["dcql_query"]?
                .replacing("credential_sets", [["options": [["nothing"]]]])
        },
        .init("intent-to-retain", "intent_to_retain is a text") { draft in
            draft.changeQuery { query in
                query.replacing(
                    "claims", .array((query["claims"]?.arrayValue ?? []).map { $0.replacing("intent_to_retain", "yes") }))
            }
        },
        .init("dcql-json", "dcql_query is a list") { $0.parameters["dcql_query"] = [] },
    ]

    private static let digitalFaults: [VPRequestFault] = [
        .init("dc-protocol", "a protocol that nobody knows"),
        .init("dc-response-mode", "response_mode is direct_post") { $0.parameters["response_mode"] = "direct_post" },
        .init("expected-origins", "a signed request without expected_origins") { $0.parameters["expected_origins"] = nil },
        .init("origin-wrong", "expected_origins names another page") {
            $0.parameters["expected_origins"] = ["https://other.example"]
        },
        .init("multisigned-header", "client_id stands in the payload of a multi-signed request"),
        .init("multisigned-one-invalid", "one of several signatures is wrong"),
        .init("annex-c-encryption-info", "encryptionInfo without recipientPublicKey"),
    ]
}

extension RequestDraft {
    fileprivate mutating func setClient(_ text: String) { parameters["client_id"] = .string(text) }

    fileprivate mutating func setMetadata(_ name: String, _ value: JSON?) {
        parameters["client_metadata"] = parameters["client_metadata"]?.replacing(name, value)
    }

    fileprivate mutating func changeKeys(_ change: ([JSON]) -> [JSON]) {
        guard let keys = parameters["client_metadata"]?["jwks"]?["keys"]?.arrayValue, !keys.isEmpty else { return }
        setMetadata("jwks", ["keys": .array(change(keys))])
    }

    /// Changes the first credential query.
    fileprivate mutating func changeQuery(_ change: (JSON) -> JSON) {
        guard let credentials = parameters["dcql_query"]?["credentials"]?.arrayValue, let first = credentials.first else { return }
        parameters["dcql_query"] = parameters["dcql_query"]?
            .replacing("credentials", .array([change(first)] + credentials.dropFirst()))
    }

    /// Puts transaction data for the first credential query into the request.
    fileprivate mutating func setTransaction(_ members: JSONObject) throws {
        var object = members
        if object["credential_ids"] == nil {
            let id = parameters["dcql_query"]?["credentials"]?[0]?["id"] ?? "nothing"
            object["credential_ids"] = [id]
        }
        parameters["transaction_data"] = [.string(Base64URL.encode(Array(JSON.object(object).encoded().utf8)))]
    }

    /// Another identity signs: the client is the hash of its certificate, so that nothing but the chain is wrong.
    fileprivate mutating func sign(by identity: SigningIdentity, chain: [Certificate]) throws {
        signer = try JWSSigner(identity.key, nonce: random.isDeterministic ? .deterministic : .random)
        header["x5c"] = .array(chain.map { .string(Base64.encode($0.der)) })
        setClient("x509_hash:" + Base64URL.encode(identity.certificate.sha256))
    }

    fileprivate mutating func changeAttestation(fault: String, _ change: (String) -> String) throws {
        guard let text = header["jwt"]?.stringValue else {
            throw TamperingError.needs("an identity with an attestation", fault: fault)
        }
        header["jwt"] = .string(change(text))
    }
}

extension RequestDraft {
    /// Rewrites the attestation under its old signature: a verifier has no key of its issuer.
    fileprivate mutating func changeAttestationClaims(fault: String, _ change: (inout JSONObject) -> Void) throws {
        try changeAttestation(fault: fault) { text in
            guard let jws = try? JWS(compact: text), var claims = try? jws.claims() else { return text }
            change(&claims)
            let payload = Base64URL.encode(Array(JSON.object(claims).encoded().utf8))
            return "\(jws.protected.encoded).\(payload).\(Base64URL.encode(jws.signature))"
        }
    }
}

extension JSON {
    /// An object with one member exchanged or removed.
    func replacing(_ name: String, _ value: JSON?) -> JSON {
        guard var object = objectValue else { return self }
        object[name] = value
        return .object(object)
    }
}

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var object = self
        for (name, value) in other { object[name] = value }
        return object
    }
}
