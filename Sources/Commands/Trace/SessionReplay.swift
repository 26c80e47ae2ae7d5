import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// What of today's code a replay feeds.
struct ReplayBench: Sendable {
    let edition: Edition
    let responses: PresentationVerifier
    let requests: RequestVerifier
    /// Whether to try transcripts with known mistakes on what does not open.
    let explains: Bool
    /// What else a proof may cover.
    let handovers: HandoverOptions
}

/// The machine of either role, as a replay drives it.
private enum Machine {
    case holder(HolderSession)
    case reader(ReaderSession)

    enum Taken {
        case plaintext([UInt8], SessionTranscript, PublicKey?)
        case ended(SessionStatus)
    }

    mutating func receive(_ message: [UInt8]) throws(SessionError) -> Taken {
        switch self {
        case .holder(var session):
            defer { self = .holder(session) }
            switch try session.receive(message) {
            case .request(let request): return .plaintext(request.bytes, request.transcript, request.readerKey)
            case .terminated(let status): return .ended(status)
            }
        case .reader(var session):
            defer { self = .reader(session) }
            switch try session.receive(message) {
            case .response(let bytes, _): return .plaintext(bytes, session.transcript, nil)
            case .terminated(let status): return .ended(status)
            }
        }
    }

    mutating func send(_ plaintext: [UInt8], then status: SessionStatus?) throws(SessionError) -> [UInt8] {
        switch self {
        case .holder(var session):
            defer { self = .holder(session) }
            return try session.respond(plaintext, then: status)
        case .reader(var session):
            defer { self = .reader(session) }
            return try session.request(plaintext)
        }
    }

    mutating func terminate(_ status: SessionStatus) -> [UInt8]? {
        switch self {
        case .holder(var session):
            defer { self = .holder(session) }
            return session.terminate(status)
        case .reader(var session):
            defer { self = .reader(session) }
            return session.terminate(status)
        }
    }
}

/// Feeds what one side received in a recorded session to today's session machine and verifier, and makes what it sent again.
struct SessionReplay {
    private let traced: TracedSession
    private let role: MdocRole
    private let bench: ReplayBench
    private let key: PrivateKey
    private let engagement: DeviceEngagement
    private var machine: Machine
    /// What was opened last, not yet found among the recorded plaintexts.
    private var opened: (bytes: [UInt8], transcript: SessionTranscript, readerKey: PublicKey?)?
    private var plaintext: TraceEvent?
    private var failure: SessionError?
    private var request: DeviceRequest?
    private var decision: TracedDecision?
    private var steps: [ReplayStep] = []

    /// - Returns: every step; the framing first, then, where the trace has the key, the session.
    static func run(_ traced: TracedSession, _ bench: ReplayBench) -> [ReplayStep] {
        guard let role = traced.mdocRole else {
            return [ReplayStep(sequence: nil, what: "session", outcome: .notReplayed, detail: "of a role that has no replay")]
        }
        var steps = FramingReplay.run(traced, role: role)
        do throws(Obstacle) {
            var replay = try SessionReplay(traced, role, bench)
            for event in traced.events { replay.take(event) }
            return steps + replay.steps
        } catch {
            steps.append(ReplayStep(sequence: nil, what: "session", outcome: .notReplayed, detail: error.what))
            return steps
        }
    }

    private struct Obstacle: Error {
        let what: String
    }

