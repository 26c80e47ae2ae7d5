/// Names and values as `application/x-www-form-urlencoded` (the query of a URL, the body of a form), in their order.
public struct FormFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var fields: [Field] = []

    private struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    /// No fields.
    public init() {}

    /// These fields, in their order.
    public init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// Reads the encoded form: `&` parts, `+` is a space, `%XX` a byte of UTF-8.
    /// - Throws: `WebURLError` for a broken `%XX`, or for bytes that are no UTF-8.
    public init(_ encoded: String) throws(WebURLError) {
        for part in encoded.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(halves[0], in: encoded)
            add(name, halves.count > 1 ? try Self.decode(halves[1], in: encoded) : "")
        }
    }

    /// The first value, nil when the field is absent. Setting replaces every value it had; nil removes it.
    public subscript(_ name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            let place = fields.firstIndex { $0.name == name } ?? fields.count
            fields.removeAll { $0.name == name }
            if let newValue { fields.insert(Field(name: name, value: newValue), at: min(place, fields.count)) }
        }
    }

    /// Every value of a field, in order.
    public func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// One more field.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The names in order, each once.
    public var names: [String] {
        var seen: Set<String> = []
        return fields.map(\.name).filter { seen.insert($0).inserted }
    }

    /// All fields in order.
    public var pairs: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// A name that stands there more than once, which OAuth forbids (RFC 6749 3.1); nil when there is none.
    public var repeated: String? {
        var seen: Set<String> = []
        return fields.first { !seen.insert($0.name).inserted }?.name
    }

    /// The encoded form; spaces become `%20`, which every reader of either form takes.
    public var encoded: String {
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    private static func decode(_ part: Substring.UTF8View, in text: String) throws(WebURLError) -> String {
        guard let bytes = PercentEncoding.decode(part, plusIsSpace: true), let decoded = String(validating: bytes, as: UTF8.self)
        else {
            throw WebURLError("a percent-encoded field is broken: \(String(Substring(part)).prefix(60))")
        }
        return decoded
    }
}

/// RFC 3986 2.1.
public enum PercentEncoding {
    /// Everything but letters, digits and `-._~` as `%XX`.
    public static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes behind a percent-encoded text; nil when a `%` has not two hexadecimal digits after it.
    public static func decode(_ text: String) -> [UInt8]? { decode(Substring(text).utf8, plusIsSpace: false) }

    static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
