import Codec
public import Credentials
public import Crypto
public import Ports

/// The reader's side of one session (ISO/IEC 18013-5:2021 §9.1.1): makes and takes session messages. No I/O, no time.
public struct ReaderSession: Sendable {
    /// What a message amounted to.
    public enum Event: Sendable {
        /// A decrypted DeviceResponse, not yet decoded, and the status that came with it.
        case response([UInt8], status: SessionStatus?)
        /// The mdoc ended the session.
        case terminated(SessionStatus)
    }

    private enum State: Sendable {
        case ready(SessionCipher)
        case requested(SessionCipher)
        case answered(SessionCipher)
        case ended

        var name: String {
            switch self {
            case .ready: "ready"
            case .requested: "requested"
            case .answered: "answered"
            case .ended: "ended"
            }
        }
    }

    /// What reader and device authentication cover.
    public let transcript: SessionTranscript
    private let eReaderKeyBytes: [UInt8]
    private var state: State
    private var found: SessionChecks
    private var hasResponse = false
    private var expectsError = false

    /// - Parameters:
    ///   - eDeviceKey: the key in the engagement.
    ///   - key: EReaderKey, made for this session on the same curve.
    ///   - compressesKey: sends EReaderKey compressed, which the standard does not allow, to see what the mdoc makes of it.
    public init(
        engagement: DeviceEngagement, eDeviceKey: PublicKey, key: PrivateKey, handover: Handover = .qr, edition: Edition,
        compressesKey: Bool = false
    ) throws(SessionError) {
        eReaderKeyBytes = compressesKey ? EphemeralKeyBytes.compressed(key.publicKey) : EphemeralKeyBytes(key.publicKey).encoded
        found = SessionChecks(role: .reader, edition: edition)
        do {
            transcript = try handover.transcript(of: engagement, eReaderKeyBytes: eReaderKeyBytes)
            var secret = try key.agree(with: eDeviceKey)
            defer { secret.erase() }
            state = .ready(try SessionCipher(role: .reader, sharedSecret: secret, transcript: transcript))
        } catch let error as CryptoError {
            throw SessionError(reason: .own(error), state: "new")
        } catch {
            throw SessionError(reason: .shape("\(error)"), state: "new")
        }
    }

    /// Every check of the reader on session and transport, as it stands now.
    public var checks: CheckList { found.list }

    /// Whether the session is over.
    public var isEnded: Bool { if case .ended = state { true } else { false } }

    /// Encrypts a request: as SessionEstablishment the first time, as SessionData after.
    /// - Parameters:
    ///   - request: an encoded DeviceRequest.
    ///   - misuse: a mistake to make on purpose.
    public mutating func request(_ request: [UInt8], misuse: SessionCipher.Misuse? = nil) throws(SessionError) -> [UInt8] {
        do {
            switch state {
            case .ready(var cipher):
                let data = try cipher.seal(request, misuse: misuse)
                state = .requested(cipher)
                return SessionEstablishment(eReaderKeyBytes: eReaderKeyBytes, data: data).encodedCBOR
            case .answered(var cipher):
                let data = try cipher.seal(request, misuse: misuse)
                state = .requested(cipher)
                return SessionData(data: data).encodedCBOR
            case .requested, .ended:
                throw error(.outOfTurn)
            }
        } catch let failure as CryptoError {
            throw error(.own(failure))
        } catch {
            throw self.error(.outOfTurn)
        }
    }

    /// Says that the establishment was spoilt on purpose, so that the mdoc owes an error status (P43).
    public mutating func expectError() { expectsError = true }

    /// Takes a message from the mdoc.
    /// - Parameter morePlanned: whether further requests are to follow; a status 20 that comes first is then worth a note.
    /// - Throws: what is wrong and, in `reply`, the status to send; the session is over then.
    public mutating func receive(_ message: [UInt8], morePlanned: Bool = false) throws(SessionError) -> Event {
        do throws(SessionError) {
            switch state {
            case .ready: throw error(.outOfTurn)
            case .requested(let cipher): return try receiveResponse(message, cipher, morePlanned: morePlanned)
            case .answered: return try receiveEnd(message)
            case .ended: return try receiveLate(message)
            }
        } catch {
            state = .ended
            throw error
        }
    }

    /// Ends the session.
    /// - Returns: the message that tells the mdoc; nil when the session has not begun or is over.
    public mutating func terminate(_ status: SessionStatus = .termination) -> [UInt8]? {
        defer { state = .ended }
        switch state {
        case .ready, .ended: return nil
        case .requested, .answered: return SessionData(status: status).encodedCBOR
        }
    }

