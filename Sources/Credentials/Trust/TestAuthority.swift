package import Crypto
package import Ports

/// A whole public key infrastructure for tests and demonstrations: an issuing authority with a document signer, and a reader
/// authority with a reader. Everything says TEST in its subject; a seeded source and a fixed time make it repeatable.
package struct TestAuthority: Sendable {
    /// What makes further certificates of the same authority.
    package let maker: CertificateMaker
    package let iaca: SigningIdentity
    package let documentSigner: SigningIdentity
    package let readerAuthority: SigningIdentity
    package let reader: SigningIdentity

    /// - Parameters:
    ///   - time: the roots are valid from 30 days before it for ten years, the others from a day before it for 401 days.
    ///   - curve: of all keys; Edwards curves only of those of document signer and reader, roots have P-256 then.
    ///   - organization: names it; two authorities need two names.
    package init(
        at time: Timestamp, random: any RandomSource, curve: Curve = .p256, country: String = "UT", state: String = "UT-U",
        organization: String = "Utopia", edition: Edition = .first
    ) throws {
        maker = CertificateMaker(
            at: time, random: random, edition: edition, country: country, state: state, organization: organization)
        let rootCurve = curve.isWeierstrass ? curve : .p256
        iaca = try maker.root(curve: rootCurve)
        documentSigner = try maker.endEntity(.ds, issuer: iaca, curve: curve)
        readerAuthority = try maker.authority("TEST Reader CA", curve: rootCurve)
        reader = try maker.endEntity(.reader, issuer: readerAuthority, curve: curve)
    }

    /// Trust in both roots: the first for documents of every type, the second for readers.
    package var anchors: TrustAnchors {
        TrustAnchors([
            TrustAnchor(iaca.certificate, role: .documents), TrustAnchor(readerAuthority.certificate, role: .readers),
        ])
    }

    /// A document signer that breaks one rule of its profile (fault `ds-break:<rule>`).
    package func documentSigner(breaking rule: String) throws -> SigningIdentity {
        try maker.endEntity(.ds, issuer: iaca, breaking: rule)
    }

    /// A reader certificate that breaks one rule of its profile (fault `reader-break:<rule>`). Rules that exist only for
    /// certificates of an IACA are broken in one that the IACA issued.
    package func reader(breaking rule: String) throws -> SigningIdentity {
        let isIssuedByIACA = CertificateProfile.reader.rulesUnderIACA.contains(rule)
        return try maker.endEntity(.reader, issuer: isIssuedByIACA ? iaca : readerAuthority, breaking: rule)
    }

    /// What can be wrong with a signer's chain besides the rules of its profile.
    package enum ChainFault: String, Sendable, CaseIterable {
        /// Issued by a root that nobody trusts.
        case fromUnknownRoot = "from-unknown-root"
        case signatureBroken = "signature-broken"
        /// Ended a day before the authority's time.
        case expired
        case unknownCritical = "unknown-critical"
    }

    /// A document signer (`ds`) or reader whose chain has `fault` (faults `ds-expired`, `reader-from-unknown-ca`…).
    package func signer(_ profile: CertificateProfile, with fault: ChainFault) throws -> SigningIdentity {
        let known = profile == .reader ? readerAuthority : iaca
        switch fault {
        case .fromUnknownRoot:
            let stranger = CertificateMaker(
                at: maker.time, random: maker.random, edition: maker.edition, country: maker.country, state: maker.state,
                organization: "Erewhon")
            let root = profile == .reader ? try stranger.authority("TEST Reader CA") : try stranger.root()
            return try stranger.endEntity(profile, issuer: root)
        case .signatureBroken: return try maker.endEntity(profile, issuer: known) { $0.spoilsSignature = true }
        case .expired:
            return try maker.endEntity(profile, issuer: known) { builder in
                builder.notBefore = maker.time.adding(days: -20)
                builder.notAfter = maker.time.adding(days: -1)
            }
        case .unknownCritical: return try maker.endEntity(profile, issuer: known, breaking: "unknown-critical")
        }
    }
}
