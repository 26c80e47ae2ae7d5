import Codec
import Credentials
import OpenID
import Ports
import Web

/// `walletbench issuer serve`
enum IssuerServe {
    static let command = Command(
        name: "serve", summary: "be an OpenID4VCI issuer, with its authorization server and its page",
        discussion: """
            Serves metadata, offers, PAR, authorization, token, nonce, credential, deferred credential and notification endpoints of OpenID4VCI \
            1.0, and a page on which offers are made (link and QR code), issuances are followed step by step, and everything is switched. What it \
            issues are documents of invented people, signed by the home's test document signer.

            What it issues has a status: `issuer revoke`, `suspend` and `restore` with the id that the issuance's last step names change it \
            at once, also from another process. For verifiers it serves the status lists at the addresses in the documents, the CRL of its \
            authority, its keys (jwks, .well-known/jwt-vc-issuer), type-metadata/VCT, and under trust/ the lists of trust make.

            Everything that a wallet does wrong is answered with the exact error and named by its check. What the issuer itself does wrong is \
            switched on with --fault.

            The control API of the page needs the token of the ready line unless the server is for this machine alone: POST control/offers \
            {"types": ["mdl"], "grant": "pre-authorized", "txCode": "1234"}, GET control/issuances/ID, POST control/switches {"par": "off"}, \
            GET events/ID (server-sent events).
            """,
        examples: [
            Example("walletbench issuer serve", "the page makes offers"),
            Example("walletbench issuer serve --offer --type mdl --json", "the ready event is followed by an offer"),
            Example("walletbench issuer serve --bind 0.0.0.0 --public-url https://issuer.example", "for a phone"),
            Example("walletbench issuer serve --set defer=2 --set attestation=on", "deferred, for attested wallets only"),
            Example("walletbench issuer serve --fault metadata-wrong-issuer", "what does a wallet say to this?"),
        ],
        options: ServerSetup.options + IssuerService.options + OfferOptions.options + IssuerLists.options + [
            .flag("offer", "Make an offer at once"),
            .flag(
                "once", "End when an issuance is complete: every document of it delivered, and the wallet's notification received"),
            .integer("timeout", "SECONDS", "End after this time", in: 1...31_536_000),
        ],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let setup = try ServerSetup(invocation)
        let lists = try IssuerLists(invocation, identifier: setup.base)
        let service = try await IssuerService(
            invocation, identifier: setup.base, lists: lists,
            pages: .init(
                consent: { IssuerPages.consent($0, base: setup.path) },
                presentation: { IssuerPages.presentation($0, base: setup.path) }))
        try await service.keepIdentifier()
        let pages = IssuerPages(
            issuer: service.issuer, lists: lists, access: setup.access, base: setup.path, edition: invocation.context.edition)
        let console = invocation.console
        let steps = service.issuer.log.follow()
        let isDone = try await setup.serve(pages, role: "issuer", invocation) {
            if invocation.flag("offer") {
                let made = try await service.issuer.makeOffer(try OfferOptions.order(invocation))
                pages.add(made)
                if console.isJSON { console.event(.request, role: "issuer", made.facts) }
                try IssuerOffer.picture(made, invocation)
                if !console.isJSON { console.out(IssuerOffer.text(made)) }
            }
            return await follow(steps, pages, service.issuer.log, invocation)
        }
        return isDone ? .done : .environment
    }

    /// Tells every step, until the run is over; whether what was waited for came.
    private static func follow(
        _ steps: AsyncStream<IssuanceLog.Step>, _ pages: IssuerPages, _ log: IssuanceLog, _ invocation: Invocation
    ) async -> Bool {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask {
                for await step in steps {
                    pages.tell(step)
                    show(step, invocation.console)
                    await IssuerLog(context: invocation.context).note(step, log)
                    if invocation.flag("once"), let issuance = step.issuance, pages.isComplete(issuance) { return true }
                }
                return nil
            }
            if let seconds = invocation.integer("timeout") {
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    return Task.isCancelled ? nil : !invocation.flag("once")
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? true
        }
    }

    private static func show(_ step: IssuanceLog.Step, _ console: Console) {
        console.event(step.error == nil ? .progress : .error, role: "issuer", step.json)
        guard !console.isJSON else { return }
        let findings = step.checks.filter(\.outcome.isViolation).map {
            "\n    \($0.outcome.word) \($0.id) \($0.name): \($0.reason ?? "")"
        }
        let line = "\(step.endpoint): \(step.status)\(step.error.map { " \($0)" } ?? "") \(step.detail)\(findings.joined())"
        console.out(line.replacing("\r", with: " "))
    }
}
