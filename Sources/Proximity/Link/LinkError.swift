/// Why a link stopped carrying messages.
public enum LinkError: Error, Sendable, Hashable {
    /// Where in the transfer the connection went away.
    public enum Moment: Sendable, Hashable {
        case beforeStart, betweenMessages
        /// In a message of which that many parts had come.
        case afterPart(Int)
    }

    /// The peer disconnected without ending the transfer.
    case lost(Moment)
    /// This end closed the link.
    case closed
    /// The task that waited was cancelled, which closes the link.
    case cancelled
    /// Nothing came, or nothing could be sent, for that many seconds.
    case timedOut(seconds: Int, doing: String)
    /// The peer began a message longer than this end accepts.
    case messageTooLong(limit: Int)
    /// A part starts with something else than 0x00 or 0x01; nil: it was empty.
    case partFirstByte(UInt8?)
    /// State held something else than 0x01 from the client or 0x02 from either end.
    case stateValue([UInt8])
    /// A part came before Start.
    case dataBeforeStart
    /// A part came after End.
    case dataAfterEnd
    /// A value came on a characteristic that this end sends on or that does not exist in this mode.
    case misplaced(GATTCharacteristic?)
    /// Ident is not what the engagement's key gives; the mdoc disconnects (§8.3.3.1.1.3).
    case identMismatch(found: [UInt8], expected: [UInt8])
    /// The operating system refused: address in use, connection refused, no route.
    case system(doing: String, code: Int32)
    /// The machine cannot do what is wanted; the mend says how it could.
    case environment(String, mend: String)
    /// The peer's service is not what the standard says.
    case service(check: String, String)
    /// Nobody advertised the service for that long.
    case notAdvertised(String, seconds: Int)
    /// On an L2CAP channel a message is not as long as its header says.
    case lengthHeader(said: Int, came: Int)
    /// The address of a link cannot be used.
    case address(String)
}

extension LinkError {
    /// Whether the peer can still be told that the session is over: it broke a rule of the transfer, or this end gave up.
    var leavesLinkUsable: Bool {
        switch self {
        case .lost, .closed, .identMismatch, .system, .address, .environment, .service, .notAdvertised: false
        case .cancelled, .timedOut, .messageTooLong, .partFirstByte, .stateValue, .dataBeforeStart, .dataAfterEnd, .misplaced,
            .lengthHeader:
            true
        }
    }

    /// Whether it is a rule that the peer broke before the transfer was open: then it belongs into the report.
    var isFinding: Bool {
        switch self {
        case .identMismatch, .service, .notAdvertised, .dataBeforeStart, .stateValue, .partFirstByte: true
        default: false
        }
    }
}
