import Codec
import Crypto

/// A known mistake in what the device signed over: another handover, a missing tag 24, bytes that were encoded again.
///
/// Tried after device authentication failed, so that the report can name the cause. The check stays failed.
struct TranscriptVariant {
    let name: String
    /// What the proof would then cover.
    let payload: [UInt8]
    /// The salt of the MAC key.
    let salt: [UInt8]

    init(name: String, payload: [UInt8], salt: [UInt8]) {
        self.name = name
        self.payload = payload
        self.salt = salt
    }

    /// Another transcript, everything else right.
    init(_ name: String, _ transcript: SessionTranscript, _ docType: DocType, _ signed: DeviceSigned) {
        self.init(
            name: name,
            payload: DeviceAuthentication.bytes(transcript: transcript, docType: docType, nameSpaces: signed.nameSpaces),
            salt: transcript.hash)
    }

    /// Every variant that can be made of what is at hand.
    static func all(
        of transcript: SessionTranscript, docType: DocType, object: MobileSecurityObject?, _ signed: DeviceSigned
    ) -> [TranscriptVariant] {
        let names = signed.nameSpaces.encoded
        var variants = transcripts(transcript).map { name, bytes in
            TranscriptVariant(name: name, payload: tagged(authentication(bytes, docType, names)), salt: hash(tagged(bytes)))
        }
        let right = authentication(transcript.encoded, docType, names)
        variants.append(
            TranscriptVariant(name: "DeviceAuthentication without tag 24", payload: right, salt: transcript.hash))
        variants.append(
            TranscriptVariant(
                name: "SessionTranscript in tag 24 inside DeviceAuthentication",
                payload: tagged(authentication(transcript.taggedBytes, docType, names)), salt: transcript.hash))
        variants.append(
            TranscriptVariant(
                name: "a MAC key salted with the hash of the transcript without tag 24", payload: tagged(right),
                salt: hash(transcript.encoded)))
        // HMAC hashes longer salts itself, so that only short transcripts show this mistake.
        if transcript.taggedBytes.count <= 64 {
            variants.append(
                TranscriptVariant(
                    name: "a MAC key salted with the transcript itself", payload: tagged(right), salt: transcript.taggedBytes))
        }
        if let object, object.docType != docType {
            variants.append(
                TranscriptVariant(
                    name: "the docType of the MSO, \(object.docType)",
                    payload: tagged(authentication(transcript.encoded, object.docType, names)), salt: transcript.hash))
        }
        return variants
    }

    /// Transcripts that differ in one part.
    fileprivate static func transcripts(_ transcript: SessionTranscript) -> [(name: String, bytes: [UInt8])] {
        let engagement = transcript.deviceEngagementBytes
        let readerKey = transcript.eReaderKeyBytes
        let handover = transcript.handover.encoded
        var result: [(String, [UInt8])] = []
        if !transcript.handover.isNull { result.append(("the handover of a QR code", array(engagement, readerKey, null))) }
        if engagement != nil { result.append(("no DeviceEngagement", array(nil, readerKey, handover))) }
        if engagement != nil, readerKey != nil {
            result.append(("neither DeviceEngagement nor EReaderKey", array(nil, nil, handover)))
        }
        if let untagged = engagement.flatMap(withoutTag) {
            result.append(("DeviceEngagement without tag 24", array(untagged, readerKey, handover)))
            if let key = readerKey.flatMap(withoutTag) {
                result.append(("DeviceEngagement and EReaderKey without tag 24", array(untagged, key, handover)))
            }
        }
        if let key = readerKey.flatMap(withoutTag) {
            result.append(("EReaderKey without tag 24", array(engagement, key, handover)))
        }
        for (order, word) in [(CBOR.KeyOrder.core, "bytewise"), (.lengthFirst, "length-first")] {
            if let again = engagement.flatMap({ encodedAgain($0, order) }) {
                result.append(("a DeviceEngagement encoded again in \(word) order", array(again, readerKey, handover)))
            }
            if let again = readerKey.flatMap({ encodedAgain($0, order) }) {
                result.append(("an EReaderKey encoded again in \(word) order", array(engagement, again, handover)))
            }
        }
        return result
    }

    private static let null: [UInt8] = [0xF6]

    private static func array(_ engagement: [UInt8]?, _ readerKey: [UInt8]?, _ handover: [UInt8]) -> [UInt8] {
        [0x83] + (engagement ?? null) + (readerKey ?? null) + handover
    }

    private static func authentication(_ transcript: [UInt8], _ docType: DocType, _ names: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder(capacity: transcript.count + names.count + 128)
        encoder.array(4)
        encoder.text("DeviceAuthentication")
        encoder.raw(transcript)
        encoder.text(docType)
        encoder.raw(names)
        return encoder.bytes
    }

    private static func tagged(_ bytes: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder(capacity: bytes.count + 8)
        encoder.embedded(bytes)
        return encoder.bytes
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { HashAlgorithm.sha256.digest(bytes) }

    private static func withoutTag(_ item: [UInt8]) -> [UInt8]? { (try? CBOR(decoding: item).embedded())?.encoded }

    /// nil when encoding again changes nothing.
    private static func encodedAgain(_ item: [UInt8], _ order: CBOR.KeyOrder) -> [UInt8]? {
        guard let content = try? CBOR(decoding: item).embedded() else { return nil }
        let again = tagged(content.canonical(order))
        return again == item ? nil : again
    }
}

extension SessionTranscript {
    /// The transcripts that peers with a known mistake make of the same session, each with the name of the mistake.
    package var knownMistakes: [(name: String, transcript: SessionTranscript)] {
        TranscriptVariant.transcripts(self).compactMap { name, bytes in
            (try? SessionTranscript(encoded: bytes)).map { (name, $0) }
        }
    }
}
