import Ports

/// Why the issuer refuses a request; the check decides what is answered.
struct Refusal: Error, Sendable {
    let check: String?
    let status: Int
    /// The error code; nil: a reply without one (RFC 6750 §3.1).
    private(set) var code: String?
    let detail: String
    var headers = HTTPHeaders()

    init(_ check: String, _ detail: String) {
        let reply = Self.replies[check] ?? (400, "invalid_request")
        self.check = check
        status = reply.0
        code = reply.1
        self.detail = detail
    }

    /// A refusal that is no finding about the wallet.
    init(status: Int, code: String?, _ detail: String) {
        check = nil
        self.status = status
        self.code = code
        self.detail = detail
    }

    func adding(_ header: String, _ value: String) -> Refusal {
        var copy = self
        copy.headers[header] = value
        return copy
    }

    /// The same finding with another code.
    func answering(_ code: String) -> Refusal {
        var copy = self
        copy.code = code
        return copy
    }

    /// Status and code by check.
    private static let replies: [String: (Int, String?)] = {
        var table: [String: (Int, String?)] = [
            "II1.form": (400, "invalid_request"), "II1.twice": (400, "invalid_request"), "II2.absent": (400, "invalid_client"),
            "II2.client-id": (400, "invalid_client"), "II3.fresh": (400, "use_fresh_attestation"),
            "II3.challenge": (400, "use_attestation_challenge"), "II4.missing": (400, "invalid_request"),
            "II4.plain": (400, "invalid_request"), "II5.type": (400, "unsupported_response_type"),
            "II5.redirect": (400, "invalid_request"), "II5.request-uri": (400, "invalid_request"),
            "II6.scope": (400, "invalid_scope"), "II6.details": (400, "invalid_authorization_details"),
            "II6.locations": (400, "invalid_authorization_details"), "II7.method": (405, nil),
            "II7.direct": (400, "invalid_request"),
            "II7.unknown": (400, "invalid_request_uri"), "II7.reused": (400, "invalid_request_uri"),
            "II10.grant": (400, "unsupported_grant_type"), "II10.code": (400, "invalid_grant"),
            "II10.redirect": (400, "invalid_grant"),
            "II15": (400, "invalid_grant"), "II11.missing": (400, "invalid_request"), "II11.wrong": (400, "invalid_grant"),
            "II12.key": (400, "invalid_grant"), "II12.par": (400, "invalid_dpop_proof"), "II13.missing": (400, "invalid_request"),
            "II13.wrong": (400, "invalid_grant"), "II13.anonymous": (400, "invalid_client"),
            "II14.missing": (400, "invalid_request"),
            "II14.unexpected": (400, "invalid_request"), "II14.wrong": (400, "invalid_grant"),
            "II16.missing": (400, "invalid_dpop_proof"), "II16.proof": (400, "invalid_dpop_proof"),
            "II17.as": (400, "use_dpop_nonce"),
            "II17.rs": (401, "use_dpop_nonce"), "II20.none": (401, nil), "II20.query": (401, nil),
            "II20.invalid": (401, "invalid_token"), "II20.scope": (403, "insufficient_scope"), "II21": (401, "invalid_dpop_proof"),
            "II23.configuration": (400, "unknown_credential_configuration"),
            "II23.identifier": (400, "unknown_credential_identifier"), "II26.wrong": (400, "invalid_nonce"),
            "II28.nonce": (400, "invalid_proof"), "II29.response": (400, "invalid_encryption_parameters"),
            "II29.algs": (400, "invalid_encryption_parameters"), "II29.plain": (400, "invalid_credential_request"),
            "II29.jwe": (400, "invalid_encryption_parameters"), "II30.id": (400, "invalid_transaction_id"),
            "II30.used": (400, "invalid_transaction_id"), "II31.id": (400, "invalid_notification_id"),
            "II31.shape": (400, "invalid_notification_request"), "II31.event": (400, "invalid_notification_request"),
            "II32": (405, nil),
        ]
        for id in ["typ", "signature", "exp", "claims", "pop-typ", "pop-signature", "pop-aud", "pop-iat", "pop-jti"] {
            table["II3.\(id)"] = (400, "invalid_client_attestation")
        }
        for id in ["type", "json", "one", "identifier"] { table["II22.\(id)"] = (400, "invalid_credential_request") }
        for id in ["II24.missing", "II24.one", "II24.type", "II24.count", "II24.distinct", "II26.missing", "II28.one"] {
            table[id] = (400, "invalid_proof")
        }
        for id in ["typ", "alg", "key", "private", "signature", "aud", "iat", "iss"] {
            table["II25.\(id)"] = (400, "invalid_proof")
        }
        for id in ["typ", "signature", "exp", "keys", "signer", "level"] { table["II27.\(id)"] = (400, "invalid_proof") }
        return table
    }()
}
