import Codec
import Crypto
import Testing

@testable import Credentials

/// What a reader makes of responses whose form is wrong.
struct ResponseFormTests {
    private func verify(_ bytes: [UInt8]) throws -> PresentationReport { try AnnexD().verify(bytes) }

    private func failed(_ report: PresentationReport) -> [String] {
        report.checks.filter { $0.outcome == .fail }.map { "\($0.id) \($0.subject)" }
    }

    private func response(_ members: [(CBOR, CBOR)]) -> [UInt8] { CBOR.map(members).encoded }

    @Test func bytesThatAreNoCBORFail() throws {
        let report = try verify([0xFF, 0x00])
        #expect(failed(report) == ["R1.cbor response"])
        #expect(report.documents.isEmpty)
    }

    @Test func aDuplicateKeyIsNamed() throws {
        let report = try verify([0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02])
        #expect(failed(report) == ["P14 response", "R1.cbor response"])
        #expect(report.checks.first { $0.id == "P14" }?.reason?.contains("DeviceResponse: key \"a\" twice") == true)
    }

    @Test func anotherTypeOfItemFails() throws {
        #expect(failed(try verify([0x01])).contains("R1.shape response"))
    }

    @Test func anEmptyDocumentsArrayFails() throws {
        let bytes = response([(.text("version"), .text("1.0")), (.text("documents"), .array([])), (.text("status"), .int(0))])
        #expect(failed(try verify(bytes)).contains("R1.shape response"))
    }

    @Test func aDocumentThatCannotBeReadLeavesItsRowsWithoutInput() throws {
        let document = CBOR.map([(.text("docType"), .text("x"))])
        let bytes = response([
            (.text("version"), .text("1.0")), (.text("documents"), .array([document])), (.text("status"), .int(0)),
        ])
        let report = try verify(bytes)
        #expect(failed(report).contains("R1.shape x"))
        let rows = report.checks.filter { $0.subject == "x" && $0.id != "R1.shape" }
        #expect(Set(rows.map(\.id)) == Set(DocumentVerification.ids))
        let reasons = Set(rows.compactMap(\.reason))
        #expect(reasons == ["needs R1.shape", "edition"])
    }

    @Test func aStatusWithoutDocumentsIsOneFailure() throws {
        let report = try verify(response([(.text("version"), .text("1.0")), (.text("status"), .int(10))]))
        #expect(failed(report) == ["R6.status response"])
    }

    @Test func aProofOfZeroKnowledgeIsNeverVerified() throws {
        let annexD = try AnnexD()
        let bytes = response([
            (.text("version"), .text("1.0")), (.text("zkDocuments"), .array([.map([])])), (.text("status"), .int(0)),
        ])
        let report = annexD.verifier.verify(bytes, over: annexD.transcript, at: annexD.time)
        #expect(report.verdict == .undetermined)
        #expect(report.checks.first { $0.id == "R14" }?.reason == "undetermined: zero-knowledge proofs are not verified")
        #expect(report.documents.isEmpty)
    }

    @Test func longHeadsWarn() throws {
        let good = try #require(try AnnexD().response)
        let report = try verify([0xB9, 0x00, 0x03] + good.dropFirst())
        #expect(report.checks.first { $0.id == "P13" }?.outcome == .warn)
        #expect(report.checks.first { $0.id == "P13" }?.reason == "DeviceResponse: indefinite length or long head at 0")
    }

    @Test func everyDocumentHasARowForEveryCheck() throws {
        let report = try AnnexD().verify()
        let families = report.checks.filter { $0.subject == AnnexD.mDL }.map { $0.id.hasPrefix("R12") ? "R12" : $0.id }
        #expect(Set(families) == Set(DocumentVerification.ids))
        #expect(families.count == DocumentVerification.ids.count)
    }

    @Test func twoDocumentsOfOneTypeHaveRowsOfTheirOwn() throws {
        let annexD = try AnnexD()
        let document = try annexD.document()
        let report = try verify(DeviceResponse(documents: [document, document]).encodedCBOR)
        #expect(report.checks.filter { $0.id == "R14" }.map(\.subject) == [AnnexD.mDL, "\(AnnexD.mDL) #2"])
    }
}
