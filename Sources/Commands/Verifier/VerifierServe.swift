import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Reports
import Vault
import Web

/// `walletbench verifier serve`
enum VerifierServe {
    static let command = Command(
        name: "serve", summary: "a verifier with its page and API",
        discussion: """
            Serves a page with a form (what to ask, as whom, how the answer comes), a page for each request with its QR code, progress, every \
            check, claims and annotated messages, the same as a JSON API (POST /api/transactions, GET /api/transactions/{id} and …/events), \
            and the endpoints that wallets use. What is asked and answered is kept in the home: a restart loses nothing. A home without a \
            verifier's certificate gets a test one. With another address than loopback, page and API need the token that the output shows; \
            wallets do not. --request makes a request at once; with --once the program ends after the first answer, 0 when its verdict is \
            pass, 1 when it is fail or the wallet refused, 4 when it is undetermined.
            """,
        examples: [
            Example("walletbench verifier serve --port 8080", "then open the page that it prints"),
            Example(
                "walletbench verifier serve --bind 0.0.0.0 --public-url https://192.168.1.20:8443 --port 8443 --tls tls.pem tls.key.pem"
            ),
            Example("walletbench verifier serve --request query.json --once --timeout 120 --json", "for scripts"),
        ],
        options: ServerSetup.options + VerifierIdentityChoice.options + VerifierSetup.registrationOptions + TrustSetup.options + [
            .choice("profile", ["haip"], "Ask by the stricter rules of HAIP 1.0 unless a request says otherwise"),
            .value(
                "request", "PRESET|FILE",
                "Make this request at once: \(VerifierPresets.names.joined(separator: ", ")), a DCQL query or an order (JSON)",
                kind: .file),
            .integer("keep", "N", "Requests that are kept; a new one beyond puts the oldest out", in: 1...100_000, default: 1000),
            .flag("once", "End after the first answer"),
            .integer("timeout", "SECONDS", "With --once: end when nobody has answered", in: 1...86_400),
            .file("report", "F", "With --once: also write the report: .html, .json, .xml (JUnit) or .txt", isRepeatable: true),
        ],
        run: run)

    /// What the verifiers tell, for the console and for `--once`.
    private struct Ended: Sendable {
        let id: String
        let report: PresentationReport?
    }

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let files = try invocation.strings("report").map { path throws(CommandError) in try ReportFile(path) }
        let first = try first(invocation)
        let setup = try ServerSetup(invocation)
        let store = try context.serviceVault()
        let hub = EventHub()
        let (ends, end) = AsyncStream<Ended>.makeStream()
        let judged = Locked<[String: PresentationReport]>([:])
        let console = invocation.console
        let notice = VerifierSite.notice(hub) { id, event in
            tell(id, event, console)
            if case .judged(let report) = event { judged.withLock { $0[id] = report } }
            if case .completed = event { end.yield(Ended(id: id, report: judged.withLock { $0.removeValue(forKey: id) })) }
        }
        let trust = try await VerifierTrust(invocation)
        let personas = try VerifierPersonas(invocation, trust, url: setup.listener.url, store: store, notice: notice)
        if let note = personas.note { console.talk("note: \(note)") }
        let edition = context.edition
        let site = VerifierSite(
            personas: personas.list, templates: VerifierPresets.names.compactMap(template), url: setup.listener.url,
            access: setup.access, hub: hub, store: store, clock: context.clock,
            random: context.random, limit: invocation.integer("keep") ?? 1000
        ) { text in
            guard let content = Sniffer.content(ofText: text)?.content else { return nil }
            return try? Inspection(edition: edition).annotate(Input(origin: "message", encodings: [], content: content))
        }
        do throws(StoreError) { try await site.open() } catch { throw CommandError.environment("the store of this home: \(error)") }
        let seconds = invocation.integer("timeout")
        let isOnce = invocation.flag("once")
        let ended = try await setup.serve(site, role: "verifier", invocation) { () async throws -> Ended? in
            if let first {
                do throws(VerifierSite.Refused) { show(try await site.make(first), setup, invocation) } catch {
                    throw CommandError.refused("--request: \(error)")
                }
            }
            return try await wait(isOnce: isOnce, seconds: seconds) {
                await logged(ends, personas.list.first?.verifier, context, isOnce: isOnce)
            }
        }
        guard let report = ended?.report else { return .refused }
        for file in files { try file.write(report, redacting: false, faults: context.faults.map(\.text)) }
        return report.verdict.exitCode
    }

    /// What `--request` asks at once: a preset, or a file.
    private static func first(_ invocation: Invocation) throws(CommandError) -> JSON? {
        guard let name = invocation.string("request") else { return nil }
        if let preset = VerifierPresets.json(name) { return preset }
        return try InputReader.read(name).json(as: "a request")
    }

    /// Records every answer; returns the first with `--once`, else nil in the end.
    private static func logged(
        _ ends: AsyncStream<Ended>, _ verifier: VPVerifier?, _ context: Context, isOnce: Bool
    ) async -> Ended? {
        let log = VerifierLog(context: context)
        for await ended in ends {
            if let transaction = try? await verifier?.transaction(ended.id) { await log.record(transaction, ended.report) }
            if isOnce { return ended }
        }
        return nil
    }

    private static func template(_ name: String) -> VerifierSite.Template? {
        VerifierPresets.json(name).map { .init(name: name, title: VerifierPresets.title(name), order: $0) }
    }

    /// The first answer with `--once`, else for ever.
    private static func wait(
        isOnce: Bool, seconds: Int?, for ends: @escaping @Sendable () async -> Ended?
    ) async throws -> Ended? {
        try await withThrowingTaskGroup(of: Ended?.self) { group in
            group.addTask { await ends() }
            if isOnce, let seconds {
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    throw CommandError.refused(
                        "nobody answered within \(seconds) seconds", hint: "a wallet answers with: walletbench holder answer LINK")
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private static func show(_ transaction: VPTransaction, _ setup: ServerSetup, _ invocation: Invocation) {
        let page = "\(setup.base)/transactions/\(transaction.id)"
        invocation.console.event(
            .request, role: "verifier",
            ["id": .string(transaction.id), "link": .string(transaction.link), "page": .string(page)])
        guard !invocation.console.isJSON else { return }
        invocation.console.out("the request: \(transaction.link)")
        invocation.console.out("its page: \(page)")
    }

    private static func tell(_ id: String, _ event: VPEvent, _ console: Console) {
        let name: JSONObject = ["id": .string(id)]
        switch event {
        case .created: break
        case .fetched:
            console.event(.connected, role: "verifier", name)
            console.talk("\(id): a wallet fetched the request")
        case .judged(let report):
            var object = report.json().objectValue ?? JSONObject()
            object["id"] = .string(id)
            console.event(.report, role: "verifier", object)
            console.talk("\(id): verdict \(report.verdict.rawValue)")
        case .completed: console.event(.terminated, role: "verifier", name)
        case .rejected(let report):
            let failed = report.checks.first { $0.outcome == .fail }
            let reason = failed.map { "\($0.id) \($0.reason ?? $0.name)" } ?? ""
            console.event(.error, role: "verifier", ["id": .string(id), "error": .string(reason)])
            console.talk("\(id): an answer that does not count: \(reason)")
        case .returned: console.talk("\(id): the browser came back")
        }
    }
}
