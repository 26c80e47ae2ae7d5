import Codec
public import Credentials
public import Crypto
public import Ports

/// The mdoc's side of one session (ISO/IEC 18013-5:2021 §9.1.1): takes session messages and says what to do. No I/O, no time.
public struct HolderSession: Sendable {
    /// What a message amounted to.
    public enum Event: Sendable {
        case request(SessionRequest)
        /// The reader ended the session.
        case terminated(SessionStatus)
    }

    private struct Established: Sendable {
        var cipher: SessionCipher
        let transcript: SessionTranscript
        let readerKey: PublicKey
    }

    private enum State: Sendable {
        case engaged
        case requested(Established)
        case answered(Established)
        case ended

        var name: String {
            switch self {
            case .engaged: "engaged"
            case .requested: "requested"
            case .answered: "answered"
            case .ended: "ended"
            }
        }
    }

    private let engagement: DeviceEngagement
    private let key: PrivateKey
    private let handover: Handover
    private var state = State.engaged
    private var hasReaderEnded = false
    private var found: SessionChecks

    /// - Parameter key: EDeviceKey, whose public part the engagement names.
    public init(engagement: DeviceEngagement, key: PrivateKey, handover: Handover = .qr, edition: Edition) {
        (self.engagement, self.key, self.handover) = (engagement, key, handover)
        found = SessionChecks(role: .mdoc, edition: edition)
    }

    /// Every check of the mdoc on session and transport, as it stands now.
    public var checks: CheckList { found.list }

    /// Whether the session is over.
    public var isEnded: Bool { if case .ended = state { true } else { false } }

    /// Takes a message from the reader.
    /// - Throws: what is wrong and, in `reply`, the status to send; the session is over then.
    public mutating func receive(_ message: [UInt8]) throws(SessionError) -> Event {
        do throws(SessionError) {
            switch state {
            case .engaged: return .request(try establish(message))
            case .requested: return try receiveEnd(message)
            case .answered(let established): return try receiveNext(message, established)
            case .ended: return try receiveLate(message)
            }
        } catch {
            state = .ended
            throw error
        }
    }

    /// Encrypts the response to the request at hand.
    /// - Parameters:
    ///   - response: an encoded DeviceResponse.
    ///   - status: 20 to end the session with it; normally nil, so that the reader may ask again.
    ///   - misuse: a mistake to make on purpose.
    /// - Returns: the SessionData to send.
    public mutating func respond(
        _ response: [UInt8], then status: SessionStatus? = nil, misuse: SessionCipher.Misuse? = nil
    ) throws(SessionError) -> [UInt8] {
        guard case .requested(var established) = state else { throw error(.outOfTurn) }
        do {
            let data = try established.cipher.seal(response, misuse: misuse)
            state = status == nil ? .answered(established) : .ended
            return SessionData(data: data, status: status).encodedCBOR
        } catch {
            defer { state = .ended }
            throw self.error(.own(error))
        }
    }

    /// Ends the session.
    /// - Returns: the message that tells the reader; nil when the session has not begun or is over.
    public mutating func terminate(_ status: SessionStatus = .termination) -> [UInt8]? {
        defer { state = .ended }
        switch state {
        case .engaged, .ended: return nil
        case .requested, .answered: return SessionData(status: status).encodedCBOR
        }
    }

    /// Takes note of how the link ended and of its parts' oddities.
    public mutating func linkEnded(_ end: LinkEnd, oddities: Set<GATTChannel.Oddity>, examined: Set<String> = []) {
        found.note(oddities, examined: examined)
        defer { state = .ended }
        if hasReaderEnded, oddities.contains(.endedWithoutState) {
            found.violate("P28", "no State 0x02 at the end of data retrieval (status 20 only)")
        }
        if case .ended = state { found.pass("P45") }
        guard case .broken(let error, let seconds) = end else {
            if case .answered = state { found.pass("P46") }
            return
        }
        found.note(error)
        guard error == .lost(.betweenMessages) else { return }
        switch state {
        case .engaged: if seconds < 30 { found.violate("P48.engagement", "peer gave up after \(seconds) s (≥ 30 s)") }
        case .requested: if seconds < 300 { found.violate("P48.idle", "peer gave up after \(seconds) s idle (≥ 300 s)") }
        case .answered: found.violate("P46", "reader closed without status, State 0x02 or new request; response delivered")
        case .ended: break
        }
    }

    /// After the end only the peer's own goodbye may still come, which crossed ours.
    private mutating func receiveLate(_ message: [UInt8]) throws(SessionError) -> Event {
        if SessionData.isGoodbye(message) { return .terminated(.termination) }
        found.violate("P45", "data after session termination")
        throw error(.afterEnd)
    }

    private func error(_ reason: SessionError.Reason) -> SessionError { SessionError(reason: reason, state: state.name) }

    private mutating func decode(_ message: [UInt8], _ structure: String) throws(SessionError) -> CBOR {
        do {
            let cbor = try CBOR(decoding: message)
            found.pass("P13", "P14")
            if let offset = cbor.firstNonPreferredOffset {
                found.violate("P13", "\(structure): indefinite length or long head at \(offset)")
            }
            return cbor
        } catch {
            if case .duplicateKey(let key) = error.reason { found.violate("P14", "\(structure): key \(key) twice") }
            throw self.error(.cbor(error))
        }
    }
}

/// The first message.
extension HolderSession {
    private mutating func establish(_ message: [UInt8]) throws(SessionError) -> SessionRequest {
        let establishment = try readEstablishment(try decodeEstablishment(message))
        let readerKey = try readKey(establishment)
        var established = try agree(establishment, readerKey)
        let bytes = try open(establishment.data, &established)
        return SessionRequest(ordinal: 1, bytes: bytes, transcript: established.transcript, readerKey: readerKey)
    }

