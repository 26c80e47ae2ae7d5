public import Codec
public import Crypto

/// What made a session message unacceptable, and what the peer is to be told: decided here, once, for both roles.
public struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was wrong.
    public enum Reason: Sendable, Equatable {
        /// The bytes are no CBOR.
        case cbor(CBORError)
        /// A member is missing or of the wrong type; says which.
        case shape(String)
        /// The first message is no SessionEstablishment; says why.
        case notEstablishment(String)
        /// A SessionEstablishment came in an established session.
        case secondEstablishment
        /// eReaderKey is on another curve than EDeviceKey.
        case curve(found: String, wanted: String)
        /// eReaderKey is no point of its curve.
        case point(curve: String)
        /// A message that does not open.
        case decryption(SessionCipher.Failure)
        /// The peer reports an error (10 or 11), or a status that is not defined and no data.
        case peerStatus(SessionStatus)
        /// A message after the session ended, by whichever side.
        case afterEnd
        /// A message when it was not the peer's turn: a request before the response to the one before, a response unasked.
        case outOfTurn
        /// Our own side cannot go on: no counter left, no key agreement possible.
        case own(CryptoError)
    }

    /// What was wrong.
    public let reason: Reason
    /// Which session state the message met, for people: `engaged`, `requested`, …
    public let state: String

    /// An error met in a session state.
    public init(reason: Reason, state: String) { (self.reason, self.state) = (reason, state) }

    /// The status to answer with; nil when there is nothing to say or nobody to say it to.
    public var reply: SessionStatus? {
        switch reason {
        case .cbor, .shape, .notEstablishment, .secondEstablishment, .curve, .point: .decodingError
        case .decryption: .encryptionError
        case .outOfTurn, .own: .termination
        case .peerStatus, .afterEnd: nil
        }
    }

    /// The message that carries `reply`; it goes out although the session is over.
    public var replyMessage: [UInt8]? { reply.map { SessionData(status: $0).encodedCBOR } }

    public var description: String {
        switch reason {
        case .cbor(let error): "the peer's session message is not valid CBOR: \(error)"
        case .shape(let what): "the peer's session message is malformed: \(what)"
        case .notEstablishment(let what): "the reader's first message is no session establishment: \(what)"
        case .secondEstablishment: "the reader sent a second session establishment"
        case .curve(let found, let wanted): "the reader's key is on \(found), the mdoc asked for \(wanted)"
        case .point(let curve): "the reader's key is no point of \(curve)"
        case .decryption(let failure): "the peer's message \(failure.ordinal) does not decrypt\(failure.diagnosis.explanation)"
        case .peerStatus(let status): "the peer ended the session with status \(status)"
        case .afterEnd: "the peer sent a message after the session had ended"
        case .outOfTurn: "a message came out of turn (session \(state))"
        case .own(let error): "\(error)"
        }
    }
}
