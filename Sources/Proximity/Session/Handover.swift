public import Codec
public import Credentials
public import Crypto

/// How the engagement reached the reader; the third element of the session transcript.
public enum Handover: Sendable, Hashable {
    case qr
    /// The whole NDEF messages; no request for static handover.
    case nfc(select: [UInt8], request: [UInt8]?)

    /// The transcript of a session that begins so.
    /// - Parameter eReaderKeyBytes: the complete tag-24 item as sent or received.
    public func transcript(of engagement: DeviceEngagement, eReaderKeyBytes: [UInt8]) throws(CBORError) -> SessionTranscript {
        switch self {
        case .qr:
            try .proximityQR(deviceEngagementBytes: engagement.taggedBytes, eReaderKeyBytes: eReaderKeyBytes)
        case .nfc(let select, let request):
            try .proximityNFC(
                deviceEngagementBytes: engagement.taggedBytes, eReaderKeyBytes: eReaderKeyBytes, handoverSelect: select,
                handoverRequest: request)
        }
    }
}

/// A decrypted request and what its answer has to be bound to.
public struct SessionRequest: Sendable {
    /// Which request of the session, from 1.
    public let ordinal: Int
    /// An encoded DeviceRequest, not yet decoded.
    public let bytes: [UInt8]
    /// What device authentication covers.
    public let transcript: SessionTranscript
    /// EReaderKey, for a device MAC.
    public let readerKey: PublicKey
}
