import Codec
import TestSupport
import Testing

@testable import Commands
@testable import Credentials

/// `reader verify --explain` names the handover that a device's proof covers, told of the requests that it may have answered.
@Suite struct HandoverOptionsTests {
    /// What the checks of device authentication say of a response under a transcript.
    private func explanation(_ response: [UInt8], over transcript: [UInt8], _ options: [String]) async throws -> String {
        let stage = try InProcess()
        defer { stage.remove() }
        let outcome = await stage.run(
            [
                "reader", "verify", "--response", Hex.encode(response), "--transcript", Hex.encode(transcript), "--trust", "none",
                "--explain", "--json", "--home", "\(stage.folder)/home",
            ] + options)
        let checks = try #require(outcome.answer?["checks"]?.arrayValue, "\(outcome.stderr)")
        let check = try #require(checks.first { $0["name"]?.stringValue?.hasPrefix("device-") ?? false && $0["outcome"] == "fail" })
        return try #require(check["reason"]?.stringValue)
    }

    @Test func namesTheDCAPIWhereAQRCodeWasThought() async throws {
        let published = try Fixture.json("presentment/openid4vp-dcapi.json")
        func text(_ name: String) throws -> String { try #require(published[name]?.stringValue) }
        let response = try Hex.decode(text("deviceResponse"))
        let options = ["--origin", try text("origin"), "--nonce", try text("nonce")]
        let wrong: [UInt8] = [0x83, 0xF6, 0xF6, 0xF6]
        #expect(
            try await explanation(response, over: wrong, options)
                .hasSuffix("verifies with the handover of OpenID4VP over the DC API"))
        #expect(try await !explanation(response, over: wrong, ["--nonce", try text("nonce")]).contains("verifies with"))
        #expect(
            try await !explanation(response, over: wrong, ["--origin", "https://other.example", "--nonce", try text("nonce")])
                .contains("verifies with"))
    }

    /// Annex D was engaged by NFC, with a negotiated handover.
    @Test func namesNFCWhereAQRCodeWasThought() async throws {
        let path = "presentment/annex-d.json"
        let right = try SessionTranscript(encoded: try Fixture.hex("sessionTranscriptBytes", in: path))
        let messages = try Array(right.handover.array()).map { Hex.encode(try $0.bytes()) }
        let wrong = try SessionTranscript.proximityQR(
            deviceEngagementBytes: try #require(right.deviceEngagementBytes), eReaderKeyBytes: try #require(right.eReaderKeyBytes))
        let reason = try await explanation(
            try Fixture.hex("deviceResponse", in: path), over: wrong.encoded,
            [
                "--handover-select", messages[0], "--handover-request", messages[1], "--reader-key",
                Hex.encode(try Fixture.hex("readerPrivateKey", in: path)),
            ])
        #expect(reason.hasSuffix("verifies with the negotiated handover of NFC"))
    }

    /// Each other handover is made of its own parts alone, and only when all are there.
    @Test func makesWhatTheOptionsAllow() throws {
        func names(_ values: [String: String]) throws -> [String] {
            try HandoverOptions { values[$0] }.transcripts(besides: nil).map(\.name)
        }
        #expect(try names([:]) == [])
        #expect(try names(["client-id": "x509_san_dns:v.example", "nonce": "n"]) == [])
        let redirect = "the handover of OpenID4VP by redirect"
        let annexB = "\(redirect), the handover of ISO/IEC TS 18013-7 Annex B"
        let request = [
            "client-id": "x509_san_dns:v.example", "nonce": "n", "response-uri": "https://v.example/r", "mdoc-nonce": "m",
        ]
        // Annex B with the mdoc's nonce, and with the verifier's in its place.
        #expect(try names(request) == [redirect, "\(redirect), the client_id without its prefix", annexB, annexB])
        #expect(
            try names(["origin": "https://v.example", "encryption-info": "gm"]) == ["the handover of ISO/IEC TS 18013-7 Annex C"])
    }
}
