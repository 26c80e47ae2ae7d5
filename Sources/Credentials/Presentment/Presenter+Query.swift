import Codec

extension Presenter {
    /// What could be answered to a query of OpenID4VP, with the reason of every miss (§6.4).
    ///
    /// - Parameters:
    ///   - credentials: one copy of each credential that may be presented.
    ///   - partial: offers credentials that lack some of the claims as well, which the specification forbids.
    ///   - obstacle: why the verifier cannot use a credential, whatever is in it; nil when it can.
    public func propose(
        _ query: DCQLQuery, to reader: Proposal.Reader?, from credentials: [HeldCredential], partial: Bool = false,
        obstacle: (HeldCredential) -> String? = { _ in nil }
    ) -> Proposal {
        QueryMatching(
            query: query, reader: reader, credentials: credentials, partial: partial, obstacles: credentials.map(obstacle)
        )
        .proposal()
    }
}

/// Matches a query against the credentials that the holder has.
private struct QueryMatching {
    let query: DCQLQuery
    let reader: Proposal.Reader?
    let credentials: [HeldCredential]
    let partial: Bool
    let obstacles: [String?]

    func proposal() -> Proposal {
        let usable = credentials.indices.filter { obstacles[$0] == nil }
        let results = query.evaluate(over: usable.map { credentials[$0] }).credentials
        let options = zip(query.credentials, results).map { asked, result in
            let whole = result.matches.map { (usable[$0.candidate], $0.claims) }
            let rest = partial ? result.misses.compactMap { remainder(asked, $0, usable[$0.candidate]) } : []
            return (whole + rest).enumerated().map { position, match in
                option(position + 1, credentials[match.0], asked, match.1)
            }
        }
        let entries = query.credentials.indices.map { place in
            let (asked, options) = (query.credentials[place], options[place])
            return Proposal.Entry(
                request: request(asked), options: options, isHeld: isHeld(asked),
                refusal: options.isEmpty ? refusal(asked, results[place]) : nil,
                unsuitable: unsuitable(results[place], usable))
        }
        return Proposal(reader: reader, entries: entries, useCases: useCases, wallet: credentials.compactMap(\.mdoc))
    }

    /// Without credential sets all queries together are the one thing that is wanted.
    private var useCases: [PresentationRequest.UseCase] {
        guard let sets = query.credentialSets else {
            return [.init(isMandatory: true, documentSets: [query.credentials.map(\.id)])]
        }
        return sets.map { .init(isMandatory: $0.isRequired, documentSets: $0.options) }
    }

    private func request(_ asked: DCQLQuery.Credential) -> PresentationRequest.DocumentRequest {
        .init(
            id: asked.id, docType: asked.types?.joined(separator: ", ") ?? asked.format,
            elements: (asked.claims ?? []).map {
                .init(ElementReference($0.path, isMdoc: asked.format == "mso_mdoc"), intentToRetain: $0.intentToRetain ?? false)
            })
    }

    private func isHeld(_ asked: DCQLQuery.Credential) -> Bool {
        credentials.contains { $0.format == asked.format && !Set(asked.types ?? $0.types).isDisjoint(with: $0.types) }
    }

    private func refusal(_ asked: DCQLQuery.Credential, _ result: DCQLEvaluation.CredentialResult) -> String {
        if result.reason == .unknownFormat { return "format \(asked.format) is not known here" }
        let name = asked.types?.joined(separator: " or ") ?? asked.format
        return isHeld(asked) ? "no \(name) answers the query" : "no \(name) in \(asked.format)"
    }

    private func unsuitable(_ result: DCQLEvaluation.CredentialResult, _ usable: [Int]) -> [Proposal.Unsuitable] {
        let missed = result.misses.map { miss in
            (usable[miss.candidate], miss.reasons.map(\.description))
        }
        let refused = credentials.indices.compactMap { place in obstacles[place].map { (place, [$0]) } }
        return (missed + refused).map { place, reasons in
            Proposal.Unsuitable(id: credentials[place].id, name: credentials[place].name, reasons: reasons)
        }
    }

    /// The claims that a credential has of those asked, where nothing but claims is missing.
    private func remainder(
        _ asked: DCQLQuery.Credential, _ miss: DCQLEvaluation.Miss, _ place: Int
    ) -> (Int, [Int])? {
        let isAboutClaims = miss.reasons.allSatisfy { reason in
            switch reason {
            case .claimMissing, .pathError, .value, .noClaimSet: true
            default: false
            }
        }
        guard isAboutClaims, let claims = asked.claims else { return nil }
        let there = claims.indices.filter { !((try? credentials[place].claims(at: claims[$0].path)) ?? []).isEmpty }
        return there.isEmpty ? nil : (place, there)
    }

    private func option(
        _ number: Int, _ credential: HeldCredential, _ asked: DCQLQuery.Credential, _ places: [Int]
    ) -> Proposal.Option {
        let claims = asked.claims ?? []
        let missing = claims.indices.filter { !places.contains($0) && asked.claimSets == nil }
        return Proposal.Option(
            number: number, credential: credential, elements: places.compactMap { element(claims[$0], of: credential) },
            missing: missing.compactMap { place in
                let isRepeated = places.contains { claims[$0].path == claims[place].path }
                return isRepeated
                    ? nil
                    : Proposal.Miss(
                        reference: ElementReference(claims[place].path, isMdoc: credential.mdoc != nil), reason: .notInDocument)
            }, isWhole: !partial)
    }

    private func element(_ claim: DCQLQuery.Claim, of credential: HeldCredential) -> Proposal.Element? {
        let reference = ElementReference(claim.path, isMdoc: credential.mdoc != nil)
        let source: Proposal.Element.Source
        switch credential.form {
        case .mdoc(let document): source = .issuer(document.items(reference))
        case .sdJWT(let held):
            let selected = (try? claim.path.select(in: .object(held.processed.claims))) ?? []
            source = .claim(claim.path, CBOR(json: selected.count == 1 ? selected[0] : .array(selected)))
        }
        return Proposal.Element(
            reference: reference, requested: [reference], intentToRetain: claim.intentToRetain ?? false, source: source)
    }
}

extension ElementReference {
    /// The element that a path of a query means: of an mdoc name space and element, of an SD-JWT VC the path itself, its names
    /// joined by dots where it has nothing else.
    init(_ path: ClaimPath, isMdoc: Bool) {
        if isMdoc, let names = path.names, names.count == 2 {
            self.init(nameSpace: names[0], identifier: names[1])
        } else {
            self.init(nameSpace: "", identifier: path.label)
        }
    }
}

extension ClaimPath {
    /// For people and consent scripts: `address.locality`, or the JSON of a path with indices.
    public var label: String { names?.joined(separator: ".") ?? description }
}
