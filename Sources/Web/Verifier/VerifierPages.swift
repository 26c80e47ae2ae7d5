import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Reports

/// The verifier's pages as markup.
struct VerifierPages: Sendable {
    let base: String
    let origin: String
    let personas: [(name: String, title: String)]
    let templates: [VerifierSite.Template]
    let annotate: @Sendable (String) -> Annotation?

    private var navigation: [(name: String, path: String)] { [("New request", "\(base)/")] }

    // MARK: the form

    func home(form: FormFields, error: String?, recent: [VPTransaction], at time: Timestamp) -> Page {
        Page(
            title: "Verifier", navigation: navigation,
            head: """
                <h1>Ask a wallet</h1>
                <p class="lead">Choose what to ask for, show the code to a wallet, and watch every check of its answer. Nothing here is for real \
                documents: keys and roots are made for tests.</p>
                \(error.map { "<div class=\"error\" role=\"alert\"><strong>This cannot be asked:</strong> \($0)</div>" as Markup })
                \(requestForm(form))
                """,
            live: list(recent, at: time), base: base)
    }

    private func requestForm(_ form: FormFields) -> Markup {
        let chosen = form["template"] ?? templates.first?.name
        let templates = templates.map { template -> Markup in
            "<option value=\"\(template.name)\" data-text=\"\(template.queryText)\"\(chosen == template.name ? " selected" : "" as Markup)>\(template.title)</option>"
        }
        return """
            <form class="panel" method="post" action="\(base)/transactions">
            <div class="fields">
            <div><label for="template">What to ask for</label><select id="template" name="template" data-fills="dcql">\(templates)</select></div>
            <div><label for="persona">As whom</label>\(select("persona", personas, form["persona"]))</div>
            <div><label for="mode">How the answer comes</label>\(select("response_mode", Self.modes, form["response_mode"], id: "mode"))</div>
            <div><label for="way">How the request goes</label>\(select("request_uri_method", Self.ways, form["request_uri_method"], id: "way"))</div>
            </div>
            <p><label class="choice"><input type="checkbox" name="same_device"\(form["same_device"] == nil ? "" : " checked" as Markup)> \
            <span>The wallet is on this device: it sends the browser back here</span></label></p>
            <details\(form["dcql"] == nil ? "" : " open" as Markup)><summary>Write the query, add transaction data</summary>
            <div class="fields">
            <div><label for="dcql">DCQL query <span class="hint">Empty: the template above</span></label>
            <textarea id="dcql" name="dcql" spellcheck="false">\(form["dcql"] ?? "")</textarea></div>
            <div><label for="data">Transaction data <span class="hint">A JSON object, or a list of them; type urn:walletbench:payment is known</span></label>
            <textarea id="data" name="transaction_data" spellcheck="false">\(form["transaction_data"] ?? "")</textarea></div>
            </div>
            <p><label for="client">Name shown to the wallet <span class="hint">client_metadata.client_name; nobody vouches for it</span></label>
            <input type="text" id="client" name="client_name" value="\(form["client_name"] ?? "")" autocomplete="off"></p>
            </details>
            <div class="actions"><button type="submit">Make the request</button></div>
            </form>
            """
    }

    private static let modes = [
        ("direct_post.jwt", "Posted, encrypted (direct_post.jwt)"), ("direct_post", "Posted, plain (direct_post)"),
        ("fragment", "In the browser's fragment"), ("fragment.jwt", "In the fragment, encrypted"),
        ("query", "In the browser's query"),
        ("query.jwt", "In the query, encrypted"), ("dc_api", "Digital Credentials API"),
        ("dc_api.jwt", "Digital Credentials API, encrypted"),
    ]

    private static let ways = [
        ("default", "As fits: by reference when signed"), ("get", "By reference, fetched by GET"),
        ("post", "By reference, fetched by POST with the wallet's nonce"), ("none", "All of it in the link"),
    ]

