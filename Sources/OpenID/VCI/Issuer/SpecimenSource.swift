import Codec
package import Credentials
package import Crypto
package import Ports

/// Credentials of an invented person, in both formats, signed by a test document signer.
package struct SpecimenSource: CredentialSource {
    private let person: Specimen
    private let signer: SigningIdentity
    private let identity: IssuingIdentity
    private let validity: Int64
    private let random: any RandomSource
    private let statuses: (any StatusRegister)?

    /// - Parameters:
    ///   - validity: how long credentials are valid, in seconds; never longer than their signer.
    ///   - statuses: where they get a status; nil: they have none.
    package init(
        person: Specimen, signer: SigningIdentity, validity: Int64 = 90 * 86400, random: any RandomSource,
        statuses: (any StatusRegister)? = nil
    ) throws {
        self.statuses = statuses
        self.person = person
        self.signer = signer
        self.validity = validity
        self.random = random
        identity = try IssuingIdentity(
            certificate: signer.certificate, key: signer.key, nonce: random.isDeterministic ? .deterministic : .random)
    }

    /// The test issuer's credentials: documents with element tables as mdoc, the PID as SD-JWT VC, too.
    package static let configurations: [CredentialConfiguration] =
        DocumentDefinition.known.map { mdoc($0) } + [
            configuration(
                "pid-sd-jwt", format: "dc+sd-jwt", type: "urn:eudi:pid:1", name: "Person identification data (SD-JWT VC)",
                german: "Personenidentifizierungsdaten (SD-JWT VC)", algorithm: "ES256", binding: "jwk")
        ]

    private static func mdoc(_ definition: DocumentDefinition) -> CredentialConfiguration {
        let id = definition.shortName == "pid" ? "pid-mdoc" : definition.shortName
        return configuration(
            id, format: "mso_mdoc", type: definition.docType, name: definition.displayName, german: nil, algorithm: -7,
            binding: "cose_key")
    }

    private static func configuration(
        _ id: String, format: String, type: String, name: String, german: String?, algorithm: JSON, binding: String
    ) -> CredentialConfiguration {
        let algorithms = ["ES256", "ES384", "ES512", "EdDSA"]
        var display: [JSON] = [["name": .string(name), "locale": "en"]]
        if let german { display.append(["name": .string(german), "locale": "de"]) }
        return CredentialConfiguration(
            id: id, format: format, type: type, scope: "\(type):\(id)",
            proofTypes: ["jwt": .init(algorithms: algorithms), "attestation": .init(algorithms: algorithms)],
            bindingMethods: [binding], signingAlgorithms: [algorithm], display: display)
    }

    package func credentials(
        _ configuration: CredentialConfiguration, for keys: [PublicKey?], at time: Timestamp, spoiled: CredentialSpoiling
    ) async throws -> MadeCredentials {
        let form: StatusForm = configuration.format == "mso_mdoc" ? .cwt : .jwt
        let entered = try await statuses?.enter(type: configuration.type, form: form, copies: keys.count, at: time)
        var texts: [String] = []
        for (place, key) in keys.enumerated() {
            texts.append(try await credential(configuration, for: key, at: time, spoiled: spoiled, entered?.references[place]))
        }
        return MadeCredentials(texts: texts, entry: entered?.entry)
    }

    private func credential(
        _ configuration: CredentialConfiguration, for key: PublicKey?, at time: Timestamp, spoiled: CredentialSpoiling,
        _ status: StatusReference?
    ) async throws -> String {
        // Two copies that were made at once shall not show it: their times differ by up to an hour (§15.4.1).
        let random: any RandomSource = spoiled.isLinkable ? SeededRandom(seed: 1) : random
        let noise = Int64(random.bytes(2).reduce(0) { $0 << 8 | UInt64($1) } % 3600)
        let from = max(time.wholeSeconds.adding(seconds: -noise - 1), signer.certificate.notBefore)
        let until = min(from.adding(seconds: validity), signer.certificate.notAfter)
        switch configuration.format {
        case "mso_mdoc":
            guard let key else { throw MintError.noClaims }
            return try await mdoc(configuration.type, key, from, until, spoiled, random, status)
        default: return try await sdJWT(configuration.type, key, from, until, spoiled, random, status)
        }
    }

    private var issuer: SpecimenIssuer {
        let subject = signer.certificate.subject
        return SpecimenIssuer(
            country: subject.attribute(.countryName)?.text ?? "UT", jurisdiction: subject.attribute(.stateOrProvinceName)?.text,
            authority: subject.attribute(.organizationName)?.text ?? "Test issuer")
    }

    private func mdoc(
        _ docType: String, _ key: PublicKey, _ from: Timestamp, _ until: Timestamp, _ spoiled: CredentialSpoiling,
        _ random: any RandomSource, _ status: StatusReference?
    ) async throws -> String {
        guard let definition = DocumentDefinition.of(docType), let json = person.claims(for: definition, issuer: issuer, at: from)
        else { throw MintError.noClaims }
        let claims = try Claims(json, definition: definition)
        let tampering = try Tampering(named: spoiled.signature ? ["issuer-signature"] : [])
        let minted = try await MDocIssuer(signer: identity, random: random, tampering: tampering).mint(
            DocumentOrder(
                docType: docType, claims: claims, deviceKey: key, signed: from, validUntil: until, status: status?.cbor))
        return Base64URL.encode(minted.encodedCBOR)
    }

    private func sdJWT(
        _ type: String, _ key: PublicKey?, _ from: Timestamp, _ until: Timestamp, _ spoiled: CredentialSpoiling,
        _ random: any RandomSource, _ status: StatusReference?
    ) async throws -> String {
        var claims: JSONObject = [
            "vct": .string(type), "iat": .integer(from.secondsSince1970), "nbf": .integer(from.secondsSince1970),
            "exp": .integer(until.secondsSince1970),
        ]
        if let key { claims["cnf"] = ["jwk": .object(key.jwk)] }
        if let status = status?.json { claims["status"] = status }
        for (name, value) in person.identificationClaims(issuer: issuer, at: from) { claims[name] = value }
        let issuer = SDJWTIssuer(
            signer: try JWSSigner(signer.key, nonce: random.isDeterministic ? .deterministic : .random),
            certificates: [signer.certificate], random: random)
        let frame = DisclosureFrame.everyMember(of: claims, except: SDJWTVC.neverDisclosable.union(["iat"]))
        let token = try await issuer.issueVC(claims, frame: frame).compact
        guard spoiled.signature, let tilde = token.firstIndex(of: "~") else { return token }
        // The last character of a signature of 64 bytes carries four bits only: the one before is changed.
        var text = Array(token[..<tilde])
        text[text.count - 2] = text[text.count - 2] == "A" ? "B" : "A"
        return String(text) + token[tilde...]
    }
}
