import Codec
import Credentials
import OpenID
import Ports
import Web

/// The issuer's pages and control API in front of its endpoints.
struct IssuerPages: HTTPHandler {
    private let issuer: VCIIssuer
    private let access: ControlGuard
    private let base: String
    private let router: HTTPRouter
    private let hub = EventHub()
    private let lists: IssuerLists
    private let offers: Locked<[String: MadeOffer]>

    init(issuer: VCIIssuer, lists: IssuerLists, access: ControlGuard, base: String, edition: Edition) {
        let offers = Locked<[String: MadeOffer]>([:])
        self.lists = lists
        (self.issuer, self.access, self.base, self.offers) = (issuer, access, base, offers)
        var router = HTTPRouter(base: base)
        let pages = IssuerPageText(issuer: issuer, base: base, messages: StepMarkup(edition: edition))
        let hub = hub
        func on(_ method: String, _ pattern: String, _ body: @escaping HTTPRouter.Body) {
            router.on(method, pattern) { request, parameters in
                if let refusal = access.refusal(of: request) { return refusal }
                return await body(request, parameters)
            }
        }
        Assets.add(to: &router)
        on("GET", "/") { request, _ in pages.front(request) }
        on("POST", "/control/offers") { request, _ in
            do throws(ControlError) {
                let made = try await Self.make(request, issuer)
                Self.keep(made, in: offers)
                return Self.isJSON(request)
                    ? .json(.object(made.facts), status: 201) : .redirect(to: "\(base)/issuances/\(made.issuance)")
            } catch { return .json(["error": "invalid_request", "error_description": .string(error.what)], status: 400) }
        }
        on("POST", "/control/switches") { request, _ in
            do throws(ControlError) {
                for (name, value) in try Self.fields(request) where !issuer.set(name, to: value) {
                    throw ControlError(what: "\(name) = \(value): no such switch or value")
                }
                return Self.isJSON(request) ? .json(pages.switches) : .redirect(to: "\(base)/")
            } catch { return .json(["error": "invalid_request", "error_description": .string(error.what)], status: 400) }
        }
        on("GET", "/control/switches") { _, _ in .json(pages.switches) }
        on("GET", "/control/issuances/{id}") { _, parameters in
            .json(["steps": .array(issuer.log.steps(of: parameters["id"]).map { .object($0.json) })])
        }
        on("GET", "/issuances/{id}") { request, parameters in
            let id = parameters["id"] ?? ""
            return pages.issuance(id, offers.withLock { $0[id] }, request)
        }
        on("GET", "/events/{id}") { _, parameters in hub.response(for: parameters["id"] ?? "") }
        self.router = router
    }

