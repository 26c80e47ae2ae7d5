/// Reads diagnostic notation by recursive descent.
struct DiagnosticParser {
    private let text: [UInt8]
    private var position = 0
    private var encoder = CBOREncoder()
    private static let maximalDepth = 64

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func wholeText() throws(DiagnosticError) -> [UInt8] {
        try value(0)
        try space()
        guard position == text.count else { throw failure("something after the item") }
        return encoder.bytes
    }

    private mutating func value(_ depth: Int) throws(DiagnosticError) {
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

    // MARK: strings

    private mutating func textString() throws(DiagnosticError) { try string(3, Array(try quoted("\"").utf8)) }

    private mutating func byteString(_ content: [UInt8]) throws(DiagnosticError) { try string(2, content) }

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

    private mutating func chunks() throws(DiagnosticError) {
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

    private mutating func embedded(_ depth: Int) throws(DiagnosticError) {
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
    private mutating func quoted(_ quote: Unicode.Scalar) throws(DiagnosticError) -> String {
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

    // MARK: containers

    private mutating func container(_ close: Unicode.Scalar, _ depth: Int, major: UInt8) throws(DiagnosticError) {
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

    // MARK: words

    private mutating func word(_ depth: Int) throws(DiagnosticError) {
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

    private mutating func simple() throws(DiagnosticError) {
        try expect("(")
        try space()
        let start = position
        guard let value = UInt8(digits()), !(24..<32).contains(value) else { throw failure("no such simple value", start) }
        try expect(")")
        encoder.simple(value)
    }

    private mutating func prefixed(_ prefix: String, _ start: Int) throws(DiagnosticError) {
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
    private static func withoutSpace(_ content: String) -> String {
        content.split(whereSeparator: \.isNewline).map { line in line.prefix { $0 != "#" }.filter { !$0.isWhitespace } }.joined()
    }

    // MARK: numbers and tags

    private mutating func number(_ depth: Int) throws(DiagnosticError) {
        let start = position
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative || peek == UInt8(ascii: "+") { position += 1 }
        if text[position...].starts(with: "Infinity".utf8) {
            position += 8
            return try float(.init(bits: isNegative ? 0xfc00 : 0x7c00, width: 25))
        }
        if let radix = try radix() { return try integer(magnitude(radix, start), isNegative, start, depth) }
        let literal = decimalLiteral(from: start)
        if literal.contains(where: { $0 == "." || $0 == "e" || $0 == "E" }) {
            guard let value = Double(literal), value.isFinite else { throw failure("\"\(literal)\" is no number", start) }
            return try float(CBORFloat(bits: value.bitPattern, width: 27))
        }
        position = start + (literal.hasPrefix("-") || literal.hasPrefix("+") ? 1 : 0)
        try integer(magnitude(10, start), isNegative, start, depth)
    }

    private mutating func radix() throws(DiagnosticError) -> Int? {
        guard peek == 0x30, position + 1 < text.count else { return nil }
        let radices: [UInt8: Int] = [UInt8(ascii: "x"): 16, UInt8(ascii: "o"): 8, UInt8(ascii: "b"): 2]
        guard let radix = radices[text[position + 1]] else { return nil }
        position += 2
        return radix
    }

    private mutating func decimalLiteral(from start: Int) -> String {
        while let byte = peek {
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let afterExponent = position > start && (text[position - 1] | 0x20) == UInt8(ascii: "e")
            guard
                byte >= 0x30 && byte <= 0x39 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
                    || isSign && afterExponent
            else { break }
            position += 1
        }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    /// The digits at the position as big-endian bytes without leading zeros.
    private mutating func magnitude(_ radix: Int, _ start: Int) throws(DiagnosticError) -> [UInt8] {
        let digits = text[position...].prefix { Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false }
        guard !digits.isEmpty, digits.count <= 4096 else { throw failure("digits are missing, or too many", start) }
        position += digits.count
        var reversed: [UInt8] = []
        for digit in digits {
            var carry = Character(Unicode.Scalar(digit)).hexDigitValue ?? 0
            for place in reversed.indices {
                carry += Int(reversed[place]) * radix
                reversed[place] = UInt8(carry & 0xff)
                carry >>= 8
            }
            if carry > 0 { reversed.append(UInt8(carry)) }
        }
        return reversed.reversed()
    }

    private mutating func integer(_ magnitude: [UInt8], _ isNegative: Bool, _ start: Int, _ depth: Int) throws(DiagnosticError) {
        let indicator = try indicator()
        let argument = magnitude.count <= 8 ? magnitude.reduce(0) { $0 << 8 | UInt64($1) } : nil
        if let argument, !isNegative, try skip("(", immediately: true) {
            try head(6, argument, indicator)
            try value(depth + 1)
            return try expect(")")
        }
        if let argument, !isNegative { return try head(0, argument, indicator) }
        if isNegative && magnitude.isEmpty { return try head(0, 0, indicator) }
        let lowered = isNegative ? Self.decremented(magnitude) : magnitude
        if lowered.count <= 8 { return try head(1, lowered.reduce(0) { $0 << 8 | UInt64($1) }, indicator) }
        guard indicator == .none else { throw failure("a bignum has no encoding indicator", start) }
        encoder.tag(isNegative ? 3 : 2)
        encoder.bytes(lowered)
    }

    private static func decremented(_ magnitude: [UInt8]) -> [UInt8] {
        var bytes = magnitude
        for place in bytes.indices.reversed() {
            bytes[place] &-= 1
            if bytes[place] != 0xff { break }
        }
        return Array(bytes.drop { $0 == 0 })
    }

    private mutating func float(_ float: CBORFloat, keepsWidth: Bool = false) throws(DiagnosticError) {
        let start = position
        switch try indicator() {
        case .none: keepsWidth ? raw(float) : encoder.float(bits: float.bits, width: float.width)
        case .width(let width):
            guard let wide = float.shortest.widened(to: 24 + width) else {
                throw failure("the float does not fit _\(width)", start)
            }
            raw(wide)
        case .indefinite: throw failure("a float has no indefinite length", start)
        }
    }

    private mutating func raw(_ float: CBORFloat) {
        encoder.bytes.append(0xe0 | float.width)
        for shift in (0..<1 << (Int(float.width) - 24)).reversed() {
            encoder.bytes.append(UInt8(truncatingIfNeeded: float.bits >> UInt64(shift * 8)))
        }
    }

    // MARK: encoding indicators

    private enum Indicator: Equatable {
        case none, indefinite
        /// 0 to 3: an argument of 1, 2, 4 or 8 bytes.
        case width(UInt8)
    }

    private mutating func indicator() throws(DiagnosticError) -> Indicator {
        guard peek == UInt8(ascii: "_") else { return .none }
        position += 1
        guard let digit = peek, digit >= 0x30 && digit <= 0x39 else { return .indefinite }
        guard digit <= 0x33 else { throw failure("an encoding indicator is _, _0, _1, _2 or _3") }
        position += 1
        return .width(digit - 0x30)
    }

    private mutating func head(_ major: UInt8, _ argument: UInt64, _ indicator: Indicator) throws(DiagnosticError) {
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

    // MARK: characters

    private var peek: UInt8? { position < text.count ? text[position] : nil }

    private mutating func digits() -> String {
        let digits = text[position...].prefix { $0 >= 0x30 && $0 <= 0x39 }
        position += digits.count
        return String(decoding: digits, as: UTF8.self)
    }

    /// White space, `/ comments /` and `# comments` to the end of a line.
    private mutating func space() throws(DiagnosticError) {
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

    private mutating func skip(_ token: String, immediately: Bool = false) throws(DiagnosticError) -> Bool {
        if !immediately { try space() }
        guard text[position...].starts(with: token.utf8) else { return false }
        position += token.utf8.count
        return true
    }

    private mutating func expect(_ token: String) throws(DiagnosticError) {
        guard try skip(token) else { throw failure("\"\(token)\" is missing") }
    }

    private func failure(_ message: String, _ offset: Int? = nil) -> DiagnosticError {
        DiagnosticError(message: message, offset: offset ?? position)
    }
}

extension CBORFloat {
    /// The same value in more bits, nil if it would not fit.
    func widened(to target: UInt8) -> CBORFloat? {
        guard target > 24, target >= width else { return nil }
        if value.isNaN { return widenedNaN(to: target) }
        switch target {
        case 25: return self
        case 26: return CBORFloat(bits: UInt64(Float(value).bitPattern), width: 26)
        default: return CBORFloat(bits: value.bitPattern, width: 27)
        }
    }

    private func widenedNaN(to target: UInt8) -> CBORFloat {
        let formats: [UInt8: (exponent: UInt64, fraction: UInt64)] = [25: (5, 10), 26: (8, 23), 27: (11, 52)]
        guard let from = formats[width], let to = formats[target] else { return self }
        let sign = bits >> (from.exponent + from.fraction)
        let payload = (bits & (1 << from.fraction - 1)) << (to.fraction - from.fraction)
        return CBORFloat(bits: sign << (to.exponent + to.fraction) | (1 << to.exponent - 1) << to.fraction | payload, width: target)
    }
}
