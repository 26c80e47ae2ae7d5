import Codec

/// `walletbench completions bash|zsh|fish`
enum CompletionsCommand {
    static let command = Command(
        name: "completions", summary: "print the completion script of a shell",
        discussion: """
            bash:  eval "$(walletbench completions bash)"
             zsh:   source <(walletbench completions zsh)
             fish:  walletbench completions fish | source
            """,
        examples: [Example("walletbench completions bash", "the script for bash")],
        arguments: [Argument("SHELL", "The shell", kind: .choice(Completions.Shell.allCases.map(\.rawValue)))]
    ) { invocation in
        guard let shell = Completions.Shell(rawValue: invocation.argument) else { return .usage }
        let script = Completions.script(for: shell, root: invocation.context.root)
        invocation.console.answer(["shell": .string(shell.rawValue), "script": .string(script)]) { script }
        return .done
    }
}
