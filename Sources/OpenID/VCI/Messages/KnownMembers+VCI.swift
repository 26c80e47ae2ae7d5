package import Codec

extension KnownMembers {
    /// A name for people in one language, with what is shown beside it (§12.2.4).
    private static let shown: KnownMembers = .list(
        .members([
            "name": .anything, "locale": .anything, "logo": .object("uri", "alt_text"), "description": .anything,
            "background_color": .anything, "background_image": .object("uri", "alt_text"), "text_color": .anything,
        ]))

    /// Descriptions of claims (§B.2).
    private static let claims: KnownMembers = .list(
        .members(["path": .anything, "mandatory": .anything, "display": .list(.object("name", "locale"))]))

    /// A credential configuration: of OpenID4VCI 1.0 (§12.2.4, §A), and of ETSI TS 119 472-3.
    private static let configuration: KnownMembers = .members([
        "format": .anything, "scope": .anything, "credential_signing_alg_values_supported": .anything,
        "cryptographic_binding_methods_supported": .anything,
        "proof_types_supported": .names(
            .members([
                "proof_signing_alg_values_supported": .anything,
                "key_attestations_required": .object("key_storage", "user_authentication", "preferred_key_storage_status_period"),
            ])),
        "credential_metadata": .members(["display": shown, "claims": claims, "credential_reuse_policy": .anything]),
        "credential_reuse_policy": .anything, "doctype": .anything, "vct": .anything, "credential_definition": .anything,
    ])

    /// Issuer metadata (OpenID4VCI 1.0 §12.2.4, ETSI TS 119 472-3); the claims of signed ones included (§12.2.3).
    static let issuerMetadata: KnownMembers = .members([
        "credential_issuer": .anything, "authorization_servers": .anything, "credential_endpoint": .anything,
        "nonce_endpoint": .anything, "deferred_credential_endpoint": .anything, "notification_endpoint": .anything,
        "credential_request_encryption": .object("jwks", "enc_values_supported", "zip_values_supported", "encryption_required"),
        "credential_response_encryption": .object(
            "alg_values_supported", "enc_values_supported", "zip_values_supported", "encryption_required"),
        "batch_credential_issuance": .object("batch_size"), "display": shown,
        "credential_configurations_supported": .names(configuration), "issuer_info": .anything,
        "preferred_client_status_period": .anything,
        "iss": .anything, "sub": .anything, "iat": .anything, "exp": .anything, "nbf": .anything, "jti": .anything,
    ])

    /// A credential offer (§4.1.1).
    private static let offer: KnownMembers = .members([
        "credential_issuer": .anything, "credential_configuration_ids": .anything,
        "grants": .members([
            CredentialOffer.authorizationCodeGrant: .object("issuer_state", "authorization_server"),
            CredentialOffer.preAuthorizedGrant: .members([
                "pre-authorized_code": .anything, "tx_code": .object("input_mode", "length", "description"),
                "authorization_server": .anything,
            ]),
        ]),
    ])

    /// What an offer says that nobody has defined.
    package static func unknown(inOffer json: JSON) -> [String] { offer.unknown(in: json) }
}
