internal import Codec
package import Crypto
package import Ports

/// The software key store of a home: private keys are sealed in the vault, used inside this type and never handed out.
///
/// A key under a passphrase of its own is sealed a second time with a key that scrypt makes from it.
package struct VaultKeyStore: KeyStore {
    static let partition = "keys"

    /// Plain software, and a stand-in for the secure element of a phone, which knows one curve only.
    package let areas = [KeyArea.software, VaultKeyStore.element]
    package static let element = KeyArea(name: "element", curves: [.p256])

    private let vault: Vault
    private let random: any RandomSource
    private let cost: Scrypt
    private var keepsToPurpose = true

    /// Keys of `vault`. `random` draws scalars and ids; `cost` is that of new keys with a passphrase.
    package init(vault: Vault, random: any RandomSource, cost: Scrypt = .standard) {
        self.vault = vault
        self.random = random
        self.cost = cost
    }

    /// The same keys, each used for signatures and agreement alike, which no wallet may do: for a fault on purpose.
    package var withoutPurpose: VaultKeyStore {
        var store = self
        store.keepsToPurpose = false
        return store
    }

    package func create(_ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        try check(options.area, options.curve)
        return try await add(try crypto { () throws(CryptoError) in try .generate(options.curve, random: random) }, options)
    }

    package func importKey(_ key: PrivateKey, options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        try check(options.area, key.curve)
        return try await add(key, options)
    }

    package func info(_ id: KeyID) async throws(KeyStoreError) -> KeyInfo {
        try await stored(id).info
    }

    package func keys() async throws(KeyStoreError) -> [KeyInfo] {
        let records: [(KeyID, [UInt8])] = try await storage { () async throws(VaultError) in
            try await vault.look { records throws(VaultError) in
                var found: [(KeyID, [UInt8])] = []
                for name in try records.keys(in: Self.partition) {
                    if let bytes = try records.read(name, in: Self.partition) { found.append((KeyID(rawValue: name), bytes)) }
                }
                return found
            }
        }
        var found: [KeyInfo] = []
        for (id, bytes) in records { found.append(try StoredKey.read(id, bytes).info) }
        return found
    }

    package func sign(
        _ message: [UInt8], with id: KeyID, hash: HashAlgorithm?, unlock: KeyUnlock
    ) async throws(KeyStoreError) -> [UInt8] {
        let key = try await use(id, for: .sign, unlock)
        let nonce: SignatureNonce = random.isDeterministic ? .deterministic : .random
        return try crypto { () throws(CryptoError) in try key.sign(message, hash: hash, nonce: nonce) }
    }

    package func agree(with peer: PublicKey, using id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8] {
        let key = try await use(id, for: .agree, unlock)
        return try crypto { () throws(CryptoError) in try key.agree(with: peer) }
    }

    package func delete(_ id: KeyID) async throws(KeyStoreError) {
        let found = try await storage { () async throws(VaultError) in
            try await vault.transact { records throws(VaultError) in
                let found = try records.read(id.rawValue, in: Self.partition) != nil
                try records.delete(id.rawValue, in: Self.partition)
                return found
            }
        }
        guard found else { throw .unknownKey(id) }
    }

    /// Whether this unlocks the key, which is not used.
    package func opens(_ id: KeyID, _ unlock: KeyUnlock) async throws(KeyStoreError) -> Bool {
        let stored = try await stored(id)
        do throws(KeyStoreError) { _ = try stored.privateKey(unlock) } catch {
            switch error {
            case .locked, .wrongPassphrase, .refused: return false
            default: throw error
            }
        }
        return true
    }

    /// Seals a key by another policy; what it was used for stays known.
    ///
    /// - Parameter unlock: what opens it now.
    package func relock(_ id: KeyID, _ policy: UnlockPolicy, unlock: KeyUnlock) async throws(KeyStoreError) {
        let bytes = try await stored(id).relocked(policy, unlock, cost: cost).encoded
        try await storage { () async throws(VaultError) in
            try await vault.transact { records throws(VaultError) in
                try records.write(bytes, id.rawValue, in: Self.partition)
            }
        }
    }

    /// The only key whose name begins so.
    package func find(_ prefix: String) async throws(KeyStoreError) -> KeyInfo {
        let close = try await keys().filter { $0.id.rawValue.hasPrefix(prefix) }
        guard close.count == 1, !prefix.isEmpty else { throw .unknownKey(KeyID(rawValue: prefix)) }
        return close[0]
    }

    private func check(_ area: String, _ curve: Curve) throws(KeyStoreError) {
        guard let area = areas.first(where: { $0.name == area }) else { throw .unknownArea(area) }
        guard area.curves.contains(curve) else { throw .curveNotInArea(curve, area: area.name) }
    }

    private func add(_ key: PrivateKey, _ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        let id = KeyID(rawValue: Hex.encode(random.bytes(16)))
        let stored = try StoredKey(id: id, key: key, options: options, cost: cost)
        let bytes = stored.encoded
        try await storage { () async throws(VaultError) in
            try await vault.transact { records throws(VaultError) in
                guard try records.read(id.rawValue, in: Self.partition) == nil else {
                    // Two repeatable runs with one seed draw the same ids: the first key must not be lost.
                    throw VaultError(.exists, "a key called \(id) is there already", hint: "use another --seed or a new home")
                }
                try records.write(bytes, id.rawValue, in: Self.partition)
            }
        }
        return stored.info
    }

    private func stored(_ id: KeyID) async throws(KeyStoreError) -> StoredKey {
        let bytes = try await storage { () async throws(VaultError) in
            try await vault.look { records throws(VaultError) in try records.read(id.rawValue, in: Self.partition) }
        }
        guard let bytes else { throw .unknownKey(id) }
        return try StoredKey.read(id, bytes)
    }

    /// The unlocked key. Its purpose is on disk before it is used for the first time.
    private func use(_ id: KeyID, for purpose: KeyPurpose, _ unlock: KeyUnlock) async throws(KeyStoreError) -> PrivateKey {
        if case .deny = unlock { throw .refused(id) }
        let stored = try await stored(id)
        let key = try stored.privateKey(unlock)
        guard stored.singlePurpose, keepsToPurpose else { return key }
        let used: KeyPurpose?? = try await storage { () async throws(VaultError) in
            try await vault.transact { records throws(VaultError) -> KeyPurpose?? in
                guard let bytes = try records.read(id.rawValue, in: Self.partition),
                    var current = try? StoredKey.read(id, bytes)
                else { return .none }
                if current.purpose == nil {
                    current.purpose = purpose
                    try records.write(current.encoded, id.rawValue, in: Self.partition)
                }
                return .some(current.purpose)
            }
        }
        guard let used, let used else { throw .unknownKey(id) }
        guard used == purpose else { throw .purposeConflict(id, used: used) }
        return key
    }

    private func crypto<R>(_ body: () throws(CryptoError) -> R) throws(KeyStoreError) -> R {
        do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
    }

    private func storage<R>(_ body: () async throws(VaultError) -> R) async throws(KeyStoreError) -> R {
        do throws(VaultError) { return try await body() } catch { throw .storage(error.description) }
    }
}
