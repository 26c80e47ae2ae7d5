import Codec

/// `--help`: the table entry of a command for people, or as JSON.
enum Help {
    static func show(_ parsed: ParsedCommand, on console: Console) -> ExitCode {
        console.answer(json(path: parsed.path)) { text(path: parsed.path, width: min(console.width, 100)) }
        return .done
    }

    static func text(path: [Command], width: Int) -> String {
        let command = path[path.count - 1]
        var sections = ["\(title(path)): \(command.summary)", usage(path)]
        if !command.discussion.isEmpty { sections.append(TextLayout.wrap(command.discussion, width: width)) }
        sections.append(list("Commands", command.subcommands.map { ($0.name, $0.summary) }, width))
        sections.append(list("Arguments", command.arguments.map { ($0.usage, describe($0.help, $0.kind, nil)) }, width))
        sections.append(list("Options", rows(path.flatMap(\.options)), width))
        if path.count == 1 {
            sections.append(list("Options of every command", rows(GlobalOptions.all), width))
        } else {
            sections.append("Options of every command (--json, --home DIR, --at TIME and more): \(path[0].name) --help")
        }
        sections.append(examples(command))
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    static func usage(_ path: [Command]) -> String {
        let command = path[path.count - 1]
        var lines: [String] = []
        if command.run != nil {
            lines.append(([title(path), "[options]"] + command.arguments.map(\.usage)).joined(separator: " "))
        }
        if !command.subcommands.isEmpty { lines.append("\(title(path)) COMMAND [options]") }
        return "Usage: " + lines.joined(separator: "\n       ")
    }

    /// What an option or argument is for, with its values and default.
    static func describe(_ help: String, _ kind: ValueKind, _ defaultValue: String?, isRepeatable: Bool = false) -> String {
        var notes: [String] = []
        if case .choice(let choices) = kind { notes.append(choices.joined(separator: ", ")) }
        if isRepeatable { notes.append("repeatable") }
        if let defaultValue { notes.append("default \(defaultValue)") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }

    static func describe(_ option: Option) -> String {
        describe(option.help, option.kind, option.defaultValue, isRepeatable: option.isRepeatable)
    }

    private static func title(_ path: [Command]) -> String {
        path.map(\.name).joined(separator: " ")
    }

    private static func rows(_ options: [Option]) -> [(String, String)] {
        options.map { option in
            let values = if case .choice = option.kind { ["VALUE"] } else { option.values }
            let names = option.short.map { "-\($0), --\(option.name)" } ?? "--\(option.name)"
            return (([names] + values).joined(separator: " "), describe(option))
        }
    }

    private static func list(_ heading: String, _ rows: [(String, String)], _ width: Int) -> String {
        guard !rows.isEmpty else { return "" }
        return "\(heading):\n" + TextLayout.columns(rows, width: width)
    }

    private static func examples(_ command: Command) -> String {
        guard !command.examples.isEmpty else { return "" }
        let lines = command.examples.map { example in
            example.explanation.isEmpty ? "  \(example.line)" : "  \(example.line)\n      \(example.explanation)"
        }
        return (command.examples.count == 1 ? "Example:\n" : "Examples:\n") + lines.joined(separator: "\n")
    }

    private static func json(path: [Command]) -> JSONObject {
        let command = path[path.count - 1]
        return [
            "command": .string(title(path)), "summary": .string(command.summary), "discussion": .string(command.discussion),
            "usage": .string(usage(path)),
            "commands": .array(command.subcommands.map { ["name": .string($0.name), "summary": .string($0.summary)] }),
            "arguments": .array(command.arguments.map { ["name": .string($0.usage), "help": .string($0.help)] }),
            "options": .array(path.flatMap(\.options).map(json)), "globalOptions": .array(GlobalOptions.all.map(json)),
            "examples": .array(command.examples.map { .string($0.line) }),
        ]
    }

    private static func json(_ option: Option) -> JSON {
        [
            "name": .string("--\(option.name)"), "short": option.short.map { .string("-\($0)") } ?? .null,
            "values": .array(option.values.map { .string($0) }), "help": .string(describe(option)),
        ]
    }
}