    private init(_ traced: TracedSession, _ role: MdocRole, _ bench: ReplayBench) throws(Obstacle) {
        (self.traced, self.role, self.bench) = (traced, role, bench)
        guard let key = traced.key else {
            throw Obstacle(
                what: traced.isRedacted
                    ? "the trace is redacted: its session key is not in it, so that nothing below the framing can be replayed"
                    : "the trace has no session key: only --trace with --reveal records it")
        }
        guard let event = traced.events.first(where: { $0.layer == "engagement" }) else {
            throw Obstacle(what: "the trace has no engagement")
        }
        do {
            engagement = try DeviceEngagement(decoding: event.bytes)
            switch role {
            case .mdoc: machine = .holder(HolderSession(engagement: engagement, key: key, edition: bench.edition))
            case .reader:
                machine = .reader(
                    try ReaderSession(
                        engagement: engagement, eDeviceKey: try engagement.eDeviceKey().publicKey, key: key, edition: bench.edition,
                        compressesKey: traced.faults.contains(SessionFault.readerKeyCompressed.rawValue)))
            }
        } catch {
            throw Obstacle(what: "no session can be made of the recorded engagement: \(error)")
        }
        self.key = key
    }

    private mutating func take(_ event: TraceEvent) {
        switch (event.layer, event.direction) {
        case ("session", .received): receive(event)
        case ("session", .sent): send(event)
        case ("message", .received): open(event)
        case ("message", .sent):
            plaintext = event
            if role == .reader { request = try? DeviceRequest(decoding: event.bytes) }
        case ("decision", _): decide(event)
        default: break
        }
    }

    private mutating func add(_ event: TraceEvent, _ what: String, _ outcome: ReplayStep.Outcome, _ detail: String? = nil) {
        steps.append(ReplayStep(sequence: event.sequence, what: what, outcome: outcome, detail: detail))
    }

    // MARK: what came

    private mutating func receive(_ event: TraceEvent) {
        let wasOpened = plaintextFollows(event)
        do {
            switch try machine.receive(event.bytes) {
            case .plaintext(let bytes, let transcript, let readerKey):
                opened = (bytes, transcript, readerKey)
                add(
                    event, "\(event.name) received", wasOpened ? .same : .differs,
                    wasOpened ? "opens" : "opens today; the recorded run got nothing out of it")
            case .ended(let status):
                add(event, "\(event.name) received", wasOpened ? .differs : .same, "the peer ended the session, status \(status)")
            }
        } catch {
            failure = error
            let cause = bench.explains ? explanation(of: error, event) : nil
            add(
                event, "\(event.name) received", wasOpened ? .differs : .same,
                (wasOpened ? "refused today, and not then: " : "refused: ") + error.description + (cause.map { "; \($0)" } ?? ""))
        }
    }

    /// Whether the recorded run got a plaintext out of a message before the next one.
    private func plaintextFollows(_ event: TraceEvent) -> Bool {
        let later = traced.events.filter { $0.sequence > event.sequence && ["session", "message"].contains($0.layer) }
        return later.first.map { $0.layer == "message" && $0.direction == .received } ?? false
    }

    private mutating func open(_ event: TraceEvent) {
        guard let opened else { return add(event, event.name, .differs, "recorded, and nothing was opened today") }
        guard !event.isRedacted else { return add(event, event.name, .notReplayed, "redacted") }
        let differences = MessageComparison.differences(event.bytes, opened.bytes)
        add(event, "\(event.name) in it", differences.isEmpty ? .same : .differs, differences.first?.text)
        judge(event, opened)
    }

    /// Verifies what was opened as of the recorded time.
    private mutating func judge(
        _ event: TraceEvent, _ opened: (bytes: [UInt8], transcript: SessionTranscript, readerKey: PublicKey?)
    ) {
        let checks: [Check]
        switch role {
        case .mdoc: checks = bench.requests.verify(opened.bytes, over: opened.transcript, at: event.time).checks.checks
        case .reader:
            checks =
                bench.responses.verify(
                    opened.bytes, over: opened.transcript, request: request, readerKey: key,
                    mistakes: bench.explains ? bench.handovers.transcripts(besides: opened.transcript) : [], at: event.time
                ).checks
        }
        decision = TracedDecision(checks)
        if bench.explains { explain(checks, event) }
    }

