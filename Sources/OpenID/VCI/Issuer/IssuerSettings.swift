package import Codec
import Credentials

/// Everything about a test issuer that can be switched, while it runs too.
package struct IssuerSettings: Sendable {
    /// The credential issuer identifier, and that of its authorization server: a URL without a slash at its end.
    package var identifier: String
    /// The name that people read, by language.
    package var names: [(locale: String, name: String)] = [("en", "Utopia Test Issuer"), ("de", "Test-Aussteller Utopia")]
    package var configurations: [CredentialConfiguration]
    /// Counts what was switched: settings of one issuer with the same number are the same.
    package private(set) var generation = 0

    /// What attests the issuer: `{"format", "data"}`. Wallets can bind it to the signer of signed metadata only.
    package var issuerInfo: [JSON] = []

    package var isHAIP = false
    /// Whether metadata come as a JWT to those who accept one.
    package var signsMetadata = true
    /// Whether /authorize takes pushed requests only.
    package var requiresPAR = true
    package var requiresDPoP = false
    /// Whether proofs have to carry a nonce of the server.
    package var usesDPoPNonces = true
    package var requiresClientAttestation = false
    /// Whether the proof of a client attestation has to carry a challenge of the server.
    package var requiresChallenge = false
    /// The oldest client attestation, in seconds.
    package var attestationFreshness: Int64?
    /// Whether the pre-authorized code is given tokens without a client_id.
    package var allowsAnonymous = true
    /// Whether a person decides at /authorize; else everything is approved at once.
    package var asksPerson = false
    /// What the wallet has to present before anything is issued by authorization code: a value of the switch; nil: nothing.
    package var presentation: String?
    /// Redirect URIs that are allowed; empty: any https, loopback or private scheme.
    package var redirectURIs: [String] = []
    package var hasNonceEndpoint = true
    package var requestEncryption = Encryption.offered
    package var responseEncryption = Encryption.offered
    package var offersCompression = true
    /// The most proofs of a request; 1: no batches.
    package var batchSize = 10
    /// How often the answer is "later", the credential endpoint's included; 0: at once.
    package var deferrals = 0
    /// Seconds between polls.
    package var deferralInterval: Int64 = 1
    /// Whether deferred requests end in a denial.
    package var deniesDeferred = false
    /// Whether every credential request is denied.
    package var deniesCredential = false
    package var hasNotificationEndpoint = true
    /// How often wallets shall present a copy (ETSI TS 119 472-3); nil: nothing is said.
    package var reuse: ReusePolicy.Method?
    /// The copies that go with it.
    package var reuseBatch = 3
    /// The unused copies at which fresh ones are due.
    package var reuseUnused = 1
    /// The seconds of validity at which fresh ones are due.
    package var reuseLifetimeLeft = 86400
    package var givesRefreshTokens = true
    package var rotatesRefreshTokens = true
    package var tokenLifetime: Int64 = 300
    package var refreshLifetime: Int64 = 30 * 86400
    package var codeLifetime: Int64 = 300
    package var requestURILifetime: Int64 = 60
    package var nonceLifetime: Int64 = 300
    /// Wrong transaction codes until a code dies.
    package var transactionCodeAttempts = 3

    /// Whether messages are encrypted.
    package enum Encryption: String, Sendable, CaseIterable { case off, offered, required }

    package init(identifier: String, configurations: [CredentialConfiguration]) {
        self.identifier = identifier
        self.configurations = configurations
    }

    /// The reuse policy of every configuration.
    package var reusePolicy: ReusePolicy? {
        reuse.map { method in
            ReusePolicy(
                method: method, batchSize: reuseBatch,
                triggerUnused: [.limitedTime, .rotatingBatch].contains(method) ? nil : min(reuseUnused, reuseBatch - 1),
                triggerLifetimeLeft: method == .limitedTime || method == .rotatingBatch ? Int64(reuseLifetimeLeft) : nil)
        }
    }

    package func configuration(_ id: String) -> CredentialConfiguration? {
        configurations.first { $0.id == id }.map(underReusePolicy)
    }

    /// A configuration with the reuse policy that is switched on.
    private func underReusePolicy(_ configuration: CredentialConfiguration) -> CredentialConfiguration {
        guard let reusePolicy else { return configuration }
        var configuration = configuration
        configuration.reusePolicy = reusePolicy.json
        return configuration
    }

    /// The URL of one of the issuer's own endpoints.
    package func endpoint(_ name: String) -> String { "\(identifier)/\(name)" }

    /// What HAIP 1.0 wants of an issuer.
    package mutating func adoptHAIP() {
        isHAIP = true
        requiresPAR = true
        requiresDPoP = true
        requiresClientAttestation = true
        allowsAnonymous = false
        hasNonceEndpoint = true
        tokenLifetime = min(tokenLifetime, 300)
    }
}

