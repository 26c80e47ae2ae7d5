import Codec
import Credentials
import Crypto
import Ports
import Testing
import Vault

@testable import Commands

/// What the log says of a presentation. Names only: values never get into a record.
@Suite struct TransactionRecordTests {
    private let time = Timestamp(secondsSince1970: 1_796_040_000)

    private func reference(_ identifier: String) -> ElementReference {
        ElementReference(nameSpace: "org.iso.18013.5.1", identifier: identifier)
    }

    private var request: PresentationRequest {
        PresentationRequest(documents: [
            .init(
                id: "0", docType: "org.iso.18013.5.1.mDL",
                elements: [
                    .init(reference("family_name"), intentToRetain: true), .init(reference("age_over_18"), intentToRetain: false),
                ])
        ])
    }

    private func presented(trusted: Bool?) -> PresentedDocument {
        var document = PresentedDocument(format: "mso_mdoc", type: "org.iso.18013.5.1.mDL")
        document.trusted = trusted
        document.issuer = .init(subject: "CN=Utopia", sha256: [])
        document.claims = [
            PresentedClaim(
                namespace: "org.iso.18013.5.1", element: "family_name", value: .text("Mustermann"), source: .issuer,
                isVerified: true)
        ]
        return document
    }

    @Test func tellsWhatTheReaderAskedAndGot() throws {
        let report = PresentationReport(at: time, checks: CheckList(edition: .first), documents: [presented(trusted: true)])
        let record = TransactionRecord(readerAt: time, request: request, response: [1, 2, 3], report: report)
        #expect(record.role == .reader)
        #expect(record.peer == "CN=Utopia")
        #expect(record.peerTrusted == true)
        #expect(record.asked == ["org.iso.18013.5.1.mDL": ["org.iso.18013.5.1": ["family_name": true, "age_over_18": false]]])
        #expect(record.left == ["org.iso.18013.5.1.mDL": ["org.iso.18013.5.1": ["family_name"]]])
        // SHA-256 of 01 02 03.
        #expect(record.responseHash == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        #expect(record.verdict == report.verdict.rawValue)
        #expect(!record.json.encoded().contains("Mustermann"))
    }

    @Test func doesNotCallAnUncheckedIssuerTrusted() {
        for (trusted, expected) in [(nil, nil), (false, false), (true, true)] as [(Bool?, Bool?)] {
            let report = PresentationReport(at: time, checks: CheckList(edition: .first), documents: [presented(trusted: trusted)])
            #expect(TransactionRecord(readerAt: time, request: request, response: nil, report: report).peerTrusted == expected)
        }
    }

    @Test func tellsThatNothingLeft() {
        let record = TransactionRecord(
            holderAt: time, request: request, reader: .init(name: "CN=Bar", isTrusted: false), presentation: nil, outcome: .refused)
        #expect(record.verdict == "refused")
        #expect(record.peer == "CN=Bar")
        #expect(record.peerTrusted == false)
        #expect(record.left == [:])
        #expect(record.responseHash == nil)
        #expect(record.documents == [])
    }

    @Test(arguments: [
        ("../../etc/passwd", "_.._.._etc_passwd"), ("/abs", "_abs"), (".hidden", "_.hidden"), ("", "_"),
        ("report.json", "report.json"),
    ])
    func keepsEvidenceInsideItsFolder(_ name: String, _ fileName: String) {
        #expect(Evidence(name: name, bytes: []).fileName == fileName)
    }
}
