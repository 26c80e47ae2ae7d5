import Codec
public import Ports

/// Software keys in memory, gone with the process: for tests, demos and as the model of every other store.
///
/// With a deterministic random source, keys, ids and ECDSA nonces repeat from run to run.
public actor MemoryKeyStore: KeyStore {
    private struct Entry {
        let key: PrivateKey
        let options: KeyOptions
        let passphrase: Passphrase?
        var purpose: KeyPurpose?
    }

    /// A passphrase kept as a salted hash. Slow hashing is for stores that outlive the process.
    private struct Passphrase {
        let salt: [UInt8]
        let hash: [UInt8]

        init(_ text: String, salt: [UInt8]) {
            self.salt = salt
            hash = HMAC.sha256(key: salt, Array(text.utf8))
        }

        func matches(_ text: String) -> Bool { ConstantTime.equal(hash, HMAC.sha256(key: salt, Array(text.utf8))) }
    }

    public nonisolated let areas: [KeyArea]
    private let random: any RandomSource
    private var entries: [KeyID: Entry] = [:]
    private var order: [KeyID] = []

    /// An empty store with the given areas, all of them software.
    public init(areas: [KeyArea] = [.software], random: any RandomSource) {
        self.areas = areas
        self.random = random
    }

    public func create(_ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        try check(options.area, options.curve)
        do { return add(try PrivateKey.generate(options.curve, random: random), options) } catch { throw .crypto(error) }
    }

    public func importKey(_ key: PrivateKey, options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        try check(options.area, key.curve)
        return add(key, options)
    }

    public func info(_ id: KeyID) async throws(KeyStoreError) -> KeyInfo {
        info(id, try entry(id))
    }

    public func keys() async throws(KeyStoreError) -> [KeyInfo] {
        order.compactMap { id in entries[id].map { info(id, $0) } }
    }

    public func sign(
        _ message: [UInt8], with id: KeyID, hash: HashAlgorithm?, unlock: KeyUnlock
    ) async throws(KeyStoreError) -> [UInt8] {
        let key = try use(id, for: .sign, unlock)
        do {
            return try key.sign(message, hash: hash, nonce: random.isDeterministic ? .deterministic : .random)
        } catch { throw .crypto(error) }
    }

    public func agree(with peer: PublicKey, using id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8] {
        let key = try use(id, for: .agree, unlock)
        do { return try key.agree(with: peer) } catch { throw .crypto(error) }
    }

    public func delete(_ id: KeyID) async throws(KeyStoreError) {
        guard entries.removeValue(forKey: id) != nil else { throw .unknownKey(id) }
        order.removeAll { $0 == id }
    }

    private func check(_ area: String, _ curve: Curve) throws(KeyStoreError) {
        guard let area = areas.first(where: { $0.name == area }) else { throw .unknownArea(area) }
        guard area.curves.contains(curve) else { throw .curveNotInArea(curve, area: area.name) }
    }

    private func add(_ key: PrivateKey, _ options: KeyOptions) -> KeyInfo {
        let id = KeyID(rawValue: Hex.encode(random.bytes(16)))
        var passphrase: Passphrase?
        if case .passphrase(let text) = options.unlock { passphrase = Passphrase(text, salt: random.bytes(16)) }
        let entry = Entry(key: key, options: options, passphrase: passphrase)
        entries[id] = entry
        order.append(id)
        return info(id, entry)
    }

    private func info(_ id: KeyID, _ entry: Entry) -> KeyInfo {
        KeyInfo(
            id: id, publicKey: entry.key.publicKey, area: entry.options.area, needsPassphrase: entry.passphrase != nil,
            purpose: entry.purpose)
    }

    private func entry(_ id: KeyID) throws(KeyStoreError) -> Entry {
        guard let entry = entries[id] else { throw .unknownKey(id) }
        return entry
    }

    private func use(_ id: KeyID, for purpose: KeyPurpose, _ unlock: KeyUnlock) throws(KeyStoreError) -> PrivateKey {
        let entry = try entry(id)
        switch (unlock, entry.passphrase) {
        case (.deny, _): throw .refused(id)
        case (_, nil): break
        case (.automatic, .some): throw .locked(id)
        case (.passphrase(let text), .some(let passphrase)): guard passphrase.matches(text) else { throw .wrongPassphrase(id) }
        }
        if entry.options.singlePurpose {
            if let used = entry.purpose, used != purpose { throw .purposeConflict(id, used: used) }
            entries[id]?.purpose = purpose
        }
        return entry.key
    }
}
