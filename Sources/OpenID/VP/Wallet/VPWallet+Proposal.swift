public import Credentials
import Codec
import Crypto
import Ports

/// What could be answered to a request, before anybody is asked for consent.
public struct VPProposal: Sendable {
    public let proposal: Proposal
    /// VW25.unsupported to VW29 on what the wallet holds.
    public let checks: CheckList
    /// Why nothing can be answered; nil when consent is all that is missing.
    public let refusal: VPRefusal?
}

extension VPWallet {
    /// Matches a request against what the wallet holds.
    ///
    /// - Parameter choices: what the person picked already, where the request leaves a choice.
    /// - Throws: when there is no such choice.
    public func propose(
        _ request: VPRequest, from credentials: [HeldCredential], presenter: Presenter, choosing choices: [Proposal.Choice] = []
    ) throws(Proposal.NoSuchChoice) -> VPProposal {
        var list = CheckList(edition: settings.readers.edition)
        let reader = Proposal.Reader(name: request.client.name, isTrusted: request.client.isTrusted ?? false)
        let obeysFormats = !settings.faults.contains("formats-alg")
        var proposal = presenter.propose(
            relaxed(request.query), to: reader, from: credentials, partial: settings.isPartial,
            obstacle: { credential in
                obeysFormats ? request.formats?.obstacle(to: credential, holderCurve: credential.holderCurve) : nil
            })
        proposal = try proposal.choosing(choices)
        checkAlgorithms(proposal, credentials, request, &list)
        checkTransactions(proposal, request, &list)
        let subject = RequestResolution.subject
        if proposal.isEmpty {
            let reasons = proposal.entries.compactMap { entry in entry.refusal.map { "\(entry.request.id): \($0)" } }
            list.fail("VW29", subject, values: [reasons.isEmpty ? "a required set" : reasons.joined(separator: "; ")])
        } else {
            list.pass("VW29", subject)
        }
        let decisive = list.checks.first { $0.outcome == .fail } ?? list.checks.first { $0.id == "VW29" && $0.outcome == .warn }
        return VPProposal(
            proposal: proposal, checks: list, refusal: decisive.map { refusal(of: request, $0.id, $0.reason ?? $0.name) })
    }

    /// The refusal of a request that is authentic.
    public func refusal(of request: VPRequest, _ check: String, _ reason: String) -> VPRefusal {
        VPRefusal(
            check: check, reason: reason, code: VPErrorCode.code(of: check),
            channel: VPErrorChannel(mode: request.mode, endpoint: request.endpoint, state: request.state))
    }

    /// Two faults answer what the query excludes.
    private func relaxed(_ query: DCQLQuery) -> DCQLQuery {
        let (noValues, noAuthorities) = (settings.faults.contains("query-values"), settings.faults.contains("query-authority"))
        guard noValues || noAuthorities, let credentials = query.json["credentials"]?.arrayValue else { return query }
        let changed = credentials.map { credential -> JSON in
            var credential = credential
            if noAuthorities { credential = credential.replacing("trusted_authorities", nil) }
            guard noValues, let claims = credential["claims"]?.arrayValue else { return credential }
            return credential.replacing("claims", .array(claims.map { $0.replacing("values", nil) }))
        }
        return (try? DCQLQuery(query.json.replacing("credentials", .array(changed)))) ?? query
    }

    /// VW25.unsupported: every credential that would do is of an algorithm that the verifier does not know.
    private func checkAlgorithms(
        _ proposal: Proposal, _ credentials: [HeldCredential], _ request: VPRequest, _ list: inout CheckList
    ) {
        guard let formats = request.formats, proposal.isEmpty, !settings.faults.contains("formats-alg") else { return }
        let obstacles = credentials.map { formats.obstacle(to: $0, holderCurve: $0.holderCurve) }
        let wouldDo = request.query.evaluate(over: credentials).credentials.flatMap { $0.matches.map(\.candidate) }
        let reasons = wouldDo.compactMap { obstacles[$0] }
        guard !wouldDo.isEmpty, reasons.count == wouldDo.count else { return }
        list.fail("VW25.unsupported", RequestResolution.subject, values: [], detail: reasons.first)
    }

    private func checkTransactions(_ proposal: Proposal, _ request: VPRequest, _ list: inout CheckList) {
        let subject = RequestResolution.subject
        guard !request.transactions.isEmpty, !proposal.isEmpty else { return }
        for item in request.transactions {
            let entries = proposal.entries.filter { item.credentialIDs.contains($0.request.id) && !$0.options.isEmpty }
            guard let entry = entries.first(where: \.isWanted) ?? entries.first else {
                list.fail("VW27.ids", subject, values: [item.credentialIDs.joined(separator: ", ")])
                continue
            }
            guard let document = entry.options.first?.credential.mdoc else { continue }
            let element = item.definition.element
            let isAllowed = element.map {
                document.mobileSecurityObject.keyAuthorizations?.allows($0.identifier, in: $0.nameSpace) ?? false
            }
            if isAllowed != true {
                let name = element.map { "\($0.nameSpace)/\($0.identifier)" } ?? "of \(item.type)"
                list.fail("VW27.mdoc", subject, values: [name])
            }
        }
    }
}

extension HeldCredential {
    /// The curve of the key that proves possession; nil for a credential that is bound to none.
    var holderCurve: Curve? {
        switch form {
        case .mdoc(let document): (try? document.mobileSecurityObject.deviceKey.curve) ?? nil
        case .sdJWT(let held): held.processed.claims["cnf"]?["jwk"].flatMap { try? PublicKey(jwk: $0).curve }
        }
    }
}
