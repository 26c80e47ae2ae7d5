import COpenSSL

/// Authenticated encryption by AES-CBC and HMAC (RFC 7518 §5.2): A128CBC-HS256 and A256CBC-HS512.
public struct AESCBCHMAC: Sendable {
    private let macKey: [UInt8]
    private let cbc: AESCBC
    private let hash: HashAlgorithm

    /// Takes a key of 32 bytes (A128CBC-HS256) or 64 bytes (A256CBC-HS512): the MAC key, then the encryption key.
    public init(key: [UInt8]) throws(CryptoError) {
        guard key.count == 32 || key.count == 64 else { throw .invalidKeyLength(key.count) }
        macKey = Array(key.prefix(key.count / 2))
        cbc = try AESCBC(key: Array(key.suffix(key.count / 2)))
        hash = key.count == 32 ? .sha256 : .sha512
    }

    /// Ciphertext and tag (16 or 32 bytes). The initialisation vector is 16 unpredictable bytes.
    public func seal(_ plaintext: [UInt8], iv: [UInt8], aad: [UInt8]) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let ciphertext = try cbc.encrypt(plaintext, iv: iv)
        return (ciphertext, tag(ciphertext, iv: iv, aad: aad))
    }

    /// The plaintext. The tag is checked first, so that padding is never an oracle; throws `.authenticationFailed`.
    public func open(_ ciphertext: [UInt8], tag: [UInt8], iv: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard iv.count == 16 else { throw .invalidNonceLength(iv.count) }
        guard ConstantTime.equal(tag, self.tag(ciphertext, iv: iv, aad: aad)) else { throw .authenticationFailed }
        return try cbc.decrypt(ciphertext, iv: iv)
    }

    private func tag(_ ciphertext: [UInt8], iv: [UInt8], aad: [UInt8]) -> [UInt8] {
        let bitLength = UInt64(aad.count) * 8
        let full = HMAC.authenticate(hash, key: macKey, parts: [aad, iv, ciphertext, bitLength.bigEndianBytes])
        return Array(full.prefix(macKey.count))
    }
}

/// AES-CBC with PKCS#7 padding; unauthenticated, so only ever a part of something that is.
public struct AESCBC: Sendable {
    private let key: SecretBytes

    /// Takes a key of 16, 24 or 32 bytes; throws `.invalidKeyLength` for any other.
    public init(key: [UInt8]) throws(CryptoError) {
        guard [16, 24, 32].contains(key.count) else { throw .invalidKeyLength(key.count) }
        self.key = SecretBytes(key)
    }

    /// The padded ciphertext, a multiple of 16 bytes.
    public func encrypt(_ plaintext: [UInt8], iv: [UInt8]) throws(CryptoError) -> [UInt8] {
        try run(.encrypt, plaintext, iv: iv)
    }

    /// The plaintext without padding; throws `.authenticationFailed` when the padding is wrong.
    public func decrypt(_ ciphertext: [UInt8], iv: [UInt8]) throws(CryptoError) -> [UInt8] {
        try run(.decrypt, ciphertext, iv: iv)
    }

    private func run(_ direction: CipherContext.Direction, _ input: [UInt8], iv: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard iv.count == 16 else { throw .invalidNonceLength(iv.count) }
        guard input.count < Int32.max - 16 else { throw .invalidParameter("AES-CBC takes less than 2 GiB at once") }
        let context = try CipherContext()
        let cipher = Self.ciphers[key.count / 8 - 2]
        let ready = key.withBytes { secret in
            EVP_CipherInit_ex(
                context.handle, cipher, nil, secret.bindMemory(to: UInt8.self).baseAddress, iv, direction.rawValue)
        }
        guard ready == 1 else { throw .failed("AES-CBC") }
        var body: Int32 = 0
        var tail: Int32 = 0
        var output = [UInt8](repeating: 0, count: input.count + 16)
        let done = output.withUnsafeMutableBufferPointer { out in
            EVP_CipherUpdate(context.handle, out.baseAddress, &body, input, Int32(input.count)) == 1
                && EVP_CipherFinal_ex(context.handle, out.baseAddress.map { $0 + Int(body) }, &tail) == 1
        }
        guard done else {
            output.erase()
            throw .authenticationFailed
        }
        output.removeLast(output.count - Int(body) - Int(tail))
        return output
    }

    // EVP_CIPHER is immutable and reference counted; these references are never given back.
    nonisolated(unsafe) private static let ciphers = ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"].map(CipherContext.fetch)
}
