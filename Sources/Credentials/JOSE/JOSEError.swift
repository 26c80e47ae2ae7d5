public import Codec
public import Crypto

/// Why a JWS, JWE or JWK could not be used, or does not prove what it claims.
public enum JOSEError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not the serialisation it should be; says what is missing or mistyped.
    case malformed(String)
    /// A part that is no canonical base64url; names the part.
    case base64url(String, TextEncodingError)
    /// A part that is no acceptable JSON; names the part.
    case json(String, JSONError)
    /// The header names no algorithm.
    case algorithmMissing
    /// `none`, a symmetric algorithm, or one that this program does not know.
    case algorithmUnsupported(String)
    /// The algorithm does not go with keys of this curve.
    case algorithmNotAllowed(JWSAlgorithm, Curve)
    /// `crit` lists a header parameter that this program does not know, or `crit` itself is misused (RFC 7515 §4.1.11).
    case criticalHeader(String)
    /// The signature was not made by this key over these bytes.
    case invalidSignature
    /// The content encryption is not one of those known here.
    case encryptionUnsupported(String)
    /// The ciphertext does not open with this key: one error for every cause, so that nothing can be learnt from it.
    case decryptionFailed
    /// The plaintext inflates beyond the limit, in bytes.
    case tooLarge(limit: Int)
    /// The compressed plaintext is damaged, or compressed in a way that is not `DEF`.
    case compression(String)
    /// The key is unusable, or not for this use.
    case key(CryptoError)
    /// A JWK that is for another use or algorithm; says which.
    case keyNotForThis(String)
    /// The key store or the cryptography refused to sign or to agree; says why.
    case keyUse(String)

    public var description: String {
        switch self {
        case .malformed(let what): what
        case .base64url(let part, let error): "\(part) is not canonical base64url: \(error)"
        case .json(let part, let error): "\(part): \(error)"
        case .algorithmMissing: "the header names no alg"
        case .algorithmUnsupported(let name): "algorithm \(name) is not supported here"
        case .algorithmNotAllowed(let algorithm, let curve):
            "algorithm \(algorithm.rawValue) not allowed with curve \(curve.rawValue)"
        case .criticalHeader(let what): "crit: \(what)"
        case .invalidSignature: "the signature does not verify with this key over these bytes"
        case .encryptionUnsupported(let name): "content encryption \(name) is not supported here"
        case .decryptionFailed: "the JWE does not open with this key"
        case .tooLarge(let limit): "the plaintext inflates to more than \(limit) bytes"
        case .compression(let what): "compression: \(what)"
        case .key(let error): "\(error)"
        case .keyNotForThis(let what): what
        case .keyUse(let what): what
        }
    }
}
