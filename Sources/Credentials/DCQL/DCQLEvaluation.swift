import Codec

/// Why a credential does not answer a credential query; in the fixed words of the check catalogue.
public enum DCQLMiss: Sendable, Hashable, CustomStringConvertible {
    case format
    case type
    case holderBinding
    case authority
    case claimMissing(ClaimPath)
    case pathError(ClaimPath)
    case value(ClaimPath)
    /// No combination of `claim_sets` can be had.
    case noClaimSet
    /// The query asks for a format that nothing here knows.
    case unknownFormat
    /// A required set of the query stays unsatisfied: nothing is returned.
    case setUnsatisfied
    /// The query stands in no credential set: it is not requested.
    case notInSet

    public var description: String {
        switch self {
        case .format: "format"
        case .type: "type"
        case .holderBinding: "holderBinding"
        case .authority: "authority"
        case .claimMissing(let path): "claimMissing \(path)"
        case .pathError(let path): "pathError \(path)"
        case .value(let path): "value \(path)"
        case .noClaimSet: "noClaimSet"
        case .unknownFormat: "unknownFormat"
        case .setUnsatisfied: "setUnsatisfied"
        case .notInSet: "notInSet"
        }
    }
}

/// What became of a query over some credentials: what matches, and the reason of every miss (OpenID4VP 1.0 §6.4).
public struct DCQLEvaluation: Sendable {
    /// A credential that answers a credential query.
    public struct Match: Sendable, Hashable {
        /// Its place among the candidates.
        public let candidate: Int
        /// The claims to return, as places in the query's list.
        public let claims: [Int]
        /// The combination of `claim_sets` that they are.
        public let claimSet: Int?
        /// Whether it could not be told if the issuer is one of `trusted_authorities`.
        public let authorityIsUndecided: Bool
    }

    /// A credential that does not.
    public struct Miss: Sendable, Hashable {
        public let candidate: Int
        public let reasons: [DCQLMiss]
    }

    /// What became of one credential query.
    public struct CredentialResult: Sendable, Hashable {
        public let id: String
        public let matches: [Match]
        public let misses: [Miss]
        /// Why it is not answered apart from the candidates: `unknownFormat`, `setUnsatisfied`, `notInSet`.
        public let reason: DCQLMiss?
    }

    /// What became of one credential set.
    public struct SetResult: Sendable, Hashable {
        public let isRequired: Bool
        /// The options that can be satisfied, as places in the query's list: the first is preferred.
        public let satisfiable: [Int]

        public var isSatisfied: Bool { !satisfiable.isEmpty }
    }

    /// In the order of the query.
    public let credentials: [CredentialResult]
    /// Nil where the query has no credential sets.
    public let sets: [SetResult]?
    /// Whether everything required can be returned.
    public let isSatisfied: Bool

    /// The result for an id.
    public func result(_ id: String) -> CredentialResult? { credentials.first { $0.id == id } }
}

extension DCQLQuery {
    /// The formats that can be answered here.
    public static let knownFormats: Set<String> = ["mso_mdoc", "dc+sd-jwt", "vc+sd-jwt"]

    /// Evaluates the query over what a wallet holds. A candidate that does not match is skipped and never ends the evaluation.
    public func evaluate(over candidates: [some Queryable]) -> DCQLEvaluation {
        evaluation(credentials.map { ($0, $0.evaluate(over: candidates, .held)) })
    }

    /// Evaluates the query over what was presented, each presentation for the credential query whose id it came under. Places of
    /// candidates are those under their id.
    public func evaluate<C: Queryable>(presented: [String: [C]]) -> DCQLEvaluation {
        evaluation(credentials.map { ($0, $0.evaluate(over: presented[$0.id] ?? [], .presented)) })
    }

    private func evaluation(
        _ found: [(Credential, (matches: [DCQLEvaluation.Match], misses: [DCQLEvaluation.Miss]))]
    ) -> DCQLEvaluation {
        let answered = Set(found.filter { !$0.1.matches.isEmpty }.map(\.0.id))
        let sets = credentialSets?.map { set in
            DCQLEvaluation.SetResult(
                isRequired: set.isRequired,
                satisfiable: set.options.indices.filter { set.options[$0].allSatisfy(answered.contains) })
        }
        let isSatisfied =
            sets.map { $0.allSatisfy { !$0.isRequired || $0.isSatisfied } } ?? credentials.allSatisfy { answered.contains($0.id) }
        let requested = credentialSets.map { Set($0.flatMap { $0.options.joined() }) }
        return DCQLEvaluation(
            credentials: found.map { query, result in
                var reason: DCQLMiss?
                if !Self.knownFormats.contains(query.format) {
                    reason = .unknownFormat
                } else if requested?.contains(query.id) == false {
                    reason = .notInSet
                } else if !isSatisfied, !result.matches.isEmpty {
                    reason = .setUnsatisfied
                }
                return .init(id: query.id, matches: result.matches, misses: result.misses, reason: reason)
            }, sets: sets, isSatisfied: isSatisfied)
    }
}

