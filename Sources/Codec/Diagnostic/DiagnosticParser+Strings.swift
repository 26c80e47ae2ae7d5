/// Strings of all kinds, and what stands for them.
extension DiagnosticParser {

    mutating func textString() throws(DiagnosticError) { try string(3, Array(try quoted("\"").utf8)) }

    mutating func byteString(_ content: [UInt8]) throws(DiagnosticError) { try string(2, content) }

    private mutating func string(_ major: UInt8, _ content: [UInt8]) throws(DiagnosticError) {
        let indicator = try indicator()
        if indicator == .indefinite {
            guard content.isEmpty else { throw failure("_ after a string that is not empty") }
            encoder.bytes += [major << 5 | 31, 0xff]
        } else {
            try head(major, UInt64(content.count), indicator)
            encoder.raw(content)
        }
    }

    mutating func chunks() throws(DiagnosticError) {
        try expect("(_")
        let start = encoder.bytes.count
        encoder.bytes.append(0)
        var major: UInt8?
        repeat {
            try space()
            let chunk = encoder.bytes.count
            try value(Self.maximalDepth - 1)
            let type = encoder.bytes[chunk] >> 5
            guard type == 2 || type == 3, encoder.bytes[chunk] & 31 != 31, major ?? type == type else {
                throw failure("chunks must be strings of one type")
            }
            major = type
        } while try skip(",")
        try expect(")")
        encoder.bytes[start] = (major ?? 2) << 5 | 31
        encoder.bytes.append(0xff)
    }

    mutating func embedded(_ depth: Int) throws(DiagnosticError) {
        try expect("<<")
        let outer = encoder
        encoder = CBOREncoder()
        if try !skip(">>") {
            repeat { try value(depth + 1) } while try skip(",")
            try expect(">>")
        }
        let content = encoder.bytes
        encoder = outer
        try byteString(content)
    }

    /// The content of a quoted string with the escapes of JSON and `\'`.
    mutating func quoted(_ quote: Unicode.Scalar) throws(DiagnosticError) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = peek {
            position += 1
            if byte == UInt8(ascii: quote) {
                guard let text = String(validating: content, as: UTF8.self) else { throw failure("not UTF-8", start) }
                return text
            }
            if byte == UInt8(ascii: "\\") {
                content += try escape()
            } else {
                content.append(byte)
            }
        }
        throw failure("string is not closed", start)
    }

    private mutating func escape() throws(DiagnosticError) -> [UInt8] {
        guard let byte = peek else { throw failure("escape at the end") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "u"): return Array(String(Character(try unicode())).utf8)
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        default: throw failure("unknown escape", position - 1)
        }
    }

    private mutating func unicode() throws(DiagnosticError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        try expect("\\u")
        let second = try codeUnit()
        guard 0xd800..<0xdc00 ~= first, 0xdc00..<0xe000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw failure("lone surrogate") }
        return scalar
    }

    private mutating func codeUnit() throws(DiagnosticError) -> UInt32 {
        let digits = text[position..<min(position + 4, text.count)]
        guard digits.count == 4, let bytes = try? Hex.decode(String(decoding: digits, as: UTF8.self)) else {
            throw failure("\\u needs four hexadecimal digits")
        }
        position += 4
        return UInt32(bytes[0]) << 8 | UInt32(bytes[1])
    }
}
