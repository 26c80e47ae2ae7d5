/// What an endpoint may answer when it refuses: the codes its specification defines, with the sentence behind each.
package struct ErrorMeaning: Sendable {
    /// The sentence, in our words.
    package let sentence: String
    /// Where it stands.
    package let clause: String

    /// The endpoints that answer with errors.
    package enum Endpoint: String, Sendable {
        case pushedAuthorization = "PAR endpoint"
        case authorization = "authorization endpoint"
        case token = "token endpoint"
        case nonce = "nonce endpoint"
        case credential = "credential endpoint"
        case deferred = "deferred credential endpoint"
        case notification = "notification endpoint"
    }

    /// The meaning of a code at an endpoint; nil where no specification defines it there.
    package static func of(_ code: String, at endpoint: Endpoint) -> ErrorMeaning? {
        let tables: [[String: (String, String)]] =
            switch endpoint {
            case .pushedAuthorization: [authorization, client]
            case .authorization: [authorization]
            case .token: [token, client]
            case .nonce: []
            case .credential: [credential, protected]
            case .deferred: [deferred, credential, protected]
            case .notification: [notification, protected]
            }
        return tables.lazy.compactMap { $0[code] }.first.map { ErrorMeaning(sentence: $0.0, clause: $0.1) }
    }

    private static let authorization: [String: (String, String)] = [
        "invalid_request": ("a parameter is missing, wrong, repeated or malformed", "RFC 6749 4.1.2.1"),
        "unauthorized_client": ("this client may not ask for a code in this way", "RFC 6749 4.1.2.1"),
        "access_denied": ("the person or the server denied the request", "RFC 6749 4.1.2.1"),
        "unsupported_response_type": ("the server gives no answer of this type", "RFC 6749 4.1.2.1"),
        "invalid_scope": ("no scope maps to a credential that is offered here", "RFC 6749 4.1.2.1"),
        "server_error": ("the server met an unexpected condition", "RFC 6749 4.1.2.1"),
        "temporarily_unavailable": ("the server is overloaded or under maintenance", "RFC 6749 4.1.2.1"),
        "invalid_authorization_details": ("type, configuration id or locations of authorization_details are wrong", "RFC 9396 5"),
        "invalid_request_uri": ("the request_uri is unknown, expired or used", "RFC 9101 7"),
        "interaction_required": ("the server needs the person's browser", "OpenID Connect Core 3.1.2.6"),
    ]

    private static let client: [String: (String, String)] = [
        "invalid_client": ("the client is unknown or did not authenticate as it has to", "RFC 6749 5.2"),
        "invalid_dpop_proof": ("the DPoP proof is missing or invalid", "RFC 9449 5"),
        "use_dpop_nonce": ("the server wants its nonce in the DPoP proof", "RFC 9449 8"),
        "use_attestation_challenge": ("the server wants its challenge in the proof of the client attestation", "ABCA 6.2"),
        "use_fresh_attestation": ("the client attestation is too old for this server", "ABCA 6.2"),
        "invalid_client_attestation": ("the client attestation or its proof does not verify", "ABCA 6.2"),
    ]

    private static let token: [String: (String, String)] = [
        "invalid_request": ("a parameter is missing or repeated; or a transaction code is missing, or not expected", "VCI 6.3"),
        "invalid_grant": ("the code or transaction code is wrong, expired or used", "VCI 6.3"),
        "unauthorized_client": ("this client may not use this grant", "RFC 6749 5.2"),
        "unsupported_grant_type": ("the server does not know this grant", "RFC 6749 5.2"),
        "invalid_scope": ("the scope is unknown or exceeds what was granted", "RFC 6749 5.2"),
        "invalid_authorization_details": ("authorization_details are wrong or exceed what was granted", "RFC 9396 5"),
    ]

    private static let protected: [String: (String, String)] = [
        "invalid_request": ("a parameter of the protected request is missing or malformed", "RFC 6750 3.1"),
        "invalid_token": ("the access token is unknown, expired, revoked or bound to another key", "RFC 6750 3.1"),
        "insufficient_scope": ("the access token does not cover this credential", "RFC 6750 3.1"),
        "invalid_dpop_proof": ("the DPoP proof is missing or invalid", "RFC 9449 7.1"),
        "use_dpop_nonce": ("the issuer wants its nonce in the DPoP proof", "RFC 9449 9"),
    ]

    private static let credential: [String: (String, String)] = [
        "invalid_credential_request": ("the request lacks or repeats a parameter, or is otherwise malformed", "VCI 8.3.1.2"),
        "unknown_credential_configuration": ("the issuer has no such credential configuration", "VCI 8.3.1.2"),
        "unknown_credential_identifier": ("the credential identifier is not one of this token", "VCI 8.3.1.2"),
        "invalid_proof": ("proofs are missing, one is invalid, or one has no c_nonce", "VCI 8.3.1.2"),
        "invalid_nonce": ("the c_nonce of a proof is not valid: fetch another", "VCI 8.3.1.2"),
        "invalid_encryption_parameters": ("the encryption parameters are invalid, or missing though required", "VCI 8.3.1.2"),
        "credential_request_denied": ("the issuer does not issue this credential; asking again is no use", "VCI 8.3.1.2"),
    ]

    private static let deferred: [String: (String, String)] = [
        "invalid_transaction_id": ("the transaction was not issued here, or has been delivered", "VCI 9.3")
    ]

    private static let notification: [String: (String, String)] = [
        "invalid_notification_id": ("the notification id is unknown", "VCI 11.3"),
        "invalid_notification_request": ("the notification lacks a parameter or is malformed", "VCI 11.3"),
    ]
}
