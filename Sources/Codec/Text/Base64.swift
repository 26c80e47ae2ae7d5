/// base64url without padding (RFC 4648 §5, RFC 7515 §2), strict: alphabet only, no padding, zero trailing bits.
public enum Base64URL {
    /// Unpadded text.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { alphabet.encode(bytes, padded: false) }

    /// Refuses padding, other characters, impossible lengths and non-zero trailing bits: one text per value.
    public static func decode(_ text: String) throws(TextEncodingError) -> [UInt8] { try alphabet.decode(Array(text.utf8)[...]) }

    private static let alphabet = Radix64(last: "-_")
}

/// base64 with padding (RFC 4648 §4), strict: alphabet only, exact padding, zero trailing bits.
public enum Base64 {
    /// Padded text on one line.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { alphabet.encode(bytes, padded: true) }

    /// Refuses line breaks, other characters, missing padding and non-zero trailing bits.
    public static func decode(_ text: String) throws(TextEncodingError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { throw .padding }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return try alphabet.decode(characters.dropLast(padding))
    }

    private static let alphabet = Radix64(last: "+/")
}

/// The common part of the two alphabets of RFC 4648.
private struct Radix64: Sendable {
    let digits: [UInt8]
    let values: [UInt8]

    init(last: String) {
        let digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.digits = digits
        self.values = values
    }

    func encode(_ bytes: some Sequence<UInt8>, padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        while padded && !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    func decode(_ characters: ArraySlice<UInt8>) throws(TextEncodingError) -> [UInt8] {
        guard characters.count % 4 != 1 else { throw .invalidLength(characters.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for (offset, digit) in characters.enumerated() {
            let value = values[Int(digit)]
            guard value != 0xff else {
                if digit == UInt8(ascii: "=") { throw .padding }
                throw .invalidCharacter(character(Array(characters), offset), offset: offset)
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard bits & (1 << UInt32(count) - 1) == 0 else { throw .trailingBits }
        return bytes
    }
}
