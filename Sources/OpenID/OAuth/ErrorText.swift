/// The characters that OAuth lets stand in `error_description` and OpenID4VCI in `event_description`: %x20-21 / %x23-5B / %x5D-7E
/// (RFC 6749 §5.2, OpenID4VCI 1.0 §8.3.1.2).
package enum ErrorText {
    /// Whether every character is one of them.
    package static func isAllowed(_ text: String) -> Bool { text.utf8.allSatisfy(isAllowed) }

    /// The text with quotes made single, backslashes made slashes and everything else outside the set made `?`.
    package static func restricted(_ text: String) -> String {
        String(
            decoding: text.unicodeScalars.map { scalar -> UInt8 in
                switch scalar {
                case "\"", "“", "”": UInt8(ascii: "'")
                case "\\": UInt8(ascii: "/")
                default: scalar.isASCII && isAllowed(UInt8(scalar.value)) ? UInt8(scalar.value) : UInt8(ascii: "?")
                }
            }, as: UTF8.self)
    }

    /// A peer's text as it may be shown: what is outside the set becomes `\u{…}`, and it is cut at 500 characters.
    package static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(500).map { scalar in
            scalar.isASCII && isAllowed(UInt8(scalar.value)) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return scalars.joined() + (text.unicodeScalars.count > 500 ? "…" : "")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) && byte != 0x22 && byte != 0x5c }
}
