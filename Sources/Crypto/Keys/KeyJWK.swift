public import Codec

/// Keys as JSON (RFC 7517, RFC 7518 §6.2, RFC 8037, RFC 9864 for the brainpool names).
extension PublicKey {
    /// A key from the public members of a JWK; private ones and others do not matter.
    /// - Throws: `.malformedKey` naming the member, `.unsupportedKey` for another type or curve, `.invalidPoint`.
    public convenience init(jwk: JSON) throws(CryptoError) {
        let curve = try Curve(jwk: jwk)
        let x = try jwk.keyBytes("x")
        try self.init(curve: curve, x: x, y: curve.isWeierstrass ? try jwk.keyBytes("y") : [])
    }

    /// The JWK: `kty`, `crv`, `x` and for EC keys `y`.
    public var jwk: JSONObject {
        var object: JSONObject = [
            "kty": .string(curve.isWeierstrass ? "EC" : "OKP"), "crv": .string(curve.rawValue), "x": .string(Base64URL.encode(x)),
        ]
        if curve.isWeierstrass { object["y"] = .string(Base64URL.encode(y)) }
        return object
    }
}

extension PrivateKey {
    /// A key from a JWK with its private member `d`.
    /// - Throws: as `PublicKey.init(jwk:)`, and when private and public part do not belong together.
    public convenience init(jwk: JSON) throws(CryptoError) {
        let curve = try Curve(jwk: jwk)
        try self.init(curve: curve, scalar: try jwk.keyBytes("d"))
        if jwk["x"] != nil, try PublicKey(jwk: jwk) != publicKey {
            throw .malformedKey("private and public part of the JWK do not belong together")
        }
    }
}

extension Curve {
    fileprivate init(jwk: JSON) throws(CryptoError) {
        guard let name = jwk["crv"]?.stringValue else { throw .malformedKey("JWK without crv") }
        guard let curve = Curve(rawValue: name) else { throw .unsupportedKey(name) }
        guard jwk["kty"]?.stringValue == (curve.isWeierstrass ? "EC" : "OKP") else {
            throw .malformedKey("JWK with curve \(name) and kty \(jwk["kty"]?.stringValue ?? "missing")")
        }
        self = curve
    }
}

extension JSON {
    fileprivate func keyBytes(_ member: String) throws(CryptoError) -> [UInt8] {
        guard let text = self[member]?.stringValue else { throw .malformedKey("JWK without \(member)") }
        do throws(TextEncodingError) {
            return try Base64URL.decode(text)
        } catch { throw .malformedKey("JWK member \(member): \(error)") }
    }
}