    private func select(_ name: String, _ choices: [(String, String)], _ chosen: String?, id: String? = nil) -> Markup {
        let options = choices.map { value, title -> Markup in
            "<option value=\"\(value)\"\(value == chosen ? " selected" : "" as Markup)>\(title)</option>"
        }
        return "<select id=\"\(id ?? name)\" name=\"\(name)\">\(options)</select>"
    }

    private func list(_ recent: [VPTransaction], at time: Timestamp) -> Markup {
        guard !recent.isEmpty else { return .none }
        let rows = recent.map { transaction -> Markup in
            let state = TransactionState(transaction, at: time)
            return """
                <tr><th scope="row"><a href="\(base)/transactions/\(transaction.id)">\(state.subject)</a></th>\
                <td><span class="outcome \(state.tone)">\(state.word)</span></td><td><code>\(transaction.mode.rawValue)</code></td>\
                <td><time datetime="\(transaction.created.rfc3339)">\(transaction.created.rfc3339)</time></td></tr>
                """
        }
        return """
            <section><h2>The last requests</h2><div class="scroll"><table class="list">
            <thead><tr><th scope="col">Asked for</th><th scope="col">State</th><th scope="col">Answer</th><th scope="col">Made</th></tr></thead>
            <tbody>\(rows)</tbody></table></div></section>
            """
    }

    // MARK: a transaction

    func transaction(
        _ transaction: VPTransaction, persona: String, digital: [DigitalRequest], messages: Markup, at time: Timestamp
    ) -> Page {
        let state = TransactionState(transaction, at: time)
        let path = "\(base)/transactions/\(transaction.id)"
        return Page(
            title: "\(state.word): \(state.subject)", navigation: navigation,
            head: """
                <h1>\(state.subject)</h1>
                <p class="meta">Asked as <strong>\(persona)</strong> · answer by <code>\(transaction.mode.rawValue)</code> · \
                id <code>\(transaction.id)</code></p>
                \(RegistrationAttestation.summaries(of: transaction.verifierInfo).map { "<p class=\"meta\">Registered as \($0)</p>" as Markup })
                """,
            live: """
                \(invitation(transaction, state, digital))
                \(steps(transaction, state))
                \(attempts(transaction))
                \(transaction.report.map { "<section aria-label=\"Result\">\(ReportMarkup($0).summary)</section>" as Markup })
                \(transaction.report.map { "<section><h2>Every check</h2>\(ReportMarkup($0).checks)</section>" as Markup })
                \(messages)
                """,
            events: state.isOpen ? "\(path)/events" : nil, status: state.sentence, base: base)
    }

    /// One form of a request over the Digital Credentials API: what its button says, and `{"protocol", "data"}`.
    struct DigitalRequest: Sendable {
        let title: String
        let request: JSON
    }

    /// The buttons that ask through the browser; the script switches them off where the browser cannot.
    private func browser(_ transaction: VPTransaction, _ digital: [DigitalRequest]) -> Markup {
        let answer = "\(base)/transactions/\(transaction.id)/digital"
        let buttons = digital.enumerated().map { place, form -> Markup in
            """
            <button type="button"\(place == 0 ? "" : " class=\"quiet\"" as Markup) data-digital="\(form.request.encoded())" \
            data-answer="\(answer)">\(form.title)</button>
            """
        }
        let requests = digital.enumerated().map { place, form -> Markup in
            """
            <details id="digital-\(place)"><summary>The request: \(form.title)</summary>\
            <code class="link" tabindex="0">\(form.request.encoded(pretty: true))</code></details>
            """
        }
        return """
            <section class="panel"><h2>Digital Credentials API</h2>
            <p>The browser asks the wallets that it knows, on this device or, by a code of its own, on another.</p>
            <div class="actions">\(buttons)</div>
            <noscript><p class="meta">These buttons need a script: no form can ask the browser.</p></noscript>
            <p class="meta" data-digital-missing hidden>This browser has no Digital Credentials API. With the request below another \
            page or <code>holder answer FILE --origin \(origin)</code> can ask and answer.</p>
            <p class="error" role="alert" data-digital-error hidden></p>
            \(requests)
            </section>
            """
    }

