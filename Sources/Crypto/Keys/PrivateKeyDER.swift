import Codec

/// Private keys in DER and PEM: PKCS #8 (RFC 5958, RFC 5915, RFC 8410) and the older `EC PRIVATE KEY` (RFC 5915).
extension PrivateKey {
    /// A key from a PEM text; other blocks in it, such as `EC PARAMETERS`, do not matter.
    /// - Throws: `.malformedKey` for a text without a private key, an encrypted one, or one whose parts do not fit together.
    public convenience init(pem text: String) throws(CryptoError) {
        let blocks: [(label: String, bytes: [UInt8])]
        do throws(TextEncodingError) {
            blocks = try PEM.blocks(in: text)
        } catch { throw .malformedKey("\(error)") }
        guard !blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) else {
            throw .malformedKey("the key is encrypted; decrypt it first, for instance with openssl pkey")
        }
        guard let block = blocks.first(where: { $0.label == "PRIVATE KEY" || $0.label == "EC PRIVATE KEY" }) else {
            let labels = blocks.map(\.label).joined(separator: ", ")
            throw .malformedKey(labels.isEmpty ? "no PEM block" : "no private key among the PEM blocks \(labels)")
        }
        try self.init(der: block.bytes)
    }

    /// A key from PKCS #8 or from an ECPrivateKey that names its curve.
    /// - Throws: `.unsupportedKey` for other algorithms and curves, `.malformedKey` for other structures.
    public convenience init(der: [UInt8]) throws(CryptoError) {
        let parts: PrivateKeyParts
        do throws(DERError) {
            parts = try PrivateKeyParts(DERNode(decoding: der))
        } catch { throw .malformedKey("\(error)") }
        guard let curve = Curve.allCases.first(where: { $0.oidContent == parts.curve.content }) else {
            throw .unsupportedKey("\(parts.curve)")
        }
        // RFC 5915 asks for the full width; keys with leading zeroes cut off are around.
        guard parts.secret.count <= curve.fieldSize else { throw .invalidScalar(curve) }
        let padding = curve.isWeierstrass ? [UInt8](repeating: 0, count: curve.fieldSize - parts.secret.count) : []
        try self.init(curve: curve, scalar: padding + parts.secret)
        guard parts.publicPoint.map({ $0 == publicKey.point }) ?? true else {
            throw .malformedKey("private and public part do not belong together")
        }
    }

    /// The key as PKCS #8 DER: for files that a person asks for, of keys that live in no key store.
    public func pkcs8() throws(CryptoError) -> [UInt8] {
        let scalar = try scalar()
        let curve = curve
        let point = publicKey.point
        return DERWriter.encode { writer in
            writer.sequence { key in
                key.integer(0)
                key.sequence { algorithm in
                    if curve.isWeierstrass { algorithm.oid(PrivateKeyParts.ecPublicKey) }
                    algorithm.raw([0x06, UInt8(curve.oidContent.count)] + curve.oidContent)
                }
                key.octetString(
                    DERWriter.encode { inner in
                        guard curve.isWeierstrass else { return inner.octetString(scalar) }
                        inner.sequence { ec in
                            ec.integer(1)
                            ec.octetString(scalar)
                            ec.explicit(1) { $0.bitString(point) }
                        }
                    })
            }
        }
    }

    /// The key as PEM, label `PRIVATE KEY`.
    public func pem() throws(CryptoError) -> String { PEM.encode(try pkcs8(), label: "PRIVATE KEY") }
}

/// What the two structures say.
private struct PrivateKeyParts {
    static let ecPublicKey: OID = "1.2.840.10045.2.1"

    let curve: OID
    let secret: [UInt8]
    /// The uncompressed point, where it is there and uncompressed.
    let publicPoint: [UInt8]?

    /// `PrivateKeyInfo = SEQUENCE { version, algorithm, privateKey OCTET STRING, … }`, or an ECPrivateKey.
    init(_ node: DERNode) throws(DERError) {
        let members = try node.sequence()
        guard members.count >= 2 else { throw node.error(.invalid("no private key structure")) }
        guard members.count >= 3, members[1].hasTag(16) else {
            self = try Self.ecPrivateKey(node, curve: nil)
            return
        }
        let algorithm = try members[1].sequence()
        guard let name = try algorithm.first?.oid() else { throw members[1].error(.invalid("no algorithm")) }
        let inner = try DERNode(decoding: try members[2].octetString())
        guard name == Self.ecPublicKey else {
            self.init(curve: name, secret: try inner.octetString(), publicPoint: nil)
            return
        }
        guard algorithm.count == 2, algorithm[1].hasTag(6) else {
            throw members[1].error(.invalid("the curve is not given by name"))
        }
        self = try Self.ecPrivateKey(inner, curve: try algorithm[1].oid())
    }

    private init(curve: OID, secret: [UInt8], publicPoint: [UInt8]?) {
        (self.curve, self.secret, self.publicPoint) = (curve, secret, publicPoint)
    }

    /// `ECPrivateKey = SEQUENCE { 1, privateKey OCTET STRING, [0] curve OPTIONAL, [1] publicKey BIT STRING OPTIONAL }`
    private static func ecPrivateKey(_ node: DERNode, curve: OID?) throws(DERError) -> PrivateKeyParts {
        let members = try node.sequence()
        guard members.count >= 2 else { throw node.error(.invalid("no ECPrivateKey")) }
        var (curve, point): (OID?, [UInt8]?) = (curve, nil)
        for member in members.dropFirst(2) {
            if curve == nil, member.hasTag(0, .contextSpecific) { curve = try member.explicit(0).oid() }
            if member.hasTag(1, .contextSpecific) { point = try member.explicit(1).bitString().bytes }
        }
        guard let curve else { throw node.error(.invalid("the ECPrivateKey names no curve")) }
        return PrivateKeyParts(
            curve: curve, secret: try members[1].octetString(), publicPoint: point?.first == 4 ? point : nil)
    }
}
