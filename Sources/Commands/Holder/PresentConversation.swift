import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Reports
import Vault

/// What `holder present` does with the requests of one session.
final class PresentConversation: HolderConversation {
    /// One request and what became of it.
    private struct Exchange {
        let request: SessionRequest
        var wanted: PresentationRequest?
        var reader: Proposal.Reader?
        var registration: RegistrationReport?
        /// Nil when nothing was released, by whomever's decision.
        var presentation: Presentation?
        var response: [UInt8] = []
    }

    private struct Findings {
        var checks: CheckList
        var exchanges: [Exchange] = []
    }

    private let setup: PresentSetup
    private let engagement: PresentSetup.Engagement
    private let console: Console
    private let findings: Locked<Findings>

    init(_ setup: PresentSetup, _ engagement: PresentSetup.Engagement, _ invocation: Invocation) {
        self.setup = setup
        self.engagement = engagement
        console = invocation.console
        findings = Locked(Findings(checks: CheckList(edition: setup.context.edition)))
    }

    func note(_ event: SessionEvent) async {
        switch event {
        case .connected:
            console.talk("a reader has connected")
            console.event(.connected, role: "holder")
            engagement.live.state("connected, waiting for its request")
        case .sent(let bytes):
            console.event(.sent, role: "holder", ["bytes": .integer(Int64(bytes))])
            engagement.live.state("\(bytes) bytes sent, waiting for the reader to end")
        case .received(let bytes): console.event(.received, role: "holder", ["bytes": .integer(Int64(bytes))])
        case .terminated(let role, let status):
            console.talk("the \(role == .mdoc ? "holder" : "reader") ended the session")
            console.event(
                .terminated, role: "holder",
                [
                    "by": .string(role == .mdoc ? "holder" : "reader"),
                    "status": status.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
                ])
        }
    }

    func answer(_ request: SessionRequest) async throws -> [UInt8]? {
        engagement.trace.record(.received, layer: "message", "DeviceRequest", request.bytes)
        findings.withLock { $0.exchanges.append(Exchange(request: request)) }
        let now = setup.context.clock.now()
        var report = await setup.statuses.checker.completed(
            setup.verifier.verify(request.bytes, over: request.transcript, at: now), at: now)
        if let registration = report.registration(by: setup.registrations, at: now) {
            report.record(await setup.statuses.checker.completed(registration, at: now))
        }
        let registration = report.registration
        note { $0.registration = registration }
        engagement.trace.record(
            decision: "RequestReport", report.checks.checks, notes: TracedDecision.registration(registration))
        let response = try await response(to: request, &report)
        let checks = report.checks
        findings.withLock { $0.checks.append(contentsOf: checks) }
        note { $0.response = response }
        engagement.trace.record(.sent, layer: "message", "DeviceResponse", response, isRedacted: !setup.context.reveals)
        return response
    }

    /// Records the transaction and says how it ended.
    func finish(_ outcome: SessionOutcome) async throws -> ExitCode {
        let findings = findings.withLock { $0 }
        var rule = VerdictRule(readerTrustEnforced: setup.verifier.policy == .require)
        rule.registrationEnforced = setup.registrations.policy == .enforce
        let report = PresentationReport(at: setup.context.clock.now(), rule: rule, checks: findings.checks)
            .adding(checks: outcome.checks)
        await record(findings.exchanges, outcome, report)
        await setup.statuses.remember()
        let refusals = findings.exchanges.prefix(outcome.exchanges).count { $0.presentation == nil }
        let unanswered = findings.exchanges.count - min(outcome.exchanges, findings.exchanges.count)
        console.failure(outcome.failure, role: "holder", at: engagement.place)
        PresentView(console).show(report, outcome, refusals: refusals)
        let isIncomplete = outcome.exchanges == 0 || refusals + unanswered > 0 || outcome.failure is SessionError
        return isIncomplete ? .refused : report.verdict.exitCode
    }

