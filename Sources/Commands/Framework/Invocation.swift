import Ports

/// What a command gets to work on. The values were checked against the command's table entry, so that reading them cannot fail.
struct Invocation: Sendable {
    let parsed: ParsedCommand
    let context: Context

    var arguments: [String] { parsed.arguments }
    /// The first argument; for commands that require one.
    var argument: String { parsed.arguments.first ?? "" }
    var console: Console { context.console }

    func flag(_ name: String) -> Bool {
        parsed.values[name] != nil
    }

    /// The option's value, or its default.
    func string(_ name: String) -> String? {
        parsed.values[name]?.last?.first ?? option(name)?.defaultValue
    }

    /// All values of a repeatable option, in order.
    func strings(_ name: String) -> [String] {
        parsed.values[name]?.flatMap { $0 } ?? []
    }

    func integer(_ name: String) -> Int? {
        string(name).flatMap { Int($0) }
    }

    func time(_ name: String) -> Timestamp? {
        parsed.values[name]?.last?.first.flatMap { try? Timestamp(rfc3339: $0) }
    }

    /// The option's value, which the command cannot do without.
    func required(_ name: String) throws(CommandError) -> String {
        guard let value = string(name) else {
            throw .usage("\(parsed.title) needs --\(name)", hint: "see: \(parsed.title) --help")
        }
        return value
    }

    private func option(_ name: String) -> Option? {
        let known = parsed.path.reversed().flatMap(\.options) + GlobalOptions.all
        return known.first { $0.name == name }
    }
}
