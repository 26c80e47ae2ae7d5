import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

/// The structures of ISO/IEC 18013-5:2021 Annex D, and what is refused.
struct MDocModelTests {
    private static let file = "presentment/annex-d.json"

    @Test func aResponseKeepsItsBytes() throws {
        let bytes = try Fixture.hex("deviceResponse", in: Self.file)
        let response = try DeviceResponse(decoding: bytes)
        #expect(response.encodedCBOR == bytes)
        #expect(response.documents.map(\.docType) == ["org.iso.18013.5.1.mDL"])
        let document = response.documents[0]
        #expect(document.deviceSigned?.deviceAuth.form == .mac)
        let mso = try document.issuerSigned.mobileSecurityObject()
        #expect(mso.hash == .sha256 && mso.version == .v1_0)
        #expect(mso.validityInfo.signed.text == "2020-10-01T13:30:02Z" && mso.validityInfo.signed.isWellFormed)
        #expect(mso.validityInfo.validUntil.timestamp?.rfc3339 == "2021-10-01T13:30:02Z")
        for item in document.issuerSigned.nameSpaces[0].items {
            let digest = mso.digest(item.value.digestID, in: "org.iso.18013.5.1")
            #expect(digest == HashAlgorithm.sha256.digest(item.encoded))
        }
    }

    @Test func aRequestKeepsItsBytes() throws {
        let bytes = try Fixture.hex("deviceRequest", in: Self.file)
        let request = try DeviceRequest(decoding: bytes)
        #expect(request.encodedCBOR == bytes)
        #expect(request.version == request.expectedVersion)
        let items = request.docRequests[0].itemsRequest.value
        #expect(items.docType == "org.iso.18013.5.1.mDL")
        #expect(items.nameSpaces[0].elements.filter { !$0.intentToRetain }.map(\.identifier) == ["portrait"])
    }

    @Test func theTranscriptIsReadTaggedAndPlain() throws {
        let tagged = try Fixture.hex("sessionTranscriptBytes", in: Self.file)
        let transcript = try SessionTranscript(encoded: tagged)
        #expect(transcript.taggedBytes == tagged)
        #expect(try SessionTranscript(encoded: transcript.encoded) == transcript)
        #expect(try transcript.eReaderKey()?.curve == .p256)
        let again = try SessionTranscript.proximityNFC(
            deviceEngagementBytes: try #require(transcript.deviceEngagementBytes),
            eReaderKeyBytes: try #require(transcript.eReaderKeyBytes), handoverSelect: try transcript.handover[0].bytes(),
            handoverRequest: try transcript.handover[1].bytes())
        #expect(again == transcript)
    }

    @Test func everyMemberOfARequestOfTheSecondEditionIsRead() throws {
        let info = DocRequestInfo(
            alternativeDataElements: [
                AlternativeDataElements(
                    requestedElement: ElementReference(nameSpace: "a", identifier: "b"),
                    alternativeElementSets: [[ElementReference(nameSpace: "a", identifier: "c")]])
            ], issuerIdentifiers: [[1, 2, 3]], uniqueDocSetRequired: true, maximumResponseSize: 70_000)
        let items = ItemsRequest(
            docType: "t", nameSpaces: [("a", [("b", true)])], requestInfo: CBOR(encoding: { $0.encode(info) }))
        let useCases = DeviceRequestInfo(useCases: [
            .init(mandatory: true, documentSets: [[0]], purposeHints: [("org.iso.jtc1.sc17", 3)])
        ])
        let request = DeviceRequest(
            docRequests: [DocRequest(itemsRequest: Embedded(items))], deviceRequestInfo: Embedded(useCases))
        let read = try DeviceRequest.receive(request.encodedCBOR)
        #expect(read.version == .v1_1)
        let presented = try PresentationRequest(read, edition: .second)
        #expect(presented.documents[0].alternatives == info.alternativeDataElements)
        #expect(presented.documents[0].issuerIdentifiers == [[1, 2, 3]])
        #expect(presented.documents[0].maximumResponseSize == 70_000)
        #expect(presented.useCases.map(\.purposes) == [["org.iso.jtc1.sc17: 3"]])
        #expect(try PresentationRequest(read, edition: .first).documents[0].maximumResponseSize == nil)
    }

