import Codec
import Credentials
import Crypto
import Ports

/// An issuer, a holder and a verifier that trusts the issuer: makes presentations of given content and judges them.
struct AnswerStage {
    private let random = SeededRandom(seed: 6)
    private let time = Timestamp(secondsSince1970: 1_796_040_000)
    private let binding = PresentationBinding(
        .redirect(clientID: "x509_san_dns:verifier.example", responseURI: "https://verifier.example/response"),
        nonce: "n-0S6_WzA2Mj", keyThumbprint: nil)
    private let authority: TestAuthority
    private let holder: PrivateKey

    init() throws {
        authority = try TestAuthority(at: time, random: random)
        holder = try PrivateKey.generate(.p256, random: random)
    }

    func verdict(on token: JSON, _ query: DCQLQuery) -> PresentationReport {
        VPTokenVerifier(signers: SignerVerifier(anchors: authority.anchors, edition: .first))
            .verify(token, VPTokenVerifier.Terms(query: query, binding: binding), at: time)
    }

    /// An SD-JWT with key binding that discloses every claim.
    func sdJWT(_ claims: JSONObject) async throws -> String {
        var claims = claims
        claims["cnf"] = ["jwk": .object(holder.publicKey.jwk)]
        let issuer = SDJWTIssuer(
            signer: try JWSSigner(authority.documentSigner.key, nonce: .deterministic),
            certificates: [authority.documentSigner.certificate], random: random)
        let issued = try await issuer.issue(claims, frame: .everyMember(of: claims, except: SDJWTVC.neverDisclosable))
        let terms = KeyBindingClaims(audience: binding.audience, nonce: binding.nonce, issuedAt: time)
        return try await issued.bound(to: terms, by: JWSSigner(holder, nonce: .deterministic)).compact
    }

    /// base64url of a DeviceResponse with one document of these elements.
    /// - Parameter hasType: whether `docType` is there, without which it is no document.
    func mdoc(_ docType: String, _ elements: [(nameSpace: String, identifier: String)], hasType: Bool) async throws -> String {
        let issued = try await issued(docType, elements)
        let nameSpaces = Embedded(DeviceNameSpaces())
        let payload = DeviceAuthentication.bytes(transcript: try binding.transcript(), docType: docType, nameSpaces: nameSpaces)
        let proof = try await COSESign1.sign(payload, algorithm: .es256, detached: true) { toBeSigned throws(CryptoError) in
            try holder.sign(toBeSigned, nonce: .deterministic)
        }
        let device = DeviceSigned(nameSpaces: nameSpaces, deviceAuth: DeviceAuth(deviceSignature: proof))
        let response = CBOR { encoder in
            encoder.map(3)
            encoder.text("version")
            encoder.text("1.0")
            encoder.text("documents")
            encoder.array(1)
            encoder.map(hasType ? 3 : 2)
            if hasType {
                encoder.text("docType")
                encoder.text(docType)
            }
            encoder.text("issuerSigned")
            encoder.encode(issued)
            encoder.text("deviceSigned")
            encoder.encode(device)
            encoder.text("status")
            encoder.int(0)
        }
        return Base64URL.encode(response.encoded)
    }

    private func issued(
        _ docType: String, _ elements: [(nameSpace: String, identifier: String)]
    ) async throws -> IssuerSigned {
        var claims = Claims()
        for element in elements { claims.set(element.identifier, in: element.nameSpace, to: .text("x")) }
        // Nobody issues a document of nothing; one can be presented.
        if elements.isEmpty { claims.set("given_name", in: "org.iso.18013.5.1", to: .text("x")) }
        let order = DocumentOrder(
            docType: docType, claims: claims, deviceKey: holder.publicKey, signed: time, validUntil: time.adding(days: 90))
        let identity = try IssuingIdentity(
            certificate: authority.documentSigner.certificate, key: authority.documentSigner.key, nonce: .deterministic)
        let document = try await MDocIssuer(signer: identity, random: random).mint(order)
        return elements.isEmpty ? IssuerSigned(nameSpaces: [], issuerAuth: document.issuerAuth) : document
    }
}
