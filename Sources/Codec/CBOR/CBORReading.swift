extension CBOR {
    /// An integer that fits `Int`.
    public func int() throws(CBORError) -> Int {
        switch raw.major {
        case 0:
            guard let value = Int(exactly: raw.argument) else { throw error(.outOfRange("integer \(raw.argument)")) }
            return value
        case 1:
            guard let value = Int(exactly: raw.argument) else { throw error(.outOfRange("integer -1-\(raw.argument)")) }
            return -1 - value
        default: throw unexpected("int")
        }
    }

    /// An unsigned integer.
    public func uint() throws(CBORError) -> UInt64 {
        guard raw.major == 0 else { throw unexpected("uint") }
        return raw.argument
    }

    /// A boolean.
    public func bool() throws(CBORError) -> Bool {
        guard kind == .bool else { throw unexpected("bool") }
        return raw.argument == 21
    }

    /// The content of a byte string, chunks joined.
    public func bytes() throws(CBORError) -> [UInt8] { Array(try byteSlice()) }

    /// The content of a byte string as a slice of the received bytes (its indices are offsets there), chunks joined.
    public func byteSlice() throws(CBORError) -> ArraySlice<UInt8> {
        guard raw.major == 2 else { throw unexpected("bstr") }
        return document.index.content(of: Int(node))
    }

    /// The content of a text string, chunks joined.
    public func text() throws(CBORError) -> String {
        guard raw.major == 3 else { throw unexpected("tstr") }
        return String(decoding: document.index.content(of: Int(node)), as: UTF8.self)
    }

    /// A float of any width.
    public func double() throws(CBORError) -> Double {
        guard kind == .float else { throw unexpected("float") }
        return CBORFloat(bits: raw.argument, width: raw.info).value
    }

    /// The number of a simple value that is no boolean, null or undefined.
    public func simple() throws(CBORError) -> UInt8 {
        guard kind == .simple else { throw unexpected("simple") }
        return UInt8(truncatingIfNeeded: raw.argument)
    }

    /// Whether this is `null`.
    public var isNull: Bool { kind == .null }

    /// The number of a tag, nil for other items.
    public var tagNumber: UInt64? { raw.major == 6 ? raw.argument : nil }

    /// The content of a tag with this number.
    public func tagged(_ number: UInt64) throws(CBORError) -> CBOR {
        guard raw.major == 6, raw.argument == number else { throw unexpected("tag \(number)") }
        return child(Int(node) + 1)
    }

    /// The content of a tag of any number.
    public func tagContent() throws(CBORError) -> CBOR {
        guard raw.major == 6 else { throw unexpected("tag") }
        return child(Int(node) + 1)
    }

    /// Elements of an array, pairs of a map; 0 for everything else.
    public var count: Int { raw.major == 4 || raw.major == 5 ? Int(raw.argument) : 0 }

    /// The elements of an array.
    public func array() throws(CBORError) -> CBORArray {
        guard raw.major == 4 else { throw unexpected("array") }
        return CBORArray(self)
    }

    /// The elements of an array of exactly this many elements.
    public func array(count: Int) throws(CBORError) -> [CBOR] {
        let elements = try array()
        guard elements.count == count else { throw unexpected("array of \(count)") }
        return Array(elements)
    }

    /// The pairs of a map, in the order received.
    public func map() throws(CBORError) -> CBORMap {
        guard raw.major == 5 else { throw unexpected("map") }
        return CBORMap(self)
    }

    /// The content of tag 24 (RFC 8949 §3.4.5.1) as a document of its own; what is wrong in it is reported with the path
    /// and offset in the outer bytes.
    public func embedded(limits: CBORLimits = .standard) throws(CBORError) -> CBOR {
        try tagged(24).embeddedContent(limits: limits)
    }

    /// The content of a byte string as a document of its own, as COSE wraps protected headers and payloads.
    public func embeddedContent(limits: CBORLimits = .standard) throws(CBORError) -> CBOR {
        if limits == .standard, let content = document.embedded(in: Int(node)) { return child(content) }
        let content = try byteSlice()
        let bytes = isIndefinite ? Array(content) : document.index.bytes
        let range = isIndefinite ? 0..<bytes.count : content.startIndex..<content.endIndex
        let base = isIndefinite ? offset : document.base
        return CBOR(try CBORDocument(bytes, range, limits: limits, outer: self, base: base), 0)
    }

    func unexpected(_ wanted: String) -> CBORError {
        var found = kind.cddlName
        if wanted.hasPrefix("array of"), raw.major == 4 { found = "array of \(count)" }
        if let tagNumber { found = "tag \(tagNumber)" }
        return error(.expected(wanted, found: found))
    }
}

