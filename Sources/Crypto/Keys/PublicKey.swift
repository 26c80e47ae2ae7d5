import COpenSSL

/// A public key whose point was checked to lie on its curve; built once, usable from any task.
///
/// Two keys are equal when curve and point are.
// `handle` is set in init, never changed after, freed in deinit; OpenSSL 3 allows concurrent use of an EVP_PKEY for reading.
public final class PublicKey: @unchecked Sendable {
    /// The curve of the key.
    public let curve: Curve
    /// The uncompressed SEC1 point `04 ‖ x ‖ y`, or the raw Edwards or Montgomery key.
    public let point: [UInt8]

    let handle: OpaquePointer

    /// A key from a SEC1 point, uncompressed (04 ‖ x ‖ y) or compressed (02 or 03 ‖ x), or from raw Edwards or Montgomery bytes.
    /// Throws `.invalidPoint` when the bytes are no point of the curve.
    public init(curve: Curve, point encoded: [UInt8]) throws(CryptoError) {
        self.curve = curve
        if curve.isWeierstrass {
            handle = try Self.weierstrass(curve, encoded)
            point = encoded.first == 4 ? encoded : try Self.uncompressed(handle, curve)
        } else {
            guard encoded.count == curve.fieldSize,
                let handle = EVP_PKEY_new_raw_public_key_ex(nil, curve.rawValue, nil, encoded, encoded.count)
            else { throw .invalidPoint(curve) }
            self.handle = handle
            point = encoded
        }
    }

    /// A key from its coordinates, each of the curve's field size; `y` is empty for Edwards and Montgomery curves.
    /// Throws `.invalidPoint` when they are no point of the curve.
    public convenience init(curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == curve.fieldSize, y.count == (curve.isWeierstrass ? curve.fieldSize : 0) else {
            throw .invalidPoint(curve)
        }
        try self.init(curve: curve, point: curve.isWeierstrass ? [4] + x + y : x)
    }

    /// A key from the x coordinate and the parity of y. Throws `.invalidPoint` when no point of the curve has that x.
    public convenience init(curve: Curve, x: [UInt8], yIsOdd: Bool) throws(CryptoError) {
        guard curve.isWeierstrass, x.count == curve.fieldSize else { throw .invalidPoint(curve) }
        try self.init(curve: curve, point: [yIsOdd ? 3 : 2] + x)
    }

    deinit { EVP_PKEY_free(handle) }

    /// The x coordinate, or the whole raw key of an Edwards or Montgomery curve.
    public var x: [UInt8] { curve.isWeierstrass ? Array(point[1...curve.fieldSize]) : point }

    /// The y coordinate; empty for Edwards and Montgomery curves.
    public var y: [UInt8] { curve.isWeierstrass ? Array(point[(1 + curve.fieldSize)...]) : [] }

    private static func weierstrass(_ curve: Curve, _ encoded: [UInt8]) throws(CryptoError) -> OpaquePointer {
        let length =
            switch encoded.first {
            case 2, 3: 1 + curve.fieldSize
            case 4: 1 + 2 * curve.fieldSize
            default: 0  // infinity and the hybrid form are no keys
            }
        guard encoded.count == length, let handle = cc_ec_public(curve.parameters, encoded, encoded.count) else {
            throw .invalidPoint(curve)
        }
        return handle
    }

    private static func uncompressed(_ handle: OpaquePointer, _ curve: Curve) throws(CryptoError) -> [UInt8] {
        var x = [UInt8](repeating: 0, count: curve.fieldSize)
        var y = x
        guard cc_ec_x(handle, &x, x.count) == 1, cc_ec_y(handle, &y, y.count) == 1 else {
            EVP_PKEY_free(handle)
            throw .failed("reading a point")
        }
        return [4] + x + y
    }
}

extension PublicKey: Hashable {
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.curve == right.curve && left.point == right.point
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(curve)
        hasher.combine(point)
    }
}

extension PublicKey {
    /// Whether `signature` (r ‖ s of fixed width, or an EdDSA signature) was made over the message by this key's owner.
    ///
    /// A signature of the wrong length or form is just invalid. `hash` nil takes the curve's own; EdDSA ignores it.
    public func verify(signature: [UInt8], message: [UInt8], hash: HashAlgorithm? = nil) -> Bool {
        verify(signature: signature, parts: [message], hash: hash)
    }

    /// The same over a message in parts, which are hashed without being joined (EdDSA has to join them).
    public func verify(signature: [UInt8], parts: [[UInt8]], hash: HashAlgorithm? = nil) -> Bool {
        guard curve.canSign, signature.count == curve.signatureSize else { return false }
        guard let hash = hash ?? curve.defaultHash, curve.isWeierstrass else {
            return verifyEdwards(signature, message: parts.count == 1 ? parts[0] : Array(parts.joined()))
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 144) { der in
            let length = cc_signature_to_der(signature, curve.fieldSize, der.baseAddress)
            return verifyDigest(UnsafeBufferPointer(rebasing: der[..<length]), digest: hash.digest(joining: parts))
        }
    }

    /// Whether a DER `ECDSA-Sig-Value` (or a raw EdDSA signature), as X.509 carries it, was made by this key's owner.
    public func verifyDER(signature: [UInt8], message: [UInt8], hash: HashAlgorithm? = nil) -> Bool {
        guard curve.canSign else { return false }
        guard let hash = hash ?? curve.defaultHash, curve.isWeierstrass else {
            return signature.count == curve.signatureSize && verifyEdwards(signature, message: message)
        }
        return signature.withUnsafeBufferPointer { verifyDigest($0, digest: hash.digest(message)) }
    }

    private func verifyDigest(_ der: UnsafeBufferPointer<UInt8>, digest: [UInt8]) -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, der.baseAddress, der.count, digest, digest.count) == 1
    }

    private func verifyEdwards(_ signature: [UInt8], message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

extension HashAlgorithm {
    /// One-shot for a single part, streaming for several.
    func digest(joining parts: [[UInt8]]) -> [UInt8] {
        parts.count == 1 ? digest(parts[0]) : digest(parts: parts)
    }
}
