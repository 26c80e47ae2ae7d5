/// Shell completions, made from the command table.
enum Completions {
    enum Shell: String, CaseIterable { case bash, zsh, fish }

    static func script(for shell: Shell, root: Command) -> String {
        switch shell {
        case .bash: BashCompletion(root: root).script
        case .zsh: ZshCompletion(root: root).script
        case .fish: FishCompletion(root: root).script
        }
    }

    /// A command with the words that lead to it.
    struct Node {
        let path: [Command]
        var command: Command { path[path.count - 1] }
        /// Words after the program's name: `qr decode`.
        var words: String { path.dropFirst().map(\.name).joined(separator: " ") }
        /// Options that may stand here.
        var options: [Option] { path.flatMap(\.options) + GlobalOptions.all }
    }

    static func nodes(_ root: Command) -> [Node] {
        func visit(_ path: [Command]) -> [Node] {
            [Node(path: path)] + path[path.count - 1].subcommands.flatMap { visit(path + [$0]) }
        }
        return visit([root])
    }

    /// A text between single quotes of a POSIX shell.
    static func quote(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// bash: one function that follows the words to a command and offers what may come next.
private struct BashCompletion {
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

/// zsh: one `_arguments` call for each command.
private struct ZshCompletion {
    let root: Command

    var script: String {
        """
        #compdef \(root.name)
        # zsh completion for \(root.name): source <(\(root.name) completions zsh)
        \(Completions.nodes(root).map(function).joined(separator: "\n"))
        compdef _\(root.name) \(root.name)

        """
    }

    private func function(_ node: Completions.Node) -> String {
        var lines = ["\(name(node.path))() {"]
        var specs = node.options.flatMap(spec)
        if node.command.subcommands.isEmpty {
            specs += node.command.arguments.map(spec)
            lines.append("    _arguments -s -S \\\n        " + specs.joined(separator: " \\\n        "))
        } else {
            specs += [quoted("1:command:->command"), quoted("*::argument:->argument")]
            lines.append("    local state line context")
            lines.append("    _arguments -C -s -S \\\n        " + specs.joined(separator: " \\\n        "))
            lines.append("    case \"$state\" in")
            let commands = node.command.subcommands.map { quoted("\($0.name):\(escaped($0.summary))") }
            lines.append("    command) local -a commands; commands=(\(commands.joined(separator: " ")))")
            lines.append("        _describe command commands ;;")
            lines.append("    argument) case \"${line[1]}\" in")
            lines += node.command.subcommands.map { "        \($0.name)) \(name(node.path + [$0])) ;;" }
            lines.append("        esac ;;\n    esac")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func spec(_ option: Option) -> [String] {
        let values = option.values.map { ":\(escaped($0)):\(action(option.kind))" }.joined()
        let star = option.isRepeatable ? "*" : ""
        return (option.short.map { ["-\($0)"] } ?? []).appending("--\(option.name)").map {
            quoted("\(star)\($0)[\(escaped(option.help))]\(values)")
        }
    }

    private func spec(_ argument: Argument) -> String {
        let position = argument.isRepeatable ? "*:" : argument.isRequired ? ":" : "::"
        return quoted("\(position)\(escaped(argument.name)):\(action(argument.kind))")
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .choice(let choices): "(\(choices.joined(separator: " ")))"
        case .directory: "_files -/"
        case .text, .file: "_files"
        case .integer, .time: " "
        }
    }

    private func name(_ path: [Command]) -> String {
        "_" + path.map(\.name).joined(separator: "_")
    }

    private func quoted(_ text: String) -> String { Completions.quote(text) }

    private func escaped(_ text: String) -> String {
        String(text.flatMap { "[]:\\".contains($0) ? ["\\", $0] : [$0] })
    }
}

extension Array {
    fileprivate func appending(_ element: Element) -> [Element] { self + [element] }
}

/// fish: one function that follows the words to a command, and one `complete` line for each word that may stand there.
private struct FishCompletion {
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
