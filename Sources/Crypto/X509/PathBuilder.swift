public import Ports

/// Puts certificates that came in no order into a path to an anchor (RFC 4158): of all paths that names and signatures allow, the
/// first one with which nothing is wrong, else the best of those that were tried.
public struct PathBuilder: Sendable {
    public let verifier: ChainVerifier
    /// The most certificates between leaf and anchor; those that authorities issue to themselves do not count, up to as many again.
    public var depth = 8
    /// The most steps of the search: hostile sets of certificates have very many paths.
    public var steps = 512

    public init(verifier: ChainVerifier) { self.verifier = verifier }

    /// - Parameter others: certificates that may be part of the path, in any order.
    public func build(_ leaf: Certificate, with others: [Certificate], at time: Timestamp) -> ChainResult {
        var left = steps
        var best: ChainResult?
        search([leaf], others, time, &left, &best)
        return best ?? verifier.verify(chain: [leaf], at: time)
    }

    private func search(
        _ path: [Certificate], _ others: [Certificate], _ time: Timestamp, _ left: inout Int, _ best: inout ChainResult?
    ) {
        guard left > 0, let last = path.last else { return }
        left -= 1
        if verifier.anchors.contains(where: { $0.subject == last.issuer }) {
            let result = verifier.verify(chain: path, at: time)
            if best.map({ result.findings.count < $0.findings.count || $0.anchor == nil }) ?? true { best = result }
            if result.isTrusted { return left = 0 }
        }
        let isFull = path.dropFirst().count { !$0.isSelfIssued } >= depth
        guard path.count <= 2 * depth else { return }
        for issuer in others where issuer.subject == last.issuer && !path.contains(issuer) {
            guard issuer.isSelfIssued || !isFull else { continue }
            // The same name with the same key again leads nowhere new (RFC 4158 §5.2).
            guard !path.contains(where: { $0.subject == issuer.subject && $0.spkiBytes == issuer.spkiBytes }) else { continue }
            // A signature is cheaper than every path behind it.
            guard last.isSigned(by: issuer) else { continue }
            search(path + [issuer], others, time, &left, &best)
        }
    }
}