    private mutating func decide(_ event: TraceEvent) {
        guard let now = decision, let recorded = event.annotation.map(TracedDecision.init) else {
            return add(event, event.name, .notReplayed, "nothing to compare it with")
        }
        let isSame = now == recorded
        add(
            event, "checks of \(event.name)", isSame ? .same : .differs,
            isSame ? now.text : "then: \(recorded.text); today: \(now.text)")
    }

    // MARK: what went

    private mutating func send(_ event: TraceEvent) {
        let what = "\(event.name) sent"
        let data = try? SessionData(decoding: event.bytes)
        if let data, data.data == nil, let status = data.status {
            let message = failure == nil ? machine.terminate(status) : failure?.replyMessage
            return compare(event, what, message ?? [])
        }
        guard let plaintext else { return add(event, what, .notReplayed, "the trace lacks its plaintext") }
        guard !plaintext.isRedacted else { return add(event, what, .notReplayed, "its plaintext is redacted") }
        do { compare(event, what, try machine.send(plaintext.bytes, then: data?.status)) } catch {
            add(event, what, .differs, "cannot be made today: \(error)")
        }
        self.plaintext = nil
    }

    private mutating func compare(_ event: TraceEvent, _ what: String, _ made: [UInt8]) {
        let differences = MessageComparison.differences(event.bytes, made)
        let fault = event.faults.isEmpty ? "" : " (faults were at work: \(event.faults.joined(separator: ", ")))"
        add(event, what, differences.isEmpty ? .same : .differs, differences.first.map { $0.text + fault })
    }

    // MARK: why

    /// The mistake in the peer's transcript with which its message opens.
    private func explanation(of error: SessionError, _ event: TraceEvent) -> String? {
        guard case .decryption(let failure) = error.reason, failure.ordinal == 1 else { return nil }
        guard failure.diagnosis == .none else { return nil }
        guard let (transcript, peer, data) = material(event) else { return nil }
        let mistakes = transcript.knownMistakes + bench.handovers.transcripts(besides: transcript)
        for mistake in mistakes {
            guard var secret = try? key.agree(with: peer) else { return nil }
            defer { secret.erase() }
            var cipher = try? SessionCipher(role: role, sharedSecret: secret, transcript: mistake.transcript)
            if (try? cipher?.open(data)) != nil { return "the peer's session keys are over \(mistake.name)" }
        }
        return "none of \(mistakes.count) known mistakes in the transcript opens it: altered, or of another session"
    }

    private func material(_ event: TraceEvent) -> (SessionTranscript, PublicKey, [UInt8])? {
        switch machine {
        case .holder:
            guard let establishment = try? SessionEstablishment(decoding: event.bytes),
                let transcript = try? Handover.qr.transcript(of: engagement, eReaderKeyBytes: establishment.eReaderKeyBytes),
                let peer = try? transcript.eReaderKey()?.publicKey
            else { return nil }
            return (transcript, peer, establishment.data)
        case .reader(let session):
            guard let peer = try? engagement.eDeviceKey().publicKey, let data = (try? SessionData(decoding: event.bytes))?.data
            else { return nil }
            return (session.transcript, peer, data)
        }
    }

    /// Which transcript device or reader authentication covers; the verifier names the mistake with which it verifies.
    private mutating func explain(_ checks: [Check], _ event: TraceEvent) {
        let proofs: Set<String> = role == .reader ? ["R24.signature", "R24.mac"] : ["H7.doc", "H7.all"]
        for check in checks where proofs.contains(check.id) {
            switch check.outcome {
            case .pass:
                add(event, "\(check.id) \(check.name)", .same, "verifies over the transcript of this session, \(check.subject)")
            case .fail, .warn:
                let reason = check.reason ?? "fails"
                let cause = reason.contains("verifies with") ? "" : "; no transcript with a known mistake verifies either"
                add(event, "\(check.id) \(check.name)", .same, "\(check.subject): \(reason)\(role == .reader ? cause : "")")
            case .notRun: break
            }
        }
    }
}
