/// A peer's text as it may be shown to a person.
package enum ErrorText {
    /// What `error_description` may not hold becomes `\u{…}`, and the text is cut at 500 characters.
    package static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(500).map { scalar in
            ErrorDescription.isAllowed(String(scalar)) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return scalars.joined() + (text.unicodeScalars.count > 500 ? "…" : "")
    }
}
