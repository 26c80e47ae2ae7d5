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

    /// The example's only document.
    func document() throws -> Document {
        let response = try DeviceResponse(decoding: try #require(response))
        return try #require(response.documents.first)
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

/// One bit of the example flipped: the right check fails, and only it.
struct AnnexDTamperingTests {
    /// Where a bit is flipped, found by its content; offsets are from there.
    static let places: [(what: String, marker: String, offset: Int, id: String)] = [
        ("the family name's value", "66616d696c795f6e616d65", 11 + 13 + 2, "R17"),
        ("the portrait", "ffd8ffe000104a464946", 40, "R17"),
        ("a digest in the MSO", "6c76616c756544696765737473", 60, "R14"),
        ("the issuer's signature", "5840", 10, "R14"),
        ("the MAC's tag", "5820e99521a85ad7891b", 8, "R24.mac"),
    ]

    @Test(arguments: places.indices)
    func aFlippedBitFailsItsCheck(index: Int) throws {
        let place = Self.places[index]
        let annexD = try AnnexD()
        var bytes = try #require(annexD.response)
        let marker = try Hex.decode(place.marker)
        let start = try #require(bytes.firstRange(of: marker)?.lowerBound, "\(place.what) is not in the example")
        bytes[start + place.offset] ^= 1
        let failed = Set(try annexD.verify(bytes).checks.filter { $0.outcome == .fail }.map(\.id))
        #expect(failed.contains(place.id), "\(place.what): \(failed)")
        #expect(failed.isSubset(of: [place.id, "R12.crldp-fields", "R17"]), "\(place.what): \(failed)")
    }

    /// No flipped bit anywhere makes the verdict better or the program stop; every one in signed bytes is noticed.
    @Test func everyFlippedBitUnderASignatureIsNoticed() throws {
        let annexD = try AnnexD()
        let good = try #require(annexD.response)
        let report = try annexD.verify(good)
        let untouched = report.checks.filter { $0.outcome.isViolation }.map(\.id)
        let object = try #require(try annexD.document().issuerSigned.issuerAuth.payload)
        let signed = try #require(good.firstRange(of: object))
        for position in stride(from: 0, to: good.count, by: 7) {
            var bytes = good
            bytes[position] ^= 1 << UInt8(position % 8)
            let violations = try annexD.verify(bytes).checks.filter { $0.outcome.isViolation }.map(\.id)
            #expect(!signed.contains(position) || violations != untouched, "flipped bit at \(position)")
        }
    }

    @Test func everyTruncationIsRefusedWithoutACrash() throws {
        let annexD = try AnnexD()
        let good = try #require(annexD.response)
        for count in stride(from: 0, to: good.count, by: 11) {
            let report = try annexD.verify(Array(good.prefix(count)))
            #expect(report.verdict == .fail)
            #expect(report.checks.contains { $0.id == "R1.cbor" && $0.outcome == .fail }, "cut at \(count)")
        }
    }

    @Test func aValueThatSaysAnotherNameFailsItsDigestAlone() throws {
        let annexD = try AnnexD()
        var bytes = try #require(annexD.response)
        let name = try #require(bytes.firstRange(of: [0x63] + Array("Doe".utf8)))
        bytes[name.lowerBound + 1] = UInt8(ascii: "F")
        let report = try annexD.verify(bytes)
        #expect(report.checks.filter { $0.outcome == .fail }.map(\.id).sorted() == ["R12.crldp-fields", "R17"])
        #expect(report.checks.first { $0.id == "R17" }?.reason == "digest mismatch org.iso.18013.5.1/family_name")
        #expect(report.documents.first?.claims.first { $0.element == "family_name" }?.isVerified == false)
        #expect(report.json()["documents"]?.arrayValue?.first?["claims"]?["org.iso.18013.5.1"]?["family_name"] == nil)
    }
}

/// What the verdict makes of missing inputs.
struct AnnexDInputTests {
    private func report(
        anchored: Bool = true, transcript: Bool = true, key: Bool = true, waived: Bool = false
    ) throws -> PresentationReport {
        let annexD = try AnnexD()
        var verifier = annexD.verifier
        if !anchored { verifier.signers = SignerVerifier(anchors: .none, edition: .first) }
        verifier.rule.trustWaived = waived
        return verifier.verify(
            try #require(annexD.response), over: transcript ? annexD.transcript : nil, readerKey: key ? annexD.readerKey : nil,
            at: annexD.time)
    }

    private func outcome(_ id: String, _ report: PresentationReport) -> CheckOutcome? {
        report.checks.first { $0.id == id }?.outcome
    }

    @Test func withoutAnchorsThePathIsNotRunAndTrustIsUnknown() throws {
        let report = try report(anchored: false)
        #expect(outcome("R11.path", report) == .notRun(.noAnchors))
        #expect(outcome("R13.country", report) == .notRun(.noAnchors))
        #expect(outcome("R14", report) == .pass)
        #expect(report.documents.first?.trusted == nil)
    }

    @Test func withoutAKeyTheMACIsNotRun() throws {
        let report = try report(key: false)
        #expect(outcome("R24.mac", report) == .notRun(.noKey))
        #expect(outcome("R24.mac-curve", report) == .pass)
    }

    @Test func withoutATranscriptTheMACIsNotRun() throws {
        #expect(try outcome("R24.mac", report(transcript: false)) == .notRun(.noTranscript))
    }

    @Test func withoutARequestNothingIsMissingOrSurplus() throws {
        let report = try report()
        for id in ["R7", "R26.missing", "R26.extra", "R29", "R30.nearest"] {
            #expect(outcome(id, report) == .notRun(.notPresent), "\(id)")
        }
    }

    @Test func anExpiredDocumentFailsWhateverElseHolds() throws {
        let annexD = try AnnexD()
        let later = try Timestamp(rfc3339: "2022-01-01T00:00:00Z")
        let report = annexD.verifier.verify(
            try #require(annexD.response), over: annexD.transcript, readerKey: annexD.readerKey, at: later)
        #expect(outcome("R21.now", report) == .fail)
        #expect(outcome("R11.validity", report) == .fail)
        #expect(outcome("R14", report) == .pass)
    }

    @Test func aDocumentSeenBeforeWarns() throws {
        let annexD = try AnnexD()
        var verifier = annexD.verifier
        let object = try #require(try annexD.document().issuerSigned.issuerAuth.payload)
        let hash = HashAlgorithm.sha256.digest(object)
        verifier.wasSeen = { $0 == hash }
        let report = verifier.verify(try #require(annexD.response), over: nil, at: annexD.time)
        #expect(outcome("R31", report) == .warn)
        verifier.wasSeen = { _ in false }
        #expect(outcome("R31", verifier.verify(try #require(annexD.response), over: nil, at: annexD.time)) == .pass)
    }
}
