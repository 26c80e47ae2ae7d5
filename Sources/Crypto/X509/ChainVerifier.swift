public import Codec
public import Ports

/// What a chain has to satisfy besides its signatures, dates and names.
public struct ChainPolicy: Sendable {
    /// Critical extensions that whoever uses the result handles; any other critical extension is a finding: unknown ones fail
    /// closed (RFC 5280 §4.2).
    public var handledCriticalExtensions: Set<OID>
    /// Signature algorithms that are accepted; a valid signature of another one counts as none.
    public var signatureAlgorithms: Set<SignatureAlgorithm>
    /// Seconds of tolerance on both ends of every validity period.
    public var skew: Int64

    /// - Parameter skew: seconds.
    public init(handledCriticalExtensions: Set<OID>, signatureAlgorithms: Set<SignatureAlgorithm>, skew: Int64 = 60) {
        self.handledCriticalExtensions = handledCriticalExtensions
        self.signatureAlgorithms = signatureAlgorithms
        self.skew = skew
    }

    /// Chains of ISO/IEC 18013-5: what the certificate profiles look at, every signature of cipher suite 1 and RSA with SHA-2,
    /// which intermediate authorities of other worlds use.
    public static let mdoc = ChainPolicy(
        handledCriticalExtensions: [.keyUsage, .basicConstraints, .extendedKeyUsage],
        signatureAlgorithms: Set(SignatureAlgorithm.allCases).subtracting([.ecdsaWithSHA1]))
}

/// Verifies certificate chains against trust anchors, as far as RFC 5280 §6.1 matters to wallets: signatures, validity, names
/// chained by bytes, basic constraints, path length, key usage, critical extensions. Certificate policies and name constraints
/// are not evaluated; where they are critical, the chain fails.
///
/// Nothing stops at the first fault: the result lists every finding with the certificate that it concerns.
public struct ChainVerifier: Sendable {
    public var anchors: [Certificate]
    public var policy: ChainPolicy

    public init(anchors: [Certificate], policy: ChainPolicy) {
        self.anchors = anchors
        self.policy = policy
    }

    /// - Parameter chain: leaf first, each certified by the next; the anchor itself is not part of it (where it is, the result
    ///   says so and goes on without it).
    public func verify(chain: [Certificate], at time: Timestamp) -> ChainResult {
        var findings: [ChainFinding] = []
        let path = withoutAnchor(chain, &findings)
        guard let last = path.last else {
            findings.append(ChainFinding(.noPath(nil), certificate: 0))
            return ChainResult(path: path, anchor: nil, findings: findings)
        }
        let (anchor, isSigned) = issuer(of: last)
        if anchor == nil {
            findings.append(ChainFinding(.noPath(last.authorityKeyIdentifier?.keyIdentifier), certificate: path.count - 1))
        }
        checkLinks(path, anchor, anchorSigned: isSigned, &findings)
        for (index, certificate) in (path + [anchor].compactMap { $0 }).enumerated() {
            if !certificate.isValid(at: time, skew: policy.skew) {
                findings.append(ChainFinding(.notValid(time), certificate: index))
            }
            checkCriticalExtensions(certificate, index, &findings)
            // Certificates that authorities issue to themselves do not count (RFC 5280 §6.1.4 (l)).
            if index > 0 {
                checkAuthority(certificate, index, below: path[1..<max(1, index)].count { !$0.isSelfIssued }, &findings)
            }
        }
        return ChainResult(path: path, anchor: anchor, findings: findings)
    }

    /// A root has no place in a chain: it is trusted for where it came from, not for having been sent.
    private func withoutAnchor(_ chain: [Certificate], _ findings: inout [ChainFinding]) -> [Certificate] {
        guard let last = chain.last, chain.count > 1 || isAuthority(last), last.isSelfIssued || anchors.contains(last) else {
            return chain
        }
        findings.append(ChainFinding(.rootInChain, certificate: chain.count - 1))
        return chain.count > 1 ? chain.dropLast() : chain
    }

    private func isAuthority(_ certificate: Certificate) -> Bool { certificate.basicConstraints?.isCA == true }

    /// The anchor that certified `certificate`, and whether its key made the signature: of those with its issuer's name, one whose
    /// key did, else one whose key identifier it names (so that a broken signature is told apart from an unknown root).
    private func issuer(of certificate: Certificate) -> (anchor: Certificate?, isSigned: Bool) {
        let named = anchors.filter { $0.subject == certificate.issuer }
        if let signer = named.first(where: { certificate.isSigned(by: $0) }) { return (signer, true) }
        guard let wanted = certificate.authorityKeyIdentifier?.keyIdentifier else { return (named.first, false) }
        return (named.first { $0.subjectKeyIdentifier == wanted }, false)
    }

    /// - Parameter anchorSigned: whether the anchor's key made the signature of the last certificate.
    private func checkLinks(
        _ path: [Certificate], _ anchor: Certificate?, anchorSigned: Bool, _ findings: inout [ChainFinding]
    ) {
        for (index, certificate) in path.enumerated() {
            let isLast = index + 1 == path.count
            guard let issuer = isLast ? anchor : path[index + 1] else { continue }
            if certificate.issuer != issuer.subject { findings.append(ChainFinding(.nameNotChained, certificate: index)) }
            if let algorithm = certificate.signatureAlgorithm.signatureAlgorithm, !policy.signatureAlgorithms.contains(algorithm) {
                findings.append(ChainFinding(.signatureAlgorithm(algorithm.name), certificate: index))
            } else if certificate.signatureAlgorithm.oid != certificate.signedAlgorithm.oid {
                findings.append(ChainFinding(.signatureAlgorithm("two different ones"), certificate: index))
            } else if !(isLast ? anchorSigned : certificate.isSigned(by: issuer)) {
                findings.append(ChainFinding(.signature, certificate: index))
            }
        }
    }

    private func checkCriticalExtensions(_ certificate: Certificate, _ index: Int, _ findings: inout [ChainFinding]) {
        for item in certificate.extensions where item.isCritical && !policy.handledCriticalExtensions.contains(item.oid) {
            findings.append(ChainFinding(.unknownCritical(item.oid), certificate: index))
        }
    }

    /// RFC 5280 §6.1.4 (k) to (n), for intermediates and for the anchor alike.
    private func checkAuthority(
        _ certificate: Certificate, _ index: Int, below count: Int, _ findings: inout [ChainFinding]
    ) {
        // Anchors of version 1 have no extensions to say it with.
        guard certificate.version >= 3 else { return }
        guard let constraints = certificate.basicConstraints, constraints.isCA else {
            findings.append(ChainFinding(.notAuthority, certificate: index))
            return
        }
        if let usage = certificate.keyUsage, !usage.contains(.keyCertSign) {
            findings.append(ChainFinding(.mayNotSignCertificates, certificate: index))
        }
        if let length = constraints.pathLength, count > length {
            findings.append(ChainFinding(.pathTooLong(allowed: length), certificate: index))
        }
    }
}
