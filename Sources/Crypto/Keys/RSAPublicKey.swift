import COpenSSL
import Codec

/// An RSA public key, only to verify with: some X.509 chains carry one. No key of an mdoc or wallet is RSA.
// `handle` is set in init, never changed after, freed in deinit; OpenSSL 3 allows concurrent use of an EVP_PKEY for reading.
public final class RSAPublicKey: @unchecked Sendable {
    /// The length of the modulus in bits.
    public let bits: Int

    private let handle: OpaquePointer

    /// A key from a DER SubjectPublicKeyInfo of type rsaEncryption (RFC 3279 §2.3.1).
    /// Throws `.unsupportedKey` for another type, moduli below 2048 or above 8192 bits, and even or tiny exponents.
    public init(spki der: [UInt8]) throws(CryptoError) {
        let numbers: (n: [UInt8], e: [UInt8])?
        do throws(DERError) { numbers = try Self.read(DERNode(decoding: der)) } catch { throw .malformedKey("RSA key: \(error)") }
        guard let (n, e) = numbers else { throw .unsupportedKey("no RSA public key") }
        let modulus = Array(n.drop { $0 == 0 })
        bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2048...8192).contains(bits), e.count <= 9, let last = e.last, last & 1 == 1, e != [1] else {
            throw .unsupportedKey("RSA key of \(bits) bits")
        }
        guard let handle = cc_rsa_public(modulus, modulus.count, e, e.count) else { throw .malformedKey("RSA key") }
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    /// Whether the signature (as long as the modulus) is one of RSASSA-PKCS1-v1_5 (RFC 8017 §8.2) over the message.
    public func verifyPKCS1(signature: [UInt8], message: [UInt8], hash: HashAlgorithm) -> Bool {
        guard signature.count == (bits + 7) / 8, let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let digest = hash.digest(message)
        return EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            && EVP_PKEY_CTX_set_signature_md(context, hash.handle) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }

    /// Whether the signature (as long as the modulus) is one of RSASSA-PSS (RFC 8017 §8.1) over the message, with MGF1 over the same
    /// hash and a salt as long as the hash.
    public func verifyPSS(signature: [UInt8], message: [UInt8], hash: HashAlgorithm) -> Bool {
        guard signature.count == (bits + 7) / 8, let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let digest = hash.digest(message)
        return EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_signature_md(context, hash.handle) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash.handle) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(digest.count)) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }

    /// Modulus and exponent; nil when the key is of another type.
    private static func read(_ node: DERNode) throws(DERError) -> (n: [UInt8], e: [UInt8])? {
        let parts = try node.sequence()
        guard parts.count == 2, let type = try parts[0].sequence().first?.oid() else {
            throw node.error(.invalid("SubjectPublicKeyInfo has two elements"))
        }
        guard type == "1.2.840.113549.1.1.1" else { return nil }
        let numbers = try DERNode(decoding: parts[1].bitString().bytes).sequence()
        guard numbers.count == 2 else { throw node.error(.invalid("RSAPublicKey has two integers")) }
        let (n, e) = (try numbers[0].integerBytes(), try numbers[1].integerBytes())
        guard n.first.map({ $0 < 0x80 }) == true, e.first.map({ $0 < 0x80 }) == true else {
            throw node.error(.invalid("negative number in an RSA key"))
        }
        return (n, e)
    }
}
