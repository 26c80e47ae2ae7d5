import Glibc

/// Where the wallet's passphrase comes from: `--passphrase-file`, `$WALLETBENCH_PASSPHRASE`, or the person at the terminal.
struct PassphraseSource: Sendable {
    let file: String?
    let console: Console

    /// - Parameter isNew: the passphrase protects something new, so a person types it twice.
    /// - Throws: exit code 3 when there is none to be had.
    func read(isNew: Bool) throws(CommandError) -> [UInt8] {
        if let file { return try firstLine(of: file) }
        if let text = environment("WALLETBENCH_PASSPHRASE") { return Array(text.utf8) }
        guard isatty(STDIN_FILENO) == 1 else { throw none }
        let passphrase = try ask(isNew ? "New passphrase for the wallet: " : "Passphrase of the wallet: ")
        if isNew, try ask("Once more: ") != passphrase {
            throw .refused("the passphrases differ", hint: "nothing was made; try again")
        }
        return passphrase
    }

    private func firstLine(of path: String) throws(CommandError) -> [UInt8] {
        let line = try Files.read(path, limit: 1 << 16).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw .environment("\(path): the first line is empty", hint: "write the passphrase into it") }
        return Array(line)
    }

    private var none: CommandError {
        .environment(
            "the wallet is locked: no passphrase was given and there is no terminal to ask for it",
            hint: "name a file with --passphrase-file, set $WALLETBENCH_PASSPHRASE, or make the home with --no-passphrase")
    }

    /// Reads a line without showing it.
    private func ask(_ prompt: String) throws(CommandError) -> [UInt8] {
        console.ask(prompt)
        var before = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &before) == 0
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) }
        defer {
            if isTerminal { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
            console.talk("")
        }
        guard let line = readLine(), !line.isEmpty else { throw none }
        return Array(line.utf8)
    }
}
