package import Codec
package import Credentials
import Crypto
package import Ports

/// What an issuer says of itself (OpenID4VCI 1.0 §12.2.4), as far as it can be used.
package struct IssuerMetadata: Sendable {
    package var issuer: String
    package var authorizationServers: [String]
    package var credentialEndpoint: WebURL
    package var nonceEndpoint: WebURL?
    package var deferredEndpoint: WebURL?
    package var notificationEndpoint: WebURL?
    package var requestEncryption: RequestEncryption?
    package var responseEncryption: ResponseEncryption?
    package var batchSize: Int?
    package var display: [JSON]
    package var configurations: [CredentialConfiguration]
    /// As received.
    package var json: JSONObject

    /// Keys and methods for encrypted requests.
    package struct RequestEncryption: Sendable {
        package var keys: [JWK]
        package var encryptions: [String]
        package var compressions: [String]
        package var isRequired: Bool
    }

    /// Methods of encrypted responses.
    package struct ResponseEncryption: Sendable {
        package var algorithms: [String]
        package var encryptions: [String]
        package var compressions: [String]
        package var isRequired: Bool
    }

    package func configuration(_ id: String) -> CredentialConfiguration? { configurations.first { $0.id == id } }

    /// The name in the best of the languages; else the host.
    package func displayName(_ locales: [String] = []) -> String {
        CredentialConfiguration.preferred(display, locales)?["name"]?.stringValue ?? issuer
    }
}

/// One thing that is wrong with a peer's message; `check` is the id in the catalogue.
package struct MessageFinding: Error, Sendable, Equatable, CustomStringConvertible {
    package let check: String
    package let what: String

    package init(_ check: String, _ what: String) {
        self.check = check
        self.what = what
    }

    package var description: String { what }
}

