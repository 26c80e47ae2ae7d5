import Crypto
import Glibc
import Ports
import Vault

/// Asks the person what the home's settings want to see before a device key is used: `holder key default TYPE --authenticate`.
struct KeyGate: Sendable {
    /// Options of every command that uses device keys.
    static let options: [Option] = [
        .choice(
            "key-unlock", ["ask", "auto", "deny"], "Confirm the use of keys: at the terminal, always, or never: the person refuses",
            default: "ask"),
        .file("key-passphrase-file", "FILE", "The passphrase of keys that have one, in the first line of FILE"),
    ]

    /// The person did not authenticate: the peer is told so by the protocol.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
        let hint: String?
    }

    let wallet: Wallet
    private let choice: String
    private let passphrase: String?
    private let console: Console

    init(_ invocation: Invocation, _ wallet: Wallet) throws(CommandError) {
        self.wallet = wallet
        console = invocation.console
        choice = invocation.string("key-unlock") ?? "ask"
        passphrase = try invocation.string("key-passphrase-file").map { path throws(CommandError) in
            let line = try Files.read(path, limit: 1 << 16).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// A key that is about to be used.
    struct Use: Sendable {
        /// docType or vct.
        let type: String
        /// What the person calls the document.
        let name: String
        let keyID: KeyID?
    }

    /// The keys of the wallet with what the person showed for these.
    ///
    /// - Throws: `Refusal` when the person refuses, is not there, or does not know the passphrase.
    func unlocked(_ uses: [Use]) async throws -> UnlockedKeys {
        if choice == "deny" { throw Refusal(description: "unlocking the device key was refused", hint: nil) }
        var unlocks: [KeyID: KeyUnlock] = [:]
        for use in uses {
            guard let id = use.keyID else { continue }
            let wanted = try await wallet.authentication(for: use.type)
            if wanted == .confirm { try confirm("use the key of \(use.name)") }
            let info = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.info(id) }
            guard info.needsPassphrase else { continue }
            let unlock = KeyUnlock.passphrase(try secret("Passphrase of the key of \(use.name): ", use.name))
            guard try await keyCall({ () async throws(KeyStoreError) in try await wallet.keys.opens(id, unlock) }) else {
                throw Refusal(description: "the passphrase does not unlock the key of \(use.name)", hint: nil)
            }
            unlocks[id] = unlock
        }
        return UnlockedKeys(store: wallet.keys, unlocks: unlocks)
    }

    /// How new keys for a document type are sealed.
    ///
    /// - Throws: `Refusal` when the type wants something that the person does not show.
    func policy(forNewKeysOf type: String) async throws -> UnlockPolicy {
        let wanted = try await wallet.authentication(for: type)
        guard wanted != .none else { return .open }
        if choice == "deny" { throw Refusal(description: "the person refused to be authenticated", hint: nil) }
        if wanted == .confirm { try confirm("keep a document of type \(type)") }
        return wanted == .passphrase ? .passphrase(try secret("Passphrase for keys of \(type): ", type)) : .open
    }

    /// The same for a command that makes keys and documents at once.
    func minting(_ type: String) async throws(CommandError) -> UnlockPolicy {
        do { return try await policy(forNewKeysOf: type) } catch let refusal as Refusal {
            throw CommandError(refusal)
        } catch { throw error as? CommandError ?? CommandError("\(error)") }
    }

    /// Seals keys that were made for documents of a type which is known only now.
    func seal(_ keyIDs: [KeyID], of type: String) async throws {
        guard case .passphrase(let secret) = try await policy(forNewKeysOf: type) else { return }
        for id in keyIDs {
            try await keyCall { () async throws(KeyStoreError) in
                try await wallet.keys.relock(id, .passphrase(secret), unlock: .automatic)
            }
        }
    }

    private func confirm(_ what: String) throws(Refusal) {
        if choice == "auto" { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Refusal(description: "nobody was there to confirm: \(what)", hint: "confirm beforehand with --key-unlock auto")
        }
        console.ask("\(what)? [y/N] ")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw Refusal(description: "the person did not confirm: \(what)", hint: nil)
        }
    }

    func secret(_ question: String, _ name: String) throws(Refusal) -> String {
        if let passphrase { return passphrase }
        guard isatty(STDIN_FILENO) == 1, let line = HiddenLine.read(question, console) else {
            throw Refusal(
                description: "the key of \(name) is locked and nobody gave its passphrase",
                hint: "give it with --key-passphrase-file FILE")
        }
        return line
    }
}

extension Wallet {
    /// What the home's settings want to see before a key of this type is used.
    func authentication(for type: String) async throws(CommandError) -> UserAuthentication {
        try await vaultCall { () async throws(VaultError) in try await vault.userAuthentication(for: type) }
    }
}

/// The keys of a wallet, some of which the person unlocked for one response. The secrets stay in here.
struct UnlockedKeys: KeyStore {
    fileprivate let store: VaultKeyStore
    fileprivate let unlocks: [KeyID: KeyUnlock]

    /// The same, used for signatures and agreement alike: for a fault on purpose.
    var withoutPurpose: UnlockedKeys { UnlockedKeys(store: store.withoutPurpose, unlocks: unlocks) }

    var areas: [KeyArea] { store.areas }
    func create(_ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo { try await store.create(options) }

    func importKey(_ key: PrivateKey, options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        try await store.importKey(key, options: options)
    }

    func info(_ id: KeyID) async throws(KeyStoreError) -> KeyInfo { try await store.info(id) }
    func keys() async throws(KeyStoreError) -> [KeyInfo] { try await store.keys() }

    func sign(
        _ message: [UInt8], with id: KeyID, hash: HashAlgorithm?, unlock: KeyUnlock
    ) async throws(KeyStoreError) -> [UInt8] {
        try await store.sign(message, with: id, hash: hash, unlock: unlocks[id] ?? unlock)
    }

    func agree(with peer: PublicKey, using id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8] {
        try await store.agree(with: peer, using: id, unlock: unlocks[id] ?? unlock)
    }

    func delete(_ id: KeyID) async throws(KeyStoreError) { try await store.delete(id) }
}
