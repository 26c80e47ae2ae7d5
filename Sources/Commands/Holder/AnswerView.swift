import Codec
import Credentials
import OpenID
import Ports

/// What `holder answer` shows before consent: who asks, what and why, what matches and what does not.
struct AnswerView {
    private let console: Console

    init(_ console: Console) { self.console = console }

    func show(
        _ request: VPRequest, _ proposal: Proposal, _ checks: CheckList, _ registration: RegistrationReport?, revealing: Bool
    ) {
        let client = request.client
        line("\(client.name) asks (\(trust(client)); \(client.how))")
        line("  \(client.identifier.text)")
        if let summary = registration?.summary { line("  registered as \(summary)") }
        if let name = request.metadata?.clientName, name != client.name {
            line("  it calls itself \(name), which nobody vouches for")
        }
        for item in request.transactions { show(item) }
        for info in request.verifierInfo { line("  verifier information: \(info["format"]?.stringValue ?? "")") }
        for place in proposal.useCases.indices { show(proposal.useCases[place], proposal.combinations(of: place), place + 1) }
        for entry in proposal.entries { show(entry, revealing) }
        for place in proposal.unsatisfiedUseCases { line("  ! a required set cannot be satisfied (\(place))") }
        for check in checks.checks where check.outcome.isViolation { line("  ! \(check.id) \(check.name): \(check.reason ?? "")") }
        console.event(
            .request, role: "holder",
            [
                "client": [
                    "id": .string(client.identifier.text), "name": .string(client.name), "how": .string(client.how),
                    "trusted": client.isTrusted.map { .bool($0) } ?? .null,
                ],
                "response_mode": .string(request.mode.rawValue),
                "endpoint": request.endpoint.map { .string($0.description) } ?? .null,
                "transactions": .array(request.transactions.map { .object($0.json) }),
                "verifier_info": .array(request.verifierInfo),
                "registration": registration?.shown ?? .null,
                "credentials": .array(proposal.entries.map { Self.json($0, revealing) }),
                "sets": .array(proposal.useCases.indices.map { Self.json(proposal, set: $0) }),
                "warnings": .array(checks.checks.filter(\.outcome.isViolation).map { .string("\($0.id) \($0.reason ?? $0.name)") }),
            ])
    }

    private func line(_ text: String) { console.out(text.replacingControlCharacters()) }

    private func trust(_ client: VPClient) -> String {
        switch client.isTrusted {
        case true?: "trusted"
        case false?: "not trusted"
        case nil: "trust not checked"
        }
    }

    private func show(_ item: TransactionItem) {
        line("  to authorise: \(item.definition.title)")
        for field in item.definition.fields {
            guard let value = item.json[field.name] else { continue }
            line("    \(field.name): \(value.stringValue ?? value.encoded())")
        }
    }

    /// The combinations of a set, numbered; nothing where there is but one and it is required.
    private func show(_ useCase: PresentationRequest.UseCase, _ combinations: [Proposal.Combination], _ number: Int) {
        guard combinations.count > 1 || !useCase.isMandatory else { return }
        line("  set \(number), \(useCase.isMandatory ? "required" : "optional"), one of:")
        for combination in combinations {
            let names = combination.requestIDs.joined(separator: " and ")
            let lacking = combination.lacking.joined(separator: ", ")
            line(
                "    [\(number).\(combination.number)] \(names)"
                    + (lacking.isEmpty ? "" : ", which cannot be had: nothing answers \(lacking)")
                    + (combination.isChosen ? " (goes)" : ""))
        }
    }

    private func show(_ entry: Proposal.Entry, _ revealing: Bool) {
        line("  \(entry.request.id): \(entry.request.docType)\(entry.isWanted ? "" : " (not needed)")")
        if let refusal = entry.refusal { line("    \(refusal)") }
        for option in entry.options {
            let mark = entry.options.count > 1 && option.number == entry.preferred ? ", goes" : ""
            line("    \(option.number). \(option.credential.name) (\(option.credential.id))\(mark)")
            for element in option.elements {
                let value = revealing ? ": \(element.value.map { JSON(claim: $0).encoded() } ?? "")" : ""
                line("       \(element.reference.identifier)\(element.intentToRetain ? ", the verifier will keep it" : "")\(value)")
            }
            for miss in option.missing { line("       missing \(miss.reference.identifier): \(miss.reason.rawValue)") }
        }
        for other in entry.unsuitable { line("    not \(other.name) (\(other.id)): \(other.reasons.joined(separator: ", "))") }
    }

    private static func json(_ proposal: Proposal, set place: Int) -> JSON {
        [
            "required": .bool(proposal.useCases[place].isMandatory),
            "combinations": .array(
                proposal.combinations(of: place).map { combination in
                    [
                        "number": .integer(Int64(combination.number)), "ids": .array(combination.requestIDs.map { .string($0) }),
                        "lacking": .array(combination.lacking.map { .string($0) }), "chosen": .bool(combination.isChosen),
                    ]
                }),
        ]
    }

    private static func json(_ entry: Proposal.Entry, _ revealing: Bool) -> JSON {
        [
            "id": .string(entry.request.id), "type": .string(entry.request.docType), "wanted": .bool(entry.isWanted),
            "refusal": entry.refusal.map { .string($0) } ?? .null, "preferred": .integer(Int64(entry.preferred)),
            "options": .array(
                entry.options.map { option in
                    [
                        "number": .integer(Int64(option.number)), "document": .string(option.credential.id),
                        "claims": .array(
                            option.elements.map { element in
                                var object: JSONObject = [
                                    "namespace": .string(element.reference.nameSpace),
                                    "claim": .string(element.reference.identifier),
                                ]
                                if revealing { object["value"] = element.value.map { JSON(claim: $0) } ?? .null }
                                return .object(object)
                            }),
                        "missing": .array(option.missing.map { .string($0.reference.identifier) }),
                    ]
                }),
            "unsuitable": .array(
                entry.unsuitable.map {
                    ["document": .string($0.id), "reasons": .array($0.reasons.map { .string($0) })]
                }),
        ]
    }
}
