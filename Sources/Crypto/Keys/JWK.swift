public import Codec

extension PublicKey {
    /// A key from a JWK of type EC (RFC 7518 §6.2) or OKP (RFC 8037); members it does not know are ignored.
    /// Throws `.unsupportedKey` for another type or curve, `.malformedKey` for a missing or ill-encoded member, and
    /// `.invalidPoint`.
    public convenience init(jwk: JSON) throws(CryptoError) {
        let reader = try JWKReader(jwk)
        try self.init(
            curve: reader.curve, x: reader.bytes("x"), y: reader.curve.isWeierstrass ? reader.bytes("y") : [])
    }

    /// The required public members: kty, crv, x and, for EC, y.
    public var jwk: JSONObject {
        var object: JSONObject = [
            "kty": .string(curve.isWeierstrass ? "EC" : "OKP"), "crv": .string(curve.rawValue), "x": .string(Base64URL.encode(x)),
        ]
        if curve.isWeierstrass { object.append("y", .string(Base64URL.encode(y))) }
        return object
    }

    /// The 32-byte SHA-256 thumbprint of the JWK (RFC 7638, RFC 8037 §2).
    public var jwkThumbprint: [UInt8] {
        let members = jwk.members.sorted { $0.key < $1.key }
        return HashAlgorithm.sha256.digest(Array(JSON.object(JSONObject(members)).encoded().utf8))
    }
}

extension PrivateKey {
    /// A key from a private JWK; throws as `PublicKey(jwk:)`, and when `d` does not belong to the public members.
    public convenience init(jwk: JSON) throws(CryptoError) {
        let reader = try JWKReader(jwk)
        var scalar = try reader.bytes("d")
        defer { scalar.erase() }
        try self.init(curve: reader.curve, scalar: scalar)
        guard try PublicKey(jwk: jwk) == publicKey else {
            throw .malformedKey("private and public part of the JWK do not belong together")
        }
    }

    /// The private JWK: for export only.
    package func jwk() throws(CryptoError) -> JSONObject {
        var scalar = try scalar()
        defer { scalar.erase() }
        var object = publicKey.jwk
        object.append("d", .string(Base64URL.encode(scalar)))
        return object
    }
}

private struct JWKReader {
    let jwk: JSON
    let curve: Curve

    init(_ jwk: JSON) throws(CryptoError) {
        guard let type = jwk["kty"]?.stringValue else { throw .malformedKey("JWK without kty") }
        guard type == "EC" || type == "OKP" else { throw .unsupportedKey("JWK of type \(type)") }
        guard let name = jwk["crv"]?.stringValue else { throw .malformedKey("JWK without crv") }
        guard let curve = Curve(rawValue: name), curve.isWeierstrass == (type == "EC") else {
            throw .unsupportedKey("JWK of type \(type) on curve \(name)")
        }
        self.jwk = jwk
        self.curve = curve
    }

    func bytes(_ member: String) throws(CryptoError) -> [UInt8] {
        guard let text = jwk[member]?.stringValue else { throw .malformedKey("JWK without \(member)") }
        do { return try Base64URL.decode(text) } catch { throw .malformedKey("JWK member \(member): \(error)") }
    }
}
