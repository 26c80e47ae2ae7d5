/// A type that writes itself as CBOR.
public protocol CBOREncodable {
    /// Writes exactly one item.
    func encode(to encoder: inout CBOREncoder)
    /// About how many bytes that makes: room to begin with, as growing costs a copy.
    var encodedSizeHint: Int { get }
}

/// A type that reads itself from a validated item.
public protocol CBORDecodable {
    /// Reads the item.
    /// - Throws: what does not fit, with path and offset.
    init(_ cbor: CBOR) throws(CBORError)
}

/// Both directions.
public typealias CBORCodable = CBOREncodable & CBORDecodable

extension CBOREncodable {
    /// Enough for most messages.
    public var encodedSizeHint: Int { 256 }

    /// The encoded item.
    @inlinable
    public var encodedCBOR: [UInt8] {
        var encoder = CBOREncoder(capacity: encodedSizeHint)
        encode(to: &encoder)
        return encoder.bytes
    }
}

extension CBORDecodable {
    /// Decodes bytes that hold exactly one item.
    public init(decoding bytes: [UInt8], limits: CBORLimits = .standard) throws(CBORError) {
        try self.init(CBOR(decoding: bytes, limits: limits))
    }
}

extension CBOR: CBOREncodable {
    /// Writes the bytes as received.
    public func encode(to encoder: inout CBOREncoder) { encoder.item(self) }
    /// As many as were received.
    public var encodedSizeHint: Int { encodedRange.count }
}