    private func record(_ exchanges: [Exchange], _ outcome: SessionOutcome, _ report: PresentationReport) async {
        let evidence = Evidence(name: "report.json", bytes: Array(report.json().encoded(pretty: true).utf8))
        for (position, exchange) in exchanges.enumerated() {
            let result: PresentationOutcome =
                position >= outcome.exchanges ? .failed : exchange.presentation == nil ? .refused : .sent
            let record = TransactionRecord(
                holderAt: setup.context.clock.now(), request: exchange.wanted, bytes: exchange.request.bytes,
                reader: exchange.reader, registration: exchange.registration, presentation: exchange.presentation, outcome: result)
            await setup.context.log(
                record,
                evidence: [
                    Evidence(name: "request.cbor", bytes: exchange.request.bytes),
                    Evidence(name: "response.cbor", bytes: exchange.response),
                    Evidence(name: "transcript.cbor", bytes: exchange.request.transcript.taggedBytes), evidence,
                    engagement.kept.evidence,
                ], in: setup.wallet.vault)
        }
        guard exchanges.isEmpty else { return }
        let record = TransactionRecord(
            holderAt: setup.context.clock.now(), request: nil, reader: nil, presentation: nil, outcome: .failed)
        await setup.context.log(record, evidence: [evidence, engagement.kept.evidence], in: setup.wallet.vault)
    }

    /// Changes what is known of the request at hand.
    private func note(_ change: @Sendable (inout Exchange) -> Void) {
        findings.withLock { findings in
            guard !findings.exchanges.isEmpty else { return }
            change(&findings.exchanges[findings.exchanges.count - 1])
        }
    }

    // MARK: The answer

    private func response(to request: SessionRequest, _ report: inout RequestReport) async throws -> [UInt8] {
        guard report.responseStatus == nil, let deviceRequest = report.request else {
            return refuse(
                "the request cannot be served", DeviceResponse(status: report.responseStatus ?? DeviceResponse.Status.generalError))
        }
        let wanted: PresentationRequest
        do { wanted = try PresentationRequest(deviceRequest, edition: setup.context.edition) } catch {
            return refuse(error.reason, Presenter.refusal(error))
        }
        let presenter = setup.presenter(for: request)
        let reader = report.reader.map { Proposal.Reader(name: $0.name, isTrusted: $0.isTrusted) }
        let proposal = presenter.propose(wanted, to: reader, from: try await setup.currentDocuments(for: .of(reader)))
        report.record(proposal, policy: presenter.policy, request: wanted)
        PresentView(console).show(proposal, report, ordinal: request.ordinal, revealing: setup.context.reveals)
        note { exchange in (exchange.wanted, exchange.reader) = (wanted, reader) }
        guard !report.isRefusedByPolicy else {
            let isUnregistered = report.registration.map { !$0.isGranted } ?? false
            return refuse(
                isUnregistered
                    ? "own policy: only a reader with a good registration is answered"
                    : "own policy: only a trusted reader is answered",
                Presenter.refusal(of: proposal))
        }
        guard !proposal.isEmpty else { return refuse("nothing that is asked can be answered", Presenter.refusal(of: proposal)) }
        guard let consent = await Consent.obtain(for: proposal, from: setup.consent, at: setup.context.clock.now()) else {
            // Cancelled: the reader has gone, or the person interrupts. Neither is a decision.
            try Task.checkCancellation()
            return refuse("consent was refused", Presenter.refusal(of: proposal))
        }
        try Task.checkCancellation()
        return try await present(consent, request, &report)
    }

