import Codec
import Credentials
import Crypto
import TestSupport
import Testing

/// Documents and requests of public test suites.
struct PublishedDocumentTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let json: JSON

        var id: String { json["id"]?.stringValue ?? "?" }
        var testDescription: String { "\(id): \(json["about"]?.stringValue ?? "")" }
        var expected: JSON { json["expected"] ?? .null }

        func hex(_ name: String) throws -> [UInt8] { try Hex.decode(#require(json[name]?.stringValue)) }

        func documents() throws -> [Document] {
            let bytes = try hex("hex")
            switch json["kind"]?.stringValue {
            case "DeviceResponse": return try DeviceResponse(decoding: bytes).documents
            case "Document": return [try Document(decoding: bytes)]
            default: return [Document(docType: "", issuerSigned: try IssuerSigned(decoding: bytes), deviceSigned: nil)]
            }
        }
    }

    static func cases(_ file: String, refused: Bool? = nil) -> [Case] {
        let all = (try? Fixture.json("mdoc/\(file)"))?["cases"]?.arrayValue?.map(Case.init) ?? []
        return all.filter { refused == nil || ["9a3d422c", "a48238fb"].contains($0.id) == refused }
    }

    @Test func allFixturesAreThere() {
        #expect(Self.cases("documents.json").count == 8 && Self.cases("device-requests.json").count == 3)
    }

    @Test(arguments: cases("documents.json", refused: false))
    func documentsVerifyAsPublished(published: Case) throws {
        let document = try #require(try published.documents().first)
        let issuerSigned = document.issuerSigned
        let mso = try issuerSigned.mobileSecurityObject()
        #expect(mso.docType == published.expected["docType"]?.stringValue)
        let items = issuerSigned.nameSpaces.flatMap { nameSpace, items in items.map { (nameSpace: nameSpace, item: $0) } }
        #expect(Int64(items.count) == published.expected["items"]?.intValue)
        let wrong = items.filter { entry in
            mso.digest(entry.item.value.digestID, in: entry.nameSpace) != mso.hash?.digest(entry.item.encoded)
        }
        let expected = published.expected["digestMismatches"]?.arrayValue?.compactMap { $0.arrayValue?.last?.stringValue }
        #expect(wrong.map(\.item.value.elementIdentifier) == expected)
        let leaf = try Certificate(der: #require(issuerSigned.issuerAuth.x5chain?.certificates.first))
        try issuerSigned.issuerAuth.verify(with: leaf.publicKey())
        try verifyDevice(document, mso, published)
    }

    private func verifyDevice(_ document: Document, _ mso: MobileSecurityObject, _ published: Case) throws {
        guard published.expected["deviceAuthVerifies"]?.boolValue == true else { return }
        let signed = try #require(document.deviceSigned)
        let signature = try #require(signed.deviceAuth.deviceSignature)
        let transcript = try SessionTranscript(encoded: published.hex("sessionTranscript"))
        let payload = DeviceAuthentication.bytes(
            transcript: transcript, docType: document.docType, nameSpaces: signed.nameSpaces)
        if let carried = signature.payload { #expect(carried == payload) }
        try signature.verify(with: mso.deviceKey.publicKey, detachedPayload: signature.payload == nil ? payload : nil)
    }

    @Test(arguments: zip(cases("documents.json", refused: true), ["tag 24", "expected bstr, found tag 24"]))
    func documentsPublishedWrongAreRefusedForTheirReason(published: Case, reason: String) {
        let error = #expect(throws: CBORError.self) {
            try published.documents().forEach { _ = try $0.issuerSigned.mobileSecurityObject() }
        }
        #expect(error.map { "\($0)".contains(reason) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func aRequestOfTheSecondEditionIsReadWhole() throws {
        let published = try #require(Self.cases("device-requests.json").first { $0.id == "f35af6cc" })
        let bytes = try published.hex("hex")
        let request = try DeviceRequest.receive(bytes)
        #expect(request.version == .v1_1 && request.readerAuthAll.count == 1)
        #expect(request.deviceRequestInfo?.value.useCases.map(\.documentSets) == [[[0]]])
        #expect(request.encodedCBOR.count == bytes.count)
    }

    @Test func aSignatureWithoutUsableChainIsStillRead() throws {
        let published = try #require(Self.cases("device-requests.json").first { $0.id == "50ccc892" })
        let signature = try #require(DeviceRequest.receive(published.hex("hex")).docRequests[0].readerAuth)
        #expect(throws: CBORError.self) { try signature.x5chain }
        #expect(signature.protected.algorithm == -7)
    }

    @Test func readerAuthenticationVerifiesOverItsTranscript() throws {
        let published = try #require(Self.cases("device-requests.json").first { $0.id == "64fed4e9" })
        let docRequest = try DeviceRequest.receive(published.hex("hex")).docRequests[0]
        let signature = try #require(docRequest.readerAuth)
        let transcript = try SessionTranscript(encoded: published.hex("sessionTranscript"))
        let key = try Certificate(der: #require(signature.x5chain?.certificates.first)).publicKey()
        let payload = ReaderAuthentication.bytes(transcript: transcript, itemsRequest: docRequest.itemsRequest)
        try signature.verify(with: key, detachedPayload: payload)
        #expect(throws: COSEError.invalidSignature) { try signature.verify(with: key, detachedPayload: payload + [0]) }
    }
}