extension IssuerSettings {
    /// A setting that people and scripts switch by name.
    package struct Switch: Sendable {
        package let name: String
        package let help: String
        /// The values it takes; for a number, none.
        package let values: [String]
        let read: @Sendable (IssuerSettings) -> String
        let write: @Sendable (inout IssuerSettings, String) -> Bool

        package func value(in settings: IssuerSettings) -> String { read(settings) }
    }

    /// Every switch, in the order of the page.
    package static let switches: [Switch] = [
        flag("par", "only pushed authorization requests", \.requiresPAR),
        flag("dpop", "DPoP is required", \.requiresDPoP),
        flag("dpop-nonce", "DPoP proofs carry a nonce of the server", \.usesDPoPNonces),
        flag("attestation", "client attestation is required", \.requiresClientAttestation),
        flag("challenge", "its proof carries a challenge of the server", \.requiresChallenge),
        flag("anonymous", "pre-authorized codes need no client_id", \.allowsAnonymous),
        flag("ask", "a person decides at the authorization page", \.asksPerson),
        Switch(
            name: "present", help: "what the wallet presents first, over OpenID4VP, with an authorization code",
            values: ["off", "pid", "pid-mdoc", "mdl"], read: { $0.presentation ?? "off" },
            write: { settings, value in
                guard ["off", "pid", "pid-mdoc", "mdl"].contains(value) else { return false }
                settings.presentation = value == "off" ? nil : value
                return true
            }),
        flag("signed-metadata", "metadata as a signed JWT for those who accept one", \.signsMetadata),
        flag("nonce", "a nonce endpoint", \.hasNonceEndpoint),
        choice("request-encryption", "encrypted requests", \.requestEncryption),
        choice("response-encryption", "encrypted responses", \.responseEncryption),
        flag("compression", "zip DEF both ways", \.offersCompression),
        number("batch", "the most proofs of a request", 1...1000, \.batchSize),
        Switch(
            name: "reuse", help: "how often a copy may be presented", values: ["off"] + ReusePolicy.Method.allCases.map(\.rawValue),
            read: { $0.reuse?.rawValue ?? "off" },
            write: { settings, value in
                settings.reuse = ReusePolicy.Method(rawValue: value)
                return value == "off" || settings.reuse != nil
            }),
        number("reuse-batch", "copies under a reuse policy", 1...1000, \.reuseBatch),
        number("reuse-unused", "fresh copies are due at so many unused ones", 0...999, \.reuseUnused),
        number("reuse-lifetime-left", "or at so many seconds of validity", 0...31_536_000, \.reuseLifetimeLeft),
        number("defer", "how often the answer is: later", 0...1000, \.deferrals),
        flag("deny-deferred", "deferred requests end in a denial", \.deniesDeferred),
        flag("deny", "credential requests are denied", \.deniesCredential),
        flag("notification", "a notification endpoint", \.hasNotificationEndpoint),
        flag("refresh", "refresh tokens", \.givesRefreshTokens),
        flag("rotation", "a new refresh token each time", \.rotatesRefreshTokens),
    ]

    /// Sets a switch.
    /// - Returns: whether there is such a switch, and it takes the value.
    package mutating func set(_ name: String, to value: String) -> Bool {
        guard let known = Self.switches.first(where: { $0.name == name }) else { return false }
        generation += 1
        return known.write(&self, value)
    }

    private static func flag(
        _ name: String, _ help: String, _ path: any WritableKeyPath<IssuerSettings, Bool> & Sendable
    ) -> Switch {
        Switch(name: name, help: help, values: ["on", "off"], read: { $0[keyPath: path] ? "on" : "off" }) { settings, value in
            guard value == "on" || value == "off" else { return false }
            settings[keyPath: path] = value == "on"
            return true
        }
    }

    private static func choice(
        _ name: String, _ help: String, _ path: any WritableKeyPath<IssuerSettings, Encryption> & Sendable
    ) -> Switch {
        Switch(name: name, help: help, values: Encryption.allCases.map(\.rawValue), read: { $0[keyPath: path].rawValue }) {
            settings, value in
            guard let known = Encryption(rawValue: value) else { return false }
            settings[keyPath: path] = known
            return true
        }
    }

    private static func number(
        _ name: String, _ help: String, _ range: ClosedRange<Int>, _ path: any WritableKeyPath<IssuerSettings, Int> & Sendable
    ) -> Switch {
        Switch(name: name, help: help, values: [], read: { String($0[keyPath: path]) }) { settings, value in
            guard let number = Int(value), range.contains(number) else { return false }
            settings[keyPath: path] = number
            return true
        }
    }
}

