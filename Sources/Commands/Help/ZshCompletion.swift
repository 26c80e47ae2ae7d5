/// zsh: one `_arguments` call for each command.
struct ZshCompletion {
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
