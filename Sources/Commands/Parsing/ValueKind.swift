import Ports

/// What a value must look like. The parser refuses others, so that reading a value cannot fail later.
enum ValueKind: Sendable {
    case text
    /// A path; shells complete file names.
    case file
    /// A path of a folder.
    case directory
    case integer(ClosedRange<Int>)
    case choice([String])
    /// RFC 3339 with a time zone.
    case time
}

extension ValueKind {
    /// Why a value does not fit, with the mend where there is a better one than the manual.
    func problem(with value: String) -> (what: String, hint: String?)? {
        switch self {
        case .text: nil
        case .file, .directory: value.isEmpty ? ("an empty path", nil) : nil
        case .integer(let range): Self.problem(with: value, range)
        case .choice(let choices): choices.contains(value) ? nil : Self.problem(with: value, choices)
        case .time:
            (try? Timestamp(rfc3339: value)) != nil
                ? nil : ("'\(value)' is not a time", "RFC 3339 with a time zone: 2026-11-30T12:00:00Z")
        }
    }

    private static func problem(with value: String, _ range: ClosedRange<Int>) -> (what: String, hint: String?)? {
        guard let number = Int(value) else { return ("'\(value)' is not a whole number", nil) }
        guard !range.contains(number) else { return nil }
        let upper = range.upperBound == Int.max ? "" : "\(range.upperBound)"
        return ("\(number) is outside \(range.lowerBound)…\(upper)", nil)
    }

    private static func problem(with value: String, _ choices: [String]) -> (what: String, hint: String?)? {
        let near = Suggestion.nearest(to: value, among: choices).map { "did you mean '\($0)'? " } ?? ""
        return ("'\(value)' is not one of its values", "\(near)one of: \(choices.joined(separator: ", "))")
    }
}
