public import Crypto

/// The signature algorithms of JOSE that wallets use; raw values are their registered names (RFC 7518 §3.1, RFC 8037, RFC 9864).
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519 or Ed448, as the key says.
    case edDSA = "EdDSA"
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"

    /// The algorithm of the name; throws `.algorithmUnsupported` for `none`, for symmetric and for unknown ones.
    public init(named name: String) throws(JOSEError) {
        guard let known = Self(rawValue: name) else { throw .algorithmUnsupported(name) }
        self = known
    }

    /// The algorithm that goes with keys of the curve; nil where JOSE has none registered.
    public init?(for curve: Curve) {
        switch curve {
        case .p256: self = .es256
        case .p384: self = .es384
        case .p521: self = .es512
        case .ed25519, .ed448: self = .edDSA
        default: return nil
        }
    }

    /// Whether keys of the curve make and check signatures of this algorithm.
    public func allows(_ curve: Curve) -> Bool {
        switch self {
        case .es256: curve == .p256
        case .es384: curve == .p384
        case .es512: curve == .p521
        case .edDSA: curve == .ed25519 || curve == .ed448
        case .ed25519: curve == .ed25519
        case .ed448: curve == .ed448
        }
    }

    /// The hash of ECDSA; nil for EdDSA, which has its own.
    public var hash: HashAlgorithm? {
        switch self {
        case .es256: .sha256
        case .es384: .sha384
        case .es512: .sha512
        case .edDSA, .ed25519, .ed448: nil
        }
    }
}
