package import Ports

/// An annotated tree as text: the offset of each item, its name indented by depth, its value, its clause.
package struct AnnotationText {
    /// One line in its parts, for whoever wants to paint them.
    package struct Line {
        /// `0x001c`, or blank where an item has no offset; empty for trees without any.
        package let offset: String
        /// Indented.
        package let label: String
        package let value: String?
        package let clause: String?

        /// The line as plain text.
        package var text: String {
            offset + (offset.isEmpty ? "" : "  ") + label + (value.map { ": \($0)" } ?? "") + (clause.map { "  [\($0)]" } ?? "")
        }
    }

    /// From the top down. Control characters of a peer's text are shown by their numbers.
    package let lines: [Line]

    package init(_ annotation: Annotation) {
        let width = Self.largestOffset(annotation).map { String($0, radix: 16).utf8.count }
        var lines: [Line] = []
        Self.append(annotation, 0, width.map { max($0, 4) }, to: &lines)
        self.lines = lines
    }

    private static func append(_ annotation: Annotation, _ depth: Int, _ width: Int?, to lines: inout [Line]) {
        let clean = Escaping.terminal
        lines.append(
            Line(
                offset: offset(annotation.offset, width), label: String(repeating: "  ", count: depth) + clean(annotation.label),
                value: annotation.value.map(clean), clause: annotation.clause))
        for child in annotation.children { append(child, depth + 1, width, to: &lines) }
    }

    private static func offset(_ offset: Int?, _ width: Int?) -> String {
        guard let width else { return "" }
        guard let offset else { return String(repeating: " ", count: width + 2) }
        let digits = String(offset, radix: 16)
        return "0x" + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func largestOffset(_ annotation: Annotation) -> Int? {
        ([annotation.offset] + annotation.children.map(largestOffset)).compactMap { $0 }.max()
    }
}
