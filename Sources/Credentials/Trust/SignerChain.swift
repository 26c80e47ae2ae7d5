public import Crypto
public import Ports

/// A signer's certificate chain as it came with a message (x5chain), and everything that was found out about it.
///
/// It never changes and is shared by all messages of the signer: a class, as a copy would be of every part of every certificate.
public final class SignerChain: Sendable {
    /// Leaf first, as far as they can be read.
    public let certificates: [Certificate]
    /// The first certificate that cannot be read: its place, and why.
    public let unreadable: Unreadable?
    /// The signer's key; nil where the leaf or its key cannot be read.
    public let key: PublicKey?
    /// Path, signatures, dates, critical extensions.
    public let result: ChainResult
    /// The rules of the signer's profile.
    public let profile: LintResult
    /// Whether there was an anchor to look for.
    public let hadAnchors: Bool
    /// Who vouches for the anchor; nil without one.
    public let source: String?
    /// Whether it would be trusted, were its anchor listed for this type of document.
    let isListedForOthers: Bool
    /// The signer as reports name it; nil where the leaf cannot be read.
    public let identity: PresentedDocument.Issuer?
    /// What reports say of its trust; nil where there was no anchor to look for.
    let trust: PresentedDocument.Trust?

    /// When all certificates and the anchor are valid; nil without an anchor.
    private let validity: ClosedRange<Timestamp>?

    /// A certificate that cannot be read.
    public struct Unreadable: Sendable, Equatable {
        /// 0 is the leaf.
        public let place: Int
        public let error: CertificateError
    }

    /// - Parameters:
    ///   - x5chain: DER certificates, leaf first.
    ///   - profile: what the leaf is to be.
    ///   - anchors: the roots trusted for it.
    ///   - skew: seconds of tolerance on validity periods.
    public init(
        _ x5chain: [[UInt8]], as profile: CertificateProfile, anchors: [Certificate], edition: Edition, skew: Int64,
        at time: Timestamp, source: (Certificate) -> String? = { _ in nil }, others: [Certificate] = []
    ) {
        var certificates: [Certificate] = []
        var unreadable: Unreadable?
        for (place, der) in x5chain.enumerated() where unreadable == nil {
            do {
                certificates.append(try Certificate(der: der))
            } catch {
                unreadable = Unreadable(place: place, error: error)
            }
        }
        var policy = ChainPolicy.mdoc
        policy.skew = skew
        self.certificates = certificates
        self.unreadable = unreadable
        hadAnchors = !anchors.isEmpty
        key = try? certificates.first?.publicKey()
        identity = certificates.first.map(PresentedDocument.Issuer.init)
        let result = ChainVerifier(anchors: anchors, policy: policy).verify(chain: certificates, at: time)
        self.result = result
        self.source = result.anchor.flatMap(source)
        trust =
            anchors.isEmpty
            ? nil
            : PresentedDocument.Trust(
                source: self.source, policy: TrustPolicy.enforce.rawValue,
                anchor: result.anchor.map(PresentedDocument.Issuer.init))
        isListedForOthers =
            !others.isEmpty && !result.isTrusted
            && ChainVerifier(anchors: others, policy: policy).verify(chain: certificates, at: time).isTrusted
        isTrusted = unreadable == nil && key != nil && result.isTrusted
        validity = Self.validity(result)
        self.profile =
            certificates.first.map { signer in
                let issuer = result.path.count > 1 ? result.path[1] : result.anchor
                return profile.lint(signer, in: LintContext(issuer: issuer, edition: edition))
            } ?? LintResult()
    }

    /// The certificate whose key signs.
    public var signer: Certificate? { certificates.first }
    /// The root that the chain leads to.
    public var anchor: Certificate? { result.anchor }

    /// Whether the chain was read whole, leads to an anchor and nothing is wrong with it. The profile's rules are apart.
    public let isTrusted: Bool

    /// Whether what was found out holds at `time` as well: every certificate is valid then, the anchor too.
    func holds(at time: Timestamp) -> Bool {
        isTrusted && validity?.contains(time) == true
    }

    private static func validity(_ result: ChainResult) -> ClosedRange<Timestamp>? {
        guard let anchor = result.anchor else { return nil }
        let from = result.path.reduce(anchor.notBefore) { max($0, $1.notBefore) }
        let until = result.path.reduce(anchor.notAfter) { min($0, $1.notAfter) }
        return from <= until ? from...until : nil
    }
}

extension PresentedDocument.Issuer {
    init(_ certificate: Certificate) {
        self.init(subject: certificate.subject.description, sha256: certificate.sha256)
    }
}
