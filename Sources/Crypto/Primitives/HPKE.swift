/// Hybrid public key encryption (RFC 9180) in base mode, one message a key, with the one suite that ISO/IEC TS 18013-7 Annex C uses:
/// DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM.
public enum HPKE {
    /// An encapsulated key (65 bytes, an uncompressed point) and what is encrypted under it (ciphertext ‖ 16-byte tag).
    public struct Sealed: Sendable, Hashable {
        public var encapsulatedKey: [UInt8]
        public var ciphertext: [UInt8]

        public init(encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
            self.encapsulatedKey = encapsulatedKey
            self.ciphertext = ciphertext
        }
    }

    /// Encrypts to the owner of a key.
    ///
    /// - Parameter ephemeral: a fresh key on P-256, used for this one message.
    public static func seal(
        _ plaintext: [UInt8], to recipient: PublicKey, info: [UInt8], aad: [UInt8] = [], ephemeral: PrivateKey
    ) throws(CryptoError) -> Sealed {
        let encapsulated = ephemeral.publicKey.point
        var secret = try ephemeral.agree(with: recipient)
        defer { secret.erase() }
        var keys = try schedule(secret: secret, encapsulated: encapsulated, recipient: recipient, info: info)
        defer { keys.key.erase() }
        return Sealed(
            encapsulatedKey: encapsulated, ciphertext: try AESGCM(key: keys.key).seal(plaintext, nonce: keys.nonce, aad: aad))
    }

    /// Decrypts with the private key; throws `.invalidPoint` for an encapsulated key that is none, `.authenticationFailed` where
    /// anything differs from what was sealed.
    public static func open(
        _ sealed: Sealed, with key: PrivateKey, info: [UInt8], aad: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        var secret = try key.agree(with: sender(of: sealed))
        defer { secret.erase() }
        return try open(sealed, secret: secret, of: key.publicKey, info: info, aad: aad)
    }

    /// The same with a key that a store keeps.
    public static func open(
        _ sealed: Sealed, with key: KeyInfo, in store: any KeyStore, unlock: KeyUnlock, info: [UInt8], aad: [UInt8] = []
    ) async throws(KeyStoreError) -> [UInt8] {
        let peer: PublicKey
        do { peer = try sender(of: sealed) } catch { throw .crypto(error) }
        var secret = try await store.agree(with: peer, using: key.id, unlock: unlock)
        defer { secret.erase() }
        do { return try open(sealed, secret: secret, of: key.publicKey, info: info, aad: aad) } catch { throw .crypto(error) }
    }

    private static func sender(of sealed: Sealed) throws(CryptoError) -> PublicKey {
        guard sealed.encapsulatedKey.first == 4 else { throw .invalidPoint(.p256) }
        return try PublicKey(curve: .p256, point: sealed.encapsulatedKey)
    }

    private static func open(
        _ sealed: Sealed, secret: [UInt8], of recipient: PublicKey, info: [UInt8], aad: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var keys = try schedule(secret: secret, encapsulated: sealed.encapsulatedKey, recipient: recipient, info: info)
        defer { keys.key.erase() }
        return try AESGCM(key: keys.key).open(sealed.ciphertext, nonce: keys.nonce, aad: aad)
    }

    // MARK: key schedule (RFC 9180 §4.1, §5.1)

    private static let kem: [UInt8] = Array("KEM".utf8) + [0x00, 0x10]
    private static let suite: [UInt8] = Array("HPKE".utf8) + [0x00, 0x10, 0x00, 0x01, 0x00, 0x01]

    private static func schedule(
        secret: [UInt8], encapsulated: [UInt8], recipient: PublicKey, info: [UInt8]
    ) throws(CryptoError) -> (key: [UInt8], nonce: [UInt8]) {
        guard recipient.curve == .p256 else { throw .curveMismatch(own: .p256, peer: recipient.curve) }
        var prk = extract(kem, salt: [], "eae_prk", secret)
        var shared = expand(kem, prk, "shared_secret", encapsulated + recipient.point, 32)
        defer {
            prk.erase()
            shared.erase()
        }
        let context = [0] + extract(suite, salt: [], "psk_id_hash", []) + extract(suite, salt: [], "info_hash", info)
        var root = extract(suite, salt: shared, "secret", [])
        defer { root.erase() }
        return (expand(suite, root, "key", context, 16), expand(suite, root, "base_nonce", context, 12))
    }

    private static let version = Array("HPKE-v1".utf8)

    private static func extract(_ suite: [UInt8], salt: [UInt8], _ label: String, _ material: [UInt8]) -> [UInt8] {
        HMAC.authenticate(.sha256, key: salt, parts: [version, suite, Array(label.utf8), material])
    }

    /// - Precondition: at most 32 bytes, one block of HKDF.
    private static func expand(_ suite: [UInt8], _ key: [UInt8], _ label: String, _ info: [UInt8], _ length: Int) -> [UInt8] {
        precondition(length <= 32)
        let block = HMAC.authenticate(
            .sha256, key: key, parts: [[0, UInt8(length)], version, suite, Array(label.utf8), info, [1]])
        return Array(block.prefix(length))
    }
}
