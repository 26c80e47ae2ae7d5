public import Codec
public import Crypto

/// Why a COSE structure or key could not be used, or does not prove what it claims.
public enum COSEError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The structure is not what RFC 9052 or RFC 9360 says; with path and offset.
    case malformed(CBORError)
    /// Neither header map names an algorithm.
    case algorithmMissing
    /// An algorithm that this program does not know, or that makes the other kind of proof.
    case algorithmUnsupported(String)
    /// The algorithm does not go with keys of this curve.
    case algorithmNotAllowed(COSEAlgorithm, Curve)
    /// The payload is detached and the caller has none.
    case payloadMissing
    /// The payload is present though it has to be detached.
    case payloadNotDetached
    /// `crit` lists a header parameter that this program does not know, or `crit` itself is misused.
    case criticalHeader(String)
    /// The signature was not made by this key over these bytes.
    case invalidSignature
    /// The MAC was not made with this key over these bytes.
    case invalidTag
    /// A COSE_Key of another type than EC2 or OKP.
    case keyTypeUnsupported(Int)
    /// A COSE_Key on a curve this program does not know.
    case curveUnsupported(Int)
    /// The key material is unusable.
    case key(CryptoError)

    public var description: String {
        switch self {
        case .malformed(let error): "\(error)"
        case .algorithmMissing: "no algorithm in the COSE headers"
        case .algorithmUnsupported(let name): "COSE algorithm \(name) is not supported here"
        case .algorithmNotAllowed(let algorithm, let curve): "algorithm \(algorithm.name) not allowed with curve \(curve.rawValue)"
        case .payloadMissing: "the COSE payload is detached and was not supplied"
        case .payloadNotDetached: "the COSE payload has to be null and is not"
        case .criticalHeader(let reason): "COSE crit header: \(reason)"
        case .invalidSignature: "the signature does not verify with this key over these bytes"
        case .invalidTag: "the MAC does not verify with this key over these bytes"
        case .keyTypeUnsupported(let type): "COSE key type \(type) is not supported"
        case .curveUnsupported(let curve): "COSE curve \(curve) is not supported"
        case .key(let error): "\(error)"
        }
    }
}
