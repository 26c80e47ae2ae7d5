/// bash: one function that follows the words to a command and offers what may come next.
struct BashCompletion {
    let root: Command

    var script: String {
        """
        # bash completion for \(root.name): eval "$(\(root.name) completions bash)"
        _\(root.name)() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" index
            for ((index = 1; index < COMP_CWORD; index++)); do
                case "$path/${COMP_WORDS[index]}" in
        \(steps)
                esac
            done
            COMPREPLY=()
            case "$path $previous" in
        \(values)
            esac
            case "$path" in
        \(words)
            esac
        }
        complete -o default -F _\(root.name) \(root.name)

        """
    }

    private var steps: String {
        Completions.nodes(root).flatMap { node in
            node.command.subcommands.map { "            '\(key(node))/\($0.name)') path='\(key(node))/\($0.name)' ;;" }
        }.joined(separator: "\n")
    }

    private var values: String {
        Completions.nodes(root).flatMap { node in
            node.options.filter { !$0.isFlag }.map { option in
                let names = [option.short.map { "'\(key(node)) -\($0)'" }, "'\(key(node)) --\(option.name)'"].compactMap { $0 }
                return "        \(names.joined(separator: "|"))) \(reply(option.kind)); return ;;"
            }
        }.joined(separator: "\n")
    }

    private var words: String {
        Completions.nodes(root).map { node in
            let offered = node.command.subcommands.map(\.name) + argumentChoices(node) + node.options.map { "--\($0.name)" }
            let files = node.command.arguments.isEmpty ? "" : " COMPREPLY+=($(compgen -f -- \"$current\"));"
            let list = Completions.quote(offered.joined(separator: " "))
            return "        '\(key(node))') COMPREPLY=($(compgen -W \(list) -- \"$current\"));\(files) ;;"
        }.joined(separator: "\n")
    }

    private func argumentChoices(_ node: Completions.Node) -> [String] {
        node.command.arguments.flatMap { argument in
            if case .choice(let choices) = argument.kind { choices } else { [String]() }
        }
    }

    private func reply(_ kind: ValueKind) -> String {
        switch kind {
        case .choice(let choices):
            "COMPREPLY=($(compgen -W \(Completions.quote(choices.joined(separator: " "))) -- \"$current\"))"
        case .directory: "COMPREPLY=($(compgen -d -- \"$current\"))"
        case .text, .file, .integer, .time: "COMPREPLY=($(compgen -f -- \"$current\"))"
        }
    }

    private func key(_ node: Completions.Node) -> String {
        node.path.dropFirst().map { "/\($0.name)" }.joined()
    }
}
