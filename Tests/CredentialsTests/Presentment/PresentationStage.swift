import Codec
import Credentials
import Crypto
import Ports
import Testing

/// A holder with documents, a reader with trust in their issuer, and a session between the two: everything seeded and at a fixed time.
struct PresentationStage {
    static let mDL = DocumentDefinition.mobileDrivingLicence
    static let pid = DocumentDefinition.personIdentificationData

    let time: Timestamp
    let random = SeededRandom(seed: 42)
    let authority: TestAuthority
    let keyStore: MemoryKeyStore
    let readerKey: PrivateKey
    let transcript: SessionTranscript

    init(curve: Curve = .p256, sessionCurve: Curve = .p256) throws {
        time = try Timestamp(rfc3339: "2026-11-30T12:00:00Z")
        authority = try TestAuthority(at: time, random: random, curve: curve)
        keyStore = MemoryKeyStore(random: random)
        readerKey = try PrivateKey.generate(sessionCurve, random: random)
        let readerKeyBytes = Embedded(COSEKey(readerKey.publicKey)).encoded
        var engagement = CBOREncoder()
        engagement.embedded(CBOR.map([(.int(0), .text("1.0"))]).encoded)
        transcript = try SessionTranscript.proximityQR(
            deviceEngagementBytes: engagement.bytes, eReaderKeyBytes: readerKeyBytes)
    }

    /// A specimen's document in the holder's hands, with a fresh device key.
    func document(
        _ definition: DocumentDefinition = mDL, of person: Specimen = .mira, id: String = "document", faults: [String] = [],
        deviceCurve: Curve = .p256, keyAuthorizations: KeyAuthorizations? = nil, validDays: Int = 90
    ) async throws -> IssuedDocument {
        let key = try await keyStore.create(KeyOptions(curve: deviceCurve))
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia Transport")
        let json = try #require(person.claims(for: definition, issuer: issuer, at: time))
        let order = DocumentOrder(
            docType: definition.docType, claims: try Claims(json, definition: definition), deviceKey: key.publicKey, signed: time,
            validUntil: time.adding(days: validDays), keyAuthorizations: keyAuthorizations)
        let identity = try IssuingIdentity(
            certificate: authority.documentSigner.certificate, key: authority.documentSigner.key, nonce: .deterministic,
            root: authority.iaca.certificate)
        let signed = try await MDocIssuer(signer: identity, random: random, tampering: Tampering(named: faults)).mint(order)
        return try IssuedDocument(
            id: id, docType: definition.docType, issuerSigned: IssuerSigned(decoding: signed.encodedCBOR), keyID: key.id)
    }

    /// A request for elements of one document.
    static func request(
        _ identifiers: [String], of definition: DocumentDefinition = mDL, info: DocRequestInfo? = nil
    ) -> DeviceRequest {
        let elements = identifiers.map { (identifier: $0, intentToRetain: false) }
        let items = ItemsRequest(
            docType: definition.docType, nameSpaces: [(definition.nameSpaces[0].nameSpace, elements)],
            requestInfo: info.map { info in CBOR(encoding: { $0.encode(info) }) })
        return DeviceRequest(docRequests: [DocRequest(itemsRequest: Embedded(items))])
    }

    /// What the holder would send.
    func present(
        _ documents: [IssuedDocument], to request: DeviceRequest, presenter: Presenter? = nil, edition: Edition = .first,
        consent provider: any ConsentProvider = AutomaticConsent()
    ) async throws -> Presentation {
        let presenter = presenter ?? Presenter(keyStore: keyStore)
        let proposal = presenter.propose(try PresentationRequest(request, edition: edition), to: nil, from: documents)
        let consent = try #require(await Consent.obtain(for: proposal, from: provider, at: time))
        return try await presenter.deviceResponse(consent, over: transcript, unlock: .automatic)
    }

    /// What a reader that trusts the issuer makes of it.
    func verify(_ bytes: [UInt8], request: DeviceRequest, edition: Edition = .first) -> PresentationReport {
        PresentationVerifier(signers: SignerVerifier(anchors: authority.anchors, edition: edition))
            .verify(bytes, over: transcript, request: request, readerKey: readerKey, at: time)
    }
}
