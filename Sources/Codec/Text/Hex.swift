/// Why text that should encode bytes was refused.
public enum TextEncodingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A character outside the alphabet, at this offset (UTF-8 bytes).
    case invalidCharacter(String, offset: Int)
    /// A length that no encoder produces.
    case invalidLength(Int)
    /// The bits after the last byte are not zero.
    case trailingBits
    /// `=` where none may stand, or too few of them.
    case padding
    /// PEM armour that is not closed, not opened, or closed under another label.
    case armour(String)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .invalidCharacter(let character, let offset): "character \"\(character)\" at offset \(offset) is not in the alphabet"
        case .invalidLength(let length): "\(length) characters are no whole number of bytes"
        case .trailingBits: "the bits after the last byte are not zero"
        case .padding: "wrong padding"
        case .armour(let what): what
        }
    }
}

/// Hexadecimal text, two digits a byte.
public enum Hex {
    /// Lower-case digits without separators.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Both cases of digits; nothing else, an even number of them.
    public static func decode(_ text: String) throws(TextEncodingError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else { throw .invalidLength(characters.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        for offset in stride(from: 0, to: characters.count, by: 2) {
            bytes.append(try value(characters, offset) << 4 | value(characters, offset + 1))
        }
        return bytes
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func value(_ characters: [UInt8], _ offset: Int) throws(TextEncodingError) -> UInt8 {
        switch characters[offset] {
        case let digit where digit >= 0x30 && digit <= 0x39: return digit - 0x30
        case let digit where digit >= 0x61 && digit <= 0x66: return digit - 0x57
        case let digit where digit >= 0x41 && digit <= 0x46: return digit - 0x37
        default: throw .invalidCharacter(character(characters, offset), offset: offset)
        }
    }
}

/// The character of UTF-8 text that starts at a byte offset, for a message.
func character(_ utf8: [UInt8], _ offset: Int) -> String {
    String(String(decoding: utf8[offset..<min(offset + 4, utf8.count)], as: UTF8.self).prefix(1))
}
