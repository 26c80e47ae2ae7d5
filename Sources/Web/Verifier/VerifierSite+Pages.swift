import Codec
import OpenID
import Ports

extension VerifierSite {
    /// The pages, after the guard.
    func page(_ request: HTTPRequest, _ steps: [String]) async -> HTTPResponse {
        switch (request.method, steps.count, steps.first) {
        case ("GET", 0, _): return await home(request, form: [:], error: nil)
        case ("POST", 1, "transactions"): return await create(request)
        case ("GET", 2, "transactions"):
            guard let (persona, transaction) = await find(steps[1]) else { return missing(request) }
            let digital = await digitalRequests(transaction, persona)
            let messages = await ledger.messages(of: transaction.id)
            var markup = MessageMarkup(annotate: pages.annotate)
            for text in MessageMarkup.encrypted(messages) {
                markup.payloads[text] = await persona.verifier.payload(of: text, for: transaction)
            }
            let page = pages.transaction(
                transaction, persona: persona.title, digital: digital, messages: markup.section(transaction, messages),
                at: clock.now())
            return page.response(to: request)
        case ("GET", 3, "transactions") where steps[2] == "events":
            guard await find(steps[1]) != nil else { return missing(request) }
            return hub.response(for: steps[1])
        case ("POST", 3, "transactions") where steps[2] == "digital": return await receiveDigital(request, steps[1])
        default: return missing(request)
        }
    }

    /// Every form in which a page can hand the request to the browser; none for a request that goes another way.
    private func digitalRequests(_ transaction: VPTransaction, _ persona: Persona) async -> [VerifierPages.DigitalRequest] {
        guard transaction.mode.way == .digitalCredentials else { return [] }
        let verifier = persona.verifier
        let isSigned = verifier.settings.identity.signer != nil
        var forms: [VerifierPages.DigitalRequest] = []
        if let request = try? await verifier.digitalRequest(transaction) {
            forms.append(.init(title: isSigned ? "Ask, signed" : "Ask, unsigned", request: request))
        }
        let name = verifier.settings.identity.clientID(for: "").text
        let others = personas.map(\.verifier.settings.identity).filter { $0.signer != nil && $0.clientID(for: "").text != name }
        if isSigned, let other = others.first,
            let request = try? await verifier.multiSignedRequest(transaction, others: [other])
        {
            forms.append(.init(title: "Ask, signed twice", request: request))
        }
        if let request = verifier.annexCRequest(transaction) {
            forms.append(.init(title: "Ask by ISO/IEC TS 18013-7 Annex C", request: request))
        }
        return forms
    }

    private func missing(_ request: HTTPRequest) -> HTTPResponse { pages.missing.response(to: request, status: 404) }

    private func home(_ request: HTTPRequest, form: FormFields, error: String?) async -> HTTPResponse {
        var recent: [VPTransaction] = []
        for id in ledger.newest(12) { if let (_, transaction) = await find(id) { recent.append(transaction) } }
        let page = pages.home(form: form, error: error, recent: recent, at: clock.now())
        return page.response(to: request, status: error == nil ? 200 : 400)
    }

    private func create(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.headers.mediaType == "application/x-www-form-urlencoded",
            let text = String(validating: request.body, as: UTF8.self), let fields = try? FormFields(text)
        else { return await home(request, form: [:], error: "the form did not arrive whole") }
        let known = Cookies.value(Self.session, of: request).flatMap { $0.utf8.count == 22 ? $0 : nil }
        let session = known ?? Base64URL.encode(random.bytes(16))
        do throws(Refused) {
            let isSameDevice = fields["same_device"] != nil
            let transaction = try await begin(VerifierForm.order(fields, templates), session: isSameDevice ? session : nil)
            var response = HTTPResponse.redirect(to: "\(base)/transactions/\(transaction.id)")
            if known == nil {
                response.headers["Set-Cookie"] = Cookies.header(Self.session, session, for: access.entry.with(path: base))
            }
            return response
        } catch { return await home(request, form: fields, error: error.description) }
    }

    /// What the page got from the Digital Credentials API of its browser.
    private func receiveDigital(_ request: HTTPRequest, _ id: String) async -> HTTPResponse {
        guard let (persona, transaction) = await find(id), request.headers.mediaType == "application/json",
            let json = try? JSON.decode(request.body)
        else { return .json(["error": "invalid_request"], status: 400) }
        await keep("response", request.body, of: transaction, persona)
        guard let receipt = try? await persona.verifier.receive(digital: json, origin: origin, for: transaction.id) else {
            return .json(["error": "server_error"], status: 500)
        }
        return receipt.response
    }
}

/// The form of the page as an order.
enum VerifierForm {
    static func order(_ fields: FormFields, _ templates: [VerifierSite.Template]) throws(VerifierSite.Refused) -> JSON {
        func text(_ name: String) -> String? { fields[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
        let template = templates.first { $0.name == fields["template"] }
        var order = template?.order.objectValue ?? [:]
        if let written = text("dcql") {
            let query = try json(written, "the query")
            // Transaction data names credentials of its own query.
            if query != order["dcql_query"] { order = ["dcql_query": query] }
        }
        guard order["dcql_query"] != nil else { throw VerifierSite.Refused("choose a template or write a query") }
        order["response_mode"] = text("response_mode").map { .string($0) }
        if let way = text("request_uri_method"), way != "default" { order["request_uri_method"] = .string(way) }
        let persona = text("persona") ?? ""
        order["client_id_prefix"] = persona.isEmpty ? nil : .string(persona.replacing("+haip", with: ""))
        order["profile"] = persona.hasSuffix("+haip") ? "haip" : nil
        if fields["same_device"] != nil { order["same_device"] = true }
        if let data = text("transaction_data") {
            let value = try json(data, "the transaction data")
            order["transaction_data"] = value.arrayValue == nil ? [value] : value
        }
        order["client_name"] = text("client_name").map { .string($0) }
        return .object(order)
    }

    private static func json(_ text: String, _ what: String) throws(VerifierSite.Refused) -> JSON {
        do { return try JSON.decode(text) } catch { throw VerifierSite.Refused("\(what) is no JSON: \(error)") }
    }
}
