public import Codec

extension PrivateKey {
    /// The first private key of a PEM text: `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY` (SEC 1).
    /// Throws `.malformedKey` or `.unsupportedKey` with the reason, also for encrypted keys.
    public convenience init(pem text: String) throws(CryptoError) {
        let blocks: [(label: String, bytes: [UInt8])]
        do { blocks = try PEM.blocks(in: text) } catch { throw .malformedKey("PEM: \(error)") }
        for block in blocks {
            switch block.label {
            case "PRIVATE KEY", "EC PRIVATE KEY":
                try self.init(der: block.bytes)
                return
            case "ENCRYPTED PRIVATE KEY":
                throw .malformedKey("the key is encrypted; decrypt it first, for instance with openssl pkey")
            default: continue
            }
        }
        let labels = blocks.map(\.label).joined(separator: ", ")
        throw .malformedKey("no private key in the PEM text" + (labels.isEmpty ? "" : ", only \(labels)"))
    }

    /// A key from a DER PrivateKeyInfo (RFC 5958, RFC 5915, RFC 8410) or ECPrivateKey (RFC 5915) that names its curve.
    public convenience init(der: [UInt8]) throws(CryptoError) {
        let parsed: ParsedPrivateKey
        do throws(DERError) {
            parsed = try ParsedPrivateKey(DERNode(decoding: der))
        } catch { throw .malformedKey("private key: \(error)") }
        try self.init(parsed)
    }

    private convenience init(_ parsed: ParsedPrivateKey) throws(CryptoError) {
        guard let curve = Curve(oid: parsed.curve) else { throw .unsupportedKey("private key of type \(parsed.curve)") }
        var scalar = parsed.scalar
        defer { scalar.erase() }
        // Some writers drop leading zeros of the scalar.
        if curve.isWeierstrass, scalar.count < curve.fieldSize {
            scalar = [UInt8](repeating: 0, count: curve.fieldSize - scalar.count) + scalar
        }
        try self.init(curve: curve, scalar: scalar)
        if let point = parsed.point, try PublicKey(curve: curve, point: point) != publicKey {
            throw .malformedKey("private and public part do not belong together")
        }
    }

    /// The DER PrivateKeyInfo, public key included: for export only; the caller erases it.
    package func pkcs8() throws(CryptoError) -> [UInt8] {
        var scalar = try scalar()
        defer { scalar.erase() }
        return DERWriter.encode { writer in
            writer.sequence { writer in
                writer.integer(0)
                writer.sequence { writer in
                    if curve.isWeierstrass { writer.oid(.ecPublicKey) }
                    writer.oid(curve.oid)
                }
                writer.octetString(DERWriter.encode { writer in writePrivate(scalar, to: &writer) })
            }
        }
    }

    private func writePrivate(_ scalar: [UInt8], to writer: inout DERWriter) {
        guard curve.isWeierstrass else { return writer.octetString(scalar) }
        writer.sequence { writer in
            writer.integer(1)
            writer.octetString(scalar)
            writer.explicit(1) { $0.bitString(publicKey.point) }
        }
    }

    /// The key as a `PRIVATE KEY` block: for export only.
    package func pem() throws(CryptoError) -> String { PEM.encode(try pkcs8(), label: "PRIVATE KEY") }
}

extension PublicKey {
    /// The first `PUBLIC KEY` block of a PEM text.
    public convenience init(pem text: String) throws(CryptoError) {
        let blocks: [(label: String, bytes: [UInt8])]
        do { blocks = try PEM.blocks(in: text) } catch { throw .malformedKey("PEM: \(error)") }
        guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" }) else {
            throw .malformedKey("no PUBLIC KEY in the PEM text")
        }
        try self.init(spki: block.bytes)
    }

    /// The SubjectPublicKeyInfo as a `PUBLIC KEY` block.
    public var pem: String { PEM.encode(spki, label: "PUBLIC KEY") }
}

extension Curve {
    /// The object identifier: the named curve, or the algorithm of an Edwards or Montgomery key (RFC 5480, RFC 5639, RFC 8410).
    public var oid: OID {
        guard let oid = OID(content: oidContent) else { preconditionFailure("the table of curves holds well-formed identifiers") }
        return oid
    }

    /// The curve with the object identifier.
    public init?(oid: OID) {
        guard let curve = Self.allCases.first(where: { $0.oidContent == oid.content }) else { return nil }
        self = curve
    }
}

extension OID {
    fileprivate static let ecPublicKey: OID = "1.2.840.10045.2.1"
}

/// What the DER forms of a private key say, before the curve is looked at.
private struct ParsedPrivateKey {
    let curve: OID
    let scalar: [UInt8]
    let point: [UInt8]?

    init(curve: OID, scalar: [UInt8], point: [UInt8]?) {
        self.curve = curve
        self.scalar = scalar
        self.point = point
    }

    /// Either structure: the second element is the AlgorithmIdentifier of the one, the OCTET STRING of the other.
    init(_ node: DERNode) throws(DERError) {
        let isInfo = try node.sequence().dropFirst().first?.hasTag(16) == true
        if isInfo { try self.init(pkcs8: node) } else { try self.init(sec1: node, curve: nil) }
    }

    /// PrivateKeyInfo ::= SEQUENCE { version, algorithm, privateKey OCTET STRING, [0] attributes, [1] publicKey }
    init(pkcs8 node: DERNode) throws(DERError) {
        let (algorithm, content) = try node.sequence { cursor throws(DERError) in
            guard (0...1).contains(try cursor.next("version").int()) else { throw node.error(.invalid("unknown version")) }
            let parts = (try cursor.next("algorithm"), try cursor.next("privateKey").octetString())
            _ = cursor.rest()
            return parts
        }
        let identifiers = try algorithm.sequence()
        guard let type = try identifiers.first?.oid() else { throw algorithm.error(.invalid("algorithm without identifier")) }
        if type == .ecPublicKey {
            guard identifiers.count == 2 else { throw algorithm.error(.invalid("EC key without a named curve")) }
            try self.init(sec1: DERNode(decoding: content), curve: identifiers[1].oid())
        } else if let curve = Curve(oid: type), !curve.isWeierstrass {
            self.init(curve: type, scalar: try DERNode(decoding: content).octetString(), point: nil)
        } else {
            self.init(curve: type, scalar: [], point: nil)
        }
    }

    /// ECPrivateKey ::= SEQUENCE { 1, privateKey OCTET STRING, [0] parameters OPTIONAL, [1] publicKey BIT STRING OPTIONAL }
    init(sec1 node: DERNode, curve outer: OID?) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            guard try cursor.next("version").int() == 1 else {
                throw node.error(.invalid("unknown version of an EC private key"))
            }
            let scalar = try cursor.next("privateKey").octetString()
            let named = try cursor.optional(0, .contextSpecific)?.explicit(0).oid()
            guard let curve = outer ?? named, named == nil || named == curve else {
                throw node.error(.invalid("EC private key without a named curve, or with two different ones"))
            }
            let point = try cursor.optional(1, .contextSpecific)?.explicit(1).bitString()
            guard point?.unusedBits ?? 0 == 0 else { throw node.error(.invalid("public key of a broken number of bytes")) }
            return ParsedPrivateKey(curve: curve, scalar: scalar, point: point?.bytes)
        }
    }
}