    private func present(
        _ consent: Consent, _ request: SessionRequest, _ report: inout RequestReport
    ) async throws -> [UInt8] {
        let presenter: Presenter
        do {
            presenter = setup.presenter(for: request, try await setup.gate.unlocked(consent.chosen.map(KeyGate.Use.init)))
        } catch let refusal as KeyGate.Refusal {
            if let hint = refusal.hint { console.talk("hint: \(hint)") }
            return refuse(refusal.description, Presenter.refusal(of: consent.proposal))
        }
        try await takeCopies(for: consent, to: .of(consent.proposal.reader))
        let presentation: Presentation
        do {
            presentation = try await presenter.deviceResponse(consent, over: request.transcript, unlock: .automatic)
        } catch .withoutConsent(let element) {
            var checks = CheckList(edition: setup.context.edition)
            checks.fail("H14", "request", values: ["\(element.nameSpace)/\(element.identifier)"])
            findings.withLock { [checks] in $0.checks.append(contentsOf: checks) }
            return refuse("an element would leave without consent", Presenter.refusal(of: consent.proposal))
        } catch {
            throw CommandError("the response cannot be made: \(error)", hint: Self.mend(of: error))
        }
        let mayLeave = report.recordAnswer(presentation.bytes, consented: consented(consent, presentation))
        guard mayLeave || presenter.tampering.contains("ignore-maximum-size") else {
            return refuse("the response may not leave", Presenter.refusal(of: consent.proposal))
        }
        note { $0.presentation = presentation }
        show(presentation, consent)
        return presentation.bytes
    }

    private static func mend(of error: PresentationError) -> String? {
        switch error {
        case .key(.purposeConflict): "use --device-auth auto, or present a copy whose key is new: issuer mint --to-holder --batch 2"
        case .macNotPossible(let device, _):
            "use --device-auth signature, or a session on the key's curve: --curve \(device.rawValue)"
        case .cannotSign: "use --device-auth mac"
        default: nil
        }
    }

    /// Counts the use of every chosen copy, on disk, before bytes leave.
    private func takeCopies(for consent: Consent, to recipient: StoredDocument.Recipient) async throws {
        guard !setup.faults.content.contains("mso-reuse") else { return }
        for choice in consent.selection.choices {
            let entry = consent.proposal.entries.first { $0.request.id == choice.requestID }
            guard let document = entry?.options.first(where: { $0.number == choice.option })?.credential else { continue }
            let taken = try await setup.wallet.take(document.id, for: recipient, at: setup.context.clock.now())
            guard taken.keyID == document.keyID else {
                throw CommandError(
                    "document \(document.id): another process presented this copy meanwhile", hint: "run holder present again")
            }
        }
    }

    /// What may leave: what was agreed to, and what faults were ordered to add.
    private func consented(_ consent: Consent, _ presentation: Presentation) -> [DocType: [ElementReference]] {
        var all: [DocType: [ElementReference]] = [:]
        for choice in consent.selection.choices {
            let entry = consent.proposal.entries.first { $0.request.id == choice.requestID }
            all[entry?.request.docType ?? "", default: []] += choice.approved
        }
        if !setup.faults.content.faults.isEmpty {
            for disclosure in presentation.disclosures { all[disclosure.docType, default: []] += disclosure.elements }
        }
        return all
    }

    private func refuse(_ why: String, _ response: DeviceResponse) -> [UInt8] {
        console.out("nothing is released: \(why)")
        console.event(.consent, role: "holder", ["decision": "refused", "reason": .string(why)])
        return response.encodedCBOR
    }

    private func show(_ presentation: Presentation, _ consent: Consent) {
        let names = presentation.disclosures.flatMap { disclosure in disclosure.elements.map(\.identifier) }
        console.out("released: \(names.joined(separator: ", "))".replacingControlCharacters())
        if let withheld = presentation.withheld { console.out("withheld: \(withheld)") }
        var left = JSONObject()
        for disclosure in presentation.disclosures {
            var nameSpaces = JSONObject()
            for element in disclosure.elements {
                let known = nameSpaces[element.nameSpace]?.arrayValue ?? []
                nameSpaces[element.nameSpace] = .array(known + [.string(element.identifier)])
            }
            left[disclosure.docType] = .object(nameSpaces)
        }
        console.event(
            .consent, role: "holder", ["decision": "released", "by": .string(consent.by), "released": .object(left)])
    }
}

extension StoredDocument.Recipient {
    /// A reader is known by its name where its certificate is trusted; every other one is a stranger each time.
    static func of(_ reader: Proposal.Reader?) -> StoredDocument.Recipient {
        .party(reader.flatMap { $0.isTrusted ? $0.name : nil })
    }
}