/// Whose credentials are looked at.
private enum Side {
    case held
    /// Elements that were not disclosed are gone from arrays, so that an index says nothing any more.
    case presented
}

extension DCQLQuery.Credential {
    fileprivate func evaluate(
        over candidates: [some Queryable], _ side: Side
    ) -> (matches: [DCQLEvaluation.Match], misses: [DCQLEvaluation.Miss]) {
        var (matches, misses): ([DCQLEvaluation.Match], [DCQLEvaluation.Miss]) = ([], [])
        for (place, candidate) in candidates.enumerated() {
            switch judge(candidate, at: place, side) {
            case .success(let match): matches.append(match)
            case .failure(let reasons): misses.append(.init(candidate: place, reasons: reasons.all))
            }
        }
        return (matches, misses)
    }

    /// Whether one presentation answers this query.
    func match(presented candidate: some Queryable) -> (match: DCQLEvaluation.Match?, reasons: [DCQLMiss]) {
        switch judge(candidate, at: 0, .presented) {
        case .success(let match): (match, [])
        case .failure(let reasons): (nil, reasons.all)
        }
    }

    private struct Reasons: Error { let all: [DCQLMiss] }

    private func judge(_ candidate: some Queryable, at place: Int, _ side: Side) -> Result<DCQLEvaluation.Match, Reasons> {
        guard DCQLQuery.knownFormats.contains(format) else { return .failure(Reasons(all: [.unknownFormat])) }
        guard candidate.format == format else { return .failure(Reasons(all: [.format])) }
        if let types, Set(types).isDisjoint(with: candidate.types) { return .failure(Reasons(all: [.type])) }
        if requiresHolderBinding, !candidate.isHolderBound { return .failure(Reasons(all: [.holderBinding])) }
        let verdicts = trustedAuthorities.map { candidate.isTrusted(by: $0) }
        let isTrusted = verdicts.isEmpty || verdicts.contains(true)
        guard isTrusted || verdicts.contains(nil) else { return .failure(Reasons(all: [.authority])) }
        switch chooseClaims(candidate, side) {
        case .success(let chosen):
            return .success(
                .init(candidate: place, claims: chosen.claims, claimSet: chosen.set, authorityIsUndecided: !isTrusted))
        case .failure(let reasons): return .failure(reasons)
        }
    }

    private func chooseClaims(_ candidate: some Queryable, _ side: Side) -> Result<(claims: [Int], set: Int?), Reasons> {
        guard let claims else { return .success(([], nil)) }
        let misses = claims.map { $0.miss(in: candidate, side) }
        guard let claimSets else {
            let reasons = misses.compactMap { $0 }
            return reasons.isEmpty ? .success((distinct(Array(claims.indices)), nil)) : .failure(Reasons(all: reasons))
        }
        for (place, ids) in claimSets.enumerated() {
            let chosen = ids.compactMap { id in claims.firstIndex { $0.id == id } }
            if chosen.count == ids.count, chosen.allSatisfy({ misses[$0] == nil }) { return .success((distinct(chosen), place)) }
        }
        return .failure(Reasons(all: [.noClaimSet] + misses.compactMap { $0 }))
    }

    /// A claim that is asked for twice is returned once (OpenID4VP 1.0 §6.1).
    private func distinct(_ places: [Int]) -> [Int] {
        guard let claims else { return [] }
        var seen: Set<ClaimPath> = []
        return places.filter { seen.insert(claims[$0].path).inserted }
    }
}

extension DCQLQuery.Claim {
    /// Why the candidate does not have the claim; nil when it does.
    fileprivate func miss(in candidate: some Queryable, _ side: Side) -> DCQLMiss? {
        do {
            let selected = try candidate.claims(at: side == .held ? path : path.anyElement)
            guard !selected.isEmpty else { return .claimMissing(path) }
            guard let values else { return nil }
            return selected.contains(where: values.contains) ? nil : .value(path)
        } catch { return .pathError(path) }
    }
}

extension ClaimPath {
    /// The path with every index widened to all elements.
    var anyElement: ClaimPath {
        ClaimPath(components.map { if case .index = $0 { .all } else { $0 } })
    }
}
