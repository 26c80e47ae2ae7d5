package import Codec
import Credentials

/// A claim's value as a person reads it.
package enum ClaimText {
    /// One line; pictures and other binary values by kind and size.
    static func line(_ value: CBOR) -> String {
        (try? value.bytes()).map(binary) ?? line(JSON(claim: value))
    }

    package static func line(_ value: JSON) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        case .string(let value): value
        case .array(let items): items.map(line).joined(separator: "; ")
        case .object(let members): members.map { "\($0.key): \(line($0.value))" }.joined(separator: ", ")
        }
    }

    /// `family_name` → `Family name`.
    package static func label(_ element: String) -> String {
        let words = element.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func binary(_ bytes: [UInt8]) -> String {
        if let type = ClaimPicture.mediaType(of: bytes) { return "\(type), \(bytes.count) bytes" }
        return bytes.count <= 32 ? Hex.encode(bytes) : "\(Hex.encode(bytes.prefix(16)))… (\(bytes.count) bytes)"
    }
}

/// Pictures inside claims.
package enum ClaimPicture {
    /// `image/jpeg`, `image/png` or `image/jp2` by the first bytes; nil for anything else.
    package static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20]) { return "image/jp2" }
        return nil
    }
}
