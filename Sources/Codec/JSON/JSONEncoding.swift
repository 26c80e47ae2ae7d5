extension JSON {
    /// The value as text: members in their order, integers as such, the shortest digits of a real that read back to it.
    /// Compact, or indented by two spaces. Infinities and NaN, which JSON cannot say, become `null`; U+0000 in a name, which
    /// `decode` refuses as many readers do, becomes U+FFFD.
    public func encoded(pretty: Bool = false) -> String {
        var text: [UInt8] = []
        write(to: &text, indentation: pretty ? 0 : nil)
        return String(decoding: text, as: UTF8.self)
    }

    private func write(to text: inout [UInt8], indentation: Int?) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .real(let value): text += (value.isFinite ? String(value) : "null").utf8
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements):
            Self.write(elements, "[", "]", to: &text, indentation) { $0.write(to: &$1, indentation: $2) }
        case .object(let object):
            Self.write(object.members, "{", "}", to: &text, indentation) { member, text, indentation in
                Self.write(name: member.key, to: &text)
                text += (indentation == nil ? ":" : ": ").utf8
                member.value.write(to: &text, indentation: indentation)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout [UInt8], _ indentation: Int?,
        _ body: (Element, inout [UInt8], Int?) -> Void
    ) {
        text += open.utf8
        let inner = indentation.map { $0 + 1 }
        for (position, element) in elements.enumerated() {
            if position > 0 { text.append(UInt8(ascii: ",")) }
            newline(inner, to: &text)
            body(element, &text, inner)
        }
        if !elements.isEmpty { newline(indentation, to: &text) }
        text += close.utf8
    }

    private static func newline(_ indentation: Int?, to text: inout [UInt8]) {
        guard let indentation else { return }
        text.append(UInt8(ascii: "\n"))
        text += repeatElement(UInt8(ascii: " "), count: indentation * 2)
    }

    private static func write(name: String, to text: inout [UInt8]) {
        guard name.utf8.contains(0) else { return write(name, to: &text) }
        var readable = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { readable.append(scalar.value == 0 ? "\u{FFFD}" : scalar) }
        write(String(readable), to: &text)
    }

    private static func write(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0a: text += "\\n".utf8
            case 0x0d: text += "\\r".utf8
            case 0x09: text += "\\t".utf8
            case 0..<0x20, 0x7f: text += "\\u00\(Hex.encode([byte]))".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
