import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// The presentation of ISO/IEC 18013-5:2021 Annex D.
struct AnnexD {
    static let file = "presentment/annex-d.json"
    static let mDL = "org.iso.18013.5.1.mDL"

    let response = try? Fixture.hex("deviceResponse", in: file)
    let verifier: PresentationVerifier
    let transcript: SessionTranscript
    let readerKey: PrivateKey
    let request: DeviceRequest
    let time: Timestamp

    init(edition: Edition = .first) throws {
        let root = try Certificate(der: Fixture.hex("iacaCertificate", in: Self.file))
        verifier = PresentationVerifier(
            signers: SignerVerifier(anchors: TrustAnchors([TrustAnchor(root, role: .documents)]), edition: edition))
        transcript = try SessionTranscript(encoded: Fixture.hex("sessionTranscriptBytes", in: Self.file))
        readerKey = try PrivateKey(curve: .p256, scalar: Fixture.hex("readerPrivateKey", in: Self.file))
        request = try DeviceRequest(decoding: Fixture.hex("deviceRequest", in: Self.file))
        time = try Timestamp(rfc3339: "2021-01-01T00:00:00Z")
    }

    func verify(_ bytes: [UInt8]? = nil) throws -> PresentationReport {
        let response = try #require(bytes ?? response)
        return verifier.verify(response, over: transcript, request: request, readerKey: readerKey, at: time)
    }
}

struct AnnexDVerificationTests {
    /// Two rows of the published example do not hold: its document signer certificate names the CRL by a DNS name, not a URI, and
    /// the MSO ends 13½ hours after it.
    @Test func theExampleOfTheStandardHoldsButForItsCertificate() throws {
        let report = try AnnexD().verify()
        let violations = report.checks.filter { $0.outcome.isViolation }
        #expect(violations.map(\.id) == ["R12.crldp-fields", "R21.outlives"])
        #expect(violations.map(\.outcome) == [.fail, .warn])
        let document = try #require(report.documents.first)
        #expect(document.trusted == true)
        #expect(document.holderBinding == .mac)
        #expect(document.claims.map(\.element).contains("family_name"))
        #expect(document.claims.filter { !$0.isVerified }.isEmpty)
        #expect(document.issuer?.subject == "C=US,CN=utopia ds" || document.issuer?.subject == "CN=utopia ds,C=US")
    }
}
