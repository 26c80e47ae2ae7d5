public import Codec

/// What a presentation over OpenID4VP is bound to, in whichever format: the one source of `aud`, `nonce` and the handover.
public struct PresentationBinding: Sendable, Hashable {
    /// How the request came and the response goes.
    public enum Channel: Sendable, Hashable {
        /// By redirect or direct post. The client identifier is whole, with its prefix; the address is `response_uri` or
        /// `redirect_uri`, whichever the request has.
        case redirect(clientID: String, responseURI: String)
        /// Over the Digital Credentials API, for a page of this origin.
        case digitalCredentials(origin: String)
    }

    public let channel: Channel
    public let nonce: String
    /// SHA-256 thumbprint (RFC 7638, 32 bytes) of the key that the response is encrypted to; nil when it is not.
    public let keyThumbprint: [UInt8]?

    public init(_ channel: Channel, nonce: String, keyThumbprint: [UInt8]?) {
        self.channel = channel
        self.nonce = nonce
        self.keyThumbprint = keyThumbprint
    }

    /// `aud` of key binding JWTs: the full client identifier, or `origin:<origin>` (OpenID4VP 1.0 §B.3.6, §A.4).
    public var audience: String {
        switch channel {
        case .redirect(let clientID, _): clientID
        case .digitalCredentials(let origin): "origin:\(origin)"
        }
    }

    /// What device authentication of an mdoc covers (OpenID4VP 1.0 §B.2.6).
    public func transcript() throws(CBORError) -> SessionTranscript {
        switch channel {
        case .redirect(let clientID, let responseURI):
            try .openID4VP(clientID: clientID, nonce: nonce, keyThumbprint: keyThumbprint, responseURI: responseURI)
        case .digitalCredentials(let origin):
            try .openID4VPDCAPI(origin: origin, nonce: nonce, keyThumbprint: keyThumbprint)
        }
    }

    /// The transcripts that wallets with a known mistake make of the same request, each with the name of the mistake.
    ///
    /// - Parameter mdocNonce: `apu` of an encrypted response, which ISO/IEC TS 18013-7 Annex B puts into its handover.
    public func knownMistakes(mdocNonce: String? = nil) -> [(name: String, transcript: SessionTranscript)] {
        var all: [(name: String, transcript: SessionTranscript)] = []
        func add(_ name: String, _ make: () throws(CBORError) -> SessionTranscript) {
            if let transcript = try? make() { all.append((name, transcript)) }
        }
        switch channel {
        case .redirect(let clientID, let responseURI):
            if keyThumbprint != nil {
                add("the thumbprint left out (null)") { () throws(CBORError) in
                    try .openID4VP(clientID: clientID, nonce: nonce, keyThumbprint: nil, responseURI: responseURI)
                }
            }
            if let colon = clientID.firstIndex(of: ":") {
                add("the client_id without its prefix") { () throws(CBORError) in
                    try .openID4VP(
                        clientID: String(clientID[clientID.index(after: colon)...]), nonce: nonce, keyThumbprint: keyThumbprint,
                        responseURI: responseURI)
                }
            }
            for mdocNonce in [mdocNonce, nonce].compactMap(\.self) {
                add("the handover of ISO/IEC TS 18013-7 Annex B") { () throws(CBORError) in
                    try .annexB(clientID: clientID, responseURI: responseURI, nonce: nonce, mdocNonce: mdocNonce)
                }
            }
        case .digitalCredentials(let origin):
            if keyThumbprint != nil {
                add("the thumbprint left out (null)") { () throws(CBORError) in
                    try .openID4VPDCAPI(origin: origin, nonce: nonce, keyThumbprint: nil)
                }
            }
            add("the origin with its prefix origin:") { () throws(CBORError) in
                try .openID4VPDCAPI(origin: "origin:\(origin)", nonce: nonce, keyThumbprint: keyThumbprint)
            }
            add("the handover of a draft before OpenID4VP 1.0") { () throws(CBORError) in
                try .draftDCAPI(origin: origin, clientID: "web-origin:\(origin)", nonce: nonce)
            }
        }
        return all
    }
}
