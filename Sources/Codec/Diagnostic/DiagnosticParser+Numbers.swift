/// Numbers, and tags, which begin like one.
extension DiagnosticParser {

    mutating func number(_ depth: Int) throws(DiagnosticError) {
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

    mutating func float(_ float: CBORFloat, keepsWidth: Bool = false) throws(DiagnosticError) {
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
