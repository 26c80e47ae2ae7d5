import Codec

/// The text of a QR engagement: `mdoc:` and the engagement in base64url without padding (ISO/IEC 18013-5:2021 §8.2.2.3).
public enum EngagementText {
    /// Why a text is no QR engagement.
    public enum Refusal: Error, Sendable, Hashable {
        /// P1.scheme; what the text begins with.
        case scheme(String)
        /// P1.base64url; what is wrong.
        case base64url(String)
    }

    /// `mdoc:owBj…`
    public static func encode(_ engagement: DeviceEngagement) -> String { "mdoc:" + Base64URL.encode(engagement.encoded) }

    /// The bytes of the engagement; not yet decoded as CBOR.
    public static func decode(_ text: String) throws(Refusal) -> [UInt8] {
        guard let rest = text.droppingPrefix("mdoc:") else { throw .scheme(scheme(of: text)) }
        guard !rest.hasPrefix("//") else { throw .scheme("mdoc://") }
        guard !rest.isEmpty else { throw .base64url("nothing after mdoc:") }
        for (position, byte) in rest.utf8.enumerated() where !isBase64URL(byte) {
            throw .base64url(
                byte == UInt8(ascii: "=")
                    ? "padding '=' at character \(position + 5)"
                    : "character 0x\(Hex.encode([byte])) at \(position + 5) is not of base64url")
        }
        do {
            return try Base64URL.decode(rest)
        } catch {
            throw .base64url("\(rest.utf8.count) characters that end in the middle of a byte")
        }
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func scheme(of text: String) -> String {
        guard let colon = text.prefix(40).firstIndex(of: ":") else { return "no scheme" }
        let end = text[colon...].hasPrefix("://") ? text.index(colon, offsetBy: 3) : text.index(after: colon)
        return String(text[..<end])
    }
}
