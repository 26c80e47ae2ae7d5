import Crypto
import Glibc
import Ports
import Vault

extension Context {
    /// The holder's vault.
    ///
    /// - Parameter creating: makes home and vault where there is none: under a passphrase, or by a key file for homes of
    ///   `--no-passphrase` and `--test-home`.
    /// - Throws: exit code 3 when it is missing, locked, damaged, of a newer program, or on a disk that cannot be written.
    func wallet(creating: Bool) throws(CommandError) -> Vault {
        let protection: VaultOpening.Protection =
            wantsNoPassphrase || home.isTestHome ? .keyFile : .passphrase(cost: .standard)
        return try vault("wallet", create: creating ? protection : nil)
    }

    /// The holder's vault where there is one. Looking at an empty home makes nothing.
    func walletIfThere() throws(CommandError) -> Vault? {
        Files.exists(home.file("wallet.db")) ? try wallet(creating: false) : nil
    }

    /// What the reader, verifier and issuer of this home keep. It needs no passphrase, so that they run unattended: its key is in
    /// a file of mode 0600 beside it.
    func serviceVault() throws(CommandError) -> Vault {
        try vault("service", create: .keyFile)
    }

    /// The same where there is one.
    func serviceVaultIfThere() throws(CommandError) -> Vault? {
        Files.exists(home.file("service.db")) ? try serviceVault() : nil
    }

    private func vault(_ name: String, create: VaultOpening.Protection?) throws(CommandError) -> Vault {
        let prompt = PassphrasePrompt(context: self)
        let opening = VaultOpening(path: home.file("\(name).db"), keyFile: home.file("\(name).key"), create: create) {
            (use) throws(VaultError) in try prompt.passphrase(for: use)
        }
        do throws(VaultError) {
            if create != nil || home.exists { try PrivateFiles.makeDirectory(home.path) }
            return try Vault(opening, clock: SystemClock())
        } catch { throw CommandError(error) }
    }
}

extension CommandError {
    /// What the vault says, with the exit code it has for the shell.
    init(_ error: VaultError) {
        let exit: ExitCode =
            switch error.reason {
            case .notFound, .exhausted, .exists: .refused
            default: .environment
            }
        self.init(error.what, hint: error.hint, exit: exit)
    }
}

/// Runs vault calls in commands: their errors become those of the command line.
func vaultCall<R>(_ body: () async throws(VaultError) -> R) async throws(CommandError) -> R {
    do throws(VaultError) { return try await body() } catch { throw CommandError(error) }
}
