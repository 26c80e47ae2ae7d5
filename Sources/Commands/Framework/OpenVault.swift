import Crypto
import Vault

extension Context {
    /// Opens the home's wallet.
    /// - Parameter create: makes home and wallet where there are none: with a passphrase, or without one after `--no-passphrase`.
    /// - Throws: exit code 3 when it is missing, locked, busy or damaged.
    func openVault(create: Bool) throws(CommandError) -> Vault {
        if create { try home.make() }
        let source = PassphraseSource(file: passphraseFile, console: console)
        let protection: VaultOpening.Protection = wantsNoPassphrase ? .keyFile : .passphrase(cost: .standard)
        let opening = VaultOpening(
            path: home.file("wallet.sqlite"), keyFile: home.file("wallet.key"), create: create ? protection : nil
        ) { use throws(VaultError) in
            do throws(CommandError) {
                return try source.read(isNew: use == .create)
            } catch { throw VaultError(.locked, error.what, hint: error.hint ?? "") }
        }
        do throws(VaultError) { return try Vault(opening, clock: clock) } catch { throw CommandError(error) }
    }
}

extension CommandError {
    /// What a vault says, with the exit code that it deserves: what the person asked for is refused (1), everything else is in the way (3).
    init(_ error: VaultError) {
        switch error.reason {
        case .notFound, .exhausted, .exists: self.init(error.what, hint: error.hint, exit: .refused)
        default: self.init(error.what, hint: error.hint, exit: .environment)
        }
    }
}
