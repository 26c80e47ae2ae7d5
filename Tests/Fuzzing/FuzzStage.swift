import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// A holder with a licence and a PID, a reader that trusts their issuer, an SD-JWT VC, and a session between the two:
/// everything from one seed and at one time.
package struct FuzzStage: Sendable {
    let time = Timestamp(secondsSince1970: 1_796_040_000)
    let authority: TestAuthority
    let documents: [IssuedDocument]
    let presenter: Presenter
    let engagement: DeviceEngagement
    let deviceKey: PrivateKey
    let readerKey: PrivateKey
    let transcript: SessionTranscript
    let request: [UInt8]
    let response: [UInt8]
    let token: SDJWT
    /// The token bound to this audience and nonce.
    let presentation: SDJWT
    /// A request of OpenID4VP, signed by the reader.
    let requestObject: String
    let binding = KeyBindingExpectation(audience: "x509_san_dns:verifier.example", nonce: "nonce-1")

    init() async throws {
        let random = SeededRandom(seed: 5)
        authority = try TestAuthority(at: time, random: random)
        let keys = MemoryKeyStore(random: random)
        presenter = Presenter(keyStore: keys)
        documents = [
            try await Self.document(.mobileDrivingLicence, authority, keys, random, time),
            try await Self.document(.personIdentificationData, authority, keys, random, time),
        ]
        deviceKey = try PrivateKey.generate(.p256, random: random)
        readerKey = try PrivateKey.generate(.p256, random: random)
        engagement = DeviceEngagement(eDeviceKey: COSEKey(deviceKey.publicKey), retrievalMethods: nil)
        transcript = try Handover.qr.transcript(
            of: engagement, eReaderKeyBytes: EphemeralKeyBytes(readerKey.publicKey).encoded)
        let question = Self.question
        request = question.encodedCBOR
        let proposal = presenter.propose(try PresentationRequest(question, edition: .first), to: nil, from: documents)
        guard let consent = await Consent.obtain(for: proposal, from: AutomaticConsent(), at: time) else { throw Unready() }
        response = try await presenter.deviceResponse(consent, over: transcript, unlock: .automatic).bytes
        (token, presentation) = try await Self.token(authority, random, binding, time)
        requestObject = try await Self.requestObject(authority, time)
    }

    struct Unready: Error {}

    private static var question: DeviceRequest {
        let mDL = DocumentDefinition.mobileDrivingLicence
        let elements = ["family_name", "birth_date", "driving_privileges", "age_over_18"]
        let items = ItemsRequest(
            docType: mDL.docType,
            nameSpaces: [(mDL.nameSpaces[0].nameSpace, elements.map { (identifier: $0, intentToRetain: false) })])
        return DeviceRequest(docRequests: [DocRequest(itemsRequest: Embedded(items))])
    }

    /// Without the portrait, which would fill every input.
    private static func document(
        _ definition: DocumentDefinition, _ authority: TestAuthority, _ keys: MemoryKeyStore, _ random: SeededRandom,
        _ time: Timestamp
    ) async throws -> IssuedDocument {
        let key = try await keys.create(KeyOptions(curve: .p256))
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia Transport")
        guard let json = Specimen.mira.claims(for: definition, issuer: issuer, at: time) else { throw Unready() }
        let claims = Claims(
            try Claims(json, definition: definition).nameSpaces.map { nameSpace, elements in
                (nameSpace, elements.filter { $0.0 != "portrait" })
            })
        let order = DocumentOrder(
            docType: definition.docType, claims: claims, deviceKey: key.publicKey, signed: time, validUntil: time.adding(days: 90))
        let identity = try IssuingIdentity(
            certificate: authority.documentSigner.certificate, key: authority.documentSigner.key, nonce: .deterministic,
            root: authority.iaca.certificate)
        let signed = try await MDocIssuer(signer: identity, random: random).mint(order)
        return try IssuedDocument(
            id: definition.docType, docType: definition.docType, issuerSigned: IssuerSigned(decoding: signed.encodedCBOR),
            keyID: key.id)
    }

    private static func requestObject(_ authority: TestAuthority, _ time: Timestamp) async throws -> String {
        let reader = authority.reader
        let claims: JSONObject = [
            "client_id": .string("x509_hash:" + Base64URL.encode(reader.certificate.sha256)), "aud": "https://self-issued.me/v2",
            "response_type": "vp_token", "response_mode": "direct_post", "response_uri": "https://verifier.example/response",
            "nonce": "nonce-1", "state": "state-1", "iat": .integer(time.secondsSince1970),
            "dcql_query": try JSON.decode(Seeds.tokenQuery), "client_metadata": ["vp_formats_supported": VPFormats.own.json],
        ]
        return try await JWS.sign(
            Array(JSON.object(claims).encoded().utf8),
            header: ["typ": "oauth-authz-req+jwt", "x5c": [.string(Base64.encode(reader.certificate.der))]],
            by: JWSSigner(reader.key, nonce: .deterministic)
        ).compact
    }

    private static func token(
        _ authority: TestAuthority, _ random: SeededRandom, _ binding: KeyBindingExpectation, _ time: Timestamp
    ) async throws -> (SDJWT, SDJWT) {
        let holder = try PrivateKey.generate(.p256, random: random)
        let claims: JSONObject = [
            "vct": "urn:example:id", "iss": "https://issuer.example", "iat": .integer(time.secondsSince1970),
            "cnf": ["jwk": .object(holder.publicKey.jwk)], "name": "Mira", "address": ["street": "Weg 1", "list": ["a", "b"]],
        ]
        let issuer = SDJWTIssuer(
            signer: try JWSSigner(authority.documentSigner.key, nonce: .deterministic),
            certificates: [authority.documentSigner.certificate], random: random)
        let token = try await issuer.issue(claims, frame: DisclosureFrame(disclosable: ["name", "address"]))
        let terms = KeyBindingClaims(audience: binding.audience, nonce: binding.nonce, issuedAt: time)
        return (token, try await token.bound(to: terms, by: JWSSigner(holder, nonce: .deterministic)))
    }
}
