public import Crypto

/// The COSE algorithms that this program knows (IANA registry "COSE Algorithms"): those of ISO/IEC 18013-5 and HAIP, and the
/// fully specified ones of RFC 9864 for the same curves.
public enum COSEAlgorithm: Int, Sendable, Hashable, CaseIterable {
    case es256 = -7
    case es384 = -35
    case es512 = -36
    case edDSA = -8
    case esp256 = -9
    case esp384 = -51
    case esp512 = -52
    case ed25519 = -19
    case ed448 = -53
    case hmac256 = 5
    case hmac384 = 6
    case hmac512 = 7

    /// The registered name.
    public var name: String {
        switch self {
        case .es256: "ES256"
        case .es384: "ES384"
        case .es512: "ES512"
        case .edDSA: "EdDSA"
        case .esp256: "ESP256"
        case .esp384: "ESP384"
        case .esp512: "ESP512"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .hmac256: "HMAC 256/256"
        case .hmac384: "HMAC 384/384"
        case .hmac512: "HMAC 512/512"
        }
    }

    /// Whether it makes a MAC; otherwise a signature.
    public var isMAC: Bool { rawValue > 0 }

    /// Whether the identifier names the curve too (RFC 9864). ISO/IEC 18013-5 lists none of these.
    public var isFullySpecified: Bool {
        switch self {
        case .esp256, .esp384, .esp512, .ed25519, .ed448: true
        default: false
        }
    }

    /// The hash of the scheme; nil for EdDSA, which brings its own.
    public var hash: HashAlgorithm? {
        switch self {
        case .es256, .esp256, .hmac256: .sha256
        case .es384, .esp384, .hmac384: .sha384
        case .es512, .esp512, .hmac512: .sha512
        case .edDSA, .ed25519, .ed448: nil
        }
    }

    /// Whether ISO/IEC 18013-5:2021 Table 22 (for the fully specified: RFC 9864) pairs the algorithm with the curve.
    public func allows(_ curve: Curve) -> Bool { curves.contains(curve) }

    /// The algorithm ISO/IEC 18013-5 names for signatures with keys of the curve; nil for curves that cannot sign.
    public static func iso(for curve: Curve) -> COSEAlgorithm? {
        [.es256, .es384, .es512, .edDSA].first { $0.allows(curve) }
    }

    /// Whether a key of the curve can run the algorithm at all, paired by the standard or not.
    func fits(_ curve: Curve) -> Bool {
        isFullySpecified ? allows(curve) : hash == nil ? allows(curve) : !isMAC && curve.isWeierstrass
    }

    private var curves: [Curve] {
        switch self {
        case .es256: [.p256, .brainpoolP256r1]
        case .es384: [.p384, .brainpoolP320r1, .brainpoolP384r1]
        case .es512: [.p521, .brainpoolP512r1]
        case .edDSA: [.ed25519, .ed448]
        case .esp256: [.p256]
        case .esp384: [.p384]
        case .esp512: [.p521]
        case .ed25519: [.ed25519]
        case .ed448: [.ed448]
        case .hmac256, .hmac384, .hmac512: []
        }
    }
}
