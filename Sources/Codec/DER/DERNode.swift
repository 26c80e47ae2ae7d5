/// Why bytes are no acceptable DER (X.690), and where.
public struct DERError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong.
    public enum Reason: Equatable, Sendable {
        /// The input ends inside an element.
        case truncated
        /// A length in more bytes than needed, or BER's indefinite length.
        case nonMinimalLength
        /// A length of more than four bytes.
        case lengthTooLarge
        /// A tag number in a padded or over-long form.
        case malformedTag
        /// Bytes after the element.
        case trailingBytes(Int)
        /// Deeper than 32 levels.
        case tooDeep
        /// Another element than wanted.
        case expected(String, found: String)
        /// Content that its type does not allow; a sentence.
        case invalid(String)
        /// Elements that nobody asked for, or one missing.
        case unconsumed(Int)
        case missing(String)
    }

    /// What was wrong.
    public var reason: Reason
    /// Where, if the reader gave names.
    public var path: FieldPath
    /// Offset in the bytes given, if known.
    public var offset: Int?

    /// An error at a place.
    public init(_ reason: Reason, path: FieldPath = FieldPath(), offset: Int? = nil) {
        self.reason = reason
        self.path = path
        self.offset = offset
    }

    /// One line for people.
    public var description: String {
        "\(reason)\(path.isEmpty ? "" : " at \(path)")\(offset.map { ", offset \($0)" } ?? "")"
    }
}

extension DERError.Reason: CustomStringConvertible {
    /// What was wrong, for people.
    public var description: String {
        switch self {
        case .truncated: "DER ends early"
        case .nonMinimalLength: "length is not in its shortest definite form"
        case .lengthTooLarge: "length in more than four bytes"
        case .malformedTag: "tag number is not in its shortest form"
        case .trailingBytes(let count): "\(count) bytes after the end of the element"
        case .tooDeep: "nested deeper than \(DERNode.maximalDepth) levels"
        case .expected(let wanted, let found): "expected \(wanted), found \(found)"
        case .invalid(let what): what
        case .unconsumed(let count): "\(count) element\(count == 1 ? "" : "s") more than the type has"
        case .missing(let what): "\(what) is missing"
        }
    }
}

/// One element of DER: a view into the bytes that were read, with its content not looked into yet.
public struct DERNode: Sendable, Hashable {
    /// The class bits of a tag.
    public enum TagClass: UInt8, Sendable {
        case universal, application, contextSpecific, `private`
    }

    /// Class, number and form of the tag.
    public let tagClass: TagClass
    public let tagNumber: UInt32
    public let isConstructed: Bool
    /// The whole input; ranges below are positions in it.
    let bytes: [UInt8]
    let start: Int
    let contentStart: Int
    let end: Int
    let depth: Int

    static let maximalDepth = 32

    /// Reads bytes that are exactly one element.
    public init(decoding bytes: [UInt8]) throws(DERError) {
        self = try DERNode(bytes, 0..<bytes.count, depth: 0)
        guard end == bytes.count else { throw DERError(.trailingBytes(bytes.count - end), offset: end) }
    }

    /// Reads the element at the start of bytes and says how many it took.
    public static func prefix(of bytes: [UInt8]) throws(DERError) -> (node: DERNode, consumed: Int) {
        let node = try DERNode(bytes, 0..<bytes.count, depth: 0)
        return (node, node.end)
    }

    /// The content without tag and length.
    public var content: [UInt8] { Array(bytes[contentStart..<end]) }
    /// Tag, length and content exactly as read.
    public var encoded: [UInt8] { Array(bytes[start..<end]) }
    /// Where the element starts in the bytes given.
    public var offset: Int { start }
    /// Bytes of the whole element.
    public var length: Int { end - start }

    /// The elements in a constructed one.
    public func children() throws(DERError) -> [DERNode] {
        guard isConstructed else { throw unexpected("a constructed element") }
        guard depth < Self.maximalDepth else { throw error(.tooDeep) }
        var children: [DERNode] = []
        // As many as most elements of certificates have.
        children.reserveCapacity(4)
        var position = contentStart
        while position < end {
            let child = try DERNode(bytes, position..<end, depth: depth + 1)
            children.append(child)
            position = child.end
        }
        return children
    }

    /// An error about this element.
    public func error(_ reason: DERError.Reason) -> DERError { DERError(reason, offset: start) }

    /// Whether the tag is this one.
    public func hasTag(_ tag: UInt32, _ tagClass: TagClass = .universal) -> Bool { tagNumber == tag && self.tagClass == tagClass }

    private init(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) throws(DERError) {
        var reader = HeadReader(bytes: bytes, position: range.lowerBound, end: range.upperBound)
        let first = try reader.byte()
        tagClass = TagClass(rawValue: first >> 6) ?? .private
        isConstructed = first & 0x20 != 0
        tagNumber = first & 0x1f == 0x1f ? try reader.longTag() : UInt32(first & 0x1f)
        let length = try reader.length()
        guard length <= range.upperBound - reader.position else { throw DERError(.truncated, offset: range.lowerBound) }
        self.bytes = bytes
        self.depth = depth
        start = range.lowerBound
        contentStart = reader.position
        end = reader.position + length
    }

    /// Same encoded bytes.
    public static func == (left: DERNode, right: DERNode) -> Bool {
        left.bytes[left.start..<left.end] == right.bytes[right.start..<right.end]
    }

    /// By the encoded bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes[start..<end]) }
}

/// Reads tag and length.
private struct HeadReader {
    let bytes: [UInt8]
    var position: Int
    let end: Int

    mutating func byte() throws(DERError) -> UInt8 {
        guard position < end else { throw DERError(.truncated, offset: position) }
        position += 1
        return bytes[position - 1]
    }

    mutating func longTag() throws(DERError) -> UInt32 {
        var number: UInt32 = 0
        for place in 0..<4 {
            let byte = try byte()
            if place == 0 && byte == 0x80 { break }
            number = number << 7 | UInt32(byte & 0x7f)
            if byte & 0x80 == 0 {
                guard number > 30 else { break }
                return number
            }
        }
        throw DERError(.malformedTag, offset: position - 1)
    }

    mutating func length() throws(DERError) -> Int {
        let first = try byte()
        guard first >= 0x80 else { return Int(first) }
        guard first != 0x80 else { throw DERError(.nonMinimalLength, offset: position - 1) }
        guard first <= 0x84 else { throw DERError(.lengthTooLarge, offset: position - 1) }
        var length = 0
        for place in 0..<Int(first & 0x7f) {
            let byte = try byte()
            if place == 0 && byte == 0 { throw DERError(.nonMinimalLength, offset: position - 1) }
            length = length << 8 | Int(byte)
        }
        guard length >= 0x80 else { throw DERError(.nonMinimalLength, offset: position - 1) }
        return length
    }
}
