internal import Codec
internal import Crypto
internal import Ports

/// Seals values under the data key with AES-256-GCM: nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes).
///
/// The place of a value and its version are authenticated too: a value moved to another row, or one whose version does not
/// fit, does not open.
struct Sealer {
    private let cipher: AESGCM
    // Never the seeded source of a repeatable run: two runs would use one nonce for two values.
    private let random = SystemRandom()

    static let nonceSize = 12

    /// `dataKey`: 32 bytes.
    init(dataKey: [UInt8]) throws(CryptoError) { cipher = try AESGCM(key: dataKey) }

    func seal(_ value: [UInt8], table: String, key: String, version: Int64) throws(CryptoError) -> [UInt8] {
        let nonce = random.bytes(Self.nonceSize)
        return nonce + (try cipher.seal(value, nonce: nonce, aad: Self.place(table, key, version)))
    }

    func open(_ sealed: [UInt8], table: String, key: String, version: Int64) throws(CryptoError) -> [UInt8] {
        let nonce = [UInt8](sealed.prefix(Self.nonceSize))
        return try cipher.open(
            [UInt8](sealed.dropFirst(Self.nonceSize)), nonce: nonce, aad: Self.place(table, key, version))
    }

    /// The associated data: CBOR `[table, key, version]`, so that no two places look alike.
    private static func place(_ table: String, _ key: String, _ version: Int64) -> [UInt8] {
        CBOR { encoder in
            encoder.array(3)
            encoder.text(table)
            encoder.text(key)
            encoder.int(version)
        }.encoded
    }
}