    @Test func indefiniteLengthsAreRead() throws {
        let request = try CBORDiagnostic.parse(
            """
            {_ "version": "1.0", "docRequests": [_ {_ "itemsRequest": 24(<<{_ "docType": "t", "nameSpaces": {_ "n": {_ "e": true}}}>>)}]}
            """)
        #expect(try DeviceRequest(decoding: request).docRequests[0].itemsRequest.value.nameSpaces[0].nameSpace == "n")
    }

    @Test(arguments: [
        ("{\"version\": \"2.0\", \"docRequests\": []}", "H4.major", UInt64(10)),
        ("{\"version\": \"1.0\"}", "H5.shape", 12),
        ("{\"version\": \"1.0\", \"docRequests\": []}", "H5.shape", 12),
        ("{\"version\": \"1.0\", \"docRequests\": [{\"itemsRequest\": {\"docType\": \"t\"}}]}", "H5.tag", 12),
        (
            "{\"version\": \"1.0\", \"docRequests\": [{\"itemsRequest\": 24(<<{\"docType\": \"t\", \"nameSpaces\": {}}>>)}]}",
            "H5.shape", 12
        ),
        (
            "{\"version\": \"1.0\", \"docRequests\": [{\"itemsRequest\": 24(<<{\"docType\": \"t\", \"nameSpaces\": {\"n\": {\"e\": 1}}}>>)}]}",
            "H5.shape", 12
        ),
    ])
    func aRequestIsRefusedForItsReason(text: String, check: String, status: UInt64) throws {
        let bytes = try CBORDiagnostic.parse(text)
        let refusal = #expect(throws: DeviceRequestRefusal.self) { try DeviceRequest.receive(bytes) }
        #expect(refusal?.check.rawValue == check && refusal?.status == status)
    }

    @Test func bytesThatAreNoCBORGetStatus11() {
        let refusal = #expect(throws: DeviceRequestRefusal.self) { try DeviceRequest.receive([0xa2, 0x67]) }
        #expect(refusal?.check == .cbor && refusal?.status == 11)
    }

    @Test func useCasesMustReferToDocRequests() throws {
        let items = ItemsRequest(docType: "t", nameSpaces: [("a", [("b", true)])])
        let request = DeviceRequest(
            docRequests: [DocRequest(itemsRequest: Embedded(items))],
            deviceRequestInfo: Embedded(DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: [[1]])])))
        let refusal = #expect(throws: DeviceRequestRefusal.self) { try PresentationRequest(request, edition: .second) }
        #expect(refusal?.check == .useCases && refusal?.status == 12)
    }

    @Test func errorsNameTheirPlace() throws {
        var bytes = try Fixture.hex("deviceResponse", in: Self.file)
        // The digestID of the first item becomes a negative number.
        let key = Array("digestID".utf8)
        let place = try #require((0..<bytes.count - key.count).first { Array(bytes[$0..<$0 + key.count]) == key })
        bytes[place + key.count] = 0x20
        let error = #expect(throws: CBORError.self) { try DeviceResponse(decoding: bytes) }
        let path = error.map { "\($0.path)" } ?? ""
        #expect(path.hasPrefix("documents[0].issuerSigned.nameSpaces[\"org.iso.18013.5.1\"][0]") && path.hasSuffix("digestID"))
        #expect(error?.offset == place + key.count)
    }

    /// Nothing that a peer sends may crash: every cut and every flipped byte of a response is read or refused.
    @Test func damagedResponsesAreReadOrRefused() throws {
        let bytes = try Fixture.hex("deviceResponse", in: Self.file)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: CBORError.self) { try DeviceResponse(decoding: Array(bytes.prefix(count))) }
        }
        for place in stride(from: 0, to: bytes.count, by: 3) {
            var damaged = bytes
            damaged[place] ^= UInt8(truncatingIfNeeded: 1 << (place % 8))
            guard let response = try? DeviceResponse(decoding: damaged) else { continue }
            _ = response.documents.map { try? $0.issuerSigned.mobileSecurityObject().deviceKey }
        }
    }
}
