/// Text for terminals.
enum TextLayout {
    /// Paragraphs (separated by an empty line) broken between words; lines that begin with a space stay as they are.
    static func wrap(_ text: String, width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(" ") ? String($0) : fill($0, width: width).joined(separator: "\n") }
            .joined(separator: "\n")
    }

    /// Two columns: names, and what they mean.
    static func columns(_ rows: [(String, String)], width: Int) -> String {
        let left = min(rows.map(\.0.count).max() ?? 0, 28)
        let indent = String(repeating: " ", count: left + 4)
        return rows.map { name, meaning in
            let lines = fill(meaning[...], width: max(width - left - 4, 30))
            let first = name.count > left ? "  \(name)\n\(indent)" : "  " + pad(name, to: left) + "  "
            return first + lines.joined(separator: "\n\(indent)")
        }.joined(separator: "\n")
    }

    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func fill(_ text: Substring, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return lines + [line]
    }
}
