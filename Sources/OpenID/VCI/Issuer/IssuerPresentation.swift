import Codec
import Credentials
import Ports

/// Dynamic issuance: before documents are issued the person's wallet presents something to the issuer's own OpenID4VP verifier, whose
/// endpoints lie below `presentation/` of the issuer. It happens at the authorization endpoint, where it is the issuer's business how a
/// person is known (OpenID4VCI 1.0 §5).
package struct IssuerPresentation: Sendable {
    /// Where its endpoints lie below the identifier.
    package static let path = "presentation"

    let verifier: VPVerifier
    let orders: [String: VPOrder]
    /// Draws the page with the link for a wallet.
    let page: @Sendable (_ link: String) -> String

    /// - Parameter orders: what can be asked, by the values of the switch `present`.
    package init(verifier: VPVerifier, orders: [String: VPOrder], page: @escaping @Sendable (_ link: String) -> String) {
        self.verifier = verifier
        self.orders = orders
        self.page = page
    }
}

extension VCIIssuer {
    /// Sends the person to the wallet, before anything else is decided.
    func askForPresentation(
        _ request: AuthorizationRequest, _ name: String, _ desk: IssuerPresentation, _ exchange: inout Exchange
    ) async throws -> AnswerDraft {
        guard var order = desk.orders[name] else { throw Refusal(status: 500, code: "server_error", "nothing is called \(name)") }
        order.isSameDevice = true
        let transaction = try await desk.verifier.begin(order)
        try await records.put(.pending, "presentation/\(transaction.id)", request.record, lifetime: order.lifetime)
        exchange.detail = "the wallet is asked to present first: \(name)"
        // A browser that a person sees gets a page; what cannot show one is sent to the wallet at once.
        guard exchange.request.headers.all("Accept").contains(where: { $0.contains("text/html") }) else {
            return AnswerDraft(text: "", type: "text/plain", status: 302, headers: ["Location": transaction.link])
        }
        return AnswerDraft(text: desk.page(transaction.link), type: "text/html; charset=utf-8")
    }

    /// `presentation/request/<id>` and `presentation/response/<id>` for the wallet, `presentation/return/<id>` for the browser.
    func presentation(_ steps: [String], _ exchange: inout Exchange) async throws -> AnswerDraft {
        guard let desk, steps.count == 2 else { throw Refusal(status: 404, code: "not_found", "nothing is served here") }
        let pending = "presentation/\(steps[1])"
        exchange.issuance = try await records.get(.pending, pending).flatMap(AuthorizationRequest.init)?.issuance
        guard steps[0] == "return" else {
            let response = await desk.verifier.respond(to: exchange.request)
            exchange.detail = steps[0] == "request" ? "the wallet fetched the request" : "the wallet answered"
            var draft = AnswerDraft(status: response.status, headers: response.headers)
            draft.raw = response.bytes
            return draft
        }
        let code = (try? exchange.request.url.fields())?["response_code"] ?? ""
        let returned = try await desk.verifier.redeem(code, for: steps[1], session: nil)
        guard let transaction = returned.transaction, let record = try await records.take(.pending, pending),
            let request = AuthorizationRequest(record)
        else { throw Refusal(status: 400, code: "invalid_request", "this presentation is unknown, or was used before") }
        exchange.issuance = request.issuance
        let verdict = transaction.report?["verdict"]?.stringValue
        guard transaction.status == .answered, verdict == "pass" else {
            exchange.detail = "the presentation is not good enough: \(transaction.error ?? verdict ?? "no answer")"
            return redirect(
                request, ["error": "access_denied", "error_description": ErrorDescription.allowed(exchange.detail)],
                exchange.settings)
        }
        exchange.detail = "the presentation passed"
        return try await decision(on: request, &exchange)
    }
}
