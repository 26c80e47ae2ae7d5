import Codec
import Crypto
import Testing

@testable import Credentials

/// Known mistakes in what the device signs over are named, and the check stays failed.
struct TranscriptVariantTests {
    /// What the device takes for the transcript, by what the report then says.
    static let mistakes: [String] = [
        "the handover of a QR code", "no DeviceEngagement", "neither DeviceEngagement nor EReaderKey",
        "DeviceEngagement without tag 24", "EReaderKey without tag 24", "DeviceEngagement and EReaderKey without tag 24",
        "an EReaderKey encoded again in bytewise order", "a DeviceEngagement encoded again in bytewise order",
        "DeviceAuthentication without tag 24", "SessionTranscript in tag 24 inside DeviceAuthentication",
        "a MAC key salted with the hash of the transcript without tag 24",
    ]

    @Test(arguments: mistakes)
    func isNamed(mistake: String) throws {
        let annexD = try AnnexD()
        let transcript = try Self.unordered(annexD.transcript)
        let document = try annexD.document()
        let signed = try #require(document.deviceSigned)
        let object = try document.issuerSigned.mobileSecurityObject()
        let variant = try #require(
            TranscriptVariant.all(of: transcript, docType: document.docType, object: object, signed)
                .first { $0.name == mistake })

        let secret = try annexD.readerKey.agree(with: object.deviceKey.publicKey)
        let key = try HKDF.sha256(ikm: secret, salt: variant.salt, info: Array("EMacKey".utf8), length: 32)
        let mac = try COSEMac0.authenticate(variant.payload, key: key, detached: true)
        let wrong = Document(
            docType: document.docType, issuerSigned: document.issuerSigned,
            deviceSigned: DeviceSigned(nameSpaces: signed.nameSpaces, deviceAuth: DeviceAuth(deviceMac: mac)))
        let report = annexD.verifier.verify(
            DeviceResponse(documents: [wrong]).encodedCBOR, over: transcript, readerKey: annexD.readerKey, at: annexD.time)
        let check = report.checks.first { $0.id == "R24.mac" }
        let hash = Hex.encode(transcript.hash)
        #expect(check?.outcome == .fail)
        #expect(check?.reason == "device MAC invalid; transcript hash \(hash); verifies with \(mistake)")
    }

    /// The example's transcript with the members of both maps in an order that encoding again changes.
    private static func unordered(_ transcript: SessionTranscript) throws -> SessionTranscript {
        func reversed(_ bytes: [UInt8]?) throws -> [UInt8] {
            let map = try CBOR(decoding: try #require(bytes)).embedded().map()
            var encoder = CBOREncoder()
            encoder.embedded(CBOR.map(Array(map).reversed().map { ($0.key, $0.value) }).encoded)
            return encoder.bytes
        }
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.raw(try reversed(transcript.deviceEngagementBytes))
        encoder.raw(try reversed(transcript.eReaderKeyBytes))
        encoder.item(transcript.handover)
        return try SessionTranscript(encoded: encoder.bytes)
    }

    @Test func anUnrelatedFailureNamesNone() throws {
        let annexD = try AnnexD()
        let other = try SessionTranscript(encoded: [0x83, 0xF6, 0xF6, 0x01])
        let report = annexD.verifier.verify(
            try #require(annexD.response), over: other, readerKey: annexD.readerKey, at: annexD.time)
        let reason = report.checks.first { $0.id == "R24.mac" }?.reason
        #expect(reason == "device MAC invalid; transcript hash \(Hex.encode(other.hash))")
    }
}
