import Codec
public import Ports

/// Software keys in a record store, each gone for good when its time is over: the keys of one exchange, for a server that may be
/// restarted in the middle of it. The records are as secret as their store keeps them.
public struct RecordKeyStore: KeyStore {
    public let areas = [KeyArea.software]
    private let records: any RecordTable
    private let partition: String
    private let lifetime: Int64
    private let clock: any Clock
    private let random: any RandomSource

    /// - Parameter lifetime: how long every key lives, in seconds.
    public init(records: any RecordTable, partition: String, lifetime: Int64, clock: any Clock, random: any RandomSource) {
        self.records = records
        self.partition = partition
        self.lifetime = lifetime
        self.clock = clock
        self.random = random
    }

    public func create(_ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        let key: PrivateKey
        do { key = try PrivateKey.generate(options.curve, random: random) } catch { throw .crypto(error) }
        return try await importKey(key, options: options)
    }

    public func importKey(_ key: PrivateKey, options: KeyOptions) async throws(KeyStoreError) -> KeyInfo {
        guard options.area == KeyArea.software.name else { throw .unknownArea(options.area) }
        guard case .open = options.unlock else { throw .storage("keys of one exchange are under no passphrase") }
        let entry = Entry(key: key, isSinglePurpose: options.singlePurpose, purpose: nil)
        let id = KeyID(rawValue: Hex.encode(random.bytes(16)))
        let bytes = try entry.encoded()
        do { try await records.write(bytes, id.rawValue, in: partition, expiring: clock.now().adding(seconds: lifetime)) } catch {
            throw .storage("\(error)")
        }
        return entry.info(id)
    }

    public func info(_ id: KeyID) async throws(KeyStoreError) -> KeyInfo { try await entry(id).info(id) }

    public func keys() async throws(KeyStoreError) -> [KeyInfo] {
        let names: [String]
        do { names = try await records.keys(in: partition) } catch { throw .storage("\(error)") }
        var found: [KeyInfo] = []
        for name in names { found.append(try await info(KeyID(rawValue: name))) }
        return found
    }

    public func sign(
        _ message: [UInt8], with id: KeyID, hash: HashAlgorithm?, unlock: KeyUnlock
    ) async throws(KeyStoreError) -> [UInt8] {
        let key = try await use(id, for: .sign, unlock)
        do { return try key.sign(message, hash: hash, nonce: random.isDeterministic ? .deterministic : .random) } catch {
            throw .crypto(error)
        }
    }

    public func agree(with peer: PublicKey, using id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8] {
        let key = try await use(id, for: .agree, unlock)
        do { return try key.agree(with: peer) } catch { throw .crypto(error) }
    }

    public func delete(_ id: KeyID) async throws(KeyStoreError) {
        let wasThere: Bool
        do { wasThere = try await records.delete(id.rawValue, in: partition) } catch { throw .storage("\(error)") }
        guard wasThere else { throw .unknownKey(id) }
    }

    // MARK: entries

    /// A key with what it may do.
    private struct Entry {
        let key: PrivateKey
        let isSinglePurpose: Bool
        var purpose: KeyPurpose?

        init(key: PrivateKey, isSinglePurpose: Bool, purpose: KeyPurpose?) {
            (self.key, self.isSinglePurpose, self.purpose) = (key, isSinglePurpose, purpose)
        }

        init?(_ bytes: [UInt8]) {
            guard let json = try? JSON.decode(bytes), let key = json["key"].flatMap({ try? PrivateKey(jwk: $0) }) else {
                return nil
            }
            self.key = key
            isSinglePurpose = json["single_purpose"]?.boolValue ?? true
            purpose = json["purpose"]?.stringValue.flatMap(KeyPurpose.init)
        }

        func encoded() throws(KeyStoreError) -> [UInt8] {
            var object: JSONObject = ["single_purpose": .bool(isSinglePurpose)]
            do { object["key"] = .object(try key.jwk()) } catch { throw .crypto(error) }
            object["purpose"] = purpose.map { .string($0.rawValue) }
            return Array(JSON.object(object).encoded().utf8)
        }

        func info(_ id: KeyID) -> KeyInfo {
            KeyInfo(
                id: id, publicKey: key.publicKey, area: KeyArea.software.name, needsPassphrase: false,
                purpose: isSinglePurpose ? purpose : nil)
        }
    }

    private func entry(_ id: KeyID) async throws(KeyStoreError) -> Entry {
        let bytes: [UInt8]?
        do { bytes = try await records.read(id.rawValue, in: partition) } catch { throw .storage("\(error)") }
        guard let bytes else { throw .unknownKey(id) }
        guard let entry = Entry(bytes) else { throw .storage("the record of key \(id) is none") }
        return entry
    }

    /// The key, its purpose noted before it is used for the first time.
    private func use(_ id: KeyID, for purpose: KeyPurpose, _ unlock: KeyUnlock) async throws(KeyStoreError) -> PrivateKey {
        if case .deny = unlock { throw .refused(id) }
        var entry = try await entry(id)
        guard entry.isSinglePurpose else { return entry.key }
        if let used = entry.purpose {
            guard used == purpose else { throw .purposeConflict(id, used: used) }
            return entry.key
        }
        entry.purpose = purpose
        let bytes = try entry.encoded()
        let known: KeyPurpose?
        do {
            known = try await records.update(id.rawValue, in: partition, expiring: clock.now().adding(seconds: lifetime)) {
                record in
                // Somebody may have been faster, or have deleted it.
                let known = record.flatMap(Entry.init)?.purpose
                if record != nil, known == nil { record = bytes }
                return known
            }
        } catch { throw .storage("\(error)") }
        if let known, known != purpose { throw .purposeConflict(id, used: known) }
        return entry.key
    }
}
