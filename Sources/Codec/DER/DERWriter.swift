/// Writes DER (X.690 §10, §11).
public struct DERWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty writer.
    public init() {}

    /// The bytes of what a closure writes.
    public static func encode(_ body: (inout DERWriter) -> Void) -> [UInt8] {
        var writer = DERWriter()
        body(&writer)
        return writer.bytes
    }

    /// A SEQUENCE of what the closure writes.
    public mutating func sequence(_ body: (inout DERWriter) -> Void) { element(0x30, Self.encode(body)) }

    /// A SET of what the closure writes, which must be sorted already if it is a SET OF.
    public mutating func set(_ body: (inout DERWriter) -> Void) { element(0x31, Self.encode(body)) }

    /// A non-negative INTEGER from its magnitude, big-endian of any length.
    public mutating func integer(_ magnitude: [UInt8]) {
        let digits = magnitude.drop { $0 == 0 }
        let needsZero = digits.first.map { $0 & 0x80 != 0 } ?? true
        element(2, (needsZero ? [0] : []) + digits)
    }

    /// An INTEGER.
    public mutating func integer(_ value: Int) { element(2, Self.twosComplement(value)) }

    /// An ENUMERATED.
    public mutating func enumerated(_ value: Int) { element(10, Self.twosComplement(value)) }

    /// An OBJECT IDENTIFIER.
    public mutating func oid(_ oid: OID) { element(6, oid.content) }

    /// A BIT STRING.
    public mutating func bitString(_ bytes: [UInt8], unusedBits: Int = 0) { element(3, [UInt8(unusedBits & 7)] + bytes) }

    /// An OCTET STRING.
    public mutating func octetString(_ bytes: [UInt8]) { element(4, bytes) }

    /// A BOOLEAN.
    public mutating func boolean(_ value: Bool) { element(1, [value ? 0xff : 0]) }

    /// A NULL.
    public mutating func null() { element(5, []) }

    /// A UTF8String.
    public mutating func utf8(_ text: String) { element(12, Array(text.utf8)) }

    /// A PrintableString; the caller sees to the alphabet.
    public mutating func printable(_ text: String) { element(19, Array(text.utf8)) }

    /// An IA5String; the caller sees to ASCII.
    public mutating func ia5(_ text: String) { element(22, Array(text.utf8)) }

    /// A UTCTime, `YYMMDDhhmmssZ`.
    public mutating func utcTime(_ text: String) { element(23, Array(text.utf8)) }

    /// A GeneralizedTime, `YYYYMMDDhhmmssZ`.
    public mutating func generalizedTime(_ text: String) { element(24, Array(text.utf8)) }

    /// `[number] EXPLICIT` around what the closure writes.
    public mutating func explicit(_ number: UInt8, _ body: (inout DERWriter) -> Void) {
        precondition(number < 31, "tag numbers from 31 on are not written")
        element(0xa0 | number, Self.encode(body))
    }

    /// `[number] IMPLICIT` with this content.
    public mutating func implicit(_ number: UInt8, constructed: Bool = false, _ content: [UInt8]) {
        precondition(number < 31, "tag numbers from 31 on are not written")
        element((constructed ? 0xa0 : 0x80) | number, content)
    }

    /// Elements that are encoded already.
    public mutating func raw(_ encoded: [UInt8]) { bytes += encoded }

    /// An element with this identifier octet.
    package mutating func element(_ tag: UInt8, _ content: [UInt8]) {
        bytes.append(tag)
        if content.count < 0x80 {
            bytes.append(UInt8(content.count))
        } else {
            let digits = Self.magnitude(content.count)
            bytes.append(0x80 | UInt8(digits.count))
            bytes += digits
        }
        bytes += content
    }

    private static func magnitude(_ value: Int) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }.drop { $0 == 0 } + []
    }

    private static func twosComplement(_ value: Int) -> [UInt8] {
        let all = (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        let redundant = zip(all, all.dropFirst()).prefix { $0 == 0 && $1 & 0x80 == 0 || $0 == 0xff && $1 & 0x80 != 0 }.count
        return Array(all.dropFirst(redundant))
    }
}
