import COpenSSL

/// AES-GCM written out (NIST SP 800-38D §6–7) over OpenSSL's AES, for nonces longer than the 128 bytes that OpenSSL's own GCM
/// takes. The standard allows them; no protocol here sends them.
struct GaloisCounterMode {
    private let key: SecretBytes
    private let cipher: OpaquePointer

    init(key: SecretBytes) {
        self.key = key
        cipher = Self.ciphers[key.count / 8 - 2]
    }

    /// Ciphertext followed by the 16-byte tag.
    func seal(_ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        let start = try start(nonce)
        let ciphertext = try keyStream(from: start, over: plaintext)
        return ciphertext + (try tag(ciphertext, aad, start))
    }

    /// The plaintext of ciphertext ‖ tag, at least 16 bytes.
    func open(_ sealed: [UInt8], nonce: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        let start = try start(nonce)
        let ciphertext = Array(sealed.dropLast(16))
        guard ConstantTime.equal(try tag(ciphertext, aad, start), Array(sealed.suffix(16))) else { throw .authenticationFailed }
        return try keyStream(from: start, over: ciphertext)
    }

    /// The pre-counter block J0 of a nonce that is not 12 bytes long.
    private func start(_ nonce: [UInt8]) throws(CryptoError) -> UInt128 { try hash([], nonce) }

    private func tag(_ ciphertext: [UInt8], _ aad: [UInt8], _ start: UInt128) throws(CryptoError) -> [UInt8] {
        (try hash(aad, ciphertext) ^ encrypt([start])[0]).bigEndianBytes
    }

    /// GCTR: the text under counters that follow the start, of which only the last 32 bits count.
    private func keyStream(from start: UInt128, over text: [UInt8]) throws(CryptoError) -> [UInt8] {
        let fixed = start & ~0xFFFF_FFFF
        let counters = (0..<(text.count + 15) / 16).map { block in
            fixed | UInt128(UInt32(truncatingIfNeeded: start) &+ 1 &+ UInt32(truncatingIfNeeded: block))
        }
        let stream = try encrypt(counters).lazy.flatMap(\.bigEndianBytes)
        return zip(text, stream).map { $0 ^ $1 }
    }

    /// GHASH over both texts, each padded to whole blocks, and their lengths in bits.
    private func hash(_ aad: [UInt8], _ text: [UInt8]) throws(CryptoError) -> UInt128 {
        let subkey = try encrypt([0])[0]
        var state: UInt128 = 0
        for bytes in [aad, text] {
            for start in stride(from: 0, to: bytes.count, by: 16) {
                let block = bytes[start..<min(start + 16, bytes.count)]
                let number = block.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } << UInt128(8 * (16 - block.count))
                state = Self.multiply(state ^ number, subkey)
            }
        }
        return Self.multiply(state ^ (UInt128(aad.count * 8) << 64 | UInt128(text.count * 8)), subkey)
    }

    /// The product in GF(2¹²⁸), whose bits are counted from the left; no branch depends on a secret.
    private static func multiply(_ x: UInt128, _ y: UInt128) -> UInt128 {
        var (product, factor, rest) = (UInt128(0), y, x)
        for _ in 0..<128 {
            product ^= factor & (0 &- (rest >> 127))
            factor = factor >> 1 ^ (UInt128(0xE1) << 120 & (0 &- (factor & 1)))
            rest <<= 1
        }
        return product
    }

    private func encrypt(_ blocks: [UInt128]) throws(CryptoError) -> [UInt128] {
        guard blocks.count < Int32.max / 16 else { throw .invalidParameter("AES-GCM takes less than 2 GiB at once") }
        let context = try CipherContext()
        let input = blocks.flatMap(\.bigEndianBytes)
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var written: Int32 = 0
        let done = key.withBytes { secret in
            EVP_CipherInit_ex(
                context.handle, cipher, nil, secret.bindMemory(to: UInt8.self).baseAddress, nil,
                CipherContext.Direction.encrypt.rawValue) == 1
                && EVP_CIPHER_CTX_set_padding(context.handle, 0) == 1
                && EVP_CipherUpdate(context.handle, &output, &written, input, Int32(input.count)) == 1
        }
        guard done, Int(written) == input.count else { throw .failed("AES") }
        return blocks.indices.map { block in
            output[block * 16..<block * 16 + 16].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        }
    }

    // EVP_CIPHER is immutable and reference counted; these references are never given back.
    nonisolated(unsafe) private static let ciphers = ["AES-128-ECB", "AES-192-ECB", "AES-256-ECB"].map(CipherContext.fetch)
}
