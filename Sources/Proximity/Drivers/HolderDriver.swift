import Codec
public import Crypto
public import Ports

/// Runs the mdoc's side of one transaction: waits for the reader, answers its requests, ends.
public struct HolderDriver: Sendable {
    private let endpoint: any LinkEndpoint
    private let engagement: DeviceEngagement
    private let key: PrivateKey
    private let edition: Edition
    private let fitting: LinkFitting
    private let faults: FaultSet
    private let limits: SessionLimits

    /// - Parameter key: EDeviceKey, made for this transaction.
    public init(
        endpoint: any LinkEndpoint, engagement: DeviceEngagement, key: PrivateKey, edition: Edition,
        fitting: LinkFitting = LinkFitting(), faults: FaultSet = FaultSet(), limits: SessionLimits = SessionLimits()
    ) {
        self.endpoint = endpoint
        self.engagement = engagement
        self.key = key
        self.edition = edition
        self.fitting = fitting
        self.faults = faults
        self.limits = limits
    }

    /// Opens the link and converses until either side ends. Cancelling says goodbye with status 20.
    /// - Throws: when no reader came; what happens later is in the outcome.
    public func run(_ conversation: some HolderConversation) async throws -> SessionOutcome {
        let ident = try Ident.of(eDeviceKeyBytes: engagement.eDeviceKeyBytes)
        var session = HolderSession(engagement: engagement, key: key, edition: edition)
        let opened: any Link
        do throws(LinkError) { opened = try await endpoint.open(.mdoc, ident: ident) } catch {
            guard error.isFinding else { throw error }
            session.linkEnded(.broken(error, idleSeconds: 0), oddities: [])
            return SessionOutcome(checks: session.checks, failure: error, exchanges: 0)
        }
        let wire = Wire(fitting.fit(opened), limits: limits)
        await conversation.note(.connected)
        var hasReaderEnded = false
        var (exchanges, end, failure): (Int, LinkEnd, (any Error)?) = (0, .orderly, nil)
        do {
            var next = try await wire.receive()
            while !session.isEnded, let message = next {
                await conversation.note(.received(bytes: message.count))
                switch try session.receive(message) {
                case .request(let request):
                    switch try await wire.listening(during: { try await conversation.answer(request) }) {
                    case .done(let response?):
                        try await send(response, to: request, &session, wire, conversation)
                        exchanges += 1
                        next = session.isEnded ? nil : try await wire.receive()
                    case .done(nil): await refuse(&session, wire, conversation)
                    case .heard(let message): next = message
                    }
                case .terminated(let status):
                    hasReaderEnded = true
                    await conversation.note(.terminated(by: .reader, status))
                }
            }
            let late = await wire.drain(hasPeerEnded: hasReaderEnded)
            for message in late.messages { _ = try session.receive(message) }
            if late.end.breaksRule { end = late.end }
            await wire.sayGoodbye(nil)
        } catch {
            (failure, end) = (error, wire.end(error))
            await sayGoodbye(after: error, &session, wire)
        }
        await wire.link.close()
        session.linkEnded(end, oddities: await wire.link.oddities(), examined: await wire.link.examined())
        return SessionOutcome(checks: session.checks, failure: failure, exchanges: exchanges)
    }

    private func send(
        _ response: [UInt8], to request: SessionRequest, _ session: inout HolderSession, _ wire: Wire,
        _ conversation: some HolderConversation
    ) async throws {
        if faults.contains(.closeBeforeResponse) {
            await wire.link.close()
            throw LinkError.closed
        }
        let misuse = faults.misuse(role: .mdoc, ordinal: request.ordinal)
        // A response that could not be sent has not been given.
        var answered = session
        let message = spoil(
            try answered.respond(response, then: faults.contains(.status20Early) ? .termination : nil, misuse: misuse))
        try await wire.send(message)
        session = answered
        await conversation.note(.sent(bytes: message.count))
        if faults.contains(.dataAfterTermination), let end = session.terminate() {
            try await wire.send(end)
            try await wire.send(message)
        }
        if faults.contains(.closeAfterResponse) {
            await wire.link.close()
            throw LinkError.closed
        }
    }

    /// The statuses that faults put on or in place of a response.
    private func spoil(_ message: [UInt8]) -> [UInt8] {
        guard var data = try? SessionData(decoding: message) else { return message }
        if faults.contains(.sendStatus10) { data = SessionData(status: .encryptionError) }
        if faults.contains(.statusWithData) { data.status = .encryptionError }
        if faults.contains(.statusUnknown) { data.status = SessionStatus(rawValue: 42) }
        return data.encodedCBOR
    }

    private func refuse(_ session: inout HolderSession, _ wire: Wire, _ conversation: some HolderConversation) async {
        await wire.sayGoodbye(session.terminate())
        await conversation.note(.terminated(by: .mdoc, .termination))
    }

    /// Tells the reader why this side stops, as far as there is something to say.
    private func sayGoodbye(after error: any Error, _ session: inout HolderSession, _ wire: Wire) async {
        switch error {
        case let error as SessionError:
            await wire.sayGoodbye(faults.contains(.silentDrop) ? nil : error.replyMessage)
        case let error as LinkError where !error.leavesLinkUsable:
            break
        default:
            await wire.sayGoodbye(session.terminate())
        }
    }
}
