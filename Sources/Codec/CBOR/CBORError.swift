/// Why bytes are no acceptable CBOR, or a CBOR value is not what a message wants; says where.
public struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong.
    public enum Reason: Equatable, Sendable {
        /// The input ends inside an item; this many bytes more are needed at least.
        case truncated(missing: Int)
        /// A head with additional information 28 to 30, or an indefinite length where none may be (RFC 8949 §3).
        case malformedHead(UInt8)
        /// 0xFF outside of an indefinite-length item, or between key and value.
        case unexpectedBreak
        /// A chunk of an indefinite-length string that is no definite string of the same type.
        case malformedChunk
        /// A simple value below 32 in two bytes (RFC 8949 §3.3).
        case malformedSimple(UInt8)
        /// A text string that is not UTF-8.
        case invalidUTF8
        /// A map with the same key twice (RFC 8949 §5.6); the key in diagnostic notation.
        case duplicateKey(String)
        /// Bytes after the item.
        case trailingBytes(Int)
        /// A declared length or count that the bytes left cannot hold.
        case countExceedsInput(UInt64)
        /// Deeper than the limit.
        case tooDeep(limit: Int)
        /// More items than the limit.
        case tooManyItems(limit: Int)
        /// More bytes than the limit.
        case tooLarge(limit: Int)
        /// Another type than wanted (names of CDDL).
        case expected(String, found: String)
        /// A map or array without a wanted member.
        case missing(String)
        /// A number that does not fit.
        case outOfRange(String)
        /// A value that the message's rules exclude; a sentence.
        case invalid(String)
    }

    /// What was wrong.
    public var reason: Reason
    /// Where, by names.
    public var path: FieldPath
    /// Where, as an offset in the bytes received, if known.
    public var offset: Int?

    /// An error at a place.
    public init(_ reason: Reason, path: FieldPath = FieldPath(), offset: Int? = nil) {
        self.reason = reason
        self.path = path
        self.offset = offset
    }

    /// The error as one line: what, path, offset.
    public var description: String {
        let place = path.isEmpty ? "" : " at \(path)"
        return "\(reason)\(place)\(offset.map { ", offset \($0)" } ?? "")"
    }
}

extension CBORError.Reason: CustomStringConvertible {
    /// What was wrong, for people.
    public var description: String {
        switch self {
        case .truncated(let missing): "CBOR ends early, at least \(missing) more byte\(missing == 1 ? "" : "s") needed"
        case .malformedHead(let byte): "0x\(Hex.encode([byte])) starts no CBOR item"
        case .unexpectedBreak: "break outside of an indefinite-length item"
        case .malformedChunk: "chunk of an indefinite-length string has another type or no length"
        case .malformedSimple(let value): "simple value \(value) in two bytes"
        case .invalidUTF8: "text string is not UTF-8"
        case .duplicateKey(let key): "map has the key \(key) twice"
        case .trailingBytes(let count): "\(count) byte\(count == 1 ? "" : "s") after the end of the item"
        case .countExceedsInput(let count): "declares \(count) bytes or items, more than the input holds"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyItems(let limit): "more than \(limit) items"
        case .tooLarge(let limit): "more than \(limit) bytes"
        case .expected(let wanted, let found): "expected \(wanted), found \(found)"
        case .missing(let key): "\(key) is missing"
        case .outOfRange(let what): "\(what) is out of range"
        case .invalid(let what): what
        }
    }
}

/// What a decoder accepts at most, whatever the bytes declare. Besides, documents embedded in documents go 16 deep, and a map key
/// that is neither integer nor string has at most 1024 bytes.
public struct CBORLimits: Hashable, Sendable {
    /// Nested containers and tags; recursion is bounded by it, so at most 512.
    public var depth: Int
    /// Data items, each costing 24 bytes of index.
    public var items: Int
    /// Bytes of input.
    public var bytes: Int

    /// Limits of one's own.
    public init(depth: Int, items: Int, bytes: Int) {
        self.depth = min(max(depth, 1), 512)
        self.items = items
        self.bytes = min(bytes, Int(UInt32.max) - 1)
    }

    /// For messages of peers and files: 64 levels, 500 000 items, 32 MiB.
    public static let standard = CBORLimits(depth: 64, items: 500_000, bytes: 32 << 20)
    /// For bytes this program made itself.
    static let own = CBORLimits(depth: 512, items: .max, bytes: .max)
}