extension IssuerSettings {
    /// The issuer's metadata (OpenID4VCI 1.0 §12.2.4).
    ///
    /// - Parameter requestKey: of encrypted requests, with kid and alg.
    package func metadata(requestKey: JSONObject, locales: [String]) -> (json: JSONObject, languages: [String]) {
        let shown = names.filter { Self.isWanted($0.locale, by: locales) }
        let display = (shown.isEmpty ? names : shown)
        var json: JSONObject = [
            "credential_issuer": .string(identifier), "credential_endpoint": .string(endpoint("credential")),
            "deferred_credential_endpoint": .string(endpoint("deferred_credential")),
            "display": .array(display.map { ["name": .string($0.name), "locale": .string($0.locale)] }),
        ]
        if hasNonceEndpoint { json["nonce_endpoint"] = .string(endpoint("nonce")) }
        if hasNotificationEndpoint { json["notification_endpoint"] = .string(endpoint("notification")) }
        if !issuerInfo.isEmpty { json["issuer_info"] = .array(issuerInfo) }
        if batchSize > 1 { json["batch_credential_issuance"] = ["batch_size": .integer(Int64(batchSize))] }
        let encryptions = JSON.array(JWEEncryption.allCases.map { .string($0.rawValue) })
        if requestEncryption != .off {
            var object: JSONObject = [
                "jwks": ["keys": [.object(requestKey)]], "enc_values_supported": encryptions,
                "encryption_required": .bool(requestEncryption == .required),
            ]
            if offersCompression { object["zip_values_supported"] = ["DEF"] }
            json["credential_request_encryption"] = .object(object)
        }
        if responseEncryption != .off, requestEncryption != .off {
            var object: JSONObject = [
                "alg_values_supported": [.string(JWE.keyManagement)], "enc_values_supported": encryptions,
                "encryption_required": .bool(responseEncryption == .required),
            ]
            if offersCompression { object["zip_values_supported"] = ["DEF"] }
            json["credential_response_encryption"] = .object(object)
        }
        json["credential_configurations_supported"] = .object(
            JSONObject(
                configurations.map { configuration in
                    var configuration = underReusePolicy(configuration)
                    let shown = configuration.display.filter { Self.isWanted($0["locale"]?.stringValue ?? "", by: locales) }
                    if !shown.isEmpty { configuration.display = shown }
                    return (key: configuration.id, value: .object(configuration.json))
                }))
        return (json, display.map(\.locale))
    }

    private static func isWanted(_ locale: String, by locales: [String]) -> Bool {
        locales.isEmpty || locales.contains("*")
            || locales.contains { $0.lowercased().split(separator: "-").first == locale.lowercased().split(separator: "-").first }
    }

    /// The metadata of the authorization server (RFC 8414).
    package var serverMetadata: JSONObject {
        var json: JSONObject = [
            "issuer": .string(identifier), "authorization_endpoint": .string(endpoint("authorize")),
            "token_endpoint": .string(endpoint("token")),
            "pushed_authorization_request_endpoint": .string(endpoint("par")),
            "require_pushed_authorization_requests": .bool(requiresPAR), "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": .array(
                [CredentialOffer.authorizationCodeGrant, CredentialOffer.preAuthorizedGrant, "refresh_token"].map { .string($0) }),
            "code_challenge_methods_supported": [.string(PKCE.method)],
            "dpop_signing_alg_values_supported": ["ES256", "ES384", "ES512", "EdDSA"],
            "token_endpoint_auth_methods_supported": requiresClientAttestation
                ? [.string(ClientAttestation.method)] : [.string(ClientAttestation.method), "none"],
            "client_attestation_signing_alg_values_supported": ["ES256", "ES384", "ES512", "EdDSA"],
            "client_attestation_pop_signing_alg_values_supported": ["ES256", "ES384", "ES512", "EdDSA"],
            "authorization_response_iss_parameter_supported": true,
            "authorization_details_types_supported": [.string(AuthorizationDetail.type)],
            "scopes_supported": .array(configurations.compactMap(\.scope).map { .string($0) }),
            "pre-authorized_grant_anonymous_access_supported": .bool(allowsAnonymous),
        ]
        if requiresChallenge { json["challenge_endpoint"] = .string(endpoint("challenge")) }
        return json
    }
}

/// An element of `authorization_details` (OpenID4VCI 1.0 §5.1.1).
package enum AuthorizationDetail {
    package static let type = "openid_credential"

    /// What a wallet asks for.
    /// - Parameter locations: the issuer, where its metadata name authorization servers.
    package static func request(_ configurationIDs: [String], locations: String?) -> JSON {
        .array(
            configurationIDs.map { id in
                var object: JSONObject = ["type": .string(type), "credential_configuration_id": .string(id)]
                if let locations { object["locations"] = [.string(locations)] }
                return .object(object)
            })
    }
}
