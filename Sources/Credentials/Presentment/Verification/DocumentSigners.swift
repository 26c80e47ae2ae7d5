public import Crypto
public import Ports

/// A document signer as its certificates present it: what the checks of every document that it signed go by.
public struct DocumentSigner: Sendable {
    public let certificate: Certificate
    /// The key of the certificate; nil when it cannot be used, for the reason in `keyFault`.
    public let key: PublicKey?
    public let keyFault: String
    /// The way to an anchor; nil when there are no anchors to look for.
    public let chain: ChainResult?
    /// The rules of the document signer profile that the certificate breaks.
    public let profile: [RuleFinding]
    /// Whether the root came along, which has no place in x5chain.
    public let includesRoot: Bool
}

/// Resolves document signers, and remembers those whose chain held: their certificates are neither parsed nor verified again
/// until one of them expires. Other anchors make another value of this type, which remembers nothing of the first.
public final class DocumentSigners: Sendable {
    private struct Memory {
        let signer: DocumentSigner
        let from: Timestamp
        let until: Timestamp
    }

    /// Roots that are trusted for documents; nil: none are known, paths are not looked for.
    public let anchors: [Certificate]?
    public let edition: Edition
    public let policy: ChainPolicy
    private let limit = 256
    private let memory = Locked<[[[UInt8]]: Memory]>([:])

    public init(anchors: [Certificate]?, edition: Edition = .first, policy: ChainPolicy = .mdoc) {
        self.anchors = anchors
        self.edition = edition
        self.policy = policy
    }

    /// - Parameter chain: DER certificates, the signer's first.
    /// - Throws: why one of them is no certificate.
    public func signer(_ chain: [[UInt8]], at time: Timestamp) throws(CertificateError) -> DocumentSigner {
        if let known = memory.withLock({ $0[chain] }), known.from <= time, time <= known.until { return known.signer }
        let signer = try resolve(chain, at: time)
        remember(signer, for: chain)
        return signer
    }

    private func resolve(_ chain: [[UInt8]], at time: Timestamp) throws(CertificateError) -> DocumentSigner {
        let certificates = try chain.map { (der) throws(CertificateError) in try Certificate(der: der) }
        guard let certificate = certificates.first, let last = certificates.last else {
            preconditionFailure("x5chain holds at least one certificate, or is malformed")
        }
        let result = anchors.map { ChainVerifier(anchors: $0, policy: policy).verify(chain: certificates, at: time) }
        let issuer = (result?.path.count ?? 0) > 1 ? result?.path[1] : result?.anchor ?? certificates.dropFirst().first
        let isAuthority = last.basicConstraints?.isCA == true
        let key: Result<PublicKey, CryptoError> = Result { () throws(CryptoError) in try certificate.publicKey() }
        return DocumentSigner(
            certificate: certificate, key: try? key.get(), keyFault: key.fault, chain: result,
            profile: CertificateProfile.ds.lint(certificate, issuer: issuer, edition: edition),
            includesRoot: last.isSelfIssued && (certificates.count > 1 || isAuthority) || anchors?.contains(last) == true)
    }

    /// Only chains without a finding are remembered: theirs is the common case, and nothing about them depends on the moment but
    /// the validity of their certificates.
    private func remember(_ signer: DocumentSigner, for chain: [[UInt8]]) {
        guard let result = signer.chain, result.findings.isEmpty, let anchor = result.anchor else { return }
        let all = result.path + [anchor]
        guard let from = all.map(\.notBefore).max(), let until = all.map(\.notAfter).min() else { return }
        memory.withLock { memory in
            if memory.count >= limit { memory.removeAll() }
            memory[chain] = Memory(signer: signer, from: from, until: until)
        }
    }
}

extension Result where Failure == CryptoError {
    fileprivate var fault: String {
        if case .failure(let error) = self { return "\(error)" }
        return ""
    }
}
