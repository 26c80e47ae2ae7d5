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
