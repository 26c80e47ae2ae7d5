/// Text of a peer made safe for where it is shown.
///
/// What a document or a message says may hold anything: escape sequences that rewrite a terminal, marks that turn reading
/// direction around, markup. Nothing is dropped; what cannot be shown is named (`\u{1b}`).
package enum Escaping {
    /// For terminals and logs: control and direction characters by their numbers; `\n` too, so that a value stays in its line.
    package static func terminal(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isUnsafe(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// For HTML and XML, between tags and within quoted attributes.
    package static func markup(_ text: String) -> String {
        terminal(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        // Zero-width joiner and non-joiner: part of how names are written in several scripts.
        if scalar.value == 0x200C || scalar.value == 0x200D { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
