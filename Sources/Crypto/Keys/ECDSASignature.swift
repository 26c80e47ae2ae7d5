import COpenSSL

/// The two forms of an ECDSA signature: r ‖ s of fixed width (COSE, JOSE), and DER `ECDSA-Sig-Value` (X.509).
public enum ECDSASignature {
    /// DER from r ‖ s. Throws `.malformedSignature` when the length is not the curve's.
    public static func der(fromRaw raw: [UInt8], curve: Curve) throws(CryptoError) -> [UInt8] {
        guard curve.isWeierstrass, raw.count == curve.signatureSize else { throw .malformedSignature }
        return [UInt8](unsafeUninitializedCapacity: 144) { out, count in
            count = cc_signature_to_der(raw, curve.fieldSize, out.baseAddress)
        }
    }

    /// r ‖ s from DER. Throws `.malformedSignature` when it is no such structure, or a number is negative or too long.
    public static func raw(fromDER der: [UInt8], curve: Curve) throws(CryptoError) -> [UInt8] {
        var raw = [UInt8](repeating: 0, count: curve.signatureSize)
        guard curve.isWeierstrass, cc_signature_from_der(der, der.count, &raw, curve.fieldSize) == 1 else {
            throw .malformedSignature
        }
        return raw
    }
}
