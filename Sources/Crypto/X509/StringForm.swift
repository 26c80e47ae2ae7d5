import Codec

/// The ASN.1 string types of names and their universal tag numbers (RFC 5280 Appendix A.1).
public enum StringForm: Sendable, Hashable {
    case utf8
    case numeric
    case printable
    case teletex
    case ia5
    case visible
    case universal
    case bmp
    /// Some other type, by its universal tag number.
    case other(UInt8)

    init(_ node: DERNode) {
        self =
            switch node.tagNumber {
            case 12: .utf8
            case 18: .numeric
            case 19: .printable
            case 20: .teletex
            case 22: .ia5
            case 26: .visible
            case 28: .universal
            case 30: .bmp
            default: .other(UInt8(truncatingIfNeeded: node.tagNumber))
            }
    }

    /// Universal tag number, and identifier octet.
    var tag: UInt8 {
        switch self {
        case .utf8: 12
        case .numeric: 18
        case .printable: 19
        case .teletex: 20
        case .ia5: 22
        case .visible: 26
        case .universal: 28
        case .bmp: 30
        case .other(let tag): tag
        }
    }

    /// ASN.1's name of the type.
    public var name: String {
        switch self {
        case .utf8: "UTF8String"
        case .numeric: "NumericString"
        case .printable: "PrintableString"
        case .teletex: "TeletexString"
        case .ia5: "IA5String"
        case .visible: "VisibleString"
        case .universal: "UniversalString"
        case .bmp: "BMPString"
        case .other(let tag): "type \(tag)"
        }
    }

    func encode(_ text: String) -> [UInt8] {
        switch self {
        case .bmp: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        case .universal:
            text.unicodeScalars.flatMap { scalar in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> UInt32($0)) }
            }
        case .teletex: text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
        default: [UInt8](text.utf8)
        }
    }

    /// The text of `bytes`; nil where they are not characters of this form.
    func decode(_ bytes: [UInt8]) -> String? {
        switch self {
        case .utf8: return String(validating: bytes, as: UTF8.self)
        case .printable: return bytes.allSatisfy(Self.isPrintable) ? String(decoding: bytes, as: UTF8.self) : nil
        case .numeric: return bytes.allSatisfy { $0 == 0x20 || 0x30...0x39 ~= $0 } ? String(decoding: bytes, as: UTF8.self) : nil
        case .ia5, .visible: return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        // T.61 in practice means Latin-1: what every implementation reads it as.
        case .teletex: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .bmp:
            guard bytes.count % 2 == 0 else { return nil }
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(validating: units, as: UTF16.self)
        case .universal:
            guard bytes.count % 4 == 0 else { return nil }
            let units = stride(from: 0, to: bytes.count, by: 4).map { start in
                bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            return String(validating: units, as: UTF32.self)
        case .other: return nil
        }
    }

    /// The characters of PrintableString, plus `*`, `@`, `&` and `_`, which real names contain: reading them is harmless.
    private static func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " '()+,-./:=?*@&_".utf8.contains(byte)
        }
    }
}
