/// fish: one function that follows the words to a command, and one `complete` line for each word that may stand there.
struct FishCompletion {
    let root: Command

    var script: String {
        """
        # fish completion for \(root.name): \(root.name) completions fish | source
        function __\(root.name)_path
            set -l path ''
            for word in (commandline -opc)[2..]
                switch "$path/$word"
                    case \(keys)
                        set path "$path/$word"
                end
            end
            echo "$path"
        end
        complete -c \(root.name) -f
        \(GlobalOptions.all.map { line(nil, $0) }.joined(separator: "\n"))
        \(Completions.nodes(root).flatMap(lines).joined(separator: "\n"))

        """
    }

    private var keys: String {
        Completions.nodes(root).dropFirst().map { Completions.quote(key($0)) }.joined(separator: " ")
    }

    private func lines(_ node: Completions.Node) -> [String] {
        let commands = node.command.subcommands.map { command in
            "complete -c \(root.name) -n \(condition(node)) -a \(command.name) -d \(Completions.quote(command.summary))"
        }
        let arguments = node.command.arguments.map { argument in
            if case .choice(let choices) = argument.kind {
                "complete -c \(root.name) -n \(condition(node)) -a \(Completions.quote(choices.joined(separator: " ")))"
            } else {
                "complete -c \(root.name) -n \(condition(node)) -F"
            }
        }
        return commands + arguments + node.path.flatMap(\.options).map { line(node, $0) }
    }

    private func line(_ node: Completions.Node?, _ option: Option) -> String {
        var parts = ["complete -c \(root.name)"]
        if let node { parts.append("-n \(condition(node))") }
        parts.append("-l \(option.name)")
        if let short = option.short { parts.append("-s \(short)") }
        switch option.kind {
        case _ where option.isFlag: break
        case .choice(let choices): parts.append("-x -a \(Completions.quote(choices.joined(separator: " ")))")
        case .integer, .time: parts.append("-x")
        case .file, .directory: parts.append("-r -F")
        case .text: parts.append("-r")
        }
        parts.append("-d \(Completions.quote(option.help))")
        return parts.joined(separator: " ")
    }

    private func condition(_ node: Completions.Node) -> String {
        Completions.quote("test (__\(root.name)_path) = '\(key(node))'")
    }

    private func key(_ node: Completions.Node) -> String {
        node.path.dropFirst().map { "/\($0.name)" }.joined()
    }
}