    private mutating func decodeEstablishment(_ message: [UInt8]) throws(SessionError) -> CBOR {
        do throws(SessionError) {
            let cbor = try decode(message, "SessionEstablishment")
            found.pass("H2.cbor")
            return cbor
        } catch {
            found.violate("H2.cbor", "session establishment is not valid CBOR (status 11): \(error)")
            found.block("H2.shape", "H2.curve", "H2.point", "H2.form", "H3", by: "H2.cbor")
            throw error
        }
    }

    private mutating func readEstablishment(_ cbor: CBOR) throws(SessionError) -> SessionEstablishment {
        do {
            let establishment = try SessionEstablishment(cbor)
            found.pass("H2.shape", "P44")
            return establishment
        } catch {
            refuseShape(error.description)
            guard (try? SessionData(cbor)) != nil, (try? cbor["eReaderKey"]) == nil, (try? cbor["e_reader_key"]) == nil else {
                throw self.error(.shape(error.description))
            }
            found.violate("P44", "first message is not a session establishment")
            throw self.error(.notEstablishment(error.description))
        }
    }

    private mutating func refuseShape(_ what: String) {
        found.violate("H2.shape", "`eReaderKey` or `data` missing or mistyped (status 11): \(what)")
        found.block("H2.curve", "H2.point", "H2.form", "H3", by: "H2.shape")
    }

    private mutating func readKey(_ establishment: SessionEstablishment) throws(SessionError) -> PublicKey {
        do {
            let item = try CBOR(decoding: establishment.eReaderKeyBytes)
            let bytes = try EphemeralKeyBytes(item)
            guard bytes.publicKey.curve == key.curve else { throw EphemeralKeyBytes.Refusal.curve(bytes.publicKey.curve.rawValue) }
            found.pass("H2.curve", "H2.point", "H2.form")
            if bytes.isCompressed { found.violate("H2.form", "eReaderKey is compressed") }
            return bytes.publicKey
        } catch EphemeralKeyBytes.Refusal.curve(let name) {
            found.violate("H2.curve", "eReaderKey on \(name), mdoc asked \(key.curve.rawValue) (status 11)")
            found.block("H2.point", "H2.form", "H3", by: "H2.curve")
            throw error(.curve(found: name, wanted: key.curve.rawValue))
        } catch EphemeralKeyBytes.Refusal.point(let curve, _) {
            found.pass("H2.curve")
            found.violate("H2.point", "eReaderKey is no point of \(curve) (status 11)")
            found.block("H2.form", "H3", by: "H2.point")
            throw error(.point(curve: curve))
        } catch {
            refuseShape("\(error)")
            throw self.error(.shape("eReaderKey: \(error)"))
        }
    }

    private func agree(_ establishment: SessionEstablishment, _ readerKey: PublicKey) throws(SessionError) -> Established {
        do {
            let transcript = try handover.transcript(of: engagement, eReaderKeyBytes: establishment.eReaderKeyBytes)
            var secret = try key.agree(with: readerKey)
            defer { secret.erase() }
            let cipher = try SessionCipher(role: .mdoc, sharedSecret: secret, transcript: transcript)
            return Established(cipher: cipher, transcript: transcript, readerKey: readerKey)
        } catch let error as CryptoError {
            throw self.error(.own(error))
        } catch {
            throw self.error(.shape("\(error)"))
        }
    }
}

/// Further messages.
extension HolderSession {
    private mutating func receiveNext(_ message: [UInt8], _ established: Established) throws(SessionError) -> Event {
        let data = try readData(message)
        if let status = data.status { return try end(status) }
        var established = established
        let bytes = try open(data.data ?? [], &established)
        found.pass("P46")
        return .request(
            SessionRequest(
                ordinal: Int(established.cipher.receivedCount), bytes: bytes, transcript: established.transcript,
                readerKey: established.readerKey))
    }

    /// Before the response only an end may come.
    private mutating func receiveEnd(_ message: [UInt8]) throws(SessionError) -> Event {
        guard let status = try readData(message).status else { throw error(.outOfTurn) }
        return try end(status)
    }

    private mutating func readData(_ message: [UInt8]) throws(SessionError) -> SessionData {
        let cbor = try decode(message, "SessionData")
        if (try? cbor["eReaderKey"]) != nil {
            found.violate("P44", "a second session establishment came")
            throw error(.secondEstablishment)
        }
        do {
            return try SessionData(cbor)
        } catch {
            throw self.error(.shape(error.description))
        }
    }

    private mutating func end(_ status: SessionStatus) throws(SessionError) -> Event {
        found.pass("P46")
        guard status == .termination else { throw error(.peerStatus(status)) }
        state = .ended
        hasReaderEnded = true
        return .terminated(status)
    }

    private mutating func open(_ ciphertext: [UInt8], _ established: inout Established) throws(SessionError) -> [UInt8] {
        let ordinal = established.cipher.receivedCount + 1
        do {
            let plaintext = try established.cipher.open(ciphertext)
            state = .requested(established)
            found.pass("H3", "P41", "P42")
            if ordinal > 1 { found.pass("H15") }
            return plaintext
        } catch {
            found.violate("H3", "decryption failed at message \(ordinal) (status 10)\(error.diagnosis.explanation)")
            found.note(error, id: "H3")
            if case .counter = error.diagnosis, ordinal > 1 {
                found.violate("H15", "request \(ordinal) not under counter \(ordinal)")
            }
            throw self.error(.decryption(error))
        }
    }
}
