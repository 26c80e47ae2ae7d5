/// Manual pages (section 1, man macros), made from the command table.
enum ManPages {
    /// Pages by file name: `walletbench.1`, `walletbench-qr-decode.1`.
    static func all(root: Command) -> [(name: String, text: String)] {
        Completions.nodes(root).map { ("\(name($0.path)).1", page(path: $0.path)) }
    }

    static func page(path: [Command]) -> String {
        let command = path[path.count - 1]
        var lines = [
            ".TH \(name(path).uppercased()) 1", ".SH NAME", "\(escape(name(path))) \\- \(escape(command.summary))", ".SH SYNOPSIS",
        ]
        lines += Help.usage(path).split(separator: "\n").map { line in
            ".B \(escape(line.replacingPrefix("Usage: ").trimmed))\n.br"
        }
        if !command.discussion.isEmpty { lines += [".SH DESCRIPTION"] + paragraphs(command.discussion) }
        lines += list("COMMANDS", command.subcommands.map { ($0.name, $0.summary) })
        lines += list("ARGUMENTS", command.arguments.map { ($0.usage, Help.describe($0.help, $0.kind, nil)) })
        lines += list("OPTIONS", (path.flatMap(\.options) + GlobalOptions.all).map { ($0.usage, Help.describe($0)) })
        lines += list("EXAMPLES", command.examples.map { ($0.line, $0.explanation) })
        lines += list("EXIT STATUS", exitCodes)
        lines += seeAlso(path)
        return lines.joined(separator: "\n") + "\n"
    }

    static let exitCodes = [
        ("0", "done; the verdict is pass"), ("1", "refused or invalid; the verdict is fail"), ("2", "the command line is wrong"),
        ("3", "the surroundings are in the way: no adapter, port taken, file unreadable, wallet locked"),
        ("4", "the verdict is undetermined"), ("130", "interrupted"),
    ]

    private static func name(_ path: [Command]) -> String {
        path.map(\.name).joined(separator: "-")
    }

    private static func list(_ heading: String, _ rows: [(String, String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        return [".SH \(heading)"] + rows.flatMap { [".TP", ".B \(escape($0.0))", escape($0.1)] }
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            line.isEmpty ? [".PP"] : line.hasPrefix(" ") ? [".br", escape(String(line))] : [escape(String(line))]
        }
    }

    private static func seeAlso(_ path: [Command]) -> [String] {
        let others = path[path.count - 1].subcommands.map { name(path + [$0]) } + (path.count > 1 ? [name(path.dropLast())] : [])
        guard !others.isEmpty else { return [] }
        return [".SH SEE ALSO", others.map { ".BR \(escape($0)) (1)" }.joined(separator: ",\n")]
    }

    /// Dashes that are typed, backslashes, and a dot or quote that would begin a request.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            default: escaped.append(character)
            }
        }
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
    }
}

extension Substring {
    fileprivate func replacingPrefix(_ prefix: String) -> Substring { hasPrefix(prefix) ? dropFirst(prefix.count) : self }
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
