/// A value in an "encoded CBOR data item" (tag 24, RFC 8949 §3.4.5.1) together with the bytes it came in. Digests and
/// signatures are over those bytes, so they are kept and never made again.
public struct Embedded<Value> {
    /// What the content means.
    public let value: Value
    /// The complete item, `D8 18 58 …`, as received or made.
    public let encoded: [UInt8]
    /// The content of the byte string: the encoded value without tag and string head.
    public let content: ArraySlice<UInt8>

    /// Reads tag 24 and the value in it.
    public init(_ cbor: CBOR) throws(CBORError) where Value: CBORDecodable {
        let string = try cbor.tagged(24)
        self.init(try Value(string.embeddedContent()), cbor, string)
    }

    /// Wraps a value in its own encoding.
    public init(_ value: Value) where Value: CBOREncodable {
        let content = value.encodedCBOR
        var encoder = CBOREncoder(capacity: content.count + 12)
        encoder.embedded(content)
        self.value = value
        encoded = encoder.bytes
        self.content = encoded[(encoded.count - content.count)...]
    }

    private init(_ value: Value, _ cbor: CBOR, _ string: CBOR) {
        self.value = value
        encoded = cbor.encoded
        content =
            string.isIndefinite ? string.document.index.content(of: Int(string.node)) : encoded.suffix(Int(string.raw.argument))
    }
}

extension Embedded: Sendable where Value: Sendable {}

extension Embedded: Hashable {
    /// Same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
    /// By the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension Embedded: CBOREncodable {
    /// Writes the bytes as received or made.
    public func encode(to encoder: inout CBOREncoder) { encoder.raw(encoded) }
}

extension Embedded: CBORDecodable where Value: CBORDecodable {}
