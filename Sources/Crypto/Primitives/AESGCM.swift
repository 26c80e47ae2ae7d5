import COpenSSL

/// AES in Galois/Counter Mode (NIST SP 800-38D) with 16-byte tags.
public struct AESGCM: Sendable {
    private let key: SecretBytes

    /// Takes a key of 16, 24 or 32 bytes; throws `.invalidKeyLength` for any other.
    public init(key: [UInt8]) throws(CryptoError) {
        guard [16, 24, 32].contains(key.count) else { throw .invalidKeyLength(key.count) }
        self.key = SecretBytes(key)
    }

    /// Ciphertext followed by the 16-byte tag. One nonce (12 bytes as a rule) must never serve twice under one key.
    public func seal(_ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        if nonce.count > Self.longestNonce { return try GaloisCounterMode(key: key).seal(plaintext, nonce: nonce, aad: aad) }
        let context = try start(.encrypt, nonce: nonce, aad: aad, length: plaintext.count)
        var written: Int32 = 0
        var output = [UInt8](repeating: 0, count: plaintext.count + 16)
        let done = output.withUnsafeMutableBufferPointer { out in
            EVP_CipherUpdate(context.handle, out.baseAddress, &written, plaintext, Int32(plaintext.count)) == 1
                && EVP_CipherFinal_ex(context.handle, out.baseAddress.map { $0 + plaintext.count }, &written) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context.handle, EVP_CTRL_AEAD_GET_TAG, 16, out.baseAddress.map { $0 + plaintext.count }) == 1
        }
        guard done else { throw .failed("AES-GCM") }
        return output
    }

    /// The plaintext of ciphertext ‖ tag. Throws `.authenticationFailed` when anything differs from what was sealed.
    public func open(_ sealed: [UInt8], nonce: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= 16 else { throw .authenticationFailed }
        if nonce.count > Self.longestNonce { return try GaloisCounterMode(key: key).open(sealed, nonce: nonce, aad: aad) }
        let length = sealed.count - 16
        let context = try start(.decrypt, nonce: nonce, aad: aad, length: length)
        var written: Int32 = 0
        var tag = Array(sealed[length...])
        // One byte to spare: the final call wants a valid address even when there is no plaintext.
        var output = [UInt8](repeating: 0, count: length + 1)
        let done = output.withUnsafeMutableBufferPointer { out in
            EVP_CipherUpdate(context.handle, out.baseAddress, &written, sealed, Int32(length)) == 1
                && EVP_CIPHER_CTX_ctrl(context.handle, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
                && EVP_CipherFinal_ex(context.handle, out.baseAddress.map { $0 + length }, &written) == 1
        }
        guard done else {
            output.erase()
            throw .authenticationFailed
        }
        output.removeLast()
        return output
    }

    /// OpenSSL 3.0 keeps at most this many bytes of nonce.
    private static let longestNonce = 128

    private func start(
        _ direction: CipherContext.Direction, nonce: [UInt8], aad: [UInt8], length: Int
    ) throws(CryptoError) -> CipherContext {
        guard !nonce.isEmpty else { throw .invalidNonceLength(nonce.count) }
        // Lengths are 32-bit in OpenSSL's interface.
        guard length < Int32.max, aad.count < Int32.max else { throw .invalidParameter("AES-GCM takes less than 2 GiB at once") }
        let context = try CipherContext()
        let cipher = Self.ciphers[key.count / 8 - 2]
        var written: Int32 = 0
        let ready = key.withBytes { secret in
            EVP_CipherInit_ex(context.handle, cipher, nil, nil, nil, direction.rawValue) == 1
                && EVP_CIPHER_CTX_ctrl(context.handle, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1
                && EVP_CipherInit_ex(
                    context.handle, nil, nil, secret.bindMemory(to: UInt8.self).baseAddress, nonce, direction.rawValue) == 1
                && (aad.isEmpty || EVP_CipherUpdate(context.handle, nil, &written, aad, Int32(aad.count)) == 1)
        }
        guard ready else { throw .failed("AES-GCM") }
        return context
    }

    // EVP_CIPHER is immutable and reference counted; these references are never given back.
    nonisolated(unsafe) private static let ciphers = ["AES-128-GCM", "AES-192-GCM", "AES-256-GCM"].map(CipherContext.fetch)
}

/// Owns an EVP_CIPHER_CTX for one operation.
struct CipherContext: ~Copyable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    let handle: OpaquePointer

    init() throws(CryptoError) {
        guard let handle = EVP_CIPHER_CTX_new() else { throw .failed("EVP_CIPHER_CTX_new") }
        self.handle = handle
    }

    deinit { EVP_CIPHER_CTX_free(handle) }

    static func fetch(_ name: String) -> OpaquePointer {
        guard let handle = EVP_CIPHER_fetch(nil, name, nil) else {
            preconditionFailure("every OpenSSL 3 has \(name); its configuration file switches off the default provider")
        }
        return handle
    }
}
