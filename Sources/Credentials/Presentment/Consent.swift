public import Ports

/// Asks whoever decides what may leave.
public protocol ConsentProvider: Sendable {
    /// What may go; nil when nothing may.
    func decide(_ proposal: Proposal) async -> Selection?
    /// How the decision is made, for the record: "asked", "automatic", "scripted".
    var name: String { get }
}

/// The record of a decision. The presenter discloses what a record covers and nothing else.
public struct Consent: Sendable {
    /// What was decided on.
    public let proposal: Proposal
    /// What was decided.
    public let selection: Selection
    /// When.
    public let at: Timestamp
    /// How it was decided.
    public let by: String

    /// Asks the provider and records what it says.
    /// - Returns: nil when nothing may go.
    public static func obtain(for proposal: Proposal, from provider: any ConsentProvider, at time: Timestamp) async -> Consent? {
        guard let selection = await provider.decide(proposal) else { return nil }
        return Consent(proposal: proposal, selection: selection, at: time, by: provider.name)
    }

    /// Whether `reference` of the document that answers `requestID` may go.
    func covers(_ reference: ElementReference, requestID: String) -> Bool {
        selection.choices.contains { $0.requestID == requestID && $0.approved.contains(reference) }
    }
}

/// Agrees to everything that can be answered: `--consent auto`.
public struct AutomaticConsent: ConsentProvider {
    /// The provider.
    public init() {}
    public var name: String { "automatic" }
    public func decide(_ proposal: Proposal) async -> Selection? { .everything(in: proposal) }
}

/// Refuses everything: `--consent deny`.
public struct DenyingConsent: ConsentProvider {
    /// The provider.
    public init() {}
    public var name: String { "denied" }
    public func decide(_ proposal: Proposal) async -> Selection? { nil }
}
