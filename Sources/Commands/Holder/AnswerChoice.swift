import Credentials

/// `--choose`: what a person picks where a request leaves a choice.
enum AnswerChoice {
    static let option = Option.value(
        "choose", "N|S.N|ID=N",
        "Pick combination N of the only set, combination N of set S (S.0: leave it out), or document N for the query ID",
        isRepeatable: true)

    /// - Throws: exit code 2 for a text that names nothing.
    static func choices(_ invocation: Invocation) throws(CommandError) -> [Proposal.Choice] {
        try invocation.strings("choose").map { text throws(CommandError) in
            guard let choice = choice(text) else {
                throw .usage(
                    "--choose \(text) names no choice", hint: "give a number, SET.NUMBER, or QUERY=NUMBER, as they are shown")
            }
            return choice
        }
    }

    private static func choice(_ text: String) -> Proposal.Choice? {
        if let equals = text.lastIndex(of: "=") {
            guard let number = Int(text[text.index(after: equals)...]), number > 0, equals > text.startIndex else { return nil }
            return .document(number, requestID: String(text[..<equals]))
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count, let number = numbers.last else { return nil }
        if numbers.count == 1 { return .combination(number, useCase: nil) }
        return numbers.count == 2 && numbers[0] > 0 ? .combination(number, useCase: numbers[0]) : nil
    }
}
