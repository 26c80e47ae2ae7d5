public import Credentials

/// What happens in a session, for whoever watches it.
public enum SessionEvent: Sendable {
    case connected
    case sent(bytes: Int)
    case received(bytes: Int)
    /// Who ended the session, and how.
    case terminated(by: MdocRole, SessionStatus?)
}

/// How a driver's run ended.
public struct SessionOutcome: Sendable {
    /// Every check of this role on session and transport.
    public let checks: CheckList
    /// Why the session ended otherwise than in the orderly way; nil when it did.
    public let failure: (any Error)?
    /// Requests answered, or responses received.
    public let exchanges: Int
}

/// Time limits of a session. ISO/IEC 18013-5 WD2 §12.2.4 wants at least 300 s before an idle session is given up.
public struct SessionLimits: Sendable {
    /// Longest wait for a whole message.
    public var idleSeconds = 300
    /// Longest wait, after the end of the session, for the peer to end and disconnect.
    public var lingerSeconds = 2

    /// The limits of the standard.
    public init() {}
}

/// What the holder does with a request.
public protocol HolderConversation: Sendable {
    /// Answers a request.
    /// - Returns: an encoded DeviceResponse; nil ends the session with status 20 instead.
    func answer(_ request: SessionRequest) async throws -> [UInt8]?
    func note(_ event: SessionEvent) async
}

/// What the reader asks and does with the answers.
public protocol ReaderConversation: Sendable {
    /// The next request, from 1; nil when there are no more.
    /// - Returns: an encoded DeviceRequest.
    func request(_ ordinal: Int, over transcript: SessionTranscript) async throws -> [UInt8]?
    /// Whether a request would follow this one.
    func hasRequest(after ordinal: Int) -> Bool
    /// Takes an encoded DeviceResponse.
    func take(_ response: [UInt8], to ordinal: Int, over transcript: SessionTranscript) async throws
    func note(_ event: SessionEvent) async
}
