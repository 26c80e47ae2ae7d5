/// A line in pieces that are painted where stdout shows colours, cut to a width before.
struct PaintedLine {
    private var pieces: [(text: String, style: Console.Style?)] = []

    init() {}
    init(_ text: String, _ style: Console.Style? = nil) { append(text, style) }

    mutating func append(_ text: String, _ style: Console.Style? = nil) {
        if !text.isEmpty { pieces.append((text, style)) }
    }

    /// - Parameter width: in characters; nil never cuts.
    func text(width: Int?, _ console: Console) -> String {
        var left = width ?? .max
        var result = ""
        let isCut = pieces.reduce(0) { $0 + $1.text.count } > left
        if isCut { left -= 1 }
        for piece in pieces where left > 0 {
            let text = String(piece.text.prefix(left))
            left -= text.count
            result += piece.style.map { console.style(text, $0) } ?? text
        }
        return result + (isCut ? "…" : "")
    }
}
