package import Ports

/// An annotated tree as markup: nested lists that open and close without a script, offsets, names, values, clauses.
package struct HTMLTree {
    /// Lines that are shown; more are counted.
    private static let longest = 3000
    /// Characters of a value.
    private static let widest = 600

    /// The list.
    package let markup: String

    /// - Parameter depth: levels that are open at first.
    package init(_ annotation: Annotation, openTo depth: Int = 2) {
        var left = Self.longest
        let items = Self.item(annotation, depth, &left)
        let rest = left > 0 ? "" : "<p class=\"meta\">The rest is left out; <code>walletbench inspect</code> shows all.</p>"
        markup = "<ul class=\"tree\">\(items)</ul>\(rest)"
    }

    private static func item(_ annotation: Annotation, _ depth: Int, _ left: inout Int) -> String {
        guard left > 0 else { return "" }
        left -= 1
        let line = line(annotation)
        guard !annotation.children.isEmpty else { return "<li><span class=\"leaf\">\(line)</span></li>" }
        var children = ""
        for child in annotation.children { children += item(child, depth - 1, &left) }
        return "<li><details\(depth > 0 ? " open" : "")><summary>\(line)</summary><ul>\(children)</ul></details></li>"
    }

    private static func line(_ annotation: Annotation) -> String {
        var parts: [String] = []
        if let offset = annotation.offset {
            let digits = String(offset, radix: 16)
            parts.append("<code class=\"offset\">0x\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)</code>")
        }
        parts.append("<span class=\"label\">\(Escaping.markup(annotation.label))</span>")
        if let value = annotation.value {
            let isLong = value.unicodeScalars.count > widest
            let shown = isLong ? String(String.UnicodeScalarView(value.unicodeScalars.prefix(widest))) + "…" : value
            parts.append("<code class=\"value\">\(Escaping.markup(shown))</code>")
        }
        if let clause = annotation.clause { parts.append("<span class=\"meta\">\(Escaping.markup(clause))</span>") }
        return parts.joined(separator: " ")
    }
}
