public import Codec
import Credentials
public import OpenID
public import Ports

/// A verifier as a person and a script see it: the page with its form, a page for each transaction, the JSON API, events, and under the
/// same address the protocol's own endpoints.
///
/// - `GET /`, `POST /transactions`, `GET /transactions/{id}`, `GET /transactions/{id}/events`: the pages.
/// - `POST /api/transactions`, `GET /api/transactions`, `GET /api/transactions/{id}`, `GET /api/transactions/{id}/events`: the same
///   for scripts.
/// - `GET|POST /request/{id}`, `POST /response/{id}`, `GET|POST /return/{id}`: for wallets and their browsers.
public final class VerifierSite: HTTPHandler {
    /// A way to ask: as whom, and by which rules.
    public struct Persona: Sendable {
        /// What the form and the API call it: `x509_hash`, `redirect_uri`, …
        public let name: String
        /// One line for the form.
        public let title: String
        public let verifier: VPVerifier

        public init(name: String, title: String, verifier: VPVerifier) {
            (self.name, self.title, self.verifier) = (name, title, verifier)
        }
    }

    /// A request that the form offers.
    public struct Template: Sendable {
        public let name: String
        /// One line for the form.
        public let title: String
        /// An order, see `VPOrder`.
        public let order: JSON

        public init(name: String, title: String, order: JSON) { (self.name, self.title, self.order) = (name, title, order) }
    }

    let personas: [Persona]
    let templates: [Template]
    let access: ControlGuard
    let hub: EventHub
    let ledger: TransactionLedger
    /// The path of the public URL, without a slash at the end.
    let base: String
    let origin: String
    let clock: any Clock
    let random: any RandomSource
    let pages: VerifierPages
    private let router: HTTPRouter

    /// - Parameters:
    ///   - personas: the first is the default; those that end in `+haip` follow HAIP 1.0.
    ///   - hub: told of by the `notice` of every verifier, see `VerifierSite.notice`.
    ///   - limit: transactions that are kept; a new one beyond puts the oldest out.
    ///   - annotate: explains a text or bytes of a message, as `inspect` does.
    public init(
        personas: [Persona], templates: [Template], url: WebURL, access: ControlGuard, hub: EventHub, store: any RecordTable,
        clock: any Clock,
        random: any RandomSource, limit: Int = 1000, annotate: @escaping @Sendable (String) -> Annotation?
    ) {
        (self.personas, self.templates, self.access, self.hub) = (personas, templates, access, hub)
        (self.clock, self.random) = (clock, random)
        base = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        origin = url.origin
        ledger = TransactionLedger(store: store, limit: limit)
        pages = VerifierPages(
            base: base, origin: origin, personas: personas.map { ($0.name, $0.title) }, templates: templates, annotate: annotate)
        var router = HTTPRouter(base: base)
        Assets.add(to: &router)
        self.router = router
    }

    /// What the verifiers tell: goes to the pages and scripts that listen, and to `tell`.
    public static func notice(
        _ hub: EventHub, _ tell: @escaping @Sendable (String, VPEvent) -> Void = { _, _ in }
    ) -> @Sendable (String, VPEvent) -> Void {
        { id, event in
            tell(id, event)
            for (name, data) in event.messages { hub.post(name, data, to: "api/\(id)") }
            hub.post("change", "", to: id)
        }
    }

