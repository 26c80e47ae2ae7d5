/// Reads diagnostic notation by recursive descent.
struct DiagnosticParser {
    let text: [UInt8]
    var position = 0
    var encoder = CBOREncoder()
    /// What the decoder accepts: 64 levels in each of 17 documents.
    static let maximalDepth = 64 * 17

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func wholeText() throws(DiagnosticError) -> [UInt8] {
        try value(0)
        try space()
        guard position == text.count else { throw failure("something after the item") }
        return encoder.bytes
    }

    mutating func value(_ depth: Int) throws(DiagnosticError) {
        guard depth < Self.maximalDepth else { throw failure("nested deeper than \(Self.maximalDepth) levels") }
        try space()
        guard let next = peek else { throw failure("an item is missing") }
        switch next {
        case UInt8(ascii: "["): try container("]", depth, major: 4)
        case UInt8(ascii: "{"): try container("}", depth, major: 5)
        case UInt8(ascii: "("): try chunks()
        case UInt8(ascii: "\""): try textString()
        case UInt8(ascii: "'"): try byteString(Array(try quoted("'").utf8))
        case UInt8(ascii: "<"): try embedded(depth)
        case UInt8(ascii: "-"), UInt8(ascii: "+"), 0x30...0x39: try number(depth)
        default: try word(depth)
        }
    }

    mutating func container(_ close: Unicode.Scalar, _ depth: Int, major: UInt8) throws(DiagnosticError) {
        position += 1
        let indicator = try indicator()
        let outer = encoder
        encoder = CBOREncoder()
        var count: UInt64 = 0
        if try !skip(String(Character(close))) {
            repeat {
                try value(depth + 1)
                if major == 5 {
                    try expect(":")
                    try value(depth + 1)
                }
                count += 1
            } while try skip(",")
            try expect(String(Character(close)))
        }
        let content = encoder.bytes
        encoder = outer
        if indicator == .indefinite {
            encoder.bytes += [major << 5 | 31] + content + [0xff]
        } else {
            try head(major, count, indicator)
            encoder.raw(content)
        }
    }

    mutating func word(_ depth: Int) throws(DiagnosticError) {
        let start = position
        while let byte = peek, byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a {
            position += 1
        }
        let word = String(decoding: text[start..<position], as: UTF8.self)
        switch word {
        case "true": encoder.bool(true)
        case "false": encoder.bool(false)
        case "null": encoder.null()
        case "undefined": encoder.undefined()
        case "NaN": try float(.init(bits: 0x7e00, width: 25))
        case "Infinity": try float(.init(bits: 0x7c00, width: 25))
        case "simple": try simple()
        case "h", "b64", "float": try prefixed(word, start)
        default:
            throw failure(word.isEmpty ? "no item starts with \"\(character(text, start))\"" : "unknown word \"\(word)\"", start)
        }
    }

    mutating func simple() throws(DiagnosticError) {
        try expect("(")
        try space()
        let start = position
        guard let value = UInt8(digits()), !(24..<32).contains(value) else { throw failure("no such simple value", start) }
        try expect(")")
        encoder.simple(value)
    }

    mutating func prefixed(_ prefix: String, _ start: Int) throws(DiagnosticError) {
        guard peek == UInt8(ascii: "'") else { throw failure("unknown word \"\(prefix)\"", start) }
        let content = Self.withoutSpace(try quoted("'"))
        switch prefix {
        case "h":
            guard let bytes = try? Hex.decode(content) else { throw failure("not hexadecimal", start) }
            try byteString(bytes)
        case "b64":
            let unpadded = String(content.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            guard let bytes = try? Base64URL.decode(unpadded) else { throw failure("not base64", start) }
            try byteString(bytes)
        default:
            guard let bytes = try? Hex.decode(content), [2, 4, 8].contains(bytes.count) else {
                throw failure("a float has 2, 4 or 8 bytes", start)
            }
            let bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
            try float(CBORFloat(bits: bits, width: UInt8(24 + bytes.count.trailingZeroBitCount)), keepsWidth: true)
        }
    }

    /// White space and `#` comments may stand in hexadecimal and base64.
    static func withoutSpace(_ content: String) -> String {
        content.split(whereSeparator: \.isNewline).map { line in line.prefix { $0 != "#" }.filter { !$0.isWhitespace } }.joined()
    }

    enum Indicator: Equatable {
        case none, indefinite
        /// 0 to 3: an argument of 1, 2, 4 or 8 bytes.
        case width(UInt8)
    }

    mutating func indicator() throws(DiagnosticError) -> Indicator {
        guard peek == UInt8(ascii: "_") else { return .none }
        position += 1
        guard let digit = peek, digit >= 0x30 && digit <= 0x39 else { return .indefinite }
        guard digit <= 0x33 else { throw failure("an encoding indicator is _, _0, _1, _2 or _3") }
        position += 1
        return .width(digit - 0x30)
    }

    mutating func head(_ major: UInt8, _ argument: UInt64, _ indicator: Indicator) throws(DiagnosticError) {
        switch indicator {
        case .none: encoder.head(major, argument)
        case .indefinite: throw failure("_ where no indefinite length can be")
        case .width(let width):
            let count = 1 << Int(width)
            guard count == 8 || argument >> UInt64(count * 8) == 0 else { throw failure("\(argument) does not fit _\(width)") }
            encoder.bytes.append(major << 5 | (24 + width))
            for shift in (0..<count).reversed() { encoder.bytes.append(UInt8(truncatingIfNeeded: argument >> UInt64(shift * 8))) }
        }
    }

    var peek: UInt8? { position < text.count ? text[position] : nil }

    mutating func digits() -> String {
        let digits = text[position...].prefix { $0 >= 0x30 && $0 <= 0x39 }
        position += digits.count
        return String(decoding: digits, as: UTF8.self)
    }

    /// White space, `/ comments /` and `# comments` to the end of a line.
    mutating func space() throws(DiagnosticError) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            case UInt8(ascii: "/"):
                guard let end = text[(position + 1)...].firstIndex(of: UInt8(ascii: "/")) else {
                    throw failure("comment is not closed")
                }
                position = end + 1
            case UInt8(ascii: "#"): position = text[position...].firstIndex(of: 0x0a) ?? text.count
            default: return
            }
        }
    }

    mutating func skip(_ token: String, immediately: Bool = false) throws(DiagnosticError) -> Bool {
        if !immediately { try space() }
        guard text[position...].starts(with: token.utf8) else { return false }
        position += token.utf8.count
        return true
    }

    mutating func expect(_ token: String) throws(DiagnosticError) {
        guard try skip(token) else { throw failure("\"\(token)\" is missing") }
    }

    func failure(_ message: String, _ offset: Int? = nil) -> DiagnosticError {
        DiagnosticError(message: message, offset: offset ?? position)
    }
}