    private func invitation(_ transaction: VPTransaction, _ state: TransactionState, _ digital: [DigitalRequest]) -> Markup {
        guard state.isOpen else { return .none }
        guard digital.isEmpty else { return browser(transaction, digital) }
        return """
            <section class="panel split">
            <div>\(QRMarkup.code(transaction.link, label: "QR code of the request"))</div>
            <div>
            <h2>\(transaction.isSameDevice ? "Open the wallet" : "Show this to a wallet")</h2>
            <p>Scan the code with a wallet, or hand it the link. The page shows what comes of it by itself.</p>
            <code class="link" tabindex="0">\(transaction.link)</code>
            <div class="actions">
            <a class="button" href="\(transaction.link)">Open the wallet on this device</a>
            <button type="button" class="quiet" data-copy="\(transaction.link)" hidden>Copy the link</button>
            </div>
            <p class="meta">With this program as the wallet:</p>
            <code class="link" tabindex="0">walletbench holder answer '\(transaction.link)'</code>
            <p class="meta">Good until <time datetime="\(transaction.expires.rfc3339)">\(transaction.expires.rfc3339)</time>, for one answer.</p>
            </div>
            </section>
            """
    }

    private func steps(_ transaction: VPTransaction, _ state: TransactionState) -> Markup {
        struct Step { let tone, mark, text, time: String }
        var steps = [Step(tone: "pass", mark: "✔", text: "The request was made", time: transaction.created.rfc3339)]
        if transaction.passing != .value, transaction.mode.way != .digitalCredentials {
            let times = transaction.fetches == 1 ? "once" : "\(transaction.fetches) times"
            steps.append(
                transaction.fetches > 0
                    ? Step(
                        tone: transaction.fetches > 1 ? "warn" : "pass", mark: transaction.fetches > 1 ? "!" : "✔",
                        text: "A wallet fetched it \(times)", time: "")
                    : Step(tone: state.isOpen ? "now" : "notRun", mark: "2", text: "A wallet fetches it", time: ""))
        }
        switch state.kind {
        case .answered:
            steps.append(
                Step(tone: "pass", mark: "✔", text: "The answer came and was checked", time: transaction.answered?.rfc3339 ?? ""))
        case .refused:
            steps.append(
                Step(
                    tone: "warn", mark: "!", text: "The wallet said no: \(transaction.error ?? "")",
                    time: transaction.answered?.rfc3339 ?? ""))
        case .expired:
            steps.append(Step(tone: "fail", mark: "✘", text: "Nobody answered in time", time: transaction.expires.rfc3339))
        case .open:
            let isNext = steps.count == 1 || transaction.fetches > 0
            steps.append(
                Step(tone: isNext ? "now" : "notRun", mark: "\(steps.count + 1)", text: "The answer comes and is checked", time: "")
            )
        }
        if transaction.isReturned {
            steps.append(Step(tone: "pass", mark: "✔", text: "The browser came back with its code", time: ""))
        }
        let items = steps.map { step -> Markup in
            """
            <li class="\(step.tone)"><span class="dot" aria-hidden="true">\(step.mark)</span><span>\(step.text)</span>\
            \(step.time.isEmpty ? Markup.none : "<time datetime=\"\(step.time)\">\(step.time)</time>" as Markup)</li>
            """
        }
        return "<section class=\"panel\" aria-label=\"Progress\"><ol class=\"steps\">\(items)</ol></section>"
    }