    /// Learns what the store holds already: call it before the server answers.
    public func open() async throws(StoreError) {
        guard let verifier = personas.first?.verifier else { return }
        var known: [(id: String, created: Timestamp)] = []
        let ids: [String]
        do { ids = try await verifier.transactions() } catch { throw .unavailable("\(error)") }
        for id in ids {
            guard let transaction = try? await verifier.transaction(id) else { continue }
            known.append((id, transaction.created))
        }
        ledger.learn(known.sorted { ($0.created, $0.id) < ($1.created, $1.id) }.map(\.id))
    }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let steps = request.url.path.dropFirst(base.count).split(separator: "/").map(String.init)
        switch steps.first {
        case "request", "response": return await exchange(request, steps)
        case "return": return await comeBack(request, steps)
        case "assets", "favicon.ico": return await router.respond(to: request)
        default: break
        }
        if let refusal = access.refusal(of: request) { return refusal }
        let response = steps.first == "api" ? await api(request, Array(steps.dropFirst())) : await page(request, steps)
        return response
    }

    /// Makes a transaction as `POST /api/transactions` does.
    /// - Parameter json: an order (see `VPOrder`), besides `client_id_prefix` and `profile`.
    public func make(_ json: JSON) async throws(Refused) -> VPTransaction { try await begin(json, session: nil) }

    /// Why an order is not taken, for the person who gave it.
    public struct Refused: Error, Sendable, CustomStringConvertible {
        /// One sentence.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    // MARK: what pages and API share

    /// The persona that made a transaction, with the transaction.
    func find(_ id: String) async -> (Persona, VPTransaction)? {
        guard let first = personas.first, let transaction = try? await first.verifier.transaction(id) else { return nil }
        if let name = await ledger.persona(of: id), let persona = personas.first(where: { $0.name == name }) {
            return (persona, transaction)
        }
        // Made by another process on the same store: whoever has its client identifier answers for it.
        let own = personas.first {
            $0.verifier.settings.identity.clientID(for: transaction.responseURI).text == transaction.clientID
        }
        return (own ?? first, transaction)
    }

    /// Makes a transaction.
    /// - Parameter json: an order (see `VPOrder`), besides `client_id_prefix` and `profile`.
    func begin(_ json: JSON, session: String?) async throws(Refused) -> VPTransaction {
        guard var object = json.objectValue else { throw Refused("a JSON object is expected") }
        let persona = try persona(object["client_id_prefix"]?.stringValue, profile: object["profile"]?.stringValue)
        object["client_id_prefix"] = nil
        object["profile"] = nil
        var order: VPOrder
        do { order = try VPOrder(.object(object)) } catch { throw Refused("\(error)") }
        if object["request_uri_method"] == nil, persona.verifier.settings.identity.signer == nil { order.passing = .value }
        if order.isDigital, order.origins.isEmpty { order.origins = [origin] }
        let transaction: VPTransaction
        do { transaction = try await persona.verifier.begin(order, session: session) } catch { throw Refused("\(error)") }
        await ledger.add(transaction.id, persona: persona.name, until: persona.verifier.keptUntil(transaction)) { id in
            // What cannot be removed now is gone when it expires.
            try? await persona.verifier.forget(id)
        }
        return transaction
    }

    private func persona(_ prefix: String?, profile: String?) throws(Refused) -> Persona {
        guard profile == nil || profile == "haip" || profile == "plain" else { throw Refused("profile is plain or haip") }
        let suffix = profile == "haip" ? "+haip" : ""
        let wanted = prefix.map { $0 + suffix } ?? (profile == "haip" ? "x509_hash+haip" : personas.first?.name ?? "")
        guard let persona = personas.first(where: { $0.name == wanted }) else {
            throw Refused("client_id_prefix \(wanted) is not set up here: \(personas.map(\.name).joined(separator: ", "))")
        }
        return persona
    }

    /// Keeps a message for the page, as long as its transaction.
    func keep(_ name: String, _ bytes: [UInt8], of transaction: VPTransaction, _ persona: Persona) async {
        let message = TransactionLedger.Message(name, bytes, at: clock.now())
        await ledger.keep(message, of: transaction, until: persona.verifier.keptUntil(transaction))
    }

    // MARK: the protocol

    private func exchange(_ request: HTTPRequest, _ steps: [String]) async -> HTTPResponse {
        guard steps.count == 2, let (persona, transaction) = await find(steps[1]) else {
            return await personas.first?.verifier.respond(to: request) ?? .text("there is nothing here", status: 404)
        }
        let isResponse = steps[0] == "response"
        if isResponse { await keep("response", request.body, of: transaction, persona) }
        let response = await persona.verifier.respond(to: request)
        if !isResponse, response.isSuccess {
            await keep("request object", response.bytes, of: transaction, persona)
        }
        return response
    }

    /// The browser of the wallet's person comes back: with a response code, or with the response itself (fragment, query).
    private func comeBack(_ request: HTTPRequest, _ steps: [String]) async -> HTTPResponse {
        guard steps.count == 2, let (persona, transaction) = await find(steps[1]) else {
            return .text("there is no such transaction (any more)", status: 404)
        }
        let fields = (try? request.url.fields()) ?? [:]
        if let code = fields["response_code"], request.method == "GET" {
            let session = Cookies.value(Self.session, of: request)
            guard let result = try? await persona.verifier.redeem(code, for: transaction.id, session: session) else {
                return .text("the verifier cannot serve this now", status: 500)
            }
            if result.transaction != nil { return .redirect(to: "\(base)/transactions/\(transaction.id)") }
            return pages.notReturned(transaction, result.checks.checks).response(to: request, status: 403)
        }
        if request.method == "POST" { return await receive(Self.pasted(request), transaction, persona) }
        if fields["vp_token"] != nil || fields["response"] != nil || fields["error"] != nil {
            return await receive(fields, transaction, persona)
        }
        return pages.fragment(transaction).response(to: request)
    }

    /// What the page of the fragment sends: the fragment as one field.
    private static func pasted(_ request: HTTPRequest) -> FormFields {
        let form = String(validating: request.body, as: UTF8.self).flatMap { try? FormFields($0) }
        let text = form?["fragment"].map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
        return text.flatMap { try? FormFields($0) } ?? [:]
    }

    private func receive(_ fields: FormFields, _ transaction: VPTransaction, _ persona: Persona) async -> HTTPResponse {
        let url = persona.verifier.address("response", transaction.id)
        await keep("response", Array(fields.encoded.utf8), of: transaction, persona)
        let response = await persona.verifier.respond(to: .form(url, fields))
        guard response.isSuccess else { return response }
        return .redirect(to: "\(base)/transactions/\(transaction.id)")
    }

    /// The cookie that binds a transaction to the browser that made it.
    static let session = "walletbench_session"
}

extension VPEvent {
    /// As events of the API: name and JSON.
    fileprivate var messages: [(String, String)] {
        switch self {
        case .created: [("created", "{}")]
        case .fetched: [("fetched", "{}")]
        case .judged(let report):
            report.checks.map { ("check", $0.json().encoded()) } + [
                ("judged", JSON.object(["verdict": .string(report.verdict.rawValue)]).encoded())
            ]
        case .completed: [("completed", "{}")]
        case .rejected(let report): [("rejected", JSON.object(["checks": .array(report.checks.map { $0.json() })]).encoded())]
        case .returned: [("returned", "{}")]
        }
    }
}