    /// What verifiers ask for goes to the lists, wallets' requests to the issuer; what a browser asks for, to the pages.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let list = await lists.respond(to: request) { return list }
        let path = request.url.path.hasPrefix(base) ? String(request.url.path.dropFirst(base.count)) : request.url.path
        let isPage =
            path.isEmpty || path == "/"
            || ["/control/", "/issuances/", "/events/", "/assets/", "/favicon.ico"].contains {
                path.hasPrefix($0)
            }
        return isPage ? await router.respond(to: request) : await issuer.respond(to: request)
    }

    /// Shows an offer that was made elsewhere.
    func add(_ made: MadeOffer) { Self.keep(made, in: offers) }

    private static func keep(_ made: MadeOffer, in offers: Locked<[String: MadeOffer]>) {
        offers.withLock { table in
            if table.count >= 1000 { table.removeAll() }
            table[made.issuance] = made
        }
    }

    /// Whether the wallet has told what became of every document of an issuance.
    func isComplete(_ issuance: String) -> Bool {
        IssuerPageText.isComplete(issuer.log.steps(of: issuance), offers.withLock { $0[issuance] })
    }

    /// Renews the pages that show a step's issuance.
    func tell(_ step: IssuanceLog.Step) {
        hub.post("change", to: step.issuance ?? "")
    }

    /// The page on which a person decides.
    static func consent(_ prompt: VCIIssuer.ConsentPrompt, base: String) -> String {
        let documents = prompt.configurations.map { "<li>\($0.displayName() ?? $0.id)</li>" as Markup }
        let head: Markup = """
            <h1>Issue to this wallet?</h1>
            <p class="lead">\(prompt.walletName ?? prompt.clientID) asks for:</p>
            <ul>\(documents)</ul>
            <form method="post" action="\(prompt.action)">
            <input type="hidden" name="id" value="\(prompt.id)">
            <div class="actions">
            <button name="decision" value="approve">Approve</button>
            <button class="quiet" name="decision" value="deny">Deny</button>
            </div>
            </form>
            """
        let page = Page(title: "Issue to this wallet?", head: head, base: base)
        guard let url = try? WebURL(prompt.action) else { return "" }
        return String(decoding: page.response(to: HTTPRequest("GET", url)).bytes, as: UTF8.self)
    }

    /// The page that sends a person to the wallet, to present something first.
    static func presentation(_ link: String, base: String) -> String {
        let head: Markup = """
            <h1>Show who you are first</h1>
            <p class="lead">This issuer wants a document from your wallet before it issues another one.</p>
            <div class="panel">
            <div class="actions"><a class="button" href="\(link)">Open the wallet on this device</a>
            <button type="button" class="quiet" data-copy="\(link)" hidden>Copy the link</button></div>
            <p class="meta">With this program as the wallet; the address that it prints goes on in this browser:</p>
            <code class="link" tabindex="0">walletbench holder answer '\(link)'</code>
            </div>
            """
        let page = Page(title: "Show who you are first", head: head, base: base)
        guard let url = try? WebURL("http://localhost\(base)/") else { return "" }
        return String(decoding: page.response(to: HTTPRequest("GET", url)).bytes, as: UTF8.self)
    }

    // MARK: Control API

    private struct ControlError: Error { let what: String }

    private static func isJSON(_ request: HTTPRequest) -> Bool { request.headers.mediaType == "application/json" }

    /// Names and values of a form or of a flat JSON object; lists repeat their name.
    private static func fields(_ request: HTTPRequest) throws(ControlError) -> [(String, String)] {
        guard isJSON(request) else {
            guard let form = try? FormFields(String(decoding: request.body, as: UTF8.self)) else {
                throw ControlError(what: "the form is malformed")
            }
            return form.pairs.map { ($0.name, $0.value) }
        }
        guard let object = (try? JSON.decode(request.body))?.objectValue else {
            throw ControlError(what: "the body is no JSON object")
        }
        return object.flatMap { name, value in
            (value.arrayValue ?? [value]).map { (name, $0.stringValue ?? $0.encoded()) }
        }
    }

    private static func make(_ request: HTTPRequest, _ issuer: VCIIssuer) async throws(ControlError) -> MadeOffer {
        let fields = try fields(request)
        func value(_ name: String) -> String? { fields.first { $0.0 == name && !$0.1.isEmpty && $0.1 != "null" }?.1 }
        let ids = fields.filter { $0.0 == "types" }.map(\.1)
        let code = value("txCode")
        do {
            return try await issuer.makeOffer(
                OfferOrder(
                    configurationIDs: ids.isEmpty ? ["mdl"] : ids, isPreAuthorized: value("grant") != "authorization-code",
                    transactionCode: code, isTextCode: code.map { !$0.allSatisfy(\.isNumber) } ?? false,
                    scheme: value("scheme") ?? CredentialOffer.schemes[0]))
        } catch { throw ControlError(what: "\(error)") }
    }
}

/// What the pages say.
struct IssuerPageText: Sendable {
    let issuer: VCIIssuer
    let base: String
    let messages: StepMarkup

    /// The switches with their values.
    var switches: JSON {
        let settings = issuer.settings
        return .object(JSONObject(IssuerSettings.switches.map { (key: $0.name, value: .string($0.value(in: settings))) }))
    }

    /// Where offers are made and everything is switched.
    func front(_ request: HTTPRequest) -> HTTPResponse {
        let settings = issuer.settings
        let types = settings.configurations.map { configuration -> Markup in
            let isFirst: Markup = configuration.id == "mdl" ? " checked" : ""
            return """
                <label class="choice"><input type="checkbox" name="types" value="\(configuration.id)"\(isFirst)>
                <span>\(configuration.displayName() ?? configuration.id) <span class="hint">\(configuration.format), \(configuration.type)</span></span></label>
                """
        }
        let head: Markup = """
            <h1>Test issuer</h1>
            <p class="lead">OpenID4VCI 1.0. The issuer is <code>\(settings.identifier)</code>; its documents are of invented people.</p>
            \(RegistrationAttestation.summaries(of: settings.issuerInfo).map { "<p class=\"meta\">Registered as \($0)</p>" as Markup })
            <form class="panel" method="post" action="\(base)/control/offers">
            <h2>Offer</h2>
            <div class="fields">
            <fieldset><legend>Documents</legend>\(types)</fieldset>
            <fieldset><legend>Grant</legend>
            <label class="choice"><input type="radio" name="grant" value="pre-authorized" checked> <span>pre-authorized code</span></label>
            <label class="choice"><input type="radio" name="grant" value="authorization-code"> <span>authorization code</span></label>
            </fieldset>
            <div><label for="code">Transaction code <span class="hint">with a pre-authorized code; empty for none</span></label>
            <input type="text" id="code" name="txCode" autocomplete="off" inputmode="numeric"></div>
            </div>
            <div class="actions"><button>Make the offer</button></div>
            </form>
            """
        return Page(
            title: "Test issuer", navigation: navigation, head: head, live: recent, foot: switchForm(settings), base: base
        ).response(to: request)
    }

    private var navigation: [(name: String, path: String)] { [("New offer", "\(base)/")] }

