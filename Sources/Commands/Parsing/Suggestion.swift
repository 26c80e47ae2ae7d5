/// The word that was probably meant.
enum Suggestion {
    /// The candidate nearest to `word`, when it is near enough to be worth naming.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.utf8.prefix(64))
        let ranked = candidates.map { (name: $0, distance: distance(word, Array($0.utf8.prefix(64)))) }
        guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        let isPrefix = word.count > 1 && best.name.utf8.starts(with: word)
        if best.distance <= min(word.count, 9) / 3 || isPrefix { return best.name }
        return candidates.first { word.count > 1 && $0.utf8.starts(with: word) }
    }

    /// Edits (insert, delete, replace, swap of neighbours) from one word to the other.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var least = min(change, rows[i - 1][j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { least = min(least, rows[i - 2][j - 2] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
