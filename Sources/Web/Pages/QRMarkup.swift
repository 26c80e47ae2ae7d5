import QR

/// A QR code inside a page.
public enum QRMarkup {
    /// The code as inline SVG with its quiet zone, named for those who do not see it; a sentence when the text is too long for a code.
    public static func code(_ text: String, label: String) -> Markup {
        do throws(QRSymbol.Failure) {
            let symbol = try QRSymbol(text, correction: text.utf8.count > 1200 ? .low : .medium)
            return "<div class=\"qr\" role=\"img\" aria-label=\"\(label)\">\(Markup(trusted: symbol.svg()))</div>"
        } catch {
            return "<p class=\"error\">\(error.description): send the link instead</p>"
        }
    }
}
