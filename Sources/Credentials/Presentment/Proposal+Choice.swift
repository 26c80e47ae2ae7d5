/// What a person may pick where a request leaves a choice.
extension Proposal {
    /// Documents that together serve a use case, numbered from 1 within it.
    public struct Combination: Sendable, Hashable {
        public let number: Int
        /// The requests that are answered together.
        public let requestIDs: [String]
        /// Those of them that no document answers; the combination can be had when there are none.
        public let lacking: [String]
        /// Whether it is the one that goes.
        public let isChosen: Bool
    }

    /// Something picked instead of the first that can be had.
    public enum Choice: Sendable, Hashable {
        /// A combination of a use case, both from 1. Without a use case it is that of the only one that has several; 0 leaves an
        /// optional use case out.
        case combination(Int, useCase: Int?)
        /// The document that answers a request, by its number; the combination with this request is picked too.
        case document(Int, requestID: String)
    }

    /// A choice that there is not.
    public struct NoSuchChoice: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// The combinations of a use case, in the order of the verifier's preference.
    public func combinations(of useCase: Int) -> [Combination] {
        useCases[useCase].documentSets.enumerated().map { place, set in
            Combination(
                number: place + 1, requestIDs: set, lacking: set.filter { id in !isAnswerable(id) },
                isChosen: chosen[useCase] == place)
        }
    }

    /// The use cases, by position, that leave something to pick: several combinations, or one that may be left out.
    public var useCasesWithChoice: [Int] {
        useCases.indices.filter { place in
            let possible = combinations(of: place).count { $0.lacking.isEmpty }
            return possible > 1 || possible == 1 && !useCases[place].isMandatory
        }
    }

    /// The same request with these picked.
    public func choosing(_ choices: [Choice]) throws(NoSuchChoice) -> Proposal {
        var proposal = self
        for choice in choices {
            switch choice {
            case .combination(let number, let useCase): proposal = try proposal.choosing(number, of: proposal.useCase(useCase))
            case .document(let number, let id): proposal = try proposal.choosing(number, for: id)
            }
        }
        return proposal
    }

    private func useCase(_ number: Int?) throws(NoSuchChoice) -> Int {
        if let number {
            guard useCases.indices.contains(number - 1) else {
                throw NoSuchChoice(description: "the request has \(useCases.count) sets, and no set \(number)")
            }
            return number - 1
        }
        let open = useCases.indices.filter { useCases[$0].documentSets.count > 1 }
        guard open.count == 1 else {
            throw NoSuchChoice(
                description: open.isEmpty
                    ? "the request leaves no choice of documents" : "\(open.count) sets have several combinations: name the set too"
            )
        }
        return open[0]
    }

    private func choosing(_ number: Int, of useCase: Int) throws(NoSuchChoice) -> Proposal {
        var chosen = chosen
        if number == 0 {
            guard !useCases[useCase].isMandatory else {
                throw NoSuchChoice(description: "set \(useCase + 1) is required and cannot be left out")
            }
            chosen[useCase] = nil
        } else {
            let combinations = combinations(of: useCase)
            guard combinations.indices.contains(number - 1) else {
                throw NoSuchChoice(
                    description: "set \(useCase + 1) has the combinations 1 to \(combinations.count), and no \(number)")
            }
            let lacking = combinations[number - 1].lacking
            guard lacking.isEmpty else {
                throw NoSuchChoice(
                    description: "combination \(number) cannot be had: nothing answers \(lacking.joined(separator: ", "))")
            }
            chosen[useCase] = number - 1
        }
        return Proposal(reader: reader, entries: entries, useCases: useCases, wallet: wallet, chosen: chosen)
    }

    private func choosing(_ document: Int, for id: String) throws(NoSuchChoice) -> Proposal {
        guard let place = entries.firstIndex(where: { $0.request.id == id }) else {
            throw NoSuchChoice(description: "the request asks for nothing under the name \(id)")
        }
        guard entries[place].options.contains(where: { $0.number == document }) else {
            let count = entries[place].options.count
            throw NoSuchChoice(
                description: count == 0
                    ? "nothing answers \(id)" : "\(id) is answered by the documents 1 to \(count), and no \(document)")
        }
        var entries = entries
        entries[place].preferred = document
        let proposal = Proposal(reader: reader, entries: entries, useCases: useCases, wallet: wallet, chosen: chosen)
        guard !proposal.entries[place].isWanted else { return proposal }
        for useCase in useCases.indices {
            let fitting = combinations(of: useCase).first { $0.requestIDs.contains(id) && $0.lacking.isEmpty }
            if let fitting { return try proposal.choosing(fitting.number, of: useCase) }
        }
        throw NoSuchChoice(description: "no combination with \(id) can be had")
    }

    private func isAnswerable(_ id: String) -> Bool { entries.contains { $0.request.id == id && !$0.options.isEmpty } }
}
