import Glibc
import Vault

/// Finds the wallet's passphrase: `--passphrase-file`, else `$WALLETBENCH_PASSPHRASE`, else the person at the terminal.
struct PassphrasePrompt: Sendable {
    let context: Context

    /// - Throws: `.locked` when there is none to be had.
    func passphrase(for use: VaultOpening.PassphraseUse) throws(VaultError) -> [UInt8] {
        if let path = context.passphraseFile { return try firstLine(of: path) }
        if let text = environment("WALLETBENCH_PASSPHRASE") { return [UInt8](text.utf8) }
        guard isatty(STDIN_FILENO) == 1 else {
            throw VaultError(
                .locked, "the wallet in \(context.home.path) needs its passphrase",
                hint: "give --passphrase-file FILE or $WALLETBENCH_PASSPHRASE, or run it in a terminal"
                    + (use == .create ? "; --no-passphrase makes a wallet without one" : ""))
        }
        let first = try ask(use == .create ? "New passphrase for the wallet: " : "Passphrase of the wallet: ")
        guard use == .create else { return first }
        guard try ask("The same again: ") == first else {
            throw VaultError(.locked, "the two passphrases differ", hint: "try again; nothing was made")
        }
        return first
    }

    private func firstLine(of path: String) throws(VaultError) -> [UInt8] {
        guard let content = try PrivateFiles.read(path, limit: 1 << 16) else {
            throw VaultError(.locked, "\(path): no such passphrase file", hint: "name the right file with --passphrase-file")
        }
        let line = content.prefix { $0 != UInt8(ascii: "\n") }
        return [UInt8](line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    /// Reads a line without showing it.
    private func ask(_ prompt: String) throws(VaultError) -> [UInt8] {
        guard let line = HiddenLine.read(prompt, context.console) else {
            throw VaultError(
                .locked, "no passphrase was typed, or the terminal cannot hide it",
                hint: "try again, or give --passphrase-file FILE; nothing was changed")
        }
        return [UInt8](line.utf8)
    }
}
