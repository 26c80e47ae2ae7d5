extension PublicKey {
    /// The DER SubjectPublicKeyInfo with the curve by name and an uncompressed point.
    public var spki: [UInt8] { curve.spkiHead(pointLength: point.count) + point }

    /// A key from a DER SubjectPublicKeyInfo with a named curve and a point, compressed or not.
    ///
    /// For each curve and point form the DER before the point is always the same, so it is compared, not parsed.
    /// Throws `.unsupportedKey` for another algorithm, an unknown curve or one given by explicit parameters, and
    /// `.invalidPoint` when the point is not on the curve.
    public convenience init(spki der: [UInt8]) throws(CryptoError) {
        for curve in Curve.allCases {
            let sizes = curve.isWeierstrass ? [1 + 2 * curve.fieldSize, 1 + curve.fieldSize] : [curve.fieldSize]
            for size in sizes {
                let head = curve.spkiHead(pointLength: size)
                guard der.count == head.count + size, der.starts(with: head) else { continue }
                try self.init(curve: curve, point: Array(der.suffix(size)))
                return
            }
        }
        throw .unsupportedKey("no SubjectPublicKeyInfo of a supported named curve (\(der.count) bytes)")
    }
}

extension Curve {
    /// Everything of a SubjectPublicKeyInfo before the point (RFC 5480 §2, RFC 8410 §4).
    fileprivate func spkiHead(pointLength: Int) -> [UInt8] {
        let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let curveOID = [0x06, UInt8(oidContent.count)] + oidContent
        let algorithm = isWeierstrass ? ecPublicKey + curveOID : curveOID
        let algorithmSequence = [0x30, UInt8(algorithm.count)] + algorithm
        let bitString = [0x03] + Self.derLength(pointLength + 1) + [0x00]
        return [0x30] + Self.derLength(algorithmSequence.count + bitString.count + pointLength) + algorithmSequence + bitString
    }

    /// Lengths here stay below 256.
    private static func derLength(_ length: Int) -> [UInt8] {
        length < 128 ? [UInt8(length)] : [0x81, UInt8(length)]
    }
}
