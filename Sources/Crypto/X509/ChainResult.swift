public import Codec
public import Ports

/// One thing that is wrong with a chain.
public struct ChainFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// No anchor issued the last certificate; with the key identifier of the authority that it names.
        case noPath([UInt8]?)
        /// The chain contains its root.
        case rootInChain
        /// The issuer's name is not, byte for byte, the subject of the next certificate.
        case nameNotChained
        case signature
        /// Signed with an algorithm that the policy does not accept.
        case signatureAlgorithm(String)
        /// Outside its validity at this time.
        case notValid(Timestamp)
        case unknownCritical(OID)
        /// Certifies another one, but is no CA.
        case notAuthority
        /// A CA whose key usage lacks keyCertSign.
        case mayNotSignCertificates
        /// More intermediates below it than its path length allows.
        case pathTooLong(allowed: Int)
    }

    public let kind: Kind
    /// Place in the chain, 0 is the leaf; the number of certificates in it stands for the anchor.
    public let certificate: Int

    init(_ kind: Kind, certificate: Int) {
        self.kind = kind
        self.certificate = certificate
    }

    public var description: String {
        switch kind {
        case .noPath(nil): "no path to a trust anchor; certificate \(certificate) has no authority key id"
        case .noPath(let id?): "no path to a trust anchor; authority key id \(Hex.encode(id))"
        case .rootInChain: "certificate \(certificate) is a root, which has no place in the chain"
        case .nameNotChained: "issuer of certificate \(certificate) is not the subject of the next one"
        case .signature: "signature of certificate \(certificate) invalid"
        case .signatureAlgorithm(let name): "signature of certificate \(certificate) invalid: algorithm \(name) not accepted"
        case .notValid(let time): "certificate \(certificate) not valid at \(time.rfc3339)"
        case .unknownCritical(let oid): "unknown critical extension \(oid) in certificate \(certificate)"
        case .notAuthority: "certificate \(certificate) is no certification authority"
        case .mayNotSignCertificates: "key usage of certificate \(certificate) lacks keyCertSign"
        case .pathTooLong(let allowed): "certificate \(certificate) allows \(allowed) intermediate certificates below it"
        }
    }
}

/// What became of a chain.
public struct ChainResult: Sendable {
    /// Leaf first, without the anchor.
    public let path: [Certificate]
    /// The anchor that ends the path; nil where none does.
    public let anchor: Certificate?
    public let findings: [ChainFinding]

    /// Whether there is a path and nothing is wrong with it. A root sent along is no fault of the path.
    public var isTrusted: Bool {
        anchor != nil && findings.allSatisfy { $0.kind == .rootInChain }
    }
}
