import Codec

/// Runs the reader's side of one transaction: connects to the mdoc, asks, takes the answers, ends.
public struct ReaderDriver: Sendable {
    private let endpoint: any LinkEndpoint
    private let engagement: DeviceEngagement
    private let session: ReaderSession
    private let fitting: LinkFitting
    private let faults: FaultSet
    private let limits: SessionLimits

    /// - Parameter session: made from the same engagement.
    public init(
        endpoint: any LinkEndpoint, engagement: DeviceEngagement, session: ReaderSession, fitting: LinkFitting = LinkFitting(),
        faults: FaultSet = FaultSet(), limits: SessionLimits = SessionLimits()
    ) {
        self.endpoint = endpoint
        self.engagement = engagement
        self.session = session
        self.fitting = fitting
        self.faults = faults
        self.limits = limits
    }

    /// Opens the link and converses until either side ends. Cancelling says goodbye with status 20.
    /// - Throws: when the mdoc cannot be reached; what happens later is in the outcome.
    public func run(_ conversation: some ReaderConversation) async throws -> SessionOutcome {
        let ident = try Ident.of(eDeviceKeyBytes: engagement.eDeviceKeyBytes)
        var session = session
        let opened: any Link
        do throws(LinkError) { opened = try await endpoint.open(.reader, ident: ident) } catch {
            guard error.isFinding else { throw error }
            session.linkEnded(.broken(error, idleSeconds: 0), oddities: [])
            return SessionOutcome(checks: session.checks, failure: error, exchanges: 0)
        }
        let wire = Wire(fitting.fit(opened), limits: limits)
        await conversation.note(.connected)
        var (exchanges, end, failure): (Int, LinkEnd, (any Error)?) = (0, .orderly, nil)
        do {
            try give(up: .engagementTimeout)
            while !session.isEnded, let request = try await conversation.request(exchanges + 1, over: session.transcript) {
                try await send(request, ordinal: exchanges + 1, &session, wire, conversation)
                guard let message = try await wire.receive() else { throw LinkError.lost(.betweenMessages) }
                await conversation.note(.received(bytes: message.count))
                switch try session.receive(message, morePlanned: conversation.hasRequest(after: exchanges + 1)) {
                case .response(let response, _):
                    exchanges += 1
                    try await conversation.take(response, to: exchanges, over: session.transcript)
                case .terminated(let status):
                    await conversation.note(.terminated(by: .mdoc, status))
                }
            }
            end = try await finish(&session, wire, conversation)
        } catch {
            (failure, end) = (error, wire.end(error))
            await sayGoodbye(after: error, &session, wire)
        }
        await wire.link.close()
        session.linkEnded(end, oddities: await wire.link.oddities(), examined: await wire.link.examined())
        return SessionOutcome(checks: session.checks, failure: failure, exchanges: exchanges)
    }

    private func send(
        _ request: [UInt8], ordinal: Int, _ session: inout ReaderSession, _ wire: Wire, _ conversation: some ReaderConversation
    ) async throws {
        let message = try session.request(request, misuse: faults.misuse(role: .reader, ordinal: ordinal))
        if faults.spoilsEstablishment { session.expectError() }
        try await wire.send(message)
        await conversation.note(.sent(bytes: message.count))
        try give(up: .idleTimeout)
    }

    /// Ends the session from this side, unless the mdoc has, and sees how the mdoc takes it.
    private func finish(_ session: inout ReaderSession, _ wire: Wire, _ conversation: some ReaderConversation) async throws
        -> LinkEnd
    {
        try give(up: .readerNoTermination)
        // Whoever has the last word waits for the other to go.
        let hasMdocEnded = session.isEnded
        var ended = session
        if let goodbye = ended.terminate() {
            // A link that is already gone means that the mdoc left first; then the session has not ended by our word.
            try await wire.send(goodbye)
            session = ended
            await conversation.note(.terminated(by: .reader, .termination))
            if faults.contains(.dataAfterTermination) { try await wire.send(SessionData(data: goodbye).encodedCBOR) }
        }
        await wire.sayGoodbye(nil)
        if faults.contains(.noStateEnd) { return .orderly }
        let late = await wire.drain(hasPeerEnded: hasMdocEnded)
        for message in late.messages { _ = try session.receive(message) }
        return late.end.breaksRule ? late.end : .orderly
    }

    private func give(up fault: SessionFault) throws {
        if faults.contains(fault) { throw LinkError.closed }
    }

    /// Tells the mdoc why this side stops, as far as there is something to say.
    private func sayGoodbye(after error: any Error, _ session: inout ReaderSession, _ wire: Wire) async {
        switch error {
        case let error as SessionError: await wire.sayGoodbye(error.replyMessage)
        case let error as LinkError where !error.leavesLinkUsable: break
        default: await wire.sayGoodbye(session.terminate())
        }
    }
}

extension FaultSet {
    /// Whether the mdoc cannot but refuse the first message.
    fileprivate var spoilsEstablishment: Bool {
        [
            .establishmentTruncated, .snakeCaseKey, .readerKeyCurve, .readerKeyPoint, .requestBitflip, .firstMessage,
            .duplicateMapKey,
            .counterReused, .ivSwapped,
        ].contains(where: contains)
    }
}
