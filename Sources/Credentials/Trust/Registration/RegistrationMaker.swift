package import Codec
package import Crypto
package import Ports

/// Signs registration certificates of test relying parties and issuers, right or with one thing wrong on purpose.
package struct RegistrationMaker: Sendable {
    /// The registrar's signer.
    package let registrar: SigningIdentity
    package let time: Timestamp
    package var fault: Fault?
    private let nonce: SignatureNonce

    package init(registrar: SigningIdentity, at time: Timestamp, nonce: SignatureNonce = .random) {
        self.registrar = registrar
        self.nonce = nonce
        self.time = time.wholeSeconds
    }

    /// What can be wrong with a certificate itself.
    package enum Fault: String, Sendable, CaseIterable {
        case expired = "wrprc-expired"
        case noStatus = "wrprc-no-status"
        case type = "wrprc-typ"
        case payload = "wrprc-payload"
        case garbage = "wrprc-garbage"
        case notBound = "wrprc-not-bound"
        case noEntitlement = "wrprc-no-entitlement"
        case overAsking = "wrprc-over-asking"
        case notCovered = "wrprc-not-covered"
    }

    /// What is registered.
    package struct Entry: Sendable {
        package var name = "Utopia TEST Services"
        package var legalName = "Utopia TEST Services Ltd"
        package var identifier = RegistrationMaker.identifier
        package var country = "UT"
        package var purpose = "To try wallets out"
        package var entitlements = ["https://uri.etsi.org/19475/Entitlement/Service_Provider"]
        /// `[{"format", "meta", "claim"}]`; nil: every specimen type, whole.
        package var credentials: JSON?
        package var provides: JSON?
        package var status: StatusReference?

        package init() {}

        /// One that issues everything that the specimens are, and may.
        package static let issuer: Entry = {
            var entry = Entry()
            entry.purpose = "To issue test documents"
            entry.entitlements = ["https://uri.etsi.org/19475/Entitlement/Non_Q_EAA_Provider"]
            entry.provides = RegistrationMaker.everything
            return entry
        }()
    }

    /// organizationIdentifier of test access certificates.
    package static let identifier = "NTRUT-12345678"

    /// All that the specimens are made of, without limits.
    private static let everything: JSON = [
        ["format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"]],
        ["format": "mso_mdoc", "meta": ["doctype_value": "eu.europa.ec.eudi.pid.1"]],
        ["format": "mso_mdoc", "meta": ["doctype_value": "org.iso.23220.photoid.1"]],
        ["format": "mso_mdoc", "meta": ["doctype_value": "eu.europa.ec.av.1"]],
        ["format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]]],
    ]

    /// One element only: everything else that is asked goes beyond.
    private static let little: JSON = [
        [
            "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
            "claim": [["path": ["org.iso.18013.5.1", "age_over_18"]]],
        ],
        ["format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]], "claim": [["path": ["age_equal_or_over", "18"]]]],
    ]

    package func claims(_ entry: Entry) -> JSONObject {
        let entitlements = fault == .noEntitlement ? ["https://uri.etsi.org/19475/Entitlement/Other"] : entry.entitlements
        var claims: JSONObject = [
            "name": fault == .payload ? 7 : .string(entry.name),
            "sub": .string(fault == .notBound ? "NTRUT-87654321" : entry.identifier), "sub_ln": .string(entry.legalName),
            "country": .string(entry.country), "registry_uri": "https://registry.utopia.example/wrp",
            "purpose": [["lang": "en", "value": .string(entry.purpose)]],
            "entitlements": .array(entitlements.map(JSON.string)), "privacy_policy": "https://services.utopia.example/privacy",
            "credentials": fault == .overAsking ? Self.little : entry.credentials ?? Self.everything,
            "iat": .integer(time.secondsSince1970),
            "exp": .integer(time.adding(days: fault == .expired ? -1 : 180).secondsSince1970),
        ]
        if let provides = entry.provides { claims.append("provides_attestations", fault == .notCovered ? [] : provides) }
        if let status = entry.status?.json, fault != .noStatus { claims.append("status", status) }
        return claims
    }

    /// `rc-wrp+jwt`
    package func jwt(_ entry: Entry) async throws -> [UInt8] {
        if fault == .garbage { return Array("no registration certificate".utf8) }
        let header: JSONObject = [
            "typ": .string(fault == .type ? "JWT" : "rc-wrp+jwt"),
            "x5c": .array([.string(Base64.encode(registrar.certificate.der))]),
        ]
        let payload = Array(JSON.object(claims(entry)).encoded().utf8)
        return Array(try await JWS.sign(payload, header: header, by: JWSSigner(registrar.key, nonce: nonce)).compact.utf8)
    }

    /// `rc-wrp+cwt`: the same members by name, the registered ones by number.
    package func cwt(_ entry: Entry) async throws -> [UInt8] {
        if fault == .garbage { return Array("no registration certificate".utf8) }
        let numbers = ["sub": 2, "exp": 4, "iat": 6, "status": 65535]
        let members = claims(entry).map { name, value in (numbers[name].map { CBOR.int($0) } ?? .text(name), CBOR(json: value)) }
        let algorithm = COSEAlgorithm.iso(for: registrar.key.curve) ?? .es256
        let (key, nonce) = (registrar.key, nonce)
        return try await COSESign1.sign(
            CBOR.map(members).encoded, algorithm: algorithm,
            protected: [
                (.int(COSEHeaders.Label.type), .text(fault == .type ? "application/cwt" : "rc-wrp+cwt")),
                (.int(COSEHeaders.Label.x5chain), .bytes(registrar.certificate.der)),
            ], isTagged: true
        ) { toBeSigned in
            try key.sign(toBeSigned, hash: algorithm.hash, nonce: nonce)
        }.encodedCBOR
    }
}
