public import Codec
public import Crypto

/// A public JSON Web Key (RFC 7517) with what it says about its use.
public struct JWK: Sendable {
    public let publicKey: PublicKey
    public let keyID: String?
    /// `sig`, `enc`, or another.
    public let use: String?
    /// The one algorithm that the key is for.
    public let algorithm: String?
    public let operations: [String]?
    /// The certificates of `x5c`: DER, leaf first.
    public let certificates: [[UInt8]]
    /// The JWK as received.
    public let json: JSON

    /// Reads a JWK of type EC or OKP; throws `.key` for other types, unknown curves and bad points, `.malformed` for mistyped
    /// members and for a certificate that is of another key (RFC 7517 §4.7).
    public init(_ json: JSON) throws(JOSEError) {
        guard let object = json.objectValue else { throw .malformed("a JWK is an object, not a \(json.typeName)") }
        do { publicKey = try PublicKey(jwk: json) } catch { throw .key(error) }
        self.json = json
        keyID = try JOSEText.string(object, "kid")
        use = try JOSEText.string(object, "use")
        algorithm = try JOSEText.string(object, "alg")
        operations = try object["key_ops"].map { (list) throws(JOSEError) in
            guard let names = list.arrayValue?.compactMap(\.stringValue), names.count == list.arrayValue?.count else {
                throw .malformed("key_ops is no list of strings")
            }
            return names
        }
        certificates = try object["x5c"].map { (list) throws(JOSEError) in try JOSEText.x5c(list) } ?? []
        if let leaf = certificates.first, (try? Certificate(der: leaf).publicKey()) != publicKey {
            throw .malformed("the first certificate of x5c is not of this key")
        }
    }

    /// Throws `.keyNotForThis` when the JWK says that it is not for signatures of the algorithm.
    public func checkVerifies(_ wanted: JWSAlgorithm) throws(JOSEError) {
        if let use, use != "sig" { throw .keyNotForThis("the key is for use \"\(use)\", not for signatures") }
        if let operations, !operations.contains("verify") { throw .keyNotForThis("the key is not for verifying") }
        guard let algorithm = statedAlgorithm, algorithm != wanted.rawValue else { return }
        // EdDSA is the older name of the two fully specified algorithms (RFC 9864).
        let isOlderName = algorithm == JWSAlgorithm.edDSA.rawValue || wanted == .edDSA
        guard isOlderName, let own = JWSAlgorithm(rawValue: algorithm), own.allows(publicKey.curve) else {
            throw .keyNotForThis("the key is for \(algorithm), not for \(wanted.rawValue)")
        }
    }

    /// `alg`. Published keys on P-521 name it ES521, which is no algorithm but cannot mean anything else.
    private var statedAlgorithm: String? {
        algorithm == "ES521" && publicKey.curve == .p521 ? JWSAlgorithm.es512.rawValue : algorithm
    }

    /// The SHA-256 thumbprint (RFC 7638, 32 bytes) of a JWK of any registered type, from its members as they are.
    public static func thumbprint(of json: JSON) throws(JOSEError) -> [UInt8] {
        guard let type = json["kty"]?.stringValue, let names = required[type] else {
            throw .malformed("a JWK without a registered kty")
        }
        var members = JSONObject()
        for name in names {
            guard let value = json[name]?.stringValue else { throw .malformed("a JWK of type \(type) without \(name)") }
            members.append(name, .string(value))
        }
        return HashAlgorithm.sha256.digest(Array(JSON.object(members).encoded().utf8))
    }

    /// The members of RFC 7638 §3.2, in the order of their code points.
    private static let required = [
        "EC": ["crv", "kty", "x", "y"], "OKP": ["crv", "kty", "x"], "RSA": ["e", "kty", "n"], "oct": ["k", "kty"],
    ]
}
