import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Reports
import Vault

/// One request of `holder answer`, from opening it to the record in the log.
struct AnswerConversation: Sendable {
    private let setup: AnswerSetup
    private let invocation: Invocation
    private let wallet: VPWallet
    private let transport: any HTTPTransport
    private let kept: KeptTrace
    private let trace: SessionTrace

    private var console: Console { invocation.console }
    private var now: Timestamp { setup.context.clock.now() }

    init(_ setup: AnswerSetup, _ invocation: Invocation, transport: any HTTPTransport) {
        self.setup = setup
        self.invocation = invocation
        wallet = VPWallet(setup.settings, random: setup.context.random)
        kept = KeptTrace(passingTo: setup.context.trace)
        trace = SessionTrace(
            sink: kept, session: Codec.Hex.encode(setup.context.random.bytes(4)), role: "holder", clock: setup.context.clock,
            faults: setup.settings.faults.names)
        self.transport = TracedTransport(transport, trace: trace, isRevealed: setup.context.reveals)
    }

    /// What the record and the report need in the end.
    private struct Outcome {
        var checks: CheckList
        var request: VPRequest?
        var registration: RegistrationReport?
        var proposal: Proposal?
        var answer: VPAnswer?
        var delivered: VPDelivered?
        var refusal: VPRefusal?
        var evidence: [Evidence] = []
    }

    func run(_ input: RequestInput) async throws -> ExitCode { try await answer(input).exit }

    /// Answers a request, maybe in the middle of something else.
    /// - Returns: how it ended, and where the verifier wants the browser to go on.
    func answer(_ input: RequestInput) async throws -> (exit: ExitCode, place: String?) {
        let resolution = await wallet.resolve(input, origin: setup.origin, over: transport, at: now)
        var outcome = Outcome(checks: resolution.checks)
        outcome.evidence = resolution.evidence.map { Evidence(name: $0.name, bytes: $0.bytes) }
        let registrations = wallet.registrations(of: resolution, at: now)
        if let registration = await setup.statuses.checker.completed(registrations, at: now) {
            outcome.checks.append(contentsOf: registration.checks)
            outcome.registration = registration
        }
        trace.record(
            decision: "RequestReport", outcome.checks.checks, notes: TracedDecision.registration(outcome.registration))
        switch resolution.result {
        case .failure(let refusal): outcome.refusal = refusal
        case .success(let request):
            outcome.request = request
            try await answer(request, &outcome)
            await setup.remember(request)
        }
        if let refusal = outcome.refusal { try await refuse(refusal, &outcome) }
        await setup.statuses.remember()
        return (try await finish(outcome), outcome.delivered?.redirectURI)
    }

    // MARK: the answer

    private func answer(_ request: VPRequest, _ outcome: inout Outcome) async throws {
        let recipient = StoredDocument.Recipient.of(request.client)
        let proposal = try proposal(request, from: try await setup.credentials(for: recipient), outcome)
        outcome.checks.append(contentsOf: proposal.checks)
        outcome.proposal = proposal.proposal
        AnswerView(console).show(
            request, proposal.proposal, outcome.checks, outcome.registration, revealing: setup.context.reveals)
        let faults = setup.settings.faults
        if faults.contains("wallet-error") || faults.contains("wallet-error-known") {
            return outcome.refusal = wallet.refusal(of: request, "VW30", "the person refused")
        }
        if let refusal = wallet.refusal(of: request, for: outcome.registration) ?? proposal.refusal {
            return outcome.refusal = refusal
        }
        guard let consent = await Consent.obtain(for: proposal.proposal, from: setup.consent, at: now) else {
            try Task.checkCancellation()
            return outcome.refusal = refused(request, "the person refused", &outcome)
        }
        do {
            let keys = try await setup.gate.unlocked(consent.chosen.map(KeyGate.Use.init))
            let presenter = Presenter(keyStore: keys, tampering: setup.tampering)
            let answer = try await wallet.answer(request, consent, presenter: presenter, at: now)
            outcome.checks.append(contentsOf: answer.checks)
            outcome.checks.pass("VW30", "request")
            for credential in consent.chosen { try await setup.wallet.count(credential, for: recipient, at: now) }
            outcome.answer = answer
            console.event(.consent, role: "holder", ["decision": "released", "by": .string(consent.by)])
            try await deliver(answer, request, &outcome)
        } catch let failure as VPConductFailure {
            outcome.checks.append(contentsOf: failure.checks)
            outcome.refusal = failure.refusal
        } catch let refusal as KeyGate.Refusal {
            if let hint = refusal.hint { console.talk("hint: \(hint)") }
            outcome.refusal = refused(request, refusal.description, &outcome)
        } catch let error as PresentationError {
            throw CommandError("the response cannot be made: \(error)", hint: Self.mend(of: error))
        }
    }

    /// What can be answered, as --choose wants it.
    /// - Throws: exit code 2 when it names what is not there; what is there was shown then.
    private func proposal(_ request: VPRequest, from held: [HeldCredential], _ outcome: Outcome) throws -> VPProposal {
        let presenter = Presenter(keyStore: setup.wallet.keys, tampering: setup.tampering)
        do {
            return try wallet.propose(request, from: held, presenter: presenter, choosing: setup.choices)
        } catch {
            if let free = try? wallet.propose(request, from: held, presenter: presenter) {
                AnswerView(console).show(
                    request, free.proposal, outcome.checks, outcome.registration, revealing: setup.context.reveals)
            }
            throw CommandError.usage("--choose: \(error)", hint: "the numbers are those that are shown")
        }
    }

