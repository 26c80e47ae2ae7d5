import COpenSSL
public import Ports

/// How the secret nonce of an ECDSA signature comes about. EdDSA is deterministic by itself.
public enum SignatureNonce: Sendable, Hashable {
    /// From OpenSSL's random generator.
    case random
    /// From key and message (RFC 6979), for runs that are repeatable byte for byte.
    case deterministic
}

/// A private key. It prints nothing of itself and its memory is overwritten when the last owner lets go.
///
/// Sessions hold ephemeral ones directly; long-lived ones exist only behind a `KeyStore`.
// `handle` is set in init, never changed after, freed in deinit; OpenSSL 3 allows concurrent use of an EVP_PKEY for reading.
public final class PrivateKey: @unchecked Sendable {
    /// The matching public key, computed from the private one.
    public let publicKey: PublicKey

    let handle: OpaquePointer

    /// The curve of the key.
    public var curve: Curve { publicKey.curve }

    /// A new key whose scalar is drawn from `random`.
    public static func generate(_ curve: Curve, random: any RandomSource) throws(CryptoError) -> PrivateKey {
        guard let group = curve.group else {
            var seed = random.bytes(curve.fieldSize)
            defer { seed.erase() }
            return try PrivateKey(curve: curve, scalar: seed)
        }
        // FIPS 186-5 A.2.1: 64 bits more than the order needs make the bias of the reduction negligible.
        var material = random.bytes(curve.fieldSize + 8)
        var scalar = [UInt8](repeating: 0, count: curve.fieldSize)
        defer {
            material.erase()
            scalar.erase()
        }
        guard cc_scalar_from_random(group, material, material.count, &scalar, scalar.count) == 1 else {
            throw .failed("drawing a scalar")
        }
        return try PrivateKey(curve: curve, scalar: scalar)
    }

    /// A key from its scalar (big-endian, of the curve's field size), or from the raw private bytes of an Edwards or Montgomery
    /// curve. Throws `.invalidScalar` for a wrong length, zero, or a number not below the group order.
    public init(curve: Curve, scalar: [UInt8]) throws(CryptoError) {
        guard scalar.count == curve.fieldSize else { throw .invalidScalar(curve) }
        let made =
            if let group = curve.group {
                cc_ec_private(group, curve.rawValue, scalar, scalar.count)
            } else {
                EVP_PKEY_new_raw_private_key_ex(nil, curve.rawValue, nil, scalar, scalar.count)
            }
        guard let made else { throw .invalidScalar(curve) }
        do {
            publicKey = try PublicKey(curve: curve, point: Self.point(of: made, curve))
        } catch {
            EVP_PKEY_free(made)
            throw error
        }
        handle = made
    }

    deinit { EVP_PKEY_free(handle) }

    /// The scalar, or the raw private bytes: for export and for wrapping by a key store; the caller erases them.
    package func scalar() throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: curve.fieldSize)
        var length = bytes.count
        let done =
            curve.isWeierstrass
            ? cc_ec_scalar(handle, &bytes, bytes.count) == 1
            : EVP_PKEY_get_raw_private_key(handle, &bytes, &length) == 1 && length == bytes.count
        guard done else { throw .failed("reading a private key") }
        return bytes
    }

    private static func point(of handle: OpaquePointer, _ curve: Curve) throws(CryptoError) -> [UInt8] {
        var x = [UInt8](repeating: 0, count: curve.fieldSize)
        var length = x.count
        if curve.isWeierstrass {
            var y = x
            guard cc_ec_x(handle, &x, x.count) == 1, cc_ec_y(handle, &y, y.count) == 1 else { throw .failed("reading a point") }
            return [4] + x + y
        }
        guard EVP_PKEY_get_raw_public_key(handle, &x, &length) == 1, length == x.count else { throw .failed("reading a point") }
        return x
    }
}

extension PrivateKey {
    /// A signature over the message: r ‖ s of fixed width, or an EdDSA signature. `hash` nil takes the curve's own; EdDSA
    /// ignores it. Throws `.cannotSign` for a Montgomery curve.
    public func sign(
        _ message: [UInt8], hash: HashAlgorithm? = nil, nonce: SignatureNonce = .random
    ) throws(CryptoError) -> [UInt8] {
        guard curve.canSign else { throw .cannotSign(curve) }
        guard let hash = hash ?? curve.defaultHash, curve.isWeierstrass else { return try signEdwards(message) }
        let digest = hash.digest(message)
        switch nonce {
        case .random: return try signDigest(digest)
        case .deterministic: return try DeterministicECDSA(self, hash: hash).sign(digest)
        }
    }

    /// The same signature in the form X.509 carries: a DER `ECDSA-Sig-Value`, or the raw EdDSA signature.
    public func signDER(
        _ message: [UInt8], hash: HashAlgorithm? = nil, nonce: SignatureNonce = .random
    ) throws(CryptoError) -> [UInt8] {
        let signature = try sign(message, hash: hash, nonce: nonce)
        return curve.isWeierstrass ? try ECDSASignature.der(fromRaw: signature, curve: curve) : signature
    }

    private func signDigest(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { throw .failed("EVP_PKEY_CTX_new") }
        defer { EVP_PKEY_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 144)
        var length = der.count
        guard EVP_PKEY_sign_init(context) == 1,
            EVP_PKEY_sign(context, &der, &length, digest, digest.count) == 1
        else { throw .failed("ECDSA") }
        return try ECDSASignature.raw(fromDER: Array(der.prefix(length)), curve: curve)
    }

    private func signEdwards(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .failed("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: curve.signatureSize)
        var length = signature.count
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle, nil) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signature.count
        else { throw .failed("EdDSA") }
        return signature
    }

    /// The shared secret with the peer: the x coordinate (of the curve's field size), or the raw X25519 or X448 result.
    /// Throws `.curveMismatch`, `.cannotAgree`, or `.weakSharedSecret` when the peer's point has small order.
    public func agree(with peer: PublicKey) throws(CryptoError) -> [UInt8] {
        guard curve.canAgree else { throw .cannotAgree(curve) }
        guard peer.curve == curve else { throw .curveMismatch(own: curve, peer: peer.curve) }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { throw .failed("EVP_PKEY_CTX_new") }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: curve.fieldSize)
        var length = secret.count
        // No second check of the peer's point (it costs more than the agreement itself): a PublicKey is on its curve, and
        // every Weierstrass curve here has cofactor 1, so it also is in the right group.
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer_ex(context, peer.handle, 0) == 1 else {
            throw .failed("ECDH")
        }
        let done = EVP_PKEY_derive(context, &secret, &length) == 1 && length == secret.count
        // RFC 7748 §6: an all-zero result comes from a point of small order. OpenSSL refuses it already. On a Weierstrass curve
        // zero is an x coordinate like any other.
        let isWeak = !curve.isWeierstrass && ConstantTime.equal(secret, [UInt8](repeating: 0, count: secret.count))
        guard done, !isWeak else { throw curve.isWeierstrass ? .failed("ECDH") : .weakSharedSecret(curve) }
        return secret
    }
}