/// Reads issuer metadata and collects everything that is wrong with them.
package struct IssuerMetadataReader {
    /// Everything found; empty for good metadata.
    package private(set) var findings: [MessageFinding] = []
    /// What is odd, though nothing goes by it: names that no registry has, members that nobody has defined.
    package private(set) var advice: [String] = []
    /// What can be used; nil where a member is missing that nothing goes without.
    package private(set) var metadata: IssuerMetadata?
    private let object: JSONObject
    private let allowsLoopback: Bool

    /// - Parameters:
    ///   - expected: the identifier whose metadata were asked for; nil leaves it uncompared.
    ///   - isHAIP: its rules count, and http is not even allowed to loopback addresses.
    package init(_ json: JSON, expected: String?, isHAIP: Bool) {
        object = json.objectValue ?? JSONObject()
        allowsLoopback = !isHAIP
        guard json.objectValue != nil else {
            add("IW2.shape", "the metadata are a JSON \(json.typeName), no object")
            return
        }
        read(expected)
        if isHAIP { checkProfile() }
    }

    private mutating func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }

    private mutating func read(_ expected: String?) {
        let issuer = object["credential_issuer"]?.stringValue
        if let issuer {
            if let expected, issuer != expected { add("IW2.issuer", "credential_issuer \(issuer), asked \(expected)") }
            checkIdentifier(issuer, "credential_issuer")
        } else {
            add("IW2.shape", "credential_issuer missing or mistyped")
        }
        let servers = servers()
        let credential = endpoint("credential_endpoint", isRequired: true)
        let nonce = endpoint("nonce_endpoint")
        let deferred = endpoint("deferred_credential_endpoint")
        let notification = endpoint("notification_endpoint")
        let (request, response) = (requestEncryption(), responseEncryption())
        let batch = batchSize()
        let display = display(object["display"], "display")
        let configurations = configurations()
        adviseOnMembers()
        guard let issuer, let credential else { return }
        metadata = IssuerMetadata(
            issuer: issuer, authorizationServers: servers, credentialEndpoint: credential, nonceEndpoint: nonce,
            deferredEndpoint: deferred, notificationEndpoint: notification, requestEncryption: request,
            responseEncryption: response, batchSize: batch, display: display, configurations: configurations, json: object)
    }

    /// An identifier is an https URL with neither query nor fragment (§12.2.1).
    private mutating func checkIdentifier(_ text: String, _ member: String) {
        guard let url = try? WebURL(text) else { return add("IW2.shape", "\(member) is no URL") }
        if !isSecure(url) { add("IW2.https", "\(member) \(text) not https") }
        if url.query != nil || url.fragment != nil { add("IW2.shape", "\(member) has a query or a fragment") }
        if text.contains("@") { add("IW2.shape", "\(member) has user information") }
    }

    private func isSecure(_ url: WebURL) -> Bool {
        url.scheme.lowercased() == "https" || (allowsLoopback && url.scheme.lowercased() == "http" && url.isLoopback)
    }

    private mutating func servers() -> [String] {
        guard let value = object["authorization_servers"] else { return [] }
        let list = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard !list.isEmpty, list.count == value.arrayValue?.count else {
            add("IW2.shape", "authorization_servers missing or mistyped")
            return []
        }
        for server in list { checkIdentifier(server, "authorization_servers") }
        return list
    }

    private mutating func endpoint(_ name: String, isRequired: Bool = false) -> WebURL? {
        guard let value = object[name] else {
            if isRequired { add("IW2.shape", "\(name) missing or mistyped") }
            return nil
        }
        guard let text = value.stringValue, let url = try? WebURL(text), url.fragment == nil else {
            add("IW2.shape", "\(name) missing or mistyped")
            return nil
        }
        if !isSecure(url) { add("IW2.https", "\(name) not https") }
        return url
    }

    private mutating func names(_ object: JSON, _ name: String, _ check: String, isRequired: Bool) -> [String] {
        guard let value = object[name] else {
            if isRequired { add(check, "\(name) missing") }
            return []
        }
        let list = value.arrayValue?.compactMap(\.stringValue) ?? []
        if list.isEmpty || list.count != value.arrayValue?.count { add(check, "\(name) is no list of names") }
        return list
    }

    private mutating func requestEncryption() -> IssuerMetadata.RequestEncryption? {
        guard let value = object["credential_request_encryption"] else { return nil }
        let check = "IW2.encryption"
        let encryptions = names(value, "enc_values_supported", check, isRequired: true)
        let compressions = names(value, "zip_values_supported", check, isRequired: false)
        advise(encryptions, "credential_request_encryption.enc_values_supported", known: Self.encryptions)
        advise(compressions, "credential_request_encryption.zip_values_supported", known: ["DEF"])
        guard let isRequired = value["encryption_required"]?.boolValue else {
            add(check, "credential_request_encryption without encryption_required")
            return nil
        }
        var keys: [JWK] = []
        for (place, json) in (value["jwks"]?["keys"]?.arrayValue ?? []).enumerated() {
            if json["kid"]?.stringValue == nil { add(check, "JWK \(place) of jwks without kid") }
            if json["d"] != nil { add(check, "JWK \(place) of jwks is a private key") }
            if let key = try? JWK(json) { keys.append(key) }
        }
        if value["jwks"]?["keys"]?.arrayValue?.isEmpty ?? true { add(check, "credential_request_encryption without keys") }
        if Set(keys.compactMap(\.keyID)).count != keys.count { add(check, "two keys of jwks share a kid") }
        return .init(keys: keys, encryptions: encryptions, compressions: compressions, isRequired: isRequired)
    }

    private mutating func responseEncryption() -> IssuerMetadata.ResponseEncryption? {
        guard let value = object["credential_response_encryption"] else { return nil }
        let check = "IW2.encryption"
        let algorithms = names(value, "alg_values_supported", check, isRequired: true)
        let encryptions = names(value, "enc_values_supported", check, isRequired: true)
        let compressions = names(value, "zip_values_supported", check, isRequired: false)
        advise(algorithms, "credential_response_encryption.alg_values_supported", known: Self.agreements)
        advise(encryptions, "credential_response_encryption.enc_values_supported", known: Self.encryptions)
        advise(compressions, "credential_response_encryption.zip_values_supported", known: ["DEF"])
        guard let isRequired = value["encryption_required"]?.boolValue else {
            add(check, "credential_response_encryption without encryption_required")
            return nil
        }
        if object["credential_request_encryption"] == nil {
            add(check, "credential_response_encryption without credential_request_encryption, which goes with it (8.2)")
        }
        return .init(algorithms: algorithms, encryptions: encryptions, compressions: compressions, isRequired: isRequired)
    }

    private mutating func batchSize() -> Int? {
        guard let value = object["batch_credential_issuance"] else { return nil }
        guard let size = value["batch_size"]?.intValue else {
            add("IW2.shape", "batch_credential_issuance.batch_size missing or mistyped")
            return nil
        }
        guard size >= 2 else {
            add("IW2.batch", "batch_size \(size) < 2")
            return nil
        }
        return Int(clamping: size)
    }

    private mutating func display(_ value: JSON?, _ place: String) -> [JSON] {
        guard let value else { return [] }
        guard let list = value.arrayValue, !list.isEmpty, list.allSatisfy({ $0.objectValue != nil }) else {
            add("IW2.shape", "\(place) missing or mistyped")
            return []
        }
        checkLocales(list, place)
        return list
    }

    /// One name for each language, and languages that there are.
    private mutating func checkLocales(_ list: [JSON], _ place: String) {
        var seen: [String: String] = [:]
        for locale in list.compactMap({ $0["locale"]?.stringValue }) {
            if let other = seen.updateValue(locale, forKey: locale.lowercased()) {
                add("IW2.shape", "\(place) has one locale twice: \(ErrorText.shown(other)), \(ErrorText.shown(locale))")
            }
            if let problem = LanguageTag.problem(locale) {
                advice.append("\(place): locale \(ErrorText.shown(locale)) \(problem)")
            } else if LanguageTag.canonical(locale) != locale {
                advice.append("\(place): \(locale) is written \(LanguageTag.canonical(locale)) (RFC 5646 2.1.1)")
            }
        }
    }

    private mutating func adviseOnMembers() {
        for place in KnownMembers.issuerMetadata.unknown(in: .object(object)).prefix(20) {
            advice.append("\(ErrorText.shown(place)) is a member that neither OpenID4VCI 1.0 nor ETSI TS 119 472-3 defines")
        }
    }

    private mutating func configurations() -> [CredentialConfiguration] {
        guard let members = object["credential_configurations_supported"]?.objectValue else {
            add("IW2.shape", "credential_configurations_supported missing or mistyped")
            return []
        }
        return members.compactMap { id, value in configuration(id, value) }
    }

    private mutating func configuration(_ id: String, _ value: JSON) -> CredentialConfiguration? {
        guard let format = value["format"]?.stringValue else {
            add("IW2.shape", "configuration \(id): format missing or mistyped")
            return nil
        }
        let isKnown = CredentialConfiguration.formats.contains(format)
        let typeMember = CredentialConfiguration.typeMember(of: format)
        let type = isKnown ? value[typeMember]?.stringValue ?? "" : ""
        if isKnown, type.isEmpty { add("IW2.shape", "configuration \(id): \(typeMember) missing or mistyped") }
        var scope: String?
        if let text = value["scope"] {
            scope = text.stringValue
            if !(scope.map(Self.isScope) ?? false) { add("IW2.shape", "configuration \(id): scope missing or mistyped") }
        }
        // `nil` alone would be the JSON null.
        func present(_ name: String) -> JSON? { value[name].flatMap { $0.isNull ? Optional.none : $0 } }
        let methods = present("cryptographic_binding_methods_supported")
        let types = present("proof_types_supported")
        if (methods == nil) != (types == nil) {
            add(
                "IW2.proofs",
                "configuration \(id): proof_types_supported and cryptographic_binding_methods_supported not both or neither")
        }
        let bindings = methods.map { _ in names(value, "cryptographic_binding_methods_supported", "IW2.shape", isRequired: true) }
        let metadata = value["credential_metadata"] ?? .object(JSONObject())
        if let claims = metadata["claims"], claims.arrayValue?.isEmpty ?? true {
            add("IW2.shape", "configuration \(id): claims missing or mistyped")
        }
        // Members of the configuration itself in earlier drafts.
        for (place, claim) in ((metadata["claims"] ?? value["claims"])?.arrayValue ?? []).enumerated() {
            checkLocales(claim["display"]?.arrayValue ?? [], "configuration \(id): claims[\(place)].display")
        }
        let algorithms = value["credential_signing_alg_values_supported"]
        if let algorithms, algorithms.arrayValue?.isEmpty ?? true {
            add("IW2.shape", "configuration \(id): credential_signing_alg_values_supported missing or mistyped")
        }
        advise(on: algorithms?.arrayValue ?? [], format, id)
        guard !isKnown || !type.isEmpty else { return nil }
        return CredentialConfiguration(
            id: id, format: format, type: type, scope: scope, proofTypes: types.map { proofTypes($0, id) },
            bindingMethods: bindings,
            signingAlgorithms: algorithms?.arrayValue ?? [], display: display(metadata["display"], "configuration \(id): display"),
            claims: metadata["claims"]?.arrayValue ?? [],
            reusePolicy: metadata["credential_reuse_policy"] ?? value["credential_reuse_policy"])
    }

    /// scope-token of RFC 6749 §3.3: printable ASCII but space, quote and backslash.
    private static func isScope(_ text: String) -> Bool {
        !text.isEmpty && ErrorDescription.isAllowed(text) && !text.contains(" ")
    }

    private mutating func proofTypes(_ value: JSON, _ id: String) -> [String: CredentialConfiguration.ProofType] {
        guard let members = value.objectValue, !members.isEmpty else {
            add("IW2.shape", "configuration \(id): proof_types_supported missing or mistyped")
            return [:]
        }
        var types: [String: CredentialConfiguration.ProofType] = [:]
        for (name, entry) in members {
            let algorithms = names(entry, "proof_signing_alg_values_supported", "IW2.shape", isRequired: true)
            if name == "jwt" || name == "attestation" {
                advise(algorithms, "configuration \(id): proof_signing_alg_values_supported", known: Self.signatures)
            }
            var requirement: KeyAttestation.Requirement?
            if let wanted = entry["key_attestations_required"] {
                if wanted.objectValue == nil {
                    add("IW2.shape", "configuration \(id): key_attestations_required missing or mistyped")
                }
                // ETSI TS 119 472-3: for how long the status of the key storage should be good, in seconds.
                if let period = wanted["preferred_key_storage_status_period"], (period.intValue ?? 0) <= 0 {
                    add("IW2.shape", "configuration \(id): preferred_key_storage_status_period is no number of seconds")
                }
                requirement = KeyAttestation.Requirement(
                    keyStorage: names(wanted, "key_storage", "IW2.shape", isRequired: false),
                    userAuthentication: names(wanted, "user_authentication", "IW2.shape", isRequired: false))
            }
            types[name] = .init(algorithms: algorithms, attestation: requirement)
        }
        return types
    }

    // MARK: Names of registries

    /// Registered asymmetric signature algorithms of JOSE.
    private static let signatures: Set<String> = [
        "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519", "Ed448", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512",
        "ML-DSA-44", "ML-DSA-65", "ML-DSA-87",
    ]
    private static let encryptions = Set(JWEEncryption.allCases.map(\.rawValue)).union(["A192GCM", "A192CBC-HS384"])
    /// Registered asymmetric key management of JOSE.
    private static let agreements: Set<String> = [
        "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW", "RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512",
    ]
    /// Registered signature algorithms of COSE.
    private static let cose: Set<Int64> = [
        -7, -8, -9, -19, -35, -36, -37, -38, -39, -47, -48, -49, -50, -51, -52, -53, -257, -258, -259, -265, -266, -267, -268,
    ]

    private mutating func advise(_ names: [String], _ member: String, known: Set<String>) {
        for name in names where !known.contains(name) {
            advice.append("\(member) names \(ErrorText.shown(name)), which is registered for nothing of that kind")
        }
    }

    private mutating func advise(on algorithms: [JSON], _ format: String, _ id: String) {
        for algorithm in algorithms where CredentialConfiguration.formats.contains(format) {
            let isKnown =
                format == "mso_mdoc"
                ? algorithm.intValue.map(Self.cose.contains) ?? false : algorithm.stringValue.map(Self.signatures.contains) ?? false
            guard !isKnown else { continue }
            advice.append(
                "configuration \(id): credential_signing_alg_values_supported has \(ErrorText.shown(algorithm.encoded())), no \(format == "mso_mdoc" ? "COSE" : "JOSE") signature algorithm"
            )
        }
    }

    /// HAIP 1.0 §4.1: every configuration has a scope, and key binding goes with nonces.
    private mutating func checkProfile() {
        for configuration in metadata?.configurations ?? [] where configuration.scope == nil {
            add("IW2.scope", "configuration \(configuration.id) has no scope")
        }
        if let metadata, metadata.nonceEndpoint == nil, metadata.configurations.contains(where: { $0.proofTypes != nil }) {
            add("IW2.nonce-endpoint", "key binding without nonce_endpoint")
        }
    }
}
