public import Crypto

/// Who signs documents: the document signer's certificate and the use of its key.
public struct IssuingIdentity: Sendable {
    /// The signer's certificate, then those between it and the root; never the root itself.
    public let certificates: [Certificate]
    /// The root, where it is at hand: only wrong-on-purpose documents carry it.
    public let root: Certificate?
    /// What `issuerAuth` names.
    public let algorithm: COSEAlgorithm
    private let key: @Sendable ([UInt8]) async throws -> [UInt8]

    /// A signer whose key is at hand.
    /// - Throws: when keys on this curve cannot sign.
    public init(certificate: Certificate, key: PrivateKey, nonce: SignatureNonce = .random, root: Certificate? = nil)
        throws(MintError)
    {
        guard let algorithm = COSEAlgorithm.iso(for: key.curve) else { throw .keyCannotSign(key.curve) }
        certificates = [certificate]
        self.root = root
        self.algorithm = algorithm
        self.key = { try key.sign($0, nonce: nonce) }
    }

    /// A signer whose key a store keeps.
    public init(
        certificates: [Certificate], root: Certificate? = nil, algorithm: COSEAlgorithm, keyStore: any KeyStore, keyID: KeyID,
        unlock: KeyUnlock
    ) {
        self.certificates = certificates
        self.root = root
        self.algorithm = algorithm
        key = { try await keyStore.sign($0, with: keyID, hash: algorithm.hash, unlock: unlock) }
    }

    /// The signature over a Sig_structure.
    func sign(_ toBeSigned: [UInt8]) async throws(MintError) -> [UInt8] {
        do { return try await key(toBeSigned) } catch { throw .signing("\(error)") }
    }
}

/// Why a document could not be made.
public enum MintError: Error, Sendable, CustomStringConvertible {
    case keyCannotSign(Curve)
    case noCertificate
    case noClaims
    /// The key store or the cryptography refused.
    case signing(String)
    /// A fault that cannot be brought about with this document.
    case fault(TamperingError)

    public var description: String {
        switch self {
        case .keyCannotSign(let curve): "keys on \(curve.rawValue) cannot sign documents"
        case .noCertificate: "the document signer has no certificate"
        case .noClaims: "a document needs at least one element"
        case .signing(let reason): "signing the document: \(reason)"
        case .fault(let error): "\(error)"
        }
    }
}
