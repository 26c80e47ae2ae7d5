import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Reports
import Vault

/// One request of ISO/IEC TS 18013-7 Annex C (`org-iso-mdoc`) in `holder answer`, from opening it to the record in the log.
struct AnnexCConversation: Sendable {
    private let setup: AnswerSetup
    private let invocation: Invocation

    init(_ setup: AnswerSetup, _ invocation: Invocation) { (self.setup, self.invocation) = (setup, invocation) }

    private var console: Console { invocation.console }
    private var now: Timestamp { setup.context.clock.now() }

    /// What the record needs in the end.
    private struct Outcome {
        var report: RequestReport
        var wanted: PresentationRequest?
        var presentation: Presentation?
        var data: JSON?
        var evidence: [Evidence] = []
    }

    func run(_ data: JSON) async throws -> ExitCode {
        guard let origin = setup.origin else {
            throw CommandError.usage(
                "a request over the Digital Credentials API is bound to a page", hint: "name it with --origin URL")
        }
        let (info, request) = try Self.read(data)
        let transcript = try AnnexC.transcript(info, origin: origin)
        let verifier = RequestVerifier(readers: setup.settings.readers)
        var outcome = Outcome(report: verifier.verify(request, over: transcript, at: now))
        outcome.evidence = [
            Evidence(name: "request.cbor", bytes: request), Evidence(name: "transcript.cbor", bytes: transcript.taggedBytes),
        ]
        if let asked = outcome.report.request, outcome.report.responseStatus == nil {
            try await answer(PresentationRequest(asked, edition: setup.context.edition), &outcome, transcript)
            if let presentation = outcome.presentation {
                let ephemeral = try PrivateKey.generate(.p256, random: setup.context.random)
                outcome.data = [
                    "response": .string(try AnnexC.seal(presentation.bytes, info, origin: origin, ephemeral: ephemeral))
                ]
            }
        } else {
            refuse("the request cannot be served")
        }
        return await finish(outcome)
    }

    private static func read(_ data: JSON) throws(CommandError) -> (AnnexC.EncryptionInfo, [UInt8]) {
        guard let info = data["encryptionInfo"]?.stringValue, let request = data["deviceRequest"]?.stringValue else {
            throw .refused("\(AnnexC.protocolName): data has no deviceRequest or no encryptionInfo")
        }
        do { return (try AnnexC.EncryptionInfo(info), try Base64URL.decode(request)) } catch {
            throw .refused("\(AnnexC.protocolName): VD7.info \(error)")
        }
    }

    private func answer(
        _ wanted: PresentationRequest, _ outcome: inout Outcome, _ transcript: SessionTranscript
    ) async throws {
        let presenter = presenter(setup.wallet.keys)
        let reader = outcome.report.reader.map { Proposal.Reader(name: $0.name, isTrusted: $0.isTrusted) }
        let recipient = StoredDocument.Recipient.of(reader)
        let held = try await setup.credentials(for: recipient).compactMap(\.mdoc)
        let proposal: Proposal
        do {
            proposal = try presenter.propose(wanted, to: reader, from: held).choosing(setup.choices)
        } catch { throw CommandError.usage("--choose: \(error)") }
        outcome.wanted = wanted
        outcome.report.record(proposal, policy: presenter.policy, request: wanted)
        PresentView(console).show(proposal, outcome.report, ordinal: 1, revealing: setup.context.reveals)
        guard !proposal.isEmpty else { return refuse("nothing that is asked can be answered") }
        guard let consent = await Consent.obtain(for: proposal, from: setup.consent, at: now) else {
            try Task.checkCancellation()
            return refuse("the person refused")
        }
        do {
            let keys = try await setup.gate.unlocked(consent.chosen.map(KeyGate.Use.init))
            for credential in consent.chosen { try await setup.wallet.count(credential, for: recipient, at: now) }
            outcome.presentation = try await self.presenter(keys).deviceResponse(consent, over: transcript, unlock: .automatic)
        } catch let refusal as KeyGate.Refusal {
            if let hint = refusal.hint { console.talk("hint: \(hint)") }
            return refuse(refusal.description)
        } catch let error as PresentationError { throw CommandError("the response cannot be made: \(error)") }
        console.event(.consent, role: "holder", ["decision": "released", "by": .string(consent.by)])
    }

    private func presenter(_ keys: any KeyStore) -> Presenter {
        Presenter(keyStore: keys, deviceAuth: .signature, tampering: setup.tampering)
    }

    private func refuse(_ why: String) {
        console.out("nothing is released: \(why)".replacingControlCharacters())
        console.event(.consent, role: "holder", ["decision": "refused", "reason": .string(why)])
    }

    private func finish(_ outcome: Outcome) async -> ExitCode {
        if let data = outcome.data { console.out(data.encoded()) }
        let report = PresentationReport(at: now, rule: setup.settings.rule, checks: outcome.report.checks)
        let isAnswered = outcome.data != nil
        console.out(isAnswered ? "answered; checks: \(report.verdict.rawValue)" : "refused; checks: \(report.verdict.rawValue)")
        var object = report.json().objectValue ?? JSONObject()
        object["answered"] = .bool(isAnswered)
        object["protocol"] = .string(AnnexC.protocolName)
        object["data"] = outcome.data
        console.event(.report, role: "holder", object)
        let record = TransactionRecord(
            holderAt: now, request: outcome.wanted,
            reader: outcome.report.reader.map { Proposal.Reader(name: $0.name, isTrusted: $0.isTrusted) },
            presentation: outcome.presentation, outcome: isAnswered ? .sent : .refused)
        var evidence = outcome.evidence
        if let presentation = outcome.presentation { evidence.append(Evidence(name: "response.cbor", bytes: presentation.bytes)) }
        await setup.context.log(record, evidence: evidence, in: setup.wallet.vault)
        return isAnswered && report.verdict != .fail ? .done : .refused
    }
}
