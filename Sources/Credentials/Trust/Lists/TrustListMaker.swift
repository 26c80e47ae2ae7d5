import Codec
package import Crypto
package import Ports

/// Signs trust lists over test authorities, right or with one thing wrong on purpose.
package struct TrustListMaker: Sendable {
    /// The signer of the list.
    package let signer: SigningIdentity
    package let provider: String
    package let time: Timestamp
    package var sequence: UInt64 = 1
    package var fault: Fault?
    private let nonce: SignatureNonce

    package init(signer: SigningIdentity, provider: String, at time: Timestamp, nonce: SignatureNonce = .random) {
        self.signer = signer
        self.provider = provider
        self.nonce = nonce
        self.time = time.wholeSeconds
    }

    /// What can be wrong with a list (checks T2 and T3). Faults of the signer are made with another signer.
    package enum Fault: String, Sendable, CaseIterable {
        case signature = "vical-signature"
        case outdated = "vical-next-update"
        case docType = "vical-doctype"
        case entitySignature = "lote-signature"
        case shape = "lote-shape"
        case expired = "lote-next-update"
        case pointer = "lote-pointer"
        case type = "lote-type"
    }

    private var nextUpdate: Timestamp {
        fault == .outdated || fault == .expired ? time.adding(days: -1) : time.adding(days: 30)
    }

    private var issued: Timestamp { fault == .outdated || fault == .expired ? time.adding(days: -31) : time }

    // MARK: VICAL and RICAL

    /// A VICAL over roots and the types that each may issue.
    package func vical(_ authorities: [(Certificate, docTypes: [String])]) async throws -> [UInt8] {
        let infos = authorities.map { certificate, types in
            info(certificate) + [(.text("docType"), .array((fault == .docType ? ["org.example.other"] : types).map { .text($0) }))]
        }
        return try await sign([
            (.text("version"), .text("1.0")), (.text("vicalProvider"), .text(provider)), (.text("date"), Self.tdate(issued)),
            (.text("vicalIssueID"), .int(sequence)), (.text("nextUpdate"), Self.tdate(nextUpdate)),
            (.text("certificateInfos"), .array(infos.map { .map($0) })),
        ])
    }

    /// A RICAL over roots of readers.
    package func rical(_ authorities: [Certificate]) async throws -> [UInt8] {
        try await sign([
            (.text("version"), .text("1.0")), (.text("provider"), .text(provider)), (.text("date"), Self.tdate(issued)),
            (.text("type"), .text("org.iso.18013.5.1.reader_authentication")), (.text("id"), .int(sequence)),
            (.text("nextUpdate"), Self.tdate(nextUpdate)), (.text("certificateInfos"), .array(authorities.map { .map(info($0)) })),
        ])
    }

    private func info(_ certificate: Certificate) -> [(CBOR, CBOR)] {
        [
            (.text("certificate"), .bytes(certificate.der)),
            (.text("serialNumber"), .tag(2, .bytes(Array(certificate.serialNumber.drop { $0 == 0 })))),
            (.text("ski"), .bytes(certificate.subjectKeyIdentifier ?? [])),
        ]
    }

    private static func tdate(_ time: Timestamp) -> CBOR { CBOR(encoding: { $0.encode(TDate(time)) }) }

    private func sign(_ members: [(CBOR, CBOR)]) async throws -> [UInt8] {
        let algorithm = COSEAlgorithm.iso(for: signer.key.curve) ?? .es256
        let (key, nonce) = (signer.key, nonce)
        let auth = try await COSESign1.sign(
            CBOR.map(members).encoded, algorithm: algorithm, unprotected: COSEHeaders(x5chain: [signer.certificate.der])
        ) { toBeSigned in
            try key.sign(toBeSigned, hash: algorithm.hash, nonce: nonce)
        }
        guard fault == .signature else { return auth.encodedCBOR }
        var signature = auth.signature
        signature[signature.count - 1] ^= 1
        return COSESign1(protected: auth.protected, unprotected: auth.unprotected, payload: auth.payload, signature: signature)
            .encodedCBOR
    }

    // MARK: LoTE

    /// A list of trusted entities of a type (`EUPIDProvidersList`), with pointers to others and the addresses where it is published.
    package func lote(
        _ type: String, _ authorities: [Certificate], pointers: [String] = [], locations: [String] = []
    ) async throws -> [UInt8] {
        var information: JSONObject = [
            "LoTEVersionIdentifier": 1, "LoTESequenceNumber": .integer(Int64(clamping: sequence)),
            "LoTEType": .string("http://uri.etsi.org/19602/LoTEType/\(fault == .type ? "EUWalletProvidersList" : type)"),
            "SchemeOperatorName": [["lang": "en", "value": .string(provider)]], "SchemeTerritory": "EU",
            "ListIssueDateTime": .string(issued.rfc3339), "NextUpdate": .string(nextUpdate.rfc3339),
        ]
        if !locations.isEmpty { information.append("DistributionPoints", .array(locations.map(JSON.string))) }
        let targets = pointers + (fault == .pointer ? ["https://lists.utopia.example/nowhere"] : [])
        if !targets.isEmpty {
            information.append(
                "PointersToOtherLoTE",
                .array(
                    targets.map { uri in
                        [
                            "LoTELocation": .string(uri),
                            "ServiceDigitalIdentities": [Self.identity(signer.certificate)],
                        ]
                    }))
        }
        let entities = authorities.map { certificate -> JSON in
            [
                "TrustedEntityInformation": ["TEName": [["lang": "en", "value": .string(certificate.subject.commonName ?? "")]]],
                "TrustedEntityServices": fault == .shape
                    ? "none"
                    : [
                        [
                            "ServiceInformation": [
                                "ServiceTypeIdentifier": "http://uri.etsi.org/19602/SvcType/Issuance",
                                "ServiceDigitalIdentity": Self.identity(certificate),
                            ]
                        ]
                    ],
            ]
        }
        let claims: JSONObject = [
            "LoTE": ["ListAndSchemeInformation": .object(information), "TrustedEntitiesList": .array(entities)]
        ]
        let jws = try await JWS.sign(
            Array(JSON.object(claims).encoded().utf8),
            header: ["typ": "JWT", "x5c": .array([.string(Base64.encode(signer.certificate.der))])],
            by: JWSSigner(signer.key, nonce: nonce))
        guard fault == .entitySignature else { return Array(jws.compact.utf8) }
        var signature = jws.signature
        signature[signature.count - 1] ^= 1
        return Array(JWS(protected: jws.protected, payload: jws.payload, signature: signature).compact.utf8)
    }

    private static func identity(_ certificate: Certificate) -> JSON {
        ["X509Certificates": [["val": .string(Base64.encode(certificate.der))]]]
    }
}
