/// What a person agreed to: which document answers each request, and which of its elements go.
public struct Selection: Sendable, Hashable {
    /// The answer to one document request.
    public struct Choice: Sendable, Hashable {
        /// `DocumentRequest.id`.
        public let requestID: String
        /// `Option.number`.
        public let option: Int
        /// What may go, of the option's elements.
        public let approved: Set<ElementReference>

        /// From its parts.
        public init(requestID: String, option: Int, approved: Set<ElementReference>) {
            self.requestID = requestID
            self.option = option
            self.approved = approved
        }
    }

    /// One choice for each request that is answered; the others get nothing.
    public let choices: [Choice]

    /// What was chosen.
    public init(choices: [Choice]) {
        self.choices = choices
    }

    /// The preferred option of every wanted request with all its elements.
    public static func everything(in proposal: Proposal) -> Selection {
        Selection(
            choices: proposal.entries.compactMap { entry in
                guard entry.isWanted, let option = entry.options.first(where: { $0.number == entry.preferred }) else {
                    return nil
                }
                return Choice(
                    requestID: entry.request.id, option: option.number, approved: Set(option.elements.map(\.reference)))
            })
    }
}