    /// The last issuances with what happened in them last.
    private var recent: Markup {
        let rows = issuer.log.newest(10).compactMap { id in issuer.log.steps(of: id).last.map { (id, $0) } }.map {
            id, step -> Markup in
            let isGood = step.error == nil && step.status < 400
            return """
                <tr><th scope="row"><a href="\(base)/issuances/\(id)"><code>\(id)</code></a></th>\
                <td><span class="outcome \(isGood ? "pass" : "fail")">\(step.endpoint) \(step.status)</span></td><td>\(step.detail)</td>\
                <td><time datetime="\(step.time.rfc3339)">\(step.time.rfc3339)</time></td></tr>
                """
        }
        guard !rows.isEmpty else { return .none }
        return """
            <section><h2>The last issuances</h2><div class="scroll"><table class="list">
            <thead><tr><th scope="col">Issuance</th><th scope="col">Last step</th><th scope="col">What it was</th><th scope="col">When</th></tr></thead>
            <tbody>\(rows)</tbody></table></div></section>
            """
    }

    private func switchForm(_ settings: IssuerSettings) -> Markup {
        let rows = IssuerSettings.switches.map { item -> Markup in
            let value = item.value(in: settings)
            let options = item.values.map { option -> Markup in
                let mark: Markup = option == value ? " selected" : ""
                return "<option\(mark)>\(option)</option>"
            }
            let field: Markup =
                item.values.isEmpty
                ? "<input type=\"text\" id=\"switch-\(item.name)\" name=\"\(item.name)\" value=\"\(value)\" inputmode=\"numeric\">"
                : "<select id=\"switch-\(item.name)\" name=\"\(item.name)\">\(options)</select>"
            return
                "<div><label for=\"switch-\(item.name)\">\(item.name) <span class=\"hint\">\(item.help)</span></label>\(field)</div>"
        }
        return """
            <form class="panel" method="post" action="\(base)/control/switches">
            <h2>Switches</h2>
            <div class="fields">\(rows)</div>
            <div class="actions"><button class="quiet">Apply</button></div>
            </form>
            """
    }

    /// One issuance: the offer to scan, and every step so far.
    func issuance(_ id: String, _ offer: MadeOffer?, _ request: HTTPRequest) -> HTTPResponse {
        let steps = issuer.log.steps(of: id)
        guard offer != nil || !steps.isEmpty else { return .text("there is no such issuance", status: 404) }
        let head: Markup = """
            <h1>Issuance</h1>
            \(offer.map(scan) ?? .none)
            """
        let isDone = Self.isComplete(steps, offer)
        let status = isDone ? "The wallet has told what became of every document." : "\(steps.count) steps so far."
        return Page(
            title: "Issuance", navigation: navigation, head: head, live: "\(list(steps))\(messages.section(steps))",
            events: isDone ? nil : "\(base)/events/\(id)", status: status, base: base
        ).response(to: request)
    }

    /// Whether the wallet has told what became of every document of the offer; of an offer that is not known, of one.
    static func isComplete(_ steps: [IssuanceLog.Step], _ offer: MadeOffer?) -> Bool {
        let told = steps.count { $0.endpoint == "notification" && $0.status == 204 }
        return told >= max(1, offer?.offer["credential_configuration_ids"]?.arrayValue?.count ?? 1)
    }

    private func scan(_ offer: MadeOffer) -> Markup {
        let code: Markup = offer.transactionCode.map { "<p>Transaction code: <strong>\($0)</strong></p>" } ?? .none
        return """
            <div class="panel split"><div>\(QRMarkup.code(offer.byReference, label: "The credential offer as a QR code"))</div>
            <div><h2>Scan it with the wallet</h2>\(code)
            <p>or give it to <code>walletbench holder accept</code>:</p>
            <span class="link" id="offer">\(offer.byReference)</span>
            <div class="actions"><button type="button" class="quiet" data-copy="\(offer.byReference)" hidden>Copy</button>
            <a class="button quiet" href="\(offer.byReference)">Open in a wallet on this device</a></div>
            </div></div>
            """
    }

    private func list(_ steps: [IssuanceLog.Step]) -> Markup {
        let rows = steps.map { step -> Markup in
            let findings = step.checks.filter(\.outcome.isViolation).map { check -> Markup in
                "<br><strong>\(check.outcome.word) \(check.id)</strong> \(check.name): \(check.reason ?? "")"
            }
            let error: Markup = step.error.map { " <code>\($0)</code>" } ?? .none
            let passed = step.checks.count { $0.outcome == .pass }
            let hint: Markup = passed == 0 ? .none : "<span class=\"hint\">\(passed) checks passed</span>"
            return """
                <li class="\(step.error == nil && step.status < 400 ? "pass" : "fail")"><span class="dot">\(step.error == nil ? "✓" : "!")</span>
                <span><strong>\(step.endpoint)</strong> \(step.status)\(error) \(step.detail)
                \(hint)\(findings)</span><time>\(step.time.rfc3339)</time></li>
                """
        }
        return "<div class=\"panel\"><h2>Steps</h2><ol class=\"steps\">\(rows)</ol></div>"
    }
}