    /// Takes note of how the link ended and of its parts' oddities.
    public mutating func linkEnded(_ end: LinkEnd, oddities: Set<GATTChannel.Oddity>, examined: Set<String> = []) {
        found.note(oddities, examined: examined)
        defer { state = .ended }
        if case .broken(let error, _) = end { found.note(error) }
        switch (state, end) {
        case (.ready, _): break
        case (.requested, _):
            withoutResponse("connection closed before a response")
            if expectsError { found.violate("P43", "bad establishment met with silence, status 10 or 11 expected") }
        case (.answered, .broken(let error, _)):
            found.pass("R4.before")
            guard case .lost = error else { break }
            found.violate("R4.after", "connection closed without termination, response was delivered")
        case (.answered, .orderly), (.ended, _):
            if hasResponse {
                found.pass("R4.before", "R4.after")
            } else if !found.isViolated("R4.before") {
                withoutResponse("the session ended before a response")
            }
            found.pass("P45")
        }
    }

    /// After the end only the peer's own goodbye may still come, which crossed ours.
    private mutating func receiveLate(_ message: [UInt8]) throws(SessionError) -> Event {
        if SessionData.isGoodbye(message) { return .terminated(.termination) }
        found.violate("P45", "data after session termination")
        throw error(.afterEnd)
    }

    private mutating func withoutResponse(_ why: String) {
        found.violate("R4.before", why)
        found.block("R1.cbor", "R1.shape", "R2", "P41", "P42", by: "R4.before")
    }

    private func error(_ reason: SessionError.Reason) -> SessionError { SessionError(reason: reason, state: state.name) }
}

extension ReaderSession {
    private mutating func receiveResponse(
        _ message: [UInt8], _ cipher: SessionCipher, morePlanned: Bool
    ) throws(SessionError) -> Event {
        let data = try decode(message)
        try judge(data)
        guard let ciphertext = data.data else {
            if !hasResponse { withoutResponse("session terminated before a response") }
            guard data.status == .termination else { throw error(.peerStatus(data.status ?? .termination)) }
            state = .ended
            return .terminated(.termination)
        }
        let response = try open(ciphertext, cipher, ends: data.status == .termination)
        hasResponse = true
        found.pass("P47")
        if data.status == .termination, morePlanned {
            found.violate("P47", "status 20 came with response \(cipher.receivedCount + 1) while more requests were planned")
        }
        return .response(response, status: data.status)
    }

    /// After a response the mdoc may still end the session, and nothing else.
    private mutating func receiveEnd(_ message: [UInt8]) throws(SessionError) -> Event {
        let data = try decode(message)
        try judge(data)
        guard let status = data.status, data.data == nil else { throw error(.outOfTurn) }
        guard status == .termination else { throw error(.peerStatus(status)) }
        state = .ended
        return .terminated(status)
    }

    private mutating func decode(_ message: [UInt8]) throws(SessionError) -> SessionData {
        let cbor: CBOR
        do {
            cbor = try CBOR(decoding: message)
            found.pass("R1.cbor", "P13", "P14")
            if let offset = cbor.firstNonPreferredOffset {
                found.violate("P13", "SessionData: indefinite length or long head at \(offset)")
            }
        } catch {
            if case .duplicateKey(let key) = error.reason { found.violate("P14", "SessionData: key \(key) twice") }
            found.violate("R1.cbor", "session data is not valid CBOR; status 11 sent: \(error)")
            found.block("R1.shape", "R2", by: "R1.cbor")
            unreadable()
            throw self.error(.cbor(error))
        }
        do {
            let data = try SessionData(cbor)
            found.pass("R1.shape")
            return data
        } catch {
            found.violate("R1.shape", "session data: \(error)")
            found.block("R2", by: "R1.shape")
            unreadable()
            throw self.error(.shape(error.description))
        }
    }

    /// R3: what the status says, whether or not data came with it.
    private mutating func judge(_ data: SessionData) throws(SessionError) {
        found.pass("R3.error", "R3.unknown", "R3.data")
        guard let status = data.status else { return }
        guard status.isError else {
            if status != .termination { found.violate("R3.unknown", "peer sent unknown status \(status)") }
            return
        }
        found.violate("R3.error", "peer sent status \(status)")
        if data.data != nil { found.violate("R3.data", "data present with status \(status)") }
        if expectsError { found.pass("P43") }
        found.block("R2", by: "R3.error")
        unreadable()
        throw error(.peerStatus(status))
    }

    private mutating func unreadable() {
        if !hasResponse { found.violate("R4.before", "session ended before a response could be read") }
    }

    private mutating func open(_ ciphertext: [UInt8], _ cipher: SessionCipher, ends: Bool) throws(SessionError) -> [UInt8] {
        var cipher = cipher
        let ordinal = cipher.receivedCount + 1
        do {
            let plaintext = try cipher.open(ciphertext)
            state = ends ? .ended : .answered(cipher)
            found.pass("R2", "P41", "P42")
            return plaintext
        } catch {
            found.violate("R2", "decryption failed at message \(ordinal); status 10 sent\(error.diagnosis.explanation)")
            found.note(error, id: "R2")
            unreadable()
            throw self.error(.decryption(error))
        }
    }
}
