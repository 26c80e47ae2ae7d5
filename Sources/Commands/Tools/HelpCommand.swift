/// `walletbench help [COMMAND...]`
enum HelpCommand {
    static let command = Command(
        name: "help", summary: "show how a command is used",
        examples: [Example("walletbench help qr decode", "the same as walletbench qr decode --help")],
        arguments: [Argument("COMMAND", "Words of a command", isRequired: false, isRepeatable: true)]
    ) { invocation in
        let path = try CommandPath.find(invocation.arguments, root: invocation.context.root)
        return Help.show(ParsedCommand(path: path), on: invocation.console)
    }
}

/// Finds a command by its words.
enum CommandPath {
    static func find(_ words: [String], root: Command) throws(CommandError) -> [Command] {
        var path = [root]
        for word in words {
            let here = path[path.count - 1]
            guard let next = here.subcommand(word) else {
                let near = Suggestion.nearest(to: word, among: here.subcommands.map(\.name))
                let title = path.map(\.name).joined(separator: " ")
                throw .usage(
                    "\(title) has no command '\(word)'", hint: near.map { "did you mean '\($0)'?" } ?? "see: \(title) --help")
            }
            path.append(next)
        }
        return path
    }
}