    private func attempts(_ transaction: VPTransaction) -> Markup {
        guard !transaction.attempts.isEmpty else { return .none }
        let items = transaction.attempts.map { attempt -> Markup in
            "<li class=\"fail\"><strong>\(attempt["error"]?.stringValue ?? "")</strong><br><span class=\"meta\">\(attempt["time"]?.stringValue ?? "")</span></li>"
        }
        return "<section><h2>Answers that did not count</h2><ul class=\"findings\">\(items)</ul></section>"
    }

    // MARK: on the way back

    /// Takes a response out of the fragment, which browsers do not send, and posts it.
    func fragment(_ transaction: VPTransaction) -> Page {
        Page(
            title: "Taking the answer", navigation: navigation,
            head: """
                <h1>Taking the answer</h1>
                <p class="lead">The wallet has put its answer behind the # of this page's address. A script sends it on; without one, paste that \
                part of the address here.</p>
                <form class="panel" method="post" action="\(base)/return/\(transaction.id)" data-fragment>
                <label for="fragment">What stands behind the #</label>
                <textarea id="fragment" name="fragment" spellcheck="false" autocomplete="off"></textarea>
                <div class="actions"><button type="submit">Send the answer</button></div>
                </form>
                """, base: base)
    }

    func notReturned(_ transaction: VPTransaction, _ checks: [Check]) -> Page {
        let reasons = checks.filter { $0.outcome == .fail }.map {
            "<li class=\"fail\"><strong>\($0.id) \($0.reason ?? $0.name)</strong></li>" as Markup
        }
        return Page(
            title: "Not shown", navigation: navigation,
            head: """
                <h1>This result is not for this browser</h1>
                <p class="lead">The answer arrived, but this is not the browser that asked, or the code was used before.</p>
                <ul class="findings">\(reasons)</ul>
                """, base: base)
    }

    var missing: Page {
        Page(
            title: "Not found", navigation: navigation,
            head: """
                <h1>There is nothing here</h1>
                <p class="lead">The transaction may have been put out by newer ones. <a href="\(base)/">Make a new request</a></p>
                """, base: base)
    }
}

extension VerifierSite.Template {
    /// The query for people to go on from.
    fileprivate var queryText: String { order["dcql_query"]?.encoded(pretty: true) ?? "" }
}

/// What a transaction has come to, in words.
struct TransactionState {
    enum Kind { case open, answered, refused, expired }

    let kind: Kind
    /// What was asked for: "Mobile driving licence and PID".
    let subject: String
    let word: String
    /// The class of the page's colours.
    let tone: String
    /// One sentence, for screen readers.
    let sentence: String

    var isOpen: Bool { kind == .open }

    init(_ transaction: VPTransaction, at time: Timestamp) {
        subject = Self.subject(transaction.query)
        let verdict = transaction.report?["verdict"]?.stringValue ?? "undetermined"
        switch transaction.status {
        case .answered:
            kind = .answered
            (word, tone) =
                verdict == "pass" ? ("passed", "pass") : verdict == "fail" ? ("failed", "fail") : ("undetermined", "undetermined")
            sentence = "The answer came; the verdict is \(word)."
        case .refused:
            (kind, word, tone) = (.refused, "refused", "warn")
            sentence = "The wallet answered with an error."
        case .waiting where transaction.isExpired(at: time):
            (kind, word, tone) = (.expired, "expired", "notRun")
            sentence = "Nobody answered in time."
        case .waiting:
            (kind, word, tone) = (.open, "waiting", "undetermined")
            sentence = transaction.fetches > 0 ? "A wallet has fetched the request." : "Waiting for a wallet."
        }
    }

    private static let names = ["urn:eudi:pid:1": "Person identification data (SD-JWT VC)"]

    private static func subject(_ query: DCQLQuery) -> String {
        let names = query.credentials.prefix(4).map { credential -> String in
            guard let type = credential.types?.first else { return credential.id }
            return DocumentDefinition.of(type)?.displayName ?? Self.names[type] ?? type
        }
        return names.joined(separator: query.credentialSets == nil ? " and " : " or ")
    }
}
