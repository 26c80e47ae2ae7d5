public import Crypto
public import Ports

/// Who signed something, as the certificates that came with it say.
public struct Signer: Sendable {
    public let certificate: Certificate
    /// The key of the certificate; nil when it cannot be used, for the reason in `keyFault`.
    public let key: PublicKey?
    public let keyFault: String?
    /// The way to an anchor; nil when there are no anchors to look for.
    public let chain: ChainResult?
    /// The rules of the role's profile that the certificate breaks.
    public let profile: [RuleFinding]
    /// Whether the root came along, which has no place in x5chain.
    public let includesRoot: Bool
}

/// Resolves signers of one role, and remembers those whose chain held: their certificates are neither parsed nor verified again
/// until one of them expires. Other anchors make another directory, which remembers nothing of the first.
public final class SignerDirectory: Sendable {
    private struct Key: Hashable {
        let chain: [[UInt8]]
        let docType: DocType?
    }

    private struct Memory {
        let signer: Signer
        let from: Timestamp
        let until: Timestamp
    }

    public let trust: TrustAnchors
    public let role: TrustRole
    public let edition: Edition
    public let policy: ChainPolicy
    private let profile: CertificateProfile
    /// Certificates come from peers, so that memory is bounded.
    private let limit = 256
    private let memory = Locked<[Key: Memory]>([:])

    /// - Parameters:
    ///   - trust: without anchors of the role no path is looked for.
    ///   - role: `.documents` or `.readers`.
    public init(_ trust: TrustAnchors, role: TrustRole, edition: Edition = .first, policy: ChainPolicy = .mdoc) {
        self.trust = trust
        self.role = role
        self.edition = edition
        self.policy = policy
        self.profile = role == .readers ? .reader : .ds
    }

    /// - Parameters:
    ///   - chain: DER certificates, the signer's first; at least one.
    ///   - docType: the type that anchors have to be trusted for.
    /// - Throws: why one of them is no certificate.
    public func signer(_ chain: [[UInt8]], docType: DocType? = nil, at time: Timestamp) throws(CertificateError) -> Signer {
        let key = Key(chain: chain, docType: docType)
        if let known = memory.withLock({ $0[key] }), known.from <= time, time <= known.until { return known.signer }
        let signer = try resolve(chain, docType, time)
        remember(signer, key)
        return signer
    }

    private func resolve(_ chain: [[UInt8]], _ docType: DocType?, _ time: Timestamp) throws(CertificateError) -> Signer {
        let certificates = try chain.map { (der) throws(CertificateError) in try Certificate(der: der) }
        guard let certificate = certificates.first, let last = certificates.last else {
            preconditionFailure("a chain holds at least one certificate")
        }
        let anchors = trust.certificates(for: role, docType: docType)
        let hasAnchors = !trust.certificates(for: role).isEmpty
        let result = hasAnchors ? ChainVerifier(anchors: anchors, policy: policy).verify(chain: certificates, at: time) : nil
        let issuer = certificates.dropFirst().first ?? result?.anchor
        let (key, fault) = Self.key(of: certificate)
        return Signer(
            certificate: certificate, key: key, keyFault: fault, chain: result,
            profile: profile.lint(certificate, issuer: issuer, edition: edition),
            includesRoot: anchors.contains(last) || (last.isSelfIssued && last.basicConstraints?.isCA == true))
    }

    private static func key(of certificate: Certificate) -> (PublicKey?, String?) {
        do throws(CryptoError) { return (try certificate.publicKey(), nil) } catch { return (nil, "\(error)") }
    }

    /// Only chains without a finding are remembered: theirs is the common case, and nothing about them depends on the moment but
    /// the validity of their certificates.
    private func remember(_ signer: Signer, _ key: Key) {
        guard let result = signer.chain, result.findings.isEmpty, let anchor = result.anchor else { return }
        let all = result.path + [anchor]
        guard let from = all.map(\.notBefore).max(), let until = all.map(\.notAfter).min() else { return }
        memory.withLock { memory in
            if memory.count >= limit { memory.removeAll() }
            memory[key] = Memory(signer: signer, from: from, until: until)
        }
    }
}
