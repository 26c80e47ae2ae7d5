import Reports

/// HTML that is safe by how it is made: what stands in the source is markup, what is interpolated is text and gets escaped. Only
/// markup goes in unescaped.
///
///     let item: Markup = "<li>\(name)</li>"
public struct Markup: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The HTML.
    public let description: String

    /// Markup as it stands in the source.
    public init(stringLiteral html: String) { description = html }

    /// Markup with text in it.
    public init(stringInterpolation: Interpolation) { description = stringInterpolation.html }

    /// HTML that other code of this program has made and escaped.
    package init(trusted html: String) { description = html }

    /// Nothing.
    public static let none = Markup(stringLiteral: "")

    /// What gathers the parts.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            html.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { html += literal }
        /// Text, escaped.
        public mutating func appendInterpolation(_ text: String) { html += Escaping.markup(text) }
        public mutating func appendInterpolation(_ text: Substring) { html += Escaping.markup(String(text)) }
        public mutating func appendInterpolation(_ number: Int) { html += String(number) }
        /// Markup, as it is.
        public mutating func appendInterpolation(_ markup: Markup) { html += markup.description }
        public mutating func appendInterpolation(_ markup: Markup?) { html += markup?.description ?? "" }
        public mutating func appendInterpolation(_ markup: [Markup]) { html += markup.map(\.description).joined(separator: "\n") }
    }
}
