import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Reports
import Vault

/// What `reader read` asks in one session and makes of the answers.
final class ReadConversation: ReaderConversation {
    private struct Findings {
        var report: PresentationReport?
        var requests: [DeviceRequest] = []
        var sent: [[UInt8]] = []
        var responses: [[UInt8]] = []
        var documents = 0
    }

    let driver: ReaderDriver
    let place: LinkPlace
    private let setup: ReadSetup
    private let key: PrivateKey
    private let trace: SessionTrace
    /// What `trace` has recorded, for the log.
    private let kept: KeptTrace
    private let console: Console
    let live: LiveLine
    private let findings = Locked(Findings())

    init(_ setup: ReadSetup, _ engagement: DeviceEngagement, _ eDeviceKey: PublicKey, _ invocation: Invocation) async throws {
        self.setup = setup
        console = invocation.console
        let context = setup.context
        key = try PrivateKey.generate(eDeviceKey.curve, random: context.random)
        kept = KeptTrace(passingTo: context.trace)
        trace = SessionTrace(
            sink: kept, session: Hex.encode(context.random.bytes(4)), role: .reader, clock: context.clock,
            faults: setup.faults.names)
        trace.record(.received, layer: "engagement", "DeviceEngagement", engagement.encoded)
        trace.record(key: key, "EReaderKey", revealing: context.reveals)
        live = LiveLine(console, role: "reader")
        let live = live
        let fitting = LinkFitting(trace: trace, faults: setup.faults.session, progress: { live.note($0) })
        let session = try ReaderSession(
            engagement: engagement, eDeviceKey: eDeviceKey, key: key, edition: context.edition,
            compressesKey: setup.faults.session.contains(.readerKeyCompressed))
        place = try await setup.place(engagement, fitting)
        driver = ReaderDriver(
            endpoint: place.endpoint, engagement: engagement, session: session, fitting: fitting,
            faults: setup.faults.session)
    }

    func note(_ event: SessionEvent) async {
        switch event {
        case .connected:
            console.talk("connected to the mdoc")
            console.event(.connected, role: "reader")
        case .sent(let bytes): console.event(.sent, role: "reader", ["bytes": .integer(Int64(bytes))])
        case .received(let bytes): console.event(.received, role: "reader", ["bytes": .integer(Int64(bytes))])
        case .terminated(let role, let status):
            if role == .mdoc { console.talk("the holder ended the session") }
            console.event(
                .terminated, role: "reader",
                [
                    "by": .string(role == .mdoc ? "holder" : "reader"),
                    "status": status.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
                ])
        }
    }

    func hasRequest(after ordinal: Int) -> Bool { ordinal < setup.requests.count }

    func request(_ ordinal: Int, over transcript: SessionTranscript) async throws -> [UInt8]? {
        guard setup.requests.indices.contains(ordinal - 1) else { return nil }
        let wanted = setup.requests[ordinal - 1]
        var docRequests: [DocRequest] = []
        for (ordinal, items) in setup.faults.request.spoil(wanted.items).enumerated() {
            let embedded = Embedded(setup.registration.adding(to: items, ordinal: ordinal))
            let signs = !setup.faults.request.contains(.noAuthentication)
            let readerAuth = signs ? try setup.identity?.sign(embedded, over: transcript, setup.faults.request) : nil
            docRequests.append(DocRequest(itemsRequest: embedded, readerAuth: readerAuth))
        }
        let info = setup.faults.request.spoil(wanted.deviceRequestInfo, count: docRequests.count).map { Embedded($0) }
        let request = DeviceRequest(
            docRequests: docRequests, deviceRequestInfo: info, readerAuthAll: try signAll(docRequests, info, transcript))
        let bytes = setup.faults.request.spoil(request)
        findings.withLock { findings in
            findings.requests.append(request)
            findings.sent.append(bytes)
        }
        trace.record(.sent, layer: "message", "DeviceRequest", bytes)
        console.event(.request, role: "reader", ["ordinal": .integer(Int64(ordinal)), "request": .object(wanted.json)])
        console.talk("asking for \(wanted.name), waiting for the holder")
        live.state("waiting for the response")
        return bytes
    }

