internal import Codec
internal import Crypto
internal import Ports

/// A key as its record holds it:
///
/// ```
/// { "area": tstr, "curve": tstr, "point": bstr, "singlePurpose": bool, ? "purpose": tstr,
///   "scalar": bstr                                    ; without a passphrase
///   / "locked": { "n": uint, "r": uint, "p": uint, "salt": bstr, "sealed": bstr } }
/// ```
struct StoredKey {
    private enum Secret {
        case open([UInt8])
        case locked(Scrypt, salt: [UInt8], sealed: [UInt8])
    }

    let id: KeyID
    let area: String
    let publicKey: PublicKey
    let singlePurpose: Bool
    var purpose: KeyPurpose?
    private let secret: Secret

    init(id: KeyID, key: PrivateKey, options: KeyOptions, cost: Scrypt) throws(KeyStoreError) {
        self.id = id
        area = options.area
        publicKey = key.publicKey
        singlePurpose = options.singlePurpose
        do throws(CryptoError) {
            let scalar = try key.scalar()
            switch options.unlock {
            case .open: secret = .open(scalar)
            case .passphrase(let passphrase):
                let salt = SystemRandom().bytes(16)
                var wrapping = try cost.derive(passphrase: [UInt8](passphrase.utf8), salt: salt, length: 32)
                defer { wrapping.erase() }
                let sealed = try Sealer(dataKey: wrapping).seal(scalar, table: "key", key: id.rawValue, version: 1)
                secret = .locked(cost, salt: salt, sealed: sealed)
            }
        } catch { throw .crypto(error) }
    }

    /// The same key sealed by another policy.
    func relocked(_ policy: UnlockPolicy, _ unlock: KeyUnlock, cost: Scrypt) throws(KeyStoreError) -> StoredKey {
        let options = KeyOptions(curve: publicKey.curve, area: area, unlock: policy, singlePurpose: singlePurpose)
        var key = try StoredKey(id: id, key: privateKey(unlock), options: options, cost: cost)
        key.purpose = purpose
        return key
    }

    var info: KeyInfo {
        var needsPassphrase = false
        if case .locked = secret { needsPassphrase = true }
        return KeyInfo(id: id, publicKey: publicKey, area: area, needsPassphrase: needsPassphrase, purpose: purpose)
    }

    /// The key, when `unlock` opens it.
    func privateKey(_ unlock: KeyUnlock) throws(KeyStoreError) -> PrivateKey {
        var scalar: [UInt8]
        switch (secret, unlock) {
        case (_, .deny): throw .refused(id)
        case (.open(let bytes), _): scalar = bytes
        case (.locked, .automatic): throw .locked(id)
        case (.locked(let cost, let salt, let sealed), .passphrase(let passphrase)):
            do throws(CryptoError) {
                var wrapping = try cost.derive(passphrase: [UInt8](passphrase.utf8), salt: salt, length: 32)
                defer { wrapping.erase() }
                scalar = try Sealer(dataKey: wrapping).open(sealed, table: "key", key: id.rawValue, version: 1)
            } catch .authenticationFailed {
                throw .wrongPassphrase(id)
            } catch { throw .crypto(error) }
        }
        defer { scalar.erase() }
        do throws(CryptoError) { return try PrivateKey(curve: publicKey.curve, scalar: scalar) } catch { throw .crypto(error) }
    }
}

extension StoredKey {
    var encoded: [UInt8] {
        var members: [(CBOR, CBOR)] = [
            (.text("area"), .text(area)), (.text("curve"), .text(publicKey.curve.rawValue)),
            (.text("point"), .bytes(publicKey.point)), (.text("singlePurpose"), .bool(singlePurpose)),
        ]
        if let purpose { members.append((.text("purpose"), .text(purpose.rawValue))) }
        switch secret {
        case .open(let scalar): members.append((.text("scalar"), .bytes(scalar)))
        case .locked(let cost, let salt, let sealed):
            members.append(
                (
                    .text("locked"),
                    .map([
                        (.text("n"), .int(cost.cost)), (.text("r"), .int(cost.blockSize)), (.text("p"), .int(cost.parallelisation)),
                        (.text("salt"), .bytes(salt)), (.text("sealed"), .bytes(sealed)),
                    ])
                ))
        }
        return CBOR.map(members).encoded
    }

    static func read(_ id: KeyID, _ bytes: [UInt8]) throws(KeyStoreError) -> StoredKey {
        guard let key = try? StoredKey(id: id, CBOR(decoding: bytes)) else {
            throw .storage("the record of key \(id) cannot be read")
        }
        return key
    }

    private init(id: KeyID, _ record: CBOR) throws {
        guard let curve = Curve(rawValue: try record["curve"].text()) else { throw KeyStoreError.unknownKey(id) }
        self.id = id
        area = try record["area"].text()
        publicKey = try PublicKey(curve: curve, point: try record["point"].bytes())
        singlePurpose = try record["singlePurpose"].bool()
        purpose = try record.optional("purpose").flatMap { KeyPurpose(rawValue: try $0.text()) }
        if let locked = try record.optional("locked") {
            let cost = Scrypt(
                cost: try locked["n"].int(), blockSize: try locked["r"].int(), parallelisation: try locked["p"].int())
            secret = .locked(cost, salt: try locked["salt"].bytes(), sealed: try locked["sealed"].bytes())
        } else {
            secret = .open(try record["scalar"].bytes())
        }
    }
}
