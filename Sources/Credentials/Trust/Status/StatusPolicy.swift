/// How strictly something is held: one for each use and, where a person says so, for each document type.
public enum TrustPolicy: String, Sendable, Hashable, CaseIterable {
    /// A violation fails, and what cannot be told leaves the verdict open.
    case enforce
    /// Both warn only.
    case warning
    /// It is not looked at.
    case off
}

/// What the status of documents and certificates is held to.
public struct StatusPolicy: Sendable, Hashable {
    public var general: TrustPolicy
    /// By docType or vct, where it differs.
    public var byType: [String: TrustPolicy]
    /// Application-specific statuses that mean something here: whether a document that has one is good.
    public var meanings: [UInt8: Bool]

    public init(_ general: TrustPolicy = .warning, byType: [String: TrustPolicy] = [:], meanings: [UInt8: Bool] = [:]) {
        self.general = general
        self.byType = byType
        self.meanings = meanings
    }

    public func policy(for type: String) -> TrustPolicy { byType[type] ?? general }
}