    private static func mend(of error: PresentationError) -> String? {
        switch error {
        case .key(.purposeConflict): "the key has made a MAC before: present a copy whose key is new"
        default: nil
        }
    }

    private func refused(_ request: VPRequest, _ why: String, _ outcome: inout Outcome) -> VPRefusal {
        outcome.checks.fail("VW30", "request", values: [], detail: why)
        return wallet.refusal(of: request, "VW30", why)
    }

    private func deliver(_ answer: VPAnswer, _ request: VPRequest?, _ outcome: inout Outcome) async throws {
        outcome.evidence.append(Evidence(name: "response.json", bytes: Array(answer.plain.encoded(pretty: true).utf8)))
        switch answer.delivery {
        case .redirect(let url):
            console.out("go on in the browser:")
            console.out(url)
        case .digital(let data): console.out(data.encoded())
        case .post(let post):
            if setup.settings.faults.contains("response-late") { try await waitUntilLate(request) }
            console.event(.sent, role: "holder", ["bytes": .integer(Int64(post.body.count)), "to": .string(post.url.description)])
            let delivered = await wallet.deliver(answer, over: transport)
            outcome.checks.append(contentsOf: delivered.checks)
            outcome.delivered = delivered
            if let place = delivered.redirectURI { await follow(place) }
        }
    }

    /// The fault `response-late`: nothing is sent before the request has expired.
    private func waitUntilLate(_ request: VPRequest?) async throws {
        guard let expiry = request?.parameters["exp"]?.intValue else { return }
        while setup.context.clock.now().secondsSince1970 <= expiry { try await Task.sleep(for: .milliseconds(200)) }
    }

    private func follow(_ place: String) async {
        let faults = setup.settings.faults
        console.out("the verifier wants the browser to go on at:")
        console.out(place)
        guard invocation.flag("follow"), !faults.contains("redirect-followed"), var url = try? WebURL(place) else { return }
        if faults.contains("response-code") { url = url.with(query: ["response_code": "another"]) }
        let answer: String
        do throws(HTTPError) { answer = "\(try await transport.send(HTTPRequest("GET", url)).status)" } catch {
            answer = "\(error)"
        }
        console.talk("followed: \(answer)")
    }

    // MARK: the end

    private func refuse(_ refusal: VPRefusal, _ outcome: inout Outcome) async throws {
        console.out("nothing is released: \(refusal.check) \(refusal.reason)".replacingControlCharacters())
        console.event(.consent, role: "holder", ["decision": "refused", "reason": .string("\(refusal.check) \(refusal.reason)")])
        guard let answer = try wallet.answer(refusal) else { return }
        try await deliver(answer, outcome.request, &outcome)
    }

    private func finish(_ outcome: Outcome) async throws -> ExitCode {
        let report = PresentationReport(at: now, rule: setup.settings.rule, checks: outcome.checks)
        for check in report.checks where check.outcome.isViolation {
            console.out("\(check.outcome.word)  \(check.id) \(check.name): \(check.reason ?? "")".replacingControlCharacters())
        }
        let isAnswered = outcome.answer != nil && outcome.refusal == nil
        let isReceived = outcome.delivered.map { $0.response?.status == 200 } ?? isAnswered
        console.out(isAnswered ? "answered; checks: \(report.verdict.rawValue)" : "refused; checks: \(report.verdict.rawValue)")
        var object = report.json().objectValue ?? JSONObject()
        object["answered"] = .bool(isAnswered)
        object["error"] = outcome.refusal?.code.map { .string($0.rawValue) } ?? .null
        object["redirect_uri"] = outcome.delivered?.redirectURI.map { .string($0) } ?? .null
        if case .redirect(let url)? = outcome.answer?.delivery { object["location"] = .string(url) }
        if case .digital(let data)? = outcome.answer?.delivery { object["data"] = data }
        if setup.settings.isPartial { object["partial"] = true }
        object["registration"] = outcome.registration?.shown ?? .null
        console.event(.report, role: "holder", object)
        await log(outcome, report, isAnswered && isReceived)
        return isAnswered && isReceived && report.verdict != .fail ? .done : .refused
    }

    private func log(_ outcome: Outcome, _ report: PresentationReport, _ isSent: Bool) async {
        let record = TransactionRecord(
            walletAt: now, client: outcome.request?.client, bytes: outcome.evidence.first { $0.name.hasPrefix("request.") }?.bytes,
            registration: outcome.registration, proposal: outcome.proposal, answer: outcome.answer,
            outcome: isSent ? .sent : outcome.answer == nil ? .refused : .failed)
        let evidence = Evidence(name: "report.json", bytes: Array(report.json().encoded(pretty: true).utf8))
        await setup.context.log(record, evidence: outcome.evidence + [evidence, kept.evidence], in: setup.wallet.vault)
    }
}

extension StoredDocument.Recipient {
    /// A verifier is known by the subject of its trusted certificate, as a reader is; else by its identifier, to which the answer is bound.
    static func of(_ client: VPClient) -> StoredDocument.Recipient {
        .party(client.certificate != nil && client.isTrusted == true ? client.name : client.identifier.text)
    }
}
