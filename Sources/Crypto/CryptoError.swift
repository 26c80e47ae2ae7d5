/// Why a cryptographic operation was refused.
public enum CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The point is not on the curve, is the point at infinity, or its encoding has the wrong form or length.
    case invalidPoint(Curve)
    /// The private scalar is zero, not below the group order, or of the wrong length.
    case invalidScalar(Curve)
    /// A curve or key type that this program does not work with, as named by the key.
    case unsupportedKey(String)
    /// A key file or structure that is not what it claims to be; says what is wrong.
    case malformedKey(String)
    /// A symmetric key of the wrong length, in bytes.
    case invalidKeyLength(Int)
    /// A nonce or initialisation vector of the wrong length, in bytes.
    case invalidNonceLength(Int)
    /// Tag or padding wrong: the ciphertext, the associated data, the nonce or the key is not the sender's.
    case authenticationFailed
    /// Keys of two different curves cannot agree on a secret.
    case curveMismatch(own: Curve, peer: Curve)
    /// The peer's point lies in a small subgroup: the shared secret would be known to everyone.
    case weakSharedSecret(Curve)
    /// The curve is for key agreement only.
    case cannotSign(Curve)
    /// The curve is for signatures only.
    case cannotAgree(Curve)
    /// The signature is not in the form the curve requires.
    case malformedSignature
    /// A parameter is outside what the algorithm allows; says which.
    case invalidParameter(String)
    /// OpenSSL could not do its work (out of memory, or a build without the algorithm); names the step.
    case failed(String)

    public var description: String {
        switch self {
        case .invalidPoint(let curve): "the key is not a point of \(curve.rawValue)"
        case .invalidScalar(let curve): "the private key is no scalar of \(curve.rawValue)"
        case .unsupportedKey(let name): "key type or curve not supported: \(name)"
        case .malformedKey(let reason): "malformed key: \(reason)"
        case .invalidKeyLength(let length): "a symmetric key of \(length) bytes does not fit the algorithm"
        case .invalidNonceLength(let length): "a nonce of \(length) bytes does not fit the algorithm"
        case .authenticationFailed: "authentication failed: the ciphertext, its associated data, the nonce or the key is wrong"
        case .curveMismatch(let own, let peer): "a \(own.rawValue) key cannot agree with a \(peer.rawValue) key"
        case .weakSharedSecret(let curve): "the peer's \(curve.rawValue) key has small order: the shared secret is zero"
        case .cannotSign(let curve): "\(curve.rawValue) keys agree on secrets, they do not sign"
        case .cannotAgree(let curve): "\(curve.rawValue) keys sign, they do not agree on secrets"
        case .malformedSignature: "the signature is malformed"
        case .invalidParameter(let what): "invalid parameter: \(what)"
        case .failed(let step): "OpenSSL failed at \(step)"
        }
    }
}