extension CBOR {
    /// The member of a map with a text key.
    /// - Throws: `.missing`, or `.expected` if this is no map.
    public subscript(_ key: String) -> CBOR {
        get throws(CBORError) {
            guard let value = try optional(key) else { throw error(.missing(JSON.string(key).encoded())) }
            return value
        }
    }

    /// The member of a map with an integer key, or the element of an array at a position.
    /// - Throws: `.missing`, or `.expected` if this is neither.
    public subscript(_ key: Int) -> CBOR {
        get throws(CBORError) {
            guard let value = try optional(key) else { throw error(.missing(raw.major == 4 ? "element \(key)" : "key \(key)")) }
            return value
        }
    }

    /// The member of a map with a text key, nil if there is none.
    public func optional(_ key: String) throws(CBORError) -> CBOR? {
        guard raw.major == 5 else { throw unexpected("map") }
        var key = key
        return key.withUTF8 { document.index.value(of: Int(node), named: $0) }.map(child)
    }

    /// The member of a map with an integer key, or the element of an array, nil if there is none.
    public func optional(_ key: Int) throws(CBORError) -> CBOR? {
        if raw.major == 4 { return key < 0 ? nil : CBORArray(self).dropFirst(key).first { _ in true } }
        guard raw.major == 5 else { throw unexpected("map") }
        return document.index.value(in: Int(node), key: key).map(child)
    }
}

extension CBOR.Kind {
    /// The name in CDDL.
    public var cddlName: String {
        switch self {
        case .unsigned: "uint"
        case .negative: "nint"
        case .bytes: "bstr"
        case .text: "tstr"
        case .array: "array"
        case .map: "map"
        case .tag: "tag"
        case .bool: "bool"
        case .null: "null"
        case .undefined: "undefined"
        case .simple: "simple"
        case .float: "float"
        }
    }
}

/// The elements of an array in order.
public struct CBORArray: Sequence, Sendable {
    private let container: CBOR

    init(_ container: CBOR) { self.container = container }

    /// How many.
    public var count: Int { container.count }
    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }
    /// The first, if any.
    public var first: CBOR? { isEmpty ? nil : container.child(Int(container.node) + 1) }
    /// As many as there are.
    public var underestimatedCount: Int { count }

    /// Walks the index.
    public func makeIterator() -> Iterator { Iterator(container) }

    /// Walks the direct content of a container.
    public struct Iterator: IteratorProtocol {
        private let container: CBOR
        private var node: Int
        private let end: Int

        init(_ container: CBOR) {
            self.container = container
            node = Int(container.node) + 1
            end = Int(container.raw.next)
        }

        /// The next element.
        public mutating func next() -> CBOR? {
            guard node < end else { return nil }
            defer { node = Int(container.document.index.nodes[node].next) }
            return container.child(node)
        }
    }
}

/// The pairs of a map in the order received.
public struct CBORMap: Sequence, Sendable {
    private let container: CBOR

    init(_ container: CBOR) { self.container = container }

    /// How many pairs.
    public var count: Int { container.count }
    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }
    /// As many as there are.
    public var underestimatedCount: Int { count }

    /// Walks the index.
    public func makeIterator() -> Iterator { Iterator(items: CBORArray.Iterator(container)) }

    /// Walks keys and values two at a time.
    public struct Iterator: IteratorProtocol {
        var items: CBORArray.Iterator

        /// The next pair.
        public mutating func next() -> (key: CBOR, value: CBOR)? {
            guard let key = items.next(), let value = items.next() else { return nil }
            return (key, value)
        }
    }
}
