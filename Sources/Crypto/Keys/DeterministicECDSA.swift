import COpenSSL

/// ECDSA with the nonce of RFC 6979 §3.2, drawn from the key and the digest by HMAC.
struct DeterministicECDSA {
    private let curve: Curve
    private let group: OpaquePointer
    private let hash: HashAlgorithm
    private let scalar: SecretBytes

    init(_ key: PrivateKey, hash: HashAlgorithm) throws(CryptoError) {
        guard let group = key.curve.group else { throw .cannotSign(key.curve) }
        var bytes = try key.scalar()
        scalar = SecretBytes(bytes)
        bytes.erase()
        curve = key.curve
        self.group = group
        self.hash = hash
    }

    /// r ‖ s over the digest.
    func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: hash.length)
        var value = [UInt8](repeating: 1, count: hash.length)
        var seed = try self.seed(digest)
        defer {
            key.erase()
            value.erase()
            seed.erase()
        }
        step(&key, &value, marker: 0, seed)
        step(&key, &value, marker: 1, seed)
        while true {
            var candidate: [UInt8] = []
            while candidate.count < curve.fieldSize {
                value = HMAC.authenticate(hash, key: key, parts: [value])
                candidate += value
            }
            candidate.removeLast(candidate.count - curve.fieldSize)
            if let signature = try signature(digest, nonce: candidate) { return signature }
            step(&key, &value, marker: 0, [])
        }
    }

    private func seed(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        var reduced = [UInt8](repeating: 0, count: curve.fieldSize)
        guard cc_bits_to_octets(group, digest, digest.count, &reduced, reduced.count) == 1 else { throw .failed("RFC 6979") }
        return scalar.withBytes { Array($0) } + reduced
    }

    private func step(_ key: inout [UInt8], _ value: inout [UInt8], marker: UInt8, _ seed: [UInt8]) {
        key = HMAC.authenticate(hash, key: key, parts: [value, [marker], seed])
        value = HMAC.authenticate(hash, key: key, parts: [value])
    }

    /// nil when the candidate is unusable (chance below 2⁻³² on every curve here), so that the next one is tried.
    private func signature(_ digest: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8]? {
        var raw = [UInt8](repeating: 0, count: curve.signatureSize)
        let result = scalar.withBytes { secret in
            cc_ecdsa_sign_with_nonce(
                group, secret.bindMemory(to: UInt8.self).baseAddress, secret.count, digest, digest.count, nonce, nonce.count, &raw)
        }
        guard result >= 0 else { throw .failed("RFC 6979") }
        return result == 1 ? raw : nil
    }
}
