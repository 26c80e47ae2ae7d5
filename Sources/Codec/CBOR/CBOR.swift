/// A CBOR data item (RFC 8949): a view into bytes that were validated as a whole. Copies are cheap; the bytes stay as
/// received, so what was signed or hashed can be had exactly.
public struct CBOR: Sendable {
    /// The type of an item.
    public enum Kind: Sendable, Hashable {
        /// Major types 0 to 6, and what major type 7 holds.
        case unsigned, negative, bytes, text, array, map, tag, bool, null, undefined, simple, float
    }

    let document: CBORDocument
    let node: UInt32

    /// Decodes exactly one item.
    /// - Throws: what is wrong, with path and offset; trailing bytes too.
    public init(decoding bytes: [UInt8], limits: CBORLimits = .standard) throws(CBORError) {
        document = try CBORDocument(bytes, 0..<bytes.count, limits: limits)
        node = 0
    }

    init(_ document: CBORDocument, _ node: UInt32) {
        self.document = document
        self.node = node
    }

    /// Decodes the first item of a sequence and says how many bytes it took.
    public static func prefix(of bytes: [UInt8], limits: CBORLimits = .standard) throws(CBORError) -> (item: CBOR, consumed: Int) {
        let document = try CBORDocument(bytes, 0..<bytes.count, limits: limits, allowsMore: true)
        let item = CBOR(document, 0)
        return (item, item.encodedRange.upperBound)
    }

    /// The exact bytes of this item as received.
    public var encoded: [UInt8] { Array(document.index.bytes[encodedRange]) }

    /// Where the item stands in the bytes that were decoded (for an embedded item: in the outermost bytes).
    public var encodedRange: Range<Int> { Int(raw.start)..<Int(raw.end) }

    /// Where the item starts in the bytes that were decoded.
    public var offset: Int { Int(raw.start) + document.base }

    /// The exact bytes without a copy, for hashing.
    public func withEncoded<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let range = encodedRange
        return try document.index.bytes.withUnsafeBufferPointer { (all) throws(E) -> R in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[range])))
        }
    }

    /// The type of the item.
    public var kind: Kind {
        switch raw.major {
        case 0: .unsigned
        case 1: .negative
        case 2: .bytes
        case 3: .text
        case 4: .array
        case 5: .map
        case 6: .tag
        default: simpleKind
        }
    }

    private var simpleKind: Kind {
        guard raw.info < 25 else { return .float }
        switch raw.argument {
        case 20, 21: return .bool
        case 22: return .null
        case 23: return .undefined
        default: return .simple
        }
    }

    /// Whether the head says an indefinite length.
    public var isIndefinite: Bool { raw.isIndefinite }

    /// Where the item stands, by names; embedded items continue the outer path.
    public var path: FieldPath { document.path(to: Int(node)) }

    var raw: CBORNode { document.index.nodes[Int(node)] }
    func child(_ index: Int) -> CBOR { CBOR(document, UInt32(index)) }

    /// An error about this item, with its path and offset.
    public func error(_ reason: CBORError.Reason) -> CBORError { CBORError(reason, path: path, offset: offset) }
}

extension CBOR: Hashable {
    /// Same encoded bytes.
    public static func == (left: CBOR, right: CBOR) -> Bool {
        left.withEncoded { a in right.withEncoded { b in a.elementsEqual(b) } }
    }

    /// By the encoded bytes.
    public func hash(into hasher: inout Hasher) { withEncoded { hasher.combine(bytes: $0) } }
}

/// Received bytes with their index, shared by all items in them.
final class CBORDocument: Sendable {
    let index: CBORIndex
    /// The item whose byte string this document is, if embedded.
    let outer: CBOR?
    /// What to add to an offset to have one in the outermost bytes; 0 unless an outer string came in chunks.
    let base: Int
    /// How many documents this one is embedded in.
    let level: Int
    /// Documents in documents beyond this are refused, as whoever walks them recurses.
    private static let maximalLevel = 16

    init(
        _ bytes: [UInt8], _ range: Range<Int>, limits: CBORLimits, outer: CBOR? = nil, base: Int = 0, allowsMore: Bool = false,
        refusesDuplicates: Bool = true
    ) throws(CBORError) {
        level = outer.map { $0.document.level + Int($0.raw.level) + 1 } ?? 0
        guard level <= Self.maximalLevel else {
            throw CBORError(.tooDeep(limit: Self.maximalLevel), path: outer?.path ?? FieldPath(), offset: range.lowerBound + base)
        }
        var indexer = CBORIndexer(
            bytes, range, limits: limits, refusesDuplicates: refusesDuplicates, embeds: refusesDuplicates && limits == .standard)
        do throws(CBORIndexer.Failure) {
            try indexer.run()
            if !allowsMore && indexer.position < range.upperBound {
                throw CBORIndexer.Failure(reason: .trailingBytes(range.upperBound - indexer.position), offset: indexer.position)
            }
        } catch {
            let inner = indexer.index.path(toFailureAt: error)
            throw CBORError(error.reason, path: (outer?.path ?? FieldPath()).appending(inner), offset: error.offset + base)
        }
        index = indexer.index
        self.outer = outer
        self.base = base
    }

    /// The item in a byte string, where it is part of this index.
    func embedded(in string: Int) -> Int? {
        level < Self.maximalLevel && Int(index.nodes[string].next) > string + 1 && index.nodes[string].major == 2 ? string + 1 : nil
    }

    func path(to node: Int) -> FieldPath { (outer?.path ?? FieldPath()).appending(index.path(to: node)) }
}

extension CBORIndex {
    fileprivate func path(toFailureAt failure: CBORIndexer.Failure) -> FieldPath {
        if case .trailingBytes = failure.reason { return FieldPath() }
        return path(to: nodes.last.map { $0.next == 0 } == true ? openNode(at: failure.offset) : nodes.count)
    }

    /// The last node if the failure lies in its own head or string, else the node that would have followed.
    private func openNode(at offset: Int) -> Int {
        guard let last = nodes.last, last.major == 2 || last.major == 3 || Int(last.start) == offset else { return nodes.count }
        return nodes.count - 1
    }
}
