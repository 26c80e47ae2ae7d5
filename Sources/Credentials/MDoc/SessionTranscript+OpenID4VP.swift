public import Codec
import Crypto

extension SessionTranscript {
    /// The transcript of a presentation by redirect or direct post (OpenID4VP 1.0 §B.2.6.1):
    /// `[null, null, ["OpenID4VPHandover", SHA-256([clientId, nonce, jwkThumbprint / null, responseUri])]]`.
    ///
    /// - Parameters:
    ///   - clientID: whole, with its prefix.
    ///   - keyThumbprint: SHA-256 thumbprint (RFC 7638, 32 bytes) of the key that the response is encrypted to; nil when it is not.
    ///   - responseURI: `response_uri` or `redirect_uri`, whichever the request has.
    public static func openID4VP(
        clientID: String, nonce: String, keyThumbprint: [UInt8]?, responseURI: String
    ) throws(CBORError) -> SessionTranscript {
        try handover("OpenID4VPHandover", .text(clientID), .text(nonce), .thumbprint(keyThumbprint), .text(responseURI))
    }

    /// The transcript of a presentation over the Digital Credentials API (OpenID4VP 1.0 §B.2.6.2):
    /// `[null, null, ["OpenID4VPDCAPIHandover", SHA-256([origin, nonce, jwkThumbprint / null])]]`.
    ///
    /// - Parameter origin: without `origin:`.
    public static func openID4VPDCAPI(
        origin: String, nonce: String, keyThumbprint: [UInt8]?
    ) throws(CBORError) -> SessionTranscript {
        try handover("OpenID4VPDCAPIHandover", .text(origin), .text(nonce), .thumbprint(keyThumbprint))
    }

    /// The transcript of ISO/IEC TS 18013-7 Annex C (protocol `org-iso-mdoc`):
    /// `[null, null, ["dcapi", SHA-256([base64EncryptionInfo, origin])]]`.
    ///
    /// - Parameter encryptionInfo: base64url text as it stands in the request.
    public static func dcAPI(encryptionInfo: String, origin: String) throws(CBORError) -> SessionTranscript {
        try handover("dcapi", .text(encryptionInfo), .text(origin))
    }

    /// The transcript of ISO/IEC TS 18013-7:2024 Annex B, made for drafts of OpenID4VP: recognised, never emitted.
    /// `[null, null, [SHA-256([clientId, mdocNonce]), SHA-256([responseUri, mdocNonce]), nonce]]`.
    public static func annexB(
        clientID: String, responseURI: String, nonce: String, mdocNonce: String
    ) throws(CBORError) -> SessionTranscript {
        try wrapping { encoder in
            encoder.array(3)
            encoder.bytes(hash([.text(clientID), .text(mdocNonce)]))
            encoder.bytes(hash([.text(responseURI), .text(mdocNonce)]))
            encoder.text(nonce)
        }
    }

    /// The handover over the Digital Credentials API of drafts before OpenID4VP 1.0: recognised, never emitted.
    public static func draftDCAPI(origin: String, clientID: String, nonce: String) throws(CBORError) -> SessionTranscript {
        try handover("OpenID4VPDCAPIHandover", .text(origin), .text(clientID), .text(nonce))
    }

    /// The transcript of a presentation during issuance at an interactive authorization endpoint (OpenID4VCI 1.1):
    /// `[null, null, ["OpenID4VCIIAEHandover", SHA-256([endpoint, nonce, jwkThumbprint / null])]]`.
    public static func interactiveAuthorization(
        endpoint: String, nonce: String, keyThumbprint: [UInt8]?
    ) throws(CBORError) -> SessionTranscript {
        try handover("OpenID4VCIIAEHandover", .text(endpoint), .text(nonce), .thumbprint(keyThumbprint))
    }

    /// One element of what a handover hashes.
    private enum Element {
        case text(String)
        case thumbprint([UInt8]?)
    }

    private static func handover(_ name: String, _ elements: Element...) throws(CBORError) -> SessionTranscript {
        try wrapping { encoder in
            encoder.array(2)
            encoder.text(name)
            encoder.bytes(hash(elements))
        }
    }

    private static func wrapping(_ handover: (inout CBOREncoder) -> Void) throws(CBORError) -> SessionTranscript {
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.null()
        encoder.null()
        handover(&encoder)
        return try SessionTranscript(encoded: encoder.bytes)
    }

    private static func hash(_ elements: [Element]) -> [UInt8] {
        var encoder = CBOREncoder(capacity: 256)
        encoder.array(elements.count)
        for element in elements {
            switch element {
            case .text(let text): encoder.text(text)
            case .thumbprint(let bytes?): encoder.bytes(bytes)
            case .thumbprint(nil): encoder.null()
            }
        }
        return HashAlgorithm.sha256.digest(encoder.bytes)
    }
}
