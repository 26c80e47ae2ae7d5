/// A command line, understood: which command, with which options and arguments.
struct ParsedCommand: Sendable {
    /// From the root to the command that runs.
    var path: [Command]
    /// Values by option name, one element for each time the option stands there.
    var values: [String: [[String]]] = [:]
    var arguments: [String] = []
    /// Names of options whose value comes from the home's settings.
    var kept: Set<String> = []

    var command: Command { path[path.count - 1] }
    /// `walletbench qr decode`
    var title: String { path.map(\.name).joined(separator: " ") }
    var wantsHelp: Bool { values["help"] != nil }
}

/// Reads a command line by the command table: `--a b`, `--a=b`, `-a b`, `-ab`, `-avalue`, `--`, subcommands and options in any order.
struct Parser {
    private var parsed: ParsedCommand
    private var rest: ArraySlice<String>

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - root: the command table.
    /// - Throws: exit code 2 with what is wrong and, where one is near, what was probably meant.
    static func parse(_ arguments: [String], root: Command) throws(CommandError) -> ParsedCommand {
        var parser = Parser(parsed: ParsedCommand(path: [root]), rest: arguments[...])
        try parser.readAll()
        if !parser.parsed.wantsHelp { try parser.checkComplete() }
        return parser.parsed
    }

    private mutating func readAll() throws(CommandError) {
        while let word = rest.popFirst() {
            if word == "--" {
                while let argument = rest.popFirst() { try take(argument: argument) }
            } else if word.hasPrefix("--") {
                try take(long: word.dropFirst(2))
            } else if word.count > 1, word.hasPrefix("-"), !isNumber(word) {
                try take(short: word.dropFirst())
            } else {
                try take(word: word)
            }
        }
    }

    private mutating func take(word: String) throws(CommandError) {
        if parsed.arguments.isEmpty, let next = parsed.command.subcommand(word) {
            parsed.path.append(next)
        } else {
            try take(argument: word)
        }
    }

    private mutating func take(argument: String) throws(CommandError) {
        let known = parsed.command.arguments
        let index = parsed.arguments.count
        guard let definition = index < known.count ? known[index] : known.last, index < known.count || definition.isRepeatable
        else { throw unexpected(argument) }
        try check(argument, definition.kind, name: definition.name)
        parsed.arguments.append(argument)
    }

    private func unexpected(_ word: String) -> CommandError {
        let command = parsed.command
        guard !command.subcommands.isEmpty, parsed.arguments.isEmpty else {
            return usage("\(parsed.title) does not take the argument '\(word)'")
        }
        let near = Suggestion.nearest(to: word, among: command.subcommands.map(\.name))
        return usage("\(parsed.title) has no command '\(word)'", hint: near.map { "did you mean '\($0)'?" })
    }

    private mutating func take(long text: Substring) throws(CommandError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = known.first(where: { $0.name == name }) else { throw unknownOption("--\(name)") }
        if parts.count == 1 {
            try record(option, values: try following(option, shown: "--\(name)", first: nil))
        } else if option.isFlag {
            throw usage("--\(name) takes no value")
        } else {
            try record(option, values: try following(option, shown: "--\(name)", first: String(parts[1])))
        }
    }

    private mutating func take(short cluster: Substring) throws(CommandError) {
        var cluster = cluster
        while let letter = cluster.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else { throw unknownOption("-\(letter)") }
            if option.isFlag {
                try record(option, values: [])
                continue
            }
            let attached = cluster.first == "=" ? cluster.dropFirst() : cluster
            let first = cluster.isEmpty ? nil : String(attached)
            return try record(option, values: try following(option, shown: "-\(letter)", first: first))
        }
    }

    /// The values that belong to an option: what was attached to it, then the next words.
    private mutating func following(_ option: Option, shown: String, first: String?) throws(CommandError) -> [String] {
        var values = first.map { [$0] } ?? []
        while values.count < option.values.count {
            guard let next = rest.first, !looksLikeOption(next) else {
                if let implied = option.impliedValue { return [implied] }
                let missing = option.values[values.count]
                throw usage(
                    "\(shown) needs a value: \(missing)",
                    hint: rest.first.map { "a value that begins with a dash is written \(shown)=\($0)" })
            }
            rest.removeFirst()
            values.append(next)
        }
        return values
    }

    private mutating func record(_ option: Option, values: [String]) throws(CommandError) {
        for value in values { try check(value, option.kind, name: "--\(option.name)") }
        if !option.isRepeatable, parsed.values[option.name] != nil, !option.isFlag {
            throw usage("--\(option.name) is given twice")
        }
        parsed.values[option.name, default: []].append(values)
    }

    private func check(_ value: String, _ kind: ValueKind, name: String) throws(CommandError) {
        guard let problem = kind.problem(with: value) else { return }
        throw usage("\(name): \(problem.what)", hint: problem.hint)
    }

    private func unknownOption(_ shown: String) -> CommandError {
        let near = shown.hasPrefix("--") ? Suggestion.nearest(to: String(shown.dropFirst(2)), among: known.map(\.name)) : nil
        return usage("\(parsed.title) has no option \(shown)", hint: near.map { "did you mean --\($0)?" })
    }

    private func checkComplete() throws(CommandError) {
        let command = parsed.command
        guard command.run != nil else {
            let names = command.subcommands.map(\.name).joined(separator: ", ")
            throw usage("\(parsed.title) needs a command", hint: "one of: \(names)")
        }
        let given = parsed.arguments.count
        if given < command.arguments.count, command.arguments[given].isRequired {
            throw usage("\(parsed.title) needs the argument \(command.arguments[given].name)")
        }
    }

    /// Options that may stand here: those of the commands named so far and the global ones.
    private var known: [Option] {
        parsed.path.reversed().flatMap(\.options) + GlobalOptions.all
    }

    private func isNumber(_ word: String) -> Bool {
        Double(word) != nil
    }

    /// A word that is meant as an option; other words with a dash (negative numbers, base64url text) may be values.
    private func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word != "-", !isNumber(word) else { return false }
        let letters = word.dropFirst()
        return word.hasPrefix("--") || letters.allSatisfy { letter in known.contains { $0.short == letter } }
    }

    private func usage(_ what: String, hint: String? = nil) -> CommandError {
        .usage(what, hint: hint ?? "see: \(parsed.title) --help")
    }
}
