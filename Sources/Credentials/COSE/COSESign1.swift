public import Codec
public import Crypto

/// A payload signed by one signer (RFC 9052 §4.2), tagged (18) or not:
///
///     COSE_Sign1 = [ protected: bstr .cbor map, unprotected: map, payload: bstr / nil, signature: bstr ]
///
/// The protected bytes and the payload stay as received: they are what was signed.
public struct COSESign1: CBORCodable, Sendable, Hashable {
    /// The CBOR tag.
    public static let tag: UInt64 = 18

    private let message: COSEMessage

    /// Reads the structure; nothing is verified.
    public init(_ cbor: CBOR) throws(CBORError) {
        message = try COSEMessage(cbor, tag: Self.tag, name: "COSE_Sign1")
    }

    /// A structure from its parts.
    public init(
        protected: COSEHeaders, unprotected: COSEHeaders = .empty, payload: [UInt8]?, signature: [UInt8], isTagged: Bool = false
    ) {
        message = COSEMessage(
            protected: protected, unprotected: unprotected, payload: payload, proof: signature, isTagged: isTagged)
    }

    /// The content of the protected byte string.
    public var protectedBytes: [UInt8] { message.protectedBytes }
    /// The parameters that the signature covers.
    public var protected: COSEHeaders { message.protected }
    /// The parameters that it does not cover.
    public var unprotected: COSEHeaders { message.unprotected }
    /// The payload; nil when detached, empty when an empty string was signed.
    public var payload: [UInt8]? { message.payload }
    /// Whether the payload is `undefined`, which counts as detached though null belongs there.
    public var payloadIsUndefined: Bool { message.payloadIsUndefined }
    /// r ‖ s of fixed width, or an EdDSA signature.
    public var signature: [UInt8] { message.proof }
    /// Whether tag 18 stands in front.
    public var isTagged: Bool { message.isTagged }

    /// The payload as one CBOR item, nil when detached; errors name their place in the whole message.
    public func payloadContent() throws(CBORError) -> CBOR? { try message.payloadContent() }

    /// The certificate chain, from the protected map if it stands there, else from the unprotected one.
    public var x5chain: X5Chain? {
        get throws(CBORError) {
            if let chain = try protected.x5chain { return chain }
            return try unprotected.x5chain
        }
    }

    /// The algorithm, from the protected map if it stands there.
    /// - Throws: `.algorithmMissing` or `.algorithmUnsupported`.
    public func algorithm() throws(COSEError) -> COSEAlgorithm { try message.algorithm() }

    /// The encoded Sig_structure (RFC 9052 §4.4).
    public func toBeSigned(detachedPayload: [UInt8]? = nil, externalAAD: [UInt8] = []) throws(COSEError) -> [UInt8] {
        let payload = try message.covered(detachedPayload)
        return message.toBeProved("Signature1", aad: externalAAD, payload: payload).reduce(into: []) { $0 += $1 }
    }

    /// Verifies the signature.
    /// - Parameters:
    ///   - detachedPayload: what was signed, when the structure has no payload.
    ///   - requiresPair: whether algorithm and curve must be a pair of ISO/IEC 18013-5:2021 Table 22 (or RFC 9864). Switch it off
    ///     only to judge pair and signature apart.
    /// - Throws: why it does not verify; `.invalidSignature` when everything else is in order.
    public func verify(
        with key: PublicKey, detachedPayload: [UInt8]? = nil, externalAAD: [UInt8] = [], requiresPair: Bool = true
    ) throws(COSEError) {
        try message.checkCritical()
        let algorithm = try message.algorithm()
        let payload = try message.covered(detachedPayload)
        try algorithm.verify(
            signature, of: message.toBeProved("Signature1", aad: externalAAD, payload: payload), with: key,
            requiresPair: requiresPair)
    }

    /// Signs the payload. The algorithm goes into the protected map, before `protected`.
    /// - Parameters:
    ///   - detached: whether the structure leaves the payload out.
    ///   - signer: makes the signature (fixed width) over the bytes it is given, e.g. a `KeyStore`.
    public static func sign<E: Error>(
        _ payload: [UInt8], algorithm: COSEAlgorithm, protected: [(CBOR, CBOR)] = [], unprotected: COSEHeaders = .empty,
        detached: Bool = false, externalAAD: [UInt8] = [], isTagged: Bool = false,
        signer: (_ toBeSigned: [UInt8]) async throws(E) -> [UInt8]
    ) async throws(E) -> COSESign1 {
        let headers = COSEHeaders(algorithm: algorithm, others: protected)
        let toBeSigned = COSEMessage.structure("Signature1", [headers.map.encoded], aad: externalAAD, payload: payload)
        let signature = try await signer(toBeSigned.reduce(into: []) { $0 += $1 })
        return COSESign1(
            protected: headers, unprotected: unprotected, payload: detached ? nil : payload, signature: signature,
            isTagged: isTagged)
    }

    /// Writes the structure, exactly as received if it was.
    public func encode(to encoder: inout CBOREncoder) { message.encode(tag: Self.tag, to: &encoder) }

    public var encodedSizeHint: Int { message.encodedSizeHint }
}

extension COSEAlgorithm {
    func verify(
        _ signature: [UInt8], of toBeSigned: [[UInt8]], with key: PublicKey, requiresPair: Bool
    ) throws(COSEError) {
        guard !isMAC else { throw .algorithmUnsupported("\(rawValue) for signatures") }
        guard fits(key.curve), allows(key.curve) || !requiresPair else { throw .algorithmNotAllowed(self, key.curve) }
        guard key.verify(signature: signature, parts: toBeSigned, hash: hash) else { throw .invalidSignature }
    }
}
