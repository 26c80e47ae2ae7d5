/// The text of `error_description` (RFC 6749 5.2): printable ASCII without the quotation mark and the backslash.
public enum ErrorDescription {
    /// The text with every character that is not allowed replaced: quotes by an apostrophe, anything else by a question mark.
    public static func allowed(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isAllowed($0) ? $0 : $0 == "\"" ? "'" : $0 == "\\" ? "/" : "?" }))
    }

    /// Whether a peer's text keeps to the characters.
    public static func isAllowed(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isAllowed) }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}
