import COpenSSL

/// HKDF (RFC 5869).
public enum HKDF {
    /// `length` bytes derived with HMAC-SHA-256; an empty salt counts as 32 zero bytes.
    /// Throws `.invalidParameter` when more than 255 × 32 bytes are asked for.
    public static func sha256(ikm: [UInt8], salt: [UInt8], info: [UInt8], length: Int) throws(CryptoError) -> [UInt8] {
        try derive(.sha256, ikm: ikm, salt: salt, info: info, length: length)
    }

    /// `length` bytes derived with the hash; an empty salt counts as zero bytes of the hash's length.
    /// Throws `.invalidParameter` when more than 255 digests are asked for.
    public static func derive(
        _ hash: HashAlgorithm, ikm: [UInt8], salt: [UInt8], info: [UInt8], length: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (0...255 * hash.length).contains(length) else {
            throw .invalidParameter("HKDF with \(hash.rawValue) yields at most \(255 * hash.length) bytes, not \(length)")
        }
        var key = HMAC.authenticate(hash, key: salt, parts: [ikm])
        defer { key.erase() }
        var output: [UInt8] = []
        output.reserveCapacity(length + hash.length)
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < length {
            counter += 1
            block = HMAC.authenticate(hash, key: key, parts: [block, info, [counter]])
            output += block
        }
        block.erase()
        output.removeLast(output.count - length)
        return output
    }
}

/// The one-step key derivation function with a hash (NIST SP 800-56A §5.8.1), as JOSE uses it (RFC 7518 §4.6.2).
public enum ConcatKDF {
    /// `length` bytes from the shared secret and the already encoded OtherInfo.
    /// Throws `.invalidParameter` for a length below zero or beyond 2³² digests.
    public static func derive(
        _ hash: HashAlgorithm = .sha256, secret: [UInt8], otherInfo: [UInt8], length: Int
    ) throws(CryptoError) -> [UInt8] {
        guard length >= 0, length / hash.length < Int(UInt32.max) else {
            throw .invalidParameter("Concat KDF cannot yield \(length) bytes")
        }
        var output: [UInt8] = []
        var counter: UInt32 = 0
        while output.count < length {
            counter += 1
            output += hash.digest(parts: [counter.bigEndianBytes, secret, otherInfo])
        }
        output.removeLast(output.count - length)
        return output
    }
}

/// scrypt (RFC 7914), for keys from passphrases.
public struct Scrypt: Sendable, Hashable {
    /// CPU and memory cost, a power of two above 1; memory is 128 × cost × blockSize bytes.
    public var cost: Int
    /// The block size r.
    public var blockSize: Int
    /// The parallelisation p.
    public var parallelisation: Int

    /// The given parameters, checked when a key is derived.
    public init(cost: Int, blockSize: Int, parallelisation: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelisation = parallelisation
    }

    /// N = 2¹⁷, r = 8, p = 1: 128 MiB and about half a second on a 2020s core.
    public static let standard = Scrypt(cost: 1 << 17, blockSize: 8, parallelisation: 1)

    /// `length` bytes. Throws `.invalidParameter` when the parameters are not allowed or need more than 1 GiB.
    public func derive(passphrase: [UInt8], salt: [UInt8], length: Int) throws(CryptoError) -> [UInt8] {
        let limit = 1 << 30
        guard cost > 1, cost & (cost - 1) == 0, (1...1024).contains(blockSize), (1...1024).contains(parallelisation),
            cost <= limit / (128 * blockSize), (1...1 << 20).contains(length)
        else { throw .invalidParameter("scrypt N=\(cost) r=\(blockSize) p=\(parallelisation), \(length) bytes") }
        var output = [UInt8](repeating: 0, count: length)
        let done = passphrase.withUnsafeBytes { secret in
            EVP_PBE_scrypt(
                secret.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }, secret.count, salt, salt.count,
                UInt64(cost), UInt64(blockSize), UInt64(parallelisation), UInt64(limit) + (1 << 28), &output, length)
        }
        guard done == 1 else { throw .failed("scrypt") }
        return output
    }
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}
