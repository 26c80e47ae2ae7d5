public import Codec
import Crypto

/// A payload with a MAC under an implicit key (RFC 9052 §6.2), tagged (17) or not:
///
///     COSE_Mac0 = [ protected: bstr .cbor map, unprotected: map, payload: bstr / nil, tag: bstr ]
///
/// The protected bytes and the payload stay as received: they are what was authenticated.
public struct COSEMac0: CBORCodable, Sendable, Hashable {
    /// The CBOR tag.
    public static let tag: UInt64 = 17

    private let message: COSEMessage

    /// Reads the structure; nothing is verified.
    public init(_ cbor: CBOR) throws(CBORError) {
        message = try COSEMessage(cbor, tag: Self.tag, name: "COSE_Mac0")
    }

    /// A structure from its parts.
    public init(
        protected: COSEHeaders, unprotected: COSEHeaders = .empty, payload: [UInt8]?, authenticationTag: [UInt8],
        isTagged: Bool = false
    ) {
        message = COSEMessage(
            protected: protected, unprotected: unprotected, payload: payload, proof: authenticationTag, isTagged: isTagged)
    }

    /// The content of the protected byte string.
    public var protectedBytes: [UInt8] { message.protectedBytes }
    /// The parameters that the MAC covers.
    public var protected: COSEHeaders { message.protected }
    /// The parameters that it does not cover.
    public var unprotected: COSEHeaders { message.unprotected }
    /// The payload; nil when detached.
    public var payload: [UInt8]? { message.payload }
    /// Whether the payload is `undefined`, which counts as detached though null belongs there.
    public var payloadIsUndefined: Bool { message.payloadIsUndefined }
    /// The MAC.
    public var authenticationTag: [UInt8] { message.proof }
    /// Whether tag 17 stands in front.
    public var isTagged: Bool { message.isTagged }

    /// The payload as one CBOR item, nil when detached; errors name their place in the whole message.
    public func payloadContent() throws(CBORError) -> CBOR? { try message.payloadContent() }

    /// The algorithm, from the protected map if it stands there.
    /// - Throws: `.algorithmMissing` or `.algorithmUnsupported`.
    public func algorithm() throws(COSEError) -> COSEAlgorithm { try message.algorithm() }

    /// The encoded MAC_structure (RFC 9052 §6.3).
    public func toBeMaced(detachedPayload: [UInt8]? = nil, externalAAD: [UInt8] = []) throws(COSEError) -> [UInt8] {
        let payload = try message.covered(detachedPayload)
        return Array(message.toBeProved("MAC0", aad: externalAAD, payload: payload).joined())
    }

    /// Verifies the MAC, compared in constant time.
    /// - Throws: why it does not verify; `.invalidTag` when everything else is in order.
    public func verify(key: [UInt8], detachedPayload: [UInt8]? = nil, externalAAD: [UInt8] = []) throws(COSEError) {
        try message.checkCritical()
        let payload = try message.covered(detachedPayload)
        try message.algorithm().verify(
            authenticationTag, of: message.toBeProved("MAC0", aad: externalAAD, payload: payload), key: key)
    }

    /// Authenticates the payload. The algorithm goes into the protected map, before `protected`.
    /// - Parameter detached: whether the structure leaves the payload out.
    /// - Throws: `.algorithmUnsupported` for a signature algorithm.
    public static func authenticate(
        _ payload: [UInt8], algorithm: COSEAlgorithm = .hmac256, key: [UInt8], protected: [(CBOR, CBOR)] = [],
        unprotected: COSEHeaders = .empty, detached: Bool = false, externalAAD: [UInt8] = [], isTagged: Bool = false
    ) throws(COSEError) -> COSEMac0 {
        let headers = COSEHeaders(algorithm: algorithm, others: protected)
        let parts = COSEMessage.structure("MAC0", [headers.map.encoded], aad: externalAAD, payload: payload)
        return COSEMac0(
            protected: headers, unprotected: unprotected, payload: detached ? nil : payload,
            authenticationTag: HMAC.authenticate(try algorithm.macHash(), key: key, parts: parts), isTagged: isTagged)
    }

    /// Writes the structure, exactly as received if it was.
    public func encode(to encoder: inout CBOREncoder) { message.encode(tag: Self.tag, to: &encoder) }
}

extension COSEAlgorithm {
    func macHash() throws(COSEError) -> HashAlgorithm {
        guard isMAC, let hash else { throw .algorithmUnsupported("\(rawValue) for MACs") }
        return hash
    }

    func verify(_ tag: [UInt8], of toBeMaced: [[UInt8]], key: [UInt8]) throws(COSEError) {
        guard HMAC.isValid(tag, try macHash(), key: key, parts: toBeMaced) else { throw .invalidTag }
    }
}
