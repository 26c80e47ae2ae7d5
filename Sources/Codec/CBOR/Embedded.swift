/// A value in an "encoded CBOR data item" (tag 24, RFC 8949 §3.4.5.1) together with the bytes it came in. Digests and
/// signatures are over those bytes, so they are kept and never made again.
public struct Embedded<Value> {
    /// What the content means.
    public let value: Value
    /// The complete item, `D8 18 58 …`, as received or made: a view into the message that it came with.
    public let item: CBOR

    /// Reads tag 24 and the value in it. Inlinable, so that each message's reading is compiled for its type.
    @inlinable
    public init(_ cbor: CBOR) throws(CBORError) where Value: CBORDecodable {
        value = try Value(cbor.tagged(24).embeddedContent())
        item = cbor
    }

    /// Wraps a value in its own encoding.
    @inlinable
    public init(_ value: Value) where Value: CBOREncodable {
        self.value = value
        let content = value.encodedCBOR
        item = CBOR(capacity: content.count + 12, encoding: { $0.embedded(content) })
    }

    /// A copy of the complete item.
    public var encoded: [UInt8] { item.encoded }

    /// The content of the byte string: the encoded value without tag and string head.
    public var content: ArraySlice<UInt8> { item.document.index.content(of: Int(item.node) + 1) }
}

extension Embedded: Sendable where Value: Sendable {}

extension Embedded: Hashable {
    /// Same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.item == right.item }
    /// By the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(item) }
}

extension Embedded: CBOREncodable {
    /// Writes the bytes as received or made.
    public func encode(to encoder: inout CBOREncoder) { encoder.item(item) }
    /// As many as were received or made.
    public var encodedSizeHint: Int { item.encodedSizeHint }
}

extension Embedded: CBORDecodable where Value: CBORDecodable {}
