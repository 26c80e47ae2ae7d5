import Codec
import QR

/// Tells what bytes or a text are.
enum Sniffer {
    typealias Result = (encodings: [String], content: Input.Content)

    static func content(of bytes: [UInt8]) -> Result? {
        if Picture.isPicture(bytes) { return ([], .picture(bytes)) }
        if isText(bytes), let result = content(ofText: String(decoding: bytes, as: UTF8.self)) { return result }
        return binary(bytes).map { ([], $0) }
    }

    /// - Parameter text: white space around it does not count.
    static func content(ofText text: String) -> Result? {
        let text = trimmed(text)
        guard let first = text.utf8.first else { return nil }
        if let scheme = URIScheme.of(text) { return ([], .uri(scheme, text)) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return (try? JSON.decode(text)) == nil ? diagnostic(text) ?? ([], .json(text)) : ([], .json(text))
        }
        if text.contains("-----BEGIN ") { return (try? PEM.blocks(in: text)).flatMap { $0.isEmpty ? nil : ([], .pem($0)) } }
        return token(text).map { ([], $0) } ?? encoded(text) ?? diagnostic(text)
    }

    /// CBOR in diagnostic notation (RFC 8949 §8). Single numbers and words are not taken for it.
    private static func diagnostic(_ text: String) -> Result? {
        guard text.contains(where: { "({['".contains($0) }), let bytes = try? CBORDiagnostic.parse(text) else { return nil }
        return (["diagnostic notation"], .cbor(bytes))
    }

    /// What unrecognised bytes look like, in a few words.
    static func looks(of bytes: [UInt8]) -> String {
        if case .failure(let error) = Swift.Result(catching: { () throws(PictureError) in try Picture(bytes) }),
            case .unsupported(let looks) = error, looks != "something else", looks != "text"
        {
            return looks
        }
        let text = trimmed(String(decoding: bytes, as: UTF8.self))
        if text.utf8.count > 8, let content = try? Hex.decode(text) {
            return "\(content.count) bytes in hexadecimal that begin \(Hex.encode(content.prefix(8)))"
        }
        if isText(bytes) { return "plain text: '\(String(decoding: bytes.prefix(24), as: UTF8.self))…'" }
        return "\(bytes.count) bytes that begin \(Hex.encode(bytes.prefix(8)))"
    }

    /// A compact JWS, JWE or SD-JWT.
    private static func token(_ text: String) -> Input.Content? {
        guard text.hasPrefix("ey") else { return nil }
        let jwt = text.prefix { $0 != "~" }
        let parts = jwt.split(separator: ".", omittingEmptySubsequences: false).count
        if text.contains("~") { return parts == 3 ? .sdJWT(text) : nil }
        return parts == 3 ? .jws(text) : parts == 5 ? .jwe(text) : nil
    }

    /// Bytes written as text. Hexadecimal digits come first: they are base64 characters too.
    private static func encoded(_ text: String) -> Result? {
        let compact = text.filter { !$0.isWhitespace }
        let forms: [(String, [UInt8]?)] = [
            ("hex", try? Hex.decode(compact.hasPrefix("0x") ? String(compact.dropFirst(2)) : compact)),
            ("base64url", try? Base64URL.decode(compact)), ("base64", try? Base64.decode(compact)),
        ]
        for case (let name, let bytes?) in forms {
            if Picture.isPicture(bytes) { return ([name], .picture(bytes)) }
            if let content = binary(bytes) { return ([name], content) }
        }
        return nil
    }

    private static func binary(_ bytes: [UInt8]) -> Input.Content? {
        guard bytes.count > 1, let first = bytes.first else { return nil }
        if first == 0x30 || first == 0x31, derLength(bytes) == bytes.count { return .der(bytes) }
        // Maps, arrays and tags; scalars would make CBOR out of nearly any text.
        if (0x80...0xDB).contains(first) { return .cbor(bytes) }
        return (try? CBOR(decoding: bytes)) != nil ? .cbor(bytes) : nil
    }

    /// Header and content of the DER value that bytes begin with.
    private static func derLength(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 1 else { return nil }
        let first = Int(bytes[1])
        if first < 0x80 { return 2 + first }
        let count = first & 0x7F
        guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
        return bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) } + 2 + count
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) } && String(validating: bytes, as: UTF8.self) != nil
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (9...13).contains(byte) }
        let start = text.utf8.drop(while: isSpace)
        let end = start.reversed().drop(while: isSpace)
        return String(decoding: Array(end.reversed()), as: UTF8.self)
    }
}
