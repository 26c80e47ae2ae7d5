/// Diagnostic notation (RFC 8949 §8, with `<<…>>` of RFC 8610 appendix G.3): CBOR as text for people, and back.
public enum CBORDiagnostic {
    /// What the text shows. However they are set, `parse` reads the text back to the same bytes, unless strings were
    /// shortened.
    public struct Options: Sendable, Hashable {
        /// Each element on a line of its own, indented by two spaces.
        public var isMultiline: Bool
        /// The offset of each item on its line, as a comment: `/ 0x1c /`.
        public var showsOffsets: Bool
        /// `_1` and the like at heads that are longer than they need be (RFC 8949 §8.1).
        public var showsEncoding: Bool
        /// `24(<<…>>)` for tag 24 where the byte string holds CBOR.
        public var opensEmbedded: Bool
        /// Byte strings longer than this many bytes are cut, with their length in a comment.
        public var longestBytes: Int

        /// Everything that keeps the bytes, on one line.
        public init(
            isMultiline: Bool = false, showsOffsets: Bool = false, showsEncoding: Bool = true, opensEmbedded: Bool = true,
            longestBytes: Int = .max
        ) {
            self.isMultiline = isMultiline
            self.showsOffsets = showsOffsets
            self.showsEncoding = showsEncoding
            self.opensEmbedded = opensEmbedded
            self.longestBytes = longestBytes
        }
    }

    /// An item as text.
    public static func format(_ item: CBOR, options: Options = Options()) -> String {
        var formatter = DiagnosticFormatter(options: options)
        formatter.write(item, 0)
        return formatter.text
    }

    /// Reads one item. Encoding indicators are obeyed; without them heads and floats are the shortest.
    public static func parse(_ text: String) throws(DiagnosticError) -> [UInt8] {
        var parser = DiagnosticParser(text)
        return try parser.wholeText()
    }
}

/// Why text is no diagnostic notation.
public struct DiagnosticError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong; a phrase.
    public var message: String
    /// Offset in UTF-8 bytes.
    public var offset: Int

    /// One line for people.
    public var description: String { "diagnostic notation: \(message), offset \(offset)" }
}
