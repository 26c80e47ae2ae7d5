/// PEM armour (RFC 7468).
public enum PEM {
    /// Every block of a text in order; text outside of blocks is ignored, as files with explanatory lines are usual.
    public static func blocks(in text: String) throws(TextEncodingError) -> [(label: String, bytes: [UInt8])] {
        var blocks: [(label: String, bytes: [UInt8])] = []
        var open: (label: String, body: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            if let label = label(of: line, "BEGIN") {
                if let open { throw .armour("block \"\(open.label)\" is not closed before another begins") }
                open = (label, "")
            } else if let label = label(of: line, "END") {
                guard let block = open, block.label == label else { throw .armour("END \(label) without its BEGIN") }
                blocks.append((label, try Base64.decode(block.body)))
                open = nil
            } else if let block = open {
                open = (block.label, block.body + line)
            }
        }
        if let open { throw .armour("block \"\(open.label)\" has no END line") }
        return blocks
    }

    /// One block with lines of 64 characters.
    public static func encode(_ bytes: [UInt8], label: String) -> String {
        let body = Array(Base64.encode(bytes).utf8)
        let lines = stride(from: 0, to: body.count, by: 64).map {
            String(decoding: body[$0..<min($0 + 64, body.count)], as: UTF8.self) + "\n"
        }
        return "-----BEGIN \(label)-----\n\(lines.joined())-----END \(label)-----\n"
    }

    private static func label(of line: String, _ word: String) -> String? {
        guard line.hasPrefix("-----\(word) "), line.hasSuffix("-----"), line.utf8.count >= word.utf8.count + 11 else { return nil }
        return String(line.dropFirst(word.count + 6).dropLast(5))
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = line
        while let last = line.last, last.isWhitespace { line.removeLast() }
        while let first = line.first, first.isWhitespace { line.removeFirst() }
        return String(line)
    }
}
