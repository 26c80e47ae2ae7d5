/// Keeps private keys and uses them on behalf of callers, who know them by id and never see their bytes.
///
/// Every use names how the key is unlocked. A store may offer several areas (software, and hardware where there is some).
public protocol KeyStore: Sendable {
    /// What `KeyOptions.area` may name.
    var areas: [KeyArea] { get }

    /// Makes a key in the area, on the curve and under the unlock policy of the options.
    func create(_ options: KeyOptions) async throws(KeyStoreError) -> KeyInfo

    /// Takes over a key made elsewhere; the curve is the key's, whatever the options say.
    func importKey(_ key: PrivateKey, options: KeyOptions) async throws(KeyStoreError) -> KeyInfo

    /// What may be known of a key.
    func info(_ id: KeyID) async throws(KeyStoreError) -> KeyInfo

    /// All keys of the store, oldest first.
    func keys() async throws(KeyStoreError) -> [KeyInfo]

    /// A signature of fixed width (r ‖ s, or EdDSA) over the message; `hash` nil takes the curve's own.
    func sign(
        _ message: [UInt8], with id: KeyID, hash: HashAlgorithm?, unlock: KeyUnlock
    ) async throws(KeyStoreError) -> [UInt8]

    /// The shared secret of the key with the peer's.
    func agree(with peer: PublicKey, using id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8]

    /// Forgets the key for good.
    func delete(_ id: KeyID) async throws(KeyStoreError)
}

extension KeyStore {
    /// A signature with the curve's own hash.
    public func sign(_ message: [UInt8], with id: KeyID, unlock: KeyUnlock) async throws(KeyStoreError) -> [UInt8] {
        try await sign(message, with: id, hash: nil, unlock: unlock)
    }

    /// As many keys as `options.batch` says, at least one.
    public func createBatch(_ options: KeyOptions) async throws(KeyStoreError) -> [KeyInfo] {
        var batch: [KeyInfo] = []
        repeat { batch.append(try await create(options)) } while batch.count < options.batch
        return batch
    }
}

/// The name of a key within its store.
public struct KeyID: Sendable, Hashable, RawRepresentable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
    public var description: String { rawValue }
}

/// A place where keys live.
public struct KeyArea: Sendable, Hashable {
    /// What options and people call it.
    public let name: String
    /// The curves it makes keys on.
    public let curves: Set<Curve>

    /// An area of the given name and curves.
    public init(name: String, curves: Set<Curve>) {
        self.name = name
        self.curves = curves
    }

    /// Keys in this process's memory or files, every curve.
    public static let software = KeyArea(name: "software", curves: Set(Curve.allCases))
}

/// How a key is to be made; one value for all keys of a document type.
public struct KeyOptions: Sendable {
    /// The curve of the key.
    public var curve: Curve
    /// The name of the area where the key lives.
    public var area: String
    /// How many keys `createBatch` makes.
    public var batch: Int
    /// What every use of the key has to show.
    public var unlock: UnlockPolicy
    /// Whether a key that has signed may not agree on secrets any more, and the other way round
    /// (ISO/IEC 18013-5:2021 §9.1.3.4: one device key never makes both MAC and signature).
    public var singlePurpose: Bool

    /// Options; by default one P-256 key in the software area, usable without unlocking, for one purpose.
    public init(
        curve: Curve = .p256, area: String = KeyArea.software.name, batch: Int = 1, unlock: UnlockPolicy = .open,
        singlePurpose: Bool = true
    ) {
        self.curve = curve
        self.area = area
        self.batch = batch
        self.unlock = unlock
        self.singlePurpose = singlePurpose
    }
}

/// What the use of a key has to show.
public enum UnlockPolicy: Sendable {
    /// Nothing; only an outright `KeyUnlock.deny` is heeded.
    case open
    /// This passphrase.
    case passphrase(String)
}

/// What the person answers when a key is about to be used.
public enum KeyUnlock: Sendable {
    /// The person gives this passphrase.
    case passphrase(String)
    /// Nobody is asked: enough for keys without a passphrase.
    case automatic
    /// The person refuses.
    case deny
}

/// What may be known of a stored key.
public struct KeyInfo: Sendable, Hashable {
    public let id: KeyID
    public let publicKey: PublicKey
    /// The name of the area where the key lives.
    public let area: String
    /// Whether a use needs a passphrase.
    public let needsPassphrase: Bool
    /// What the key was used for so far, where only one purpose is allowed.
    public let purpose: KeyPurpose?

    /// The curve of the key.
    public var curve: Curve { publicKey.curve }

    /// The facts about a key, as its store knows them.
    public init(id: KeyID, publicKey: PublicKey, area: String, needsPassphrase: Bool, purpose: KeyPurpose?) {
        self.id = id
        self.publicKey = publicKey
        self.area = area
        self.needsPassphrase = needsPassphrase
        self.purpose = purpose
    }
}

/// The two things a private key can do.
public enum KeyPurpose: String, Sendable, Hashable {
    case sign
    case agree
}

/// Why a key store did not do what it was asked.
public enum KeyStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no key of this id (any more).
    case unknownKey(KeyID)
    /// The store has no area of this name.
    case unknownArea(String)
    /// The area makes no keys on this curve.
    case curveNotInArea(Curve, area: String)
    /// The person refused to unlock the key.
    case refused(KeyID)
    /// The key needs a passphrase and none was given.
    case locked(KeyID)
    /// The passphrase is not the key's.
    case wrongPassphrase(KeyID)
    /// The key already served the other purpose and may serve only one.
    case purposeConflict(KeyID, used: KeyPurpose)
    /// The key cannot do that, or the peer's key is unusable.
    case crypto(CryptoError)
    /// What keeps the keys failed; says how.
    case storage(String)

    public var description: String {
        switch self {
        case .unknownKey(let id): "no key \(id) in this store"
        case .unknownArea(let name): "no key area named \(name)"
        case .curveNotInArea(let curve, let area): "key area \(area) has no \(curve.rawValue) keys"
        case .refused(let id): "the user refused to unlock key \(id)"
        case .locked(let id): "key \(id) is locked: a passphrase is needed"
        case .wrongPassphrase(let id): "wrong passphrase for key \(id)"
        case .purposeConflict(let id, .sign): "key \(id) has made a signature and must not make a MAC as well"
        case .purposeConflict(let id, .agree): "key \(id) has made a MAC and must not make a signature as well"
        case .crypto(let error): "\(error)"
        case .storage(let reason): "key store: \(reason)"
        }
    }
}
