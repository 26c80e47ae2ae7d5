import COpenSSL

/// The elliptic curves of ISO/IEC 18013-5 cipher suite 1; raw values are their JOSE names.
public enum Curve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case brainpoolP256r1
    case brainpoolP320r1
    case brainpoolP384r1
    case brainpoolP512r1
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"
    case x25519 = "X25519"
    case x448 = "X448"

    /// Length in bytes of a coordinate and of a scalar, or of a raw Edwards or Montgomery key.
    public var fieldSize: Int {
        switch self {
        case .p256, .brainpoolP256r1, .ed25519, .x25519: 32
        case .brainpoolP320r1: 40
        case .p384, .brainpoolP384r1: 48
        case .x448: 56
        case .ed448: 57
        case .brainpoolP512r1: 64
        case .p521: 66
        }
    }

    /// Whether keys have two coordinates (COSE key type EC2, JOSE `EC`); otherwise one string of bytes (OKP).
    public var isWeierstrass: Bool {
        switch self {
        case .p256, .p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1, .brainpoolP512r1: true
        case .ed25519, .ed448, .x25519, .x448: false
        }
    }

    /// Whether keys of this curve can sign.
    public var canSign: Bool { self != .x25519 && self != .x448 }

    /// Whether keys of this curve can agree on a secret.
    public var canAgree: Bool { self != .ed25519 && self != .ed448 }

    /// The number in the IANA registry "COSE Elliptic Curves".
    public var coseCurve: Int {
        switch self {
        case .p256: 1
        case .p384: 2
        case .p521: 3
        case .x25519: 4
        case .x448: 5
        case .ed25519: 6
        case .ed448: 7
        case .brainpoolP256r1: 256
        case .brainpoolP320r1: 257
        case .brainpoolP384r1: 258
        case .brainpoolP512r1: 259
        }
    }

    /// The curve with the number in the IANA registry "COSE Elliptic Curves".
    public init?(coseCurve: Int) {
        guard let curve = Self.allCases.first(where: { $0.coseCurve == coseCurve }) else { return nil }
        self = curve
    }

    /// The hash that ISO/IEC 18013-5 pairs with the curve; nil where the signature scheme has its own (EdDSA) or none exists.
    public var defaultHash: HashAlgorithm? {
        switch self {
        case .p256, .brainpoolP256r1: .sha256
        case .p384, .brainpoolP320r1, .brainpoolP384r1: .sha384
        case .p521, .brainpoolP512r1: .sha512
        case .ed25519, .ed448, .x25519, .x448: nil
        }
    }

    /// Length in bytes of a raw signature (r ‖ s, or an EdDSA signature).
    public var signatureSize: Int { 2 * fieldSize }
}

extension Curve {
    /// The contents of the DER object identifier that names the curve in a SubjectPublicKeyInfo.
    var oidContent: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        case .brainpoolP256r1: [0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07]
        case .brainpoolP320r1: [0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x09]
        case .brainpoolP384r1: [0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0B]
        case .brainpoolP512r1: [0x2B, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0D]
        case .x25519: [0x2B, 0x65, 0x6E]
        case .x448: [0x2B, 0x65, 0x6F]
        case .ed25519: [0x2B, 0x65, 0x70]
        case .ed448: [0x2B, 0x65, 0x71]
        }
    }

    /// OpenSSL's group of a Weierstrass curve, made once; nil for the others.
    var group: OpaquePointer? { Self.groups[self] }

    /// OpenSSL's parameters of a Weierstrass curve, made once; nil for the others.
    var parameters: OpaquePointer? { Self.allParameters[self] }

    // An EVP_PKEY may be read by several threads at once; these are never freed.
    nonisolated(unsafe) private static let allParameters: [Curve: OpaquePointer] = {
        var all: [Curve: OpaquePointer] = [:]
        for curve in Curve.allCases where curve.isWeierstrass { all[curve] = cc_ec_parameters(curve.rawValue) }
        return all
    }()

    // EC_GROUP is only read after it was made; these are never freed.
    nonisolated(unsafe) private static let groups: [Curve: OpaquePointer] = {
        var groups: [Curve: OpaquePointer] = [:]
        for curve in Curve.allCases where curve.isWeierstrass {
            groups[curve] = EC_GROUP_new_by_curve_name(EC_curve_nist2nid(curve.rawValue).nonZero ?? OBJ_sn2nid(curve.rawValue))
        }
        return groups
    }()
}

extension Int32 {
    fileprivate var nonZero: Int32? { self == 0 ? nil : self }
}
