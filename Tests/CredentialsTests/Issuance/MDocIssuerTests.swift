import Codec
import Credentials
import Crypto
import Ports
import Testing

/// What the issuer puts into a document.
struct MDocIssuerTests {
    @Test func documentsKeepTheRulesOfTheStandard() async throws {
        let stage = try PresentationStage()
        let document = try await stage.document()
        let items = document.issuerSigned.nameSpaces[0].items.map(\.value)
        #expect(items.allSatisfy { $0.random.count >= 16 })
        #expect(Set(items.map(\.random)).count == items.count)
        #expect(Set(items.map(\.digestID)) == Set(UInt64(0)..<UInt64(items.count)))
        #expect(items.map(\.digestID) != items.map(\.digestID).sorted())
        let validity = document.mobileSecurityObject.validityInfo
        #expect(validity.members.allSatisfy { $0.value.isWellFormed })
        #expect(validity.signed.text == "2026-11-30T12:00:00Z" && validity.validUntil.text == "2027-02-28T12:00:00Z")
        #expect(document.issuerSigned.issuerAuth.encodedCBOR.first == 0x84)
        #expect(try document.issuerSigned.issuerAuth.x5chain?.form == .byteString)
        #expect(document.issuerSigned.issuerAuth.unprotected[COSEHeaders.Label.algorithm] == nil)
        let deviceKey = try await stage.keyStore.info(document.keyID).publicKey
        #expect(try document.mobileSecurityObject.deviceKey.publicKey == deviceKey)
    }

    @Test(arguments: [HashAlgorithm.sha256, .sha384, .sha512])
    func everyDigestAlgorithmVerifies(hash: HashAlgorithm) async throws {
        let stage = try PresentationStage()
        let key = try await stage.keyStore.create(KeyOptions())
        let order = DocumentOrder(
            docType: "org.example", claims: Claims([("n", [("e", .text("v"))])]), deviceKey: key.publicKey, signed: stage.time,
            validUntil: stage.time.adding(days: 1), hash: hash)
        let signer = stage.authority.documentSigner
        let identity = try IssuingIdentity(certificate: signer.certificate, key: signer.key)
        let signed = try await MDocIssuer(signer: identity, random: stage.random).mint(order)
        let mso = try signed.mobileSecurityObject()
        #expect(mso.hash == hash)
        #expect(mso.digest(0, in: "n") == hash.digest(signed.nameSpaces[0].items[0].encoded))
        try signed.issuerAuth.verify(with: signer.key.publicKey)
    }

    @Test func aDocumentNeedsClaims() async throws {
        let stage = try PresentationStage()
        let key = try await stage.keyStore.create(KeyOptions())
        let order = DocumentOrder(
            docType: "org.example", claims: Claims(), deviceKey: key.publicKey, signed: stage.time,
            validUntil: stage.time.adding(days: 1))
        let signer = stage.authority.documentSigner
        let issuer = MDocIssuer(
            signer: try IssuingIdentity(certificate: signer.certificate, key: signer.key), random: stage.random)
        await #expect(throws: MintError.self) { try await issuer.mint(order) }
    }
}