    /// Only for an mdoc that says that it understands it (WD2 §9.1, capability 3).
    private func signAll(
        _ docRequests: [DocRequest], _ info: Embedded<DeviceRequestInfo>?, _ transcript: SessionTranscript
    ) throws -> [COSESign1] {
        guard setup.context.edition == .second, setup.review.engagement?.capabilities?[3] == true, let identity = setup.identity,
            !setup.faults.request.contains(.noAuthentication)
        else { return [] }
        return [try identity.signAll(docRequests, info, over: transcript, setup.faults.request)]
    }

    func take(_ response: [UInt8], to ordinal: Int, over transcript: SessionTranscript) async throws {
        trace.record(.received, layer: "message", "DeviceResponse", response, isRedacted: !setup.context.reveals)
        guard let request = findings.withLock({ $0.requests.last }) else { return }
        let verified = setup.trust.completed(
            await setup.statuses.checker.completed(
                setup.verifier.verify(
                    response, over: transcript, request: request, readerKey: key, at: setup.context.clock.now())))
        trace.record(decision: "PresentationReport", verified.checks, notes: TracedDecision.trust(in: verified))
        let documents = (try? DeviceResponse(decoding: response))?.documents ?? []
        let report = verified.appending(checks: await keyUse(documents))
        await record(response, request, ordinal, transcript, report)
        findings.withLock { findings in
            findings.responses.append(response)
            findings.documents += documents.count
            findings.report = findings.report?.merging(report) ?? report
        }
    }

    /// The whole report: engagement, session, responses.
    func finish(_ outcome: SessionOutcome) async -> ReadReport {
        let findings = findings.withLock { $0 }
        let cause = outcome.checks.checks.first { $0.outcome == .fail }?.id ?? "R4.before"
        let responses = findings.report ?? setup.reportWithoutResponse(because: cause)
        var before = setup.review.checks
        before.append(contentsOf: outcome.checks)
        return ReadReport(
            responses.adding(checks: before), responses: findings.responses.count, documents: findings.documents,
            failure: outcome.failure, place: place)
    }

    /// P49 for every document.
    private func keyUse(_ documents: [Document]) async -> CheckList {
        var checks = CheckList(edition: setup.context.edition)
        for document in documents {
            guard let key = try? document.issuerSigned.mobileSecurityObject().deviceKey,
                let form = document.deviceSigned?.deviceAuth.form
            else {
                checks.notRun("P49", document.docType, .notPresent)
                continue
            }
            if await setup.memory.note(deviceKey: key, form: form) {
                checks.pass("P49", document.docType)
            } else {
                checks.fail("P49", document.docType, values: [])
            }
        }
        return checks
    }

    private func record(
        _ response: [UInt8], _ request: DeviceRequest, _ ordinal: Int, _ transcript: SessionTranscript, _ report: PresentationReport
    ) async {
        guard let wanted = try? PresentationRequest(request, edition: setup.context.edition) else { return }
        let sent = findings.withLock { $0.sent.last } ?? []
        await setup.context.logReader(
            TransactionRecord(
                readerAt: setup.context.clock.now(), request: wanted, bytes: sent, response: response, report: report),
            evidence: [
                Evidence(name: "engagement.txt", bytes: Array(setup.text.utf8)), Evidence(name: "request.cbor", bytes: sent),
                Evidence(name: "response.cbor", bytes: response), Evidence(name: "transcript.cbor", bytes: transcript.taggedBytes),
                Evidence(name: "report.json", bytes: Array(report.json().encoded(pretty: true).utf8)), kept.evidence,
            ] + sessionKey(for: response))
    }

    /// The session's key when the response has a MAC, which cannot be checked again without it.
    private func sessionKey(for response: [UInt8]) -> [Evidence] {
        let documents = (try? DeviceResponse(decoding: response))?.documents ?? []
        guard documents.contains(where: { $0.deviceSigned?.deviceAuth.form == .mac }), let pem = try? key.pem() else { return [] }
        return [Evidence(name: "reader-key.pem", bytes: Array(pem.utf8))]
    }
}

extension PresentationReport {
    /// This report with further checks behind its own.
    fileprivate func appending(checks list: CheckList) -> PresentationReport {
        merging(PresentationReport(at: at, rule: rule, checks: list))
    }
}
