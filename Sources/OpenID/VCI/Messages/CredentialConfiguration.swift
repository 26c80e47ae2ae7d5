package import Codec

/// One entry of `credential_configurations_supported` (OpenID4VCI 1.0 §12.2.4, A.2, A.3).
package struct CredentialConfiguration: Sendable, Hashable {
    package var id: String
    /// `mso_mdoc` or `dc+sd-jwt`; others are read and refused when they are asked for.
    package var format: String
    /// docType or vct; empty for other formats.
    package var type: String
    package var scope: String?
    /// By proof type; nil: no proof is wanted.
    package var proofTypes: [String: ProofType]?
    package var bindingMethods: [String]?
    /// As metadata have them: names, or numbers of COSE.
    package var signingAlgorithms: [JSON]
    package var display: [JSON]
    package var claims: [JSON]
    /// Named so by ETSI TS 119 472-3; anything.
    package var reusePolicy: JSON?

    /// What an issuer wants of a proof type.
    package struct ProofType: Sendable, Hashable {
        package var algorithms: [String]
        /// nil: no key attestation is wanted.
        package var attestation: KeyAttestation.Requirement?

        package init(algorithms: [String], attestation: KeyAttestation.Requirement? = nil) {
            self.algorithms = algorithms
            self.attestation = attestation
        }
    }

    package init(
        id: String, format: String, type: String, scope: String?, proofTypes: [String: ProofType]? = nil,
        bindingMethods: [String]? = nil, signingAlgorithms: [JSON] = [], display: [JSON] = [], claims: [JSON] = [],
        reusePolicy: JSON? = nil
    ) {
        self.id = id
        self.format = format
        self.type = type
        self.scope = scope
        self.proofTypes = proofTypes
        self.bindingMethods = bindingMethods
        self.signingAlgorithms = signingAlgorithms
        self.display = display
        self.claims = claims
        self.reusePolicy = reusePolicy
    }

    /// Formats that documents of this program can have.
    package static let formats = ["mso_mdoc", "dc+sd-jwt"]
    /// The member that names the type.
    package static func typeMember(of format: String) -> String { format == "mso_mdoc" ? "doctype" : "vct" }

    /// The name in the best of the languages, or in the first that is there.
    package func displayName(_ locales: [String] = []) -> String? {
        Self.preferred(display, locales)?["name"]?.stringValue
    }

    /// The object of `display` for the first of the languages that it has; else the first.
    package static func preferred(_ display: [JSON], _ locales: [String]) -> JSON? {
        for locale in locales {
            let language = locale.split(separator: "-").first.map(String.init) ?? locale
            if let exact = display.first(where: { $0["locale"]?.stringValue?.lowercased() == locale.lowercased() }) { return exact }
            if let near = display.first(where: {
                ($0["locale"]?.stringValue ?? "").lowercased().split(separator: "-").first.map(String.init) == language.lowercased()
            }) {
                return near
            }
        }
        return display.first
    }

    /// As in metadata.
    package var json: JSONObject {
        var object: JSONObject = ["format": .string(format), Self.typeMember(of: format): .string(type)]
        if let scope { object["scope"] = .string(scope) }
        if !signingAlgorithms.isEmpty { object["credential_signing_alg_values_supported"] = .array(signingAlgorithms) }
        if let bindingMethods {
            object["cryptographic_binding_methods_supported"] = .array(bindingMethods.map { .string($0) })
        }
        if let proofTypes {
            let members = proofTypes.sorted { $0.key < $1.key }.map { name, type -> (key: String, value: JSON) in
                var value: JSONObject = ["proof_signing_alg_values_supported": .array(type.algorithms.map { .string($0) })]
                if let attestation = type.attestation { value["key_attestations_required"] = .object(attestation.json) }
                return (name, .object(value))
            }
            object["proof_types_supported"] = .object(JSONObject(members))
        }
        var metadata = JSONObject()
        if !display.isEmpty { metadata["display"] = .array(display) }
        if !claims.isEmpty { metadata["claims"] = .array(claims) }
        if let reusePolicy { metadata["credential_reuse_policy"] = reusePolicy }
        if !metadata.isEmpty { object["credential_metadata"] = .object(metadata) }
        return object
    }
}
