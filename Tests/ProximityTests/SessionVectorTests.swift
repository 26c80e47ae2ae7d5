import Codec
import Credentials
import Crypto
import Ports
import Proximity
import TestSupport
import Testing

/// ISO/IEC 18013-5:2021 Annex D.5.1, both sides.
struct SessionVectorTests {
    private func hex(_ name: String) throws -> [UInt8] { try Fixture.hex(name, in: EngagementTests.annexD) }
    private func transcript() throws -> SessionTranscript {
        try SessionTranscript(encoded: hex("D.5.1_session_transcript_bytes"))
    }
    private func key(_ role: String) throws -> PrivateKey {
        try PrivateKey(curve: .p256, scalar: hex("D.5.1_ephemeral_\(role)_key_d"))
    }
    /// The engagement inside the transcript, which has no retrieval methods.
    private func engagement() throws -> DeviceEngagement {
        let tagged = try #require(try transcript().deviceEngagementBytes)
        return try DeviceEngagement(CBOR(decoding: tagged).embedded())
    }
    private func handover() throws -> Handover {
        .nfc(select: try hex("D.3.2_nfc_handover_select"), request: try hex("D.3.2_nfc_handover_request"))
    }

    @Test func agreesOnThePublishedSecretFromBothSides() throws {
        let secret = try hex("Zab_session")
        #expect(try key("reader").agree(with: key("device").publicKey) == secret)
        #expect(try key("device").agree(with: key("reader").publicKey) == secret)
        #expect(try transcript().hash == hex("salt"))
        #expect(try HKDF.sha256(ikm: secret, salt: hex("salt"), info: Array("SKReader".utf8), length: 32) == hex("SKReader"))
        #expect(try HKDF.sha256(ikm: secret, salt: hex("salt"), info: Array("SKDevice".utf8), length: 32) == hex("SKDevice"))
    }

    @Test func holderDecryptsThePublishedEstablishment() throws {
        var session = HolderSession(
            engagement: try engagement(), key: try key("device"), handover: try handover(), edition: .first)
        guard case .request(let request) = try session.receive(hex("D.5.1_session_establishment")) else {
            Issue.record("no request")
            return
        }
        #expect(request.transcript.taggedBytes == (try hex("D.5.1_session_transcript_bytes")))
        #expect(request.bytes == (try hex("D.4.1.1_device_request")))
        #expect(try session.respond(hex("D.4.1.2_device_response")) == hex("D.5.1_session_data"))
        guard case .terminated(.termination) = try session.receive(hex("D.5.1_session_termination")) else {
            Issue.record("not terminated")
            return
        }
        #expect(session.isEnded)
        #expect(session.checks.checks.allSatisfy { !$0.outcome.isViolation })
    }

    @Test func readerMakesThePublishedEstablishmentAndDecryptsTheResponse() throws {
        var session = try ReaderSession(
            engagement: engagement(), eDeviceKey: key("device").publicKey, key: key("reader"), handover: handover(), edition: .first
        )
        #expect(session.transcript.taggedBytes == (try hex("D.5.1_session_transcript_bytes")))
        #expect(try session.request(hex("D.4.1.1_device_request")) == hex("D.5.1_session_establishment"))
        guard case .response(let response, nil) = try session.receive(hex("D.5.1_session_data")) else {
            Issue.record("no response")
            return
        }
        #expect(response == (try hex("D.4.1.2_device_response")))
        #expect(session.terminate() == (try hex("D.5.1_session_termination")))
    }

    @Test func cipherRefusesEveryFlippedBitOfAMessage() throws {
        let data = try SessionEstablishment(decoding: hex("D.5.1_session_establishment")).data
        let secret = try hex("Zab_session")
        for bit in stride(from: 0, to: data.count * 8, by: 41) {
            var altered = data
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            var cipher = try SessionCipher(role: .mdoc, sharedSecret: secret, transcript: transcript())
            #expect(throws: SessionCipher.Failure(ordinal: 1, diagnosis: .none)) { try cipher.open(altered) }
            #expect(try cipher.open(data) == hex("D.4.1.1_device_request"))
        }
    }
}
