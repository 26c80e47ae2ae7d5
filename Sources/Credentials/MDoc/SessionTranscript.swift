public import Codec
import Crypto

/// What both sides saw of this session; every signature and key of it covers these bytes (ISO/IEC 18013-5:2021 §9.1.5.1).
///
///     SessionTranscript = [ DeviceEngagementBytes / null, EReaderKeyBytes / null, Handover ]
///
/// The parts go in as they were sent or received, complete with their tag 24.
public struct SessionTranscript: Sendable, Hashable {
    /// The array itself.
    public let encoded: [UInt8]
    /// `SessionTranscriptBytes = #6.24(bstr .cbor SessionTranscript)`: what is hashed for the session keys.
    public let taggedBytes: [UInt8]
    /// `EReaderKeyBytes` with its tag 24; nil when the place holds null (OpenID4VP).
    public let eReaderKeyBytes: [UInt8]?
    /// `DeviceEngagementBytes` with its tag 24; nil when the place holds null.
    public let deviceEngagementBytes: [UInt8]?
    /// The third element: null for QR, `[Hs, Hr]` for NFC, an array with a name for other channels.
    public let handover: CBOR

    /// The transcript of a session engaged by QR code: the handover is null.
    /// - Parameters:
    ///   - deviceEngagementBytes: the complete tag-24 item.
    ///   - eReaderKeyBytes: the complete tag-24 item.
    public static func proximityQR(
        deviceEngagementBytes: [UInt8], eReaderKeyBytes: [UInt8]
    ) throws(CBORError) -> SessionTranscript {
        try SessionTranscript(deviceEngagementBytes: deviceEngagementBytes, eReaderKeyBytes: eReaderKeyBytes) { $0.null() }
    }

    /// The transcript of a session engaged by NFC: `[ Hs : bstr, Hr : bstr / nil ]`.
    /// - Parameter handoverRequest: nil for static handover.
    public static func proximityNFC(
        deviceEngagementBytes: [UInt8], eReaderKeyBytes: [UInt8], handoverSelect: [UInt8], handoverRequest: [UInt8]?
    ) throws(CBORError) -> SessionTranscript {
        try SessionTranscript(deviceEngagementBytes: deviceEngagementBytes, eReaderKeyBytes: eReaderKeyBytes) { encoder in
            encoder.array(2)
            encoder.bytes(handoverSelect)
            if let handoverRequest { encoder.bytes(handoverRequest) } else { encoder.null() }
        }
    }

    /// A transcript that came from elsewhere: the array, or SessionTranscriptBytes with the array in tag 24.
    public init(encoded: [UInt8]) throws(CBORError) {
        let item = try CBOR(decoding: encoded)
        try self.init(item.kind == .tag ? item.embedded() : item)
    }

    private init(
        deviceEngagementBytes: [UInt8], eReaderKeyBytes: [UInt8], handover: (inout CBOREncoder) -> Void
    ) throws(CBORError) {
        var encoder = CBOREncoder(capacity: deviceEngagementBytes.count + eReaderKeyBytes.count + 64)
        encoder.array(3)
        encoder.raw(deviceEngagementBytes)
        encoder.raw(eReaderKeyBytes)
        handover(&encoder)
        try self.init(CBOR(decoding: encoder.bytes))
    }

    private init(_ item: CBOR) throws(CBORError) {
        let parts = Array(try item.array())
        guard parts.count == 3 else { throw item.error(.expected("array of 3", found: "array of \(parts.count)")) }
        encoded = item.encoded
        var encoder = CBOREncoder(capacity: encoded.count + 8)
        encoder.embedded(encoded)
        taggedBytes = encoder.bytes
        deviceEngagementBytes = parts[0].isNull ? nil : parts[0].encoded
        eReaderKeyBytes = parts[1].isNull ? nil : parts[1].encoded
        handover = parts[2]
    }

    /// SHA-256 of `taggedBytes`, 32 bytes: the salt of every key of the session, and what reports show.
    public var hash: [UInt8] { HashAlgorithm.sha256.digest(taggedBytes) }

    /// The reader's ephemeral key.
    /// - Throws: when the element is neither null nor a COSE_Key inside tag 24.
    public func eReaderKey() throws(CBORError) -> COSEKey? {
        guard let eReaderKeyBytes else { return nil }
        return try COSEKey(CBOR(decoding: eReaderKeyBytes).embedded())
    }

    public static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}
