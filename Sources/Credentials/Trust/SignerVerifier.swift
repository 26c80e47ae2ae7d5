public import Crypto
public import Ports

/// Verifies the chains of signers against the anchors in use. A chain that was found good is remembered: the next message of the
/// same signer costs a comparison of bytes.
public struct SignerVerifier: Sendable {
    public let anchors: TrustAnchors
    public let edition: Edition
    /// Seconds of tolerance on validity periods.
    public let skew: Int64
    private let cache: SignerCache

    /// - Parameter cache: may be shared between verifiers; entries tell trust, edition and tolerance apart.
    public init(anchors: TrustAnchors, edition: Edition, skew: Int64 = 60, cache: SignerCache = SignerCache()) {
        self.anchors = anchors
        self.edition = edition
        self.skew = skew
        self.cache = cache
    }

    /// The chain of a document signer.
    ///
    /// - Parameters:
    ///   - x5chain: DER certificates, leaf first.
    ///   - docType: anchors that are trusted for other types only do not count.
    public func issuer(x5chain: [[UInt8]], docType: String, at time: Timestamp) -> SignerChain {
        verify(x5chain, as: .ds, .documents, docType, at: time)
    }

    /// The chain of a reader.
    ///
    /// - Parameter x5chain: DER certificates, leaf first.
    public func reader(x5chain: [[UInt8]], at time: Timestamp) -> SignerChain {
        verify(x5chain, as: .reader, .readers, nil, at: time)
    }

    /// The chain of whoever signs in another role: a registrar, a wallet provider, an issuer's metadata.
    ///
    /// - Parameters:
    ///   - profile: what its certificate is held against.
    ///   - docType: anchors that are trusted for other types only do not count; nil: any.
    public func signer(
        x5chain: [[UInt8]], as profile: CertificateProfile, role: TrustRole, docType: String? = nil, at time: Timestamp
    ) -> SignerChain {
        verify(x5chain, as: profile, role, docType, at: time)
    }

    private func verify(
        _ x5chain: [[UInt8]], as profile: CertificateProfile, _ role: TrustRole, _ docType: String?, at time: Timestamp
    ) -> SignerChain {
        let terms = SignerCache.Terms(
            trust: anchors.fingerprint, profile: profile, docType: docType, edition: edition, skew: skew)
        if let known = cache.chain(x5chain, terms, at: time) { return known }
        let chain = SignerChain(
            x5chain, as: profile, anchors: anchors.certificates(for: role, docType: docType), edition: edition, skew: skew,
            at: time, source: { anchors.source(of: $0, for: role, docType: docType) },
            others: anchors.restricted(role, docType))
        if chain.holds(at: time) { cache.remember(chain, for: x5chain, terms) }
        return chain
    }
}
