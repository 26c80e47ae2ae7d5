import COpenSSL

/// HMAC (RFC 2104).
public enum HMAC {
    /// The 32-byte HMAC with SHA-256.
    public static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        authenticate(.sha256, key: key, parts: [message])
    }

    /// The 48-byte HMAC with SHA-384.
    public static func sha384(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        authenticate(.sha384, key: key, parts: [message])
    }

    /// The 64-byte HMAC with SHA-512.
    public static func sha512(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        authenticate(.sha512, key: key, parts: [message])
    }

    /// The HMAC of all parts, one after the other, without joining them first. The key may have any length.
    public static func authenticate(_ hash: HashAlgorithm, key: [UInt8], parts: [[UInt8]]) -> [UInt8] {
        guard let context = cc_hmac_new(implementation, hash.opensslName, key, key.count) else {
            preconditionFailure("an HMAC context fails only when memory is exhausted")
        }
        defer { EVP_MAC_CTX_free(context) }
        for part in parts { EVP_MAC_update(context, part, part.count) }
        return [UInt8](unsafeUninitializedCapacity: hash.length) { out, count in
            var length = 0
            EVP_MAC_final(context, out.baseAddress, &length, hash.length)
            count = length
        }
    }

    /// Whether `tag` is the HMAC of the parts, compared in constant time. A shortened tag is no match.
    public static func isValid(_ tag: [UInt8], _ hash: HashAlgorithm, key: [UInt8], parts: [[UInt8]]) -> Bool {
        ConstantTime.equal(tag, authenticate(hash, key: key, parts: parts))
    }

    // EVP_MAC is immutable and reference counted; this reference is never given back.
    nonisolated(unsafe) private static let implementation: OpaquePointer = {
        guard let handle = EVP_MAC_fetch(nil, "HMAC", nil) else {
            preconditionFailure("every OpenSSL 3 has HMAC; its configuration file switches off the default provider")
        }
        return handle
    }()
}
