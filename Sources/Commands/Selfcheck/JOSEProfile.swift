import Codec

/// What of JOSE the profiles of this product use; the rest is named when a published case needs it.
enum JOSEProfile {
    static func requireSignature(_ name: String) throws(NotApplicable) {
        if name.hasPrefix("HS") { throw NotApplicable("HMAC (\(name)) is used by no profile here") }
        if name.hasPrefix("RS") || name.hasPrefix("PS") { throw NotApplicable("RSA (\(name)) is used by no profile here") }
    }

    static func requireKeyManagement(_ name: String) throws(NotApplicable) {
        if name.hasPrefix("RSA") { throw NotApplicable("RSA (\(name)) is used by no profile here") }
        if name.hasPrefix("PBES2") { throw NotApplicable("PBES2 is used by no profile here") }
        if name.hasSuffix("KW") { throw NotApplicable("AES key wrap (\(name)) is used by no profile here") }
        if name == "dir" { throw NotApplicable("a shared symmetric key (dir) is used by no profile here") }
    }

    static func requireEncryption(_ name: String) throws(NotApplicable) {
        if name == "A192GCM" || name == "A192CBC-HS384" { throw NotApplicable("\(name) is used by no profile here") }
    }

    /// The curves that keys of this product are never on, by the names that others use in JOSE. A key on one is refused by name.
    static let foreignCurves: Set<String> = ["secp256k1", "P-256K", "BP-256", "BP-384", "BP-512"]

    static func requireKey(_ key: JSON) throws(NotApplicable) {
        if key["kty"] == "oct" { throw NotApplicable("symmetric keys are used by no profile here") }
        if key["kty"] == "RSA", key["n"] != nil { throw NotApplicable("RSA keys are used by no profile here") }
    }
}

extension JSON {
    /// A member that a case must have.
    func member(_ name: String) throws(Mismatch) -> JSON {
        guard let member = self[name] else { throw Mismatch("the case has no \"\(name)\"") }
        return member
    }

    /// A member that is one thing or a list of them, as a list.
    func one(_ name: String) throws(Mismatch) -> [JSON] {
        let member = try member(name)
        return member.arrayValue ?? [member]
    }
}
