extension DERNode {
    /// A name for the tag, for messages: `SEQUENCE`, `[0]`.
    public var tagName: String {
        switch tagClass {
        case .universal: Self.names[tagNumber] ?? "UNIVERSAL \(tagNumber)"
        case .contextSpecific: "[\(tagNumber)]"
        case .application: "APPLICATION \(tagNumber)"
        case .private: "PRIVATE \(tagNumber)"
        }
    }

    private static let names: [UInt32: String] = [
        1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER", 10: "ENUMERATED",
        12: "UTF8String", 16: "SEQUENCE", 17: "SET", 18: "NumericString", 19: "PrintableString", 20: "TeletexString",
        22: "IA5String", 23: "UTCTime", 24: "GeneralizedTime", 26: "VisibleString", 28: "UniversalString", 30: "BMPString",
    ]

    /// The elements of a SEQUENCE.
    public func sequence() throws(DERError) -> [DERNode] { try constructed(16) }

    /// The elements of a SET, which DER wants sorted only for SET OF; the order is not checked.
    public func set() throws(DERError) -> [DERNode] { try constructed(17) }

    /// Hands the elements of a SEQUENCE to a reader; elements left over are an error.
    public func sequence<R>(_ body: (inout DERCursor) throws(DERError) -> R) throws(DERError) -> R {
        var cursor = DERCursor(try sequence(), in: self)
        let result = try body(&cursor)
        guard cursor.remaining == 0 else { throw error(.unconsumed(cursor.remaining)) }
        return result
    }

    /// The content of an INTEGER as two's complement bytes, minimal.
    public func integerBytes() throws(DERError) -> [UInt8] {
        let content = try primitive(2)
        guard let first = content.first else { throw error(.invalid("INTEGER without content")) }
        if content.count > 1, first == 0 && content[1] & 0x80 == 0 || first == 0xff && content[1] & 0x80 != 0 {
            throw error(.invalid("INTEGER in more bytes than needed"))
        }
        return content
    }

    /// An INTEGER or ENUMERATED that fits `Int`.
    public func int() throws(DERError) -> Int {
        let content = hasTag(10) ? try primitive(10) : try integerBytes()
        guard let first = content.first, content.count <= 8 else {
            throw error(.invalid("INTEGER of \(content.count) bytes does not fit"))
        }
        return content.dropFirst().reduce(Int(Int8(bitPattern: first))) { $0 << 8 | Int($1) }
    }

    /// An object identifier.
    public func oid() throws(DERError) -> OID {
        guard let oid = OID(content: try primitive(6)) else { throw error(.invalid("malformed OBJECT IDENTIFIER")) }
        return oid
    }

    /// A BOOLEAN, which DER writes as 00 or FF.
    public func bool() throws(DERError) -> Bool {
        switch try primitive(1) {
        case [0x00]: return false
        case [0xff]: return true
        default: throw error(.invalid("BOOLEAN that is neither 00 nor FF"))
        }
    }

    /// The bits of a BIT STRING, first bit highest, and how many bits of the last byte are unused.
    public func bitString() throws(DERError) -> (bytes: [UInt8], unusedBits: Int) {
        let content = try primitive(3)
        guard let unused = content.first, unused < 8, unused == 0 || content.count > 1 else {
            throw error(.invalid("malformed BIT STRING"))
        }
        if unused > 0, let last = content.last, last & (1 << unused - 1) != 0 {
            throw error(.invalid("BIT STRING with unused bits that are not zero"))
        }
        return (Array(content.dropFirst()), Int(unused))
    }

    /// The content of an OCTET STRING.
    public func octetString() throws(DERError) -> [UInt8] { try primitive(4) }

    /// A NULL.
    public func null() throws(DERError) {
        guard try primitive(5).isEmpty else { throw error(.invalid("NULL with content")) }
    }

    /// The text of any of the string types that certificates use.
    public func string() throws(DERError) -> String {
        guard tagClass == .universal, !isConstructed else { throw unexpected("a string") }
        switch tagNumber {
        case 12:
            guard let text = String(validating: content, as: UTF8.self) else {
                throw error(.invalid("UTF8String that is not UTF-8"))
            }
            return text
        case 18, 19, 22, 26:
            guard content.allSatisfy({ $0 < 0x80 }) else { throw error(.invalid("\(tagName) with bytes beyond ASCII")) }
            return String(decoding: content, as: UTF8.self)
        case 20: return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        case 30:
            guard content.count.isMultiple(of: 2) else { throw error(.invalid("BMPString of odd length")) }
            let units = stride(from: 0, to: content.count, by: 2).map { UInt16(content[$0]) << 8 | UInt16(content[$0 + 1]) }
            return String(decoding: units, as: UTF16.self)
        default: throw unexpected("a string")
        }
    }

    /// The single element in an explicitly tagged `[n]`.
    public func explicit(_ number: UInt32) throws(DERError) -> DERNode {
        guard hasTag(number, .contextSpecific) else { throw unexpected("[\(number)]") }
        let children = try children()
        guard children.count == 1, let child = children.first else {
            throw error(.invalid("[\(number)] holds \(children.count) elements"))
        }
        return child
    }

    private func constructed(_ tag: UInt32) throws(DERError) -> [DERNode] {
        guard hasTag(tag), isConstructed else { throw unexpected(Self.names[tag] ?? "tag \(tag)") }
        return try children()
    }

    private func primitive(_ tag: UInt32) throws(DERError) -> [UInt8] {
        guard hasTag(tag), !isConstructed else { throw unexpected(Self.names[tag] ?? "tag \(tag)") }
        return content
    }

    func unexpected(_ wanted: String) -> DERError { error(.expected(wanted, found: tagName)) }
}

/// Takes elements of a sequence one after the other.
public struct DERCursor {
    private var nodes: ArraySlice<DERNode>
    private let container: DERNode

    init(_ nodes: [DERNode], in container: DERNode) {
        self.nodes = nodes[...]
        self.container = container
    }

    /// How many are left.
    public var remaining: Int { nodes.count }

    /// The next element; `what` names it in the error if there is none.
    public mutating func next(_ what: String) throws(DERError) -> DERNode {
        guard let node = nodes.popFirst() else { throw container.error(.missing(what)) }
        return node
    }

    /// The next element if it has this tag.
    public mutating func optional(_ tag: UInt32, _ tagClass: DERNode.TagClass = .universal) -> DERNode? {
        guard let node = nodes.first, node.hasTag(tag, tagClass) else { return nil }
        return nodes.popFirst()
    }

    /// Everything that is left.
    public mutating func rest() -> [DERNode] {
        defer { nodes = [] }
        return Array(nodes)
    }
}
