import Codec
import Credentials
import Crypto
import Glibc
import OpenID
import Ports
import QR
import Vault
import Web

/// One run of `holder accept`, `poll` or `refresh`.
struct Accepting: Sendable {
    private(set) var invocation: Invocation
    private(set) var store: IssuanceStore
    private(set) var wallet: VCIWallet
    private var registrations: RegistrationVerifier
    private(set) var gate: KeyGate
    private let profiles: IssuerProfiles
    private let statuses: StatusSetup
    private let kept: KeptTrace
    private let trace: SessionTrace

    var console: Console { invocation.console }
    var context: Context { invocation.context }

    init(_ given: Invocation) async throws {
        let context = given.context
        profiles = try IssuerProfiles(home: context.home)
        let invocation = given.string("issuer").flatMap(profiles.find).map(given.following) ?? given
        self.invocation = invocation
        let store = try IssuanceStore(context, policy: Self.policy(invocation))
        self.store = store
        gate = try KeyGate(invocation, store.wallet)
        statuses = try StatusSetup(context)
        kept = KeptTrace(passingTo: context.trace)
        trace = SessionTrace(
            sink: kept, session: Hex.encode(context.random.bytes(4)), role: "holder", clock: context.clock,
            faults: context.faults.map(\.text))
        let anchors = try await TrustSetup(invocation, role: .documents).anchors
        wallet = try Self.wallet(invocation, store, anchors, trace)
        registrations = RegistrationPolicy.verifier(invocation, anchors, leg: .issuance)
    }

    private static func policy(_ invocation: Invocation) -> StoredDocument.UsePolicy? {
        invocation.string("policy").flatMap(StoredDocument.UsePolicy.init)
    }

    /// The wallet as the options say.
    private static func wallet(
        _ invocation: Invocation, _ store: IssuanceStore, _ anchors: TrustAnchors, _ trace: SessionTrace
    ) throws -> VCIWallet {
        let context = invocation.context
        let faults = try IssuanceFaults(context, .holder)
        let settings = settings(invocation, anchors)
        let provider = TestWalletProvider(
            identity: try IssuanceIdentities(context).walletProvider(), draft: settings.draft, clock: context.clock,
            random: context.random, faults: faults)
        return VCIWallet(
            settings: settings,
            transport: TracedTransport(try ClientSetup.transport(invocation.context), trace: trace, isRevealed: context.reveals),
            keys: store.wallet.keys, provider: provider, clock: context.clock, random: context.random, faults: faults)
    }

    private static func settings(_ invocation: Invocation, _ anchors: TrustAnchors) -> WalletSettings {
        var settings = WalletSettings()
        settings.dpop = invocation.string("dpop").flatMap(WalletSettings.DPoPUse.init) ?? .preferred
        settings.attestsClient = invocation.string("client-auth") != "none"
        settings.draft = invocation.string("attestation-draft").flatMap(ClientAttestation.Draft.init) ?? .seven
        settings.signedMetadata = invocation.string("signed-metadata").flatMap(SignedMetadata.Policy.init) ?? .prefer
        settings.proofType = invocation.string("proof")
        settings.attestsKeys = invocation.flag("attest-keys")
        settings.proofPolicy = invocation.string("proof-policy").flatMap(WalletSettings.ProofPolicy.init) ?? .lenient
        settings.reuse = invocation.string("reuse").flatMap(ReusePolicy.Support.init) ?? .supported
        settings.prefersScope = invocation.string("ask-by") == "scope"
        settings.pushes = !invocation.flag("no-par")
        settings.encrypts = !invocation.flag("no-encryption")
        settings.copies = invocation.integer("copies")
        settings.curve = invocation.string("curve").flatMap(Curve.init) ?? .p256
        settings.skew = Int64(invocation.context.skew)
        if !invocation.strings("language").isEmpty { settings.locales = invocation.strings("language") }
        if invocation.string("profile") == "haip" { settings.adoptHAIP() }
        settings.anchors = anchors
        // Metadata are signed by an access certificate where there is one (ETSI TS 119 475), and those are issued like readers'.
        let issuers = anchors.certificates(for: .documents)
        if !issuers.isEmpty { settings.metadataAnchors = issuers + anchors.certificates(for: .readers) }
        return settings
    }

    // MARK: Accept

    mutating func run() async throws -> ExitCode {
        var session = IssuanceSession(wallet)
        do {
            try await resolve(&session)
        } catch { throw await failed(error, session) }
        let ids = try chosen(session)
        let registration = await statuses.checker.completed(
            session.registrations(for: ids, by: registrations), at: context.clock.now())
        await statuses.remember()
        trace.record(decision: "IssuerReport", session.checks.checks, notes: TracedDecision.registration(registration))
        show(session, ids, registration)
        do {
            if let registration { try session.record(registration) }
        } catch {
            await log(session, ids, [], as: "refused")
            throw await failed(error, session)
        }
        guard try agrees() else {
            console.talk("nothing was asked of the issuer")
            await log(session, ids, [], as: "refused")
            return .refused
        }
        do {
            try await authorize(&session, ids)
        } catch {
            await log(session, ids, [], as: "failed")
            throw await failed(error, session)
        }
        let results = try await take(ids, &session)
        let outcome = results.contains { $0.failure != nil } ? "failed" : "issued"
        await log(session, ids, results, as: results.contains { $0.deferred != nil } ? "deferred" : outcome)
        return answer(results, session)
    }

    /// One record of the issuance, with what backs it.
    private func log(_ session: IssuanceSession, _ ids: [String], _ results: [IssuanceResult], as outcome: String) async {
        let delivered = results.compactMap(\.delivered)
        let record = TransactionRecord(
            issuanceAt: context.clock.now(), session: session, asked: ids, received: delivered,
            documents: results.compactMap(\.document?.id), outcome: outcome)
        let copies = delivered.flatMap { credentials in
            let suffix = credentials.configuration.format == "mso_mdoc" ? "cbor" : "sd-jwt"
            return credentials.copies.enumerated().map { place, copy in
                Evidence(name: "\(credentials.configuration.id)-\(place + 1).\(suffix)", bytes: copy.bytes)
            }
        }
        let report = Evidence(
            name: "report.json", bytes: Array(JSON.array(session.checks.checks.map { .object($0.row) }).encoded(pretty: true).utf8))
        await context.log(
            record, evidence: [session.offer?.evidence].compactMap { $0 } + copies + [report, kept.evidence],
            in: store.wallet.vault)
    }

    private mutating func resolve(_ session: inout IssuanceSession) async throws {
        if let argument = invocation.arguments.first {
            try await session.read(offer: try Self.link(argument))
            try await follow(session.offer?.issuer)
            session.wallet = wallet
            return try await session.resolveOffer()
        }
        guard let issuer = invocation.string("issuer") else {
            throw CommandError.usage("there is no offer", hint: "give its link or a picture of it, or --issuer URL and --type")
        }
        try await session.resolve(issuer: issuer)
        let ids = try Self.matching(invocation.strings("type"), in: session.metadata?.configurations ?? [])
        guard !ids.isEmpty else { throw CommandError.usage("--issuer needs --type", hint: Self.candidates(session)) }
        try await session.resolve(issuer: issuer, configurationIDs: ids)
    }

    /// Takes over what is kept for an issuer.
    private mutating func follow(_ issuer: String?) async throws {
        guard let issuer, let profile = profiles.find(issuer) else { return }
        invocation = invocation.following(profile)
        store.policy = Self.policy(invocation)
        gate = try KeyGate(invocation, store.wallet)
        let anchors = try await TrustSetup(invocation, role: .documents).anchors
        wallet = try Self.wallet(invocation, store, anchors, trace)
        registrations = RegistrationPolicy.verifier(invocation, anchors, leg: .issuance)
        console.talk("note: with the options kept for \(profile.name)")
    }

    /// The link of the argument, or in the QR code of the picture.
    private static func link(_ argument: String) throws -> String {
        let input = try InputReader.read(argument)
        switch input.content {
        case .uri(_, let text): return text
        case .picture:
            let texts = try QRDecode.texts(in: argument)
            let schemes = CredentialOffer.schemes.map { "\($0):" } + ["https:", "http:"]
            guard let text = texts.first(where: { text in schemes.contains { text.hasPrefix($0) } }) else {
                throw CommandError.refused(
                    "\(argument): its code is no credential offer", hint: "walletbench qr decode \(argument)")
            }
            return text
        case .json(let text): return CredentialOffer.link(by: try JSON.decode(text).objectValue ?? JSONObject())
        default: throw input.wrong("a credential offer")
        }
    }

    /// Configurations by id, docType or vct.
    private static func matching(
        _ names: [String], in configurations: [CredentialConfiguration]
    ) throws(CommandError) -> [String] {
        var ids: [String] = []
        for name in names {
            let found = configurations.filter {
                $0.id == name || $0.type == name || DocumentDefinition.named(name)?.docType == $0.type
            }
            guard let first = found.first else {
                throw .refused(
                    "--type \(name): there is no such document",
                    hint: "there are \(configurations.map { "\($0.id) (\($0.type))" }.joined(separator: ", "))")
            }
            let exact = found.first { $0.id == name } ?? first
            if !ids.contains(exact.id) { ids.append(exact.id) }
        }
        return ids
    }

    private static func candidates(_ session: IssuanceSession) -> String {
        "the issuer has \((session.metadata?.configurations ?? []).map { "\($0.id) (\($0.type))" }.joined(separator: ", "))"
    }

    /// What of the offer is wanted.
    private func chosen(_ session: IssuanceSession) throws(CommandError) -> [String] {
        let offered = session.offer?.configurationIDs ?? []
        let wanted = invocation.strings("type")
        guard !wanted.isEmpty else { return offered }
        return try Self.matching(
            wanted, in: offered.compactMap { session.metadata?.configuration($0) })
    }

    private func show(_ session: IssuanceSession, _ ids: [String], _ registration: RegistrationReport?) {
        guard let metadata = session.metadata, let offer = session.offer else { return }
        let locales = wallet.settings.locales
        let documents = ids.compactMap(metadata.configuration)
        let code = offer.preAuthorized?.transactionCode
        console.event(
            .request, role: "holder",
            [
                "issuer": .string(metadata.issuer), "name": .string(metadata.displayName(locales)),
                "registration": registration?.shown ?? .null,
                "grant": offer.preAuthorized == nil ? "authorization_code" : "pre-authorized_code",
                "txCode": code.map { ["length": $0.length.map { .integer(Int64($0)) } ?? .null, "text": .bool($0.isText)] }
                    ?? .null,
                "documents": .array(
                    documents.map {
                        [
                            "id": .string($0.id), "format": .string($0.format), "type": .string($0.type),
                            "name": .string($0.displayName(locales) ?? $0.id),
                            "recommended": .object(Recommendation($0, metadata).json),
                        ]
                    }),
            ])
        guard !console.isJSON else { return }
        console.out("\(metadata.displayName(locales)) (\(metadata.issuer)) offers:".replacingControlCharacters())
        if let summary = registration?.summary { console.out("  registered as \(summary)".replacingControlCharacters()) }
        for document in documents {
            console.out(
                "  \(document.displayName(locales) ?? document.id)  \(document.type), \(document.format)"
                    .replacingControlCharacters())
            if let text = Recommendation(document, metadata).text { console.out("    the issuer recommends \(text)") }
        }
        if let code {
            let kind = code.isText ? "characters" : "digits"
            console.out(
                "  with a transaction code\(code.length.map { " of \($0) \(kind)" } ?? "")\(code.description.map { ": \($0)" } ?? "")"
                    .replacingControlCharacters())
        }
        for warning in session.warnings { console.talk("warning: \(warning)".replacingControlCharacters()) }
    }

    private func agrees() throws(CommandError) -> Bool {
        switch invocation.string("consent") {
        case "auto": return true
        case "deny": return false
        default:
            guard (isatty(STDIN_FILENO) == 1) else {
                throw .usage("--consent ask needs a terminal", hint: "decide beforehand with --consent auto or deny")
            }
            console.ask("take it? [y/N] ")
            return readLine()?.lowercased().hasPrefix("y") == true
        }
    }

    private func transactionCode(_ session: IssuanceSession) throws(CommandError) -> String? {
        if let code = invocation.string("tx-code") { return code }
        guard let wanted = session.offer?.preAuthorized?.transactionCode else { return nil }
        guard (isatty(STDIN_FILENO) == 1) else {
            throw .usage("the offer needs a transaction code", hint: wanted.description ?? "give it with --tx-code")
        }
        console.ask("transaction code: ")
        return readLine()
    }

    private func authorize(_ session: inout IssuanceSession, _ ids: [String]) async throws {
        if session.offer?.preAuthorized != nil {
            return try await session.redeemPreAuthorizedCode(transactionCode: try transactionCode(session))
        }
        if invocation.string("authorize") == "direct" {
            let pending = try await session.beginAuthorization(ids)
            return try await session.finishAuthorization(pending, callback: try await direct(pending))
        }
        let browser = try BrowserReturn()
        let pending = try await session.beginAuthorization(ids, redirectURI: browser.redirectURI)
        console.event(.consent, role: "holder", ["open": .string(pending.url.description)])
        if !console.isJSON { console.out("open this page in a browser on this machine:\n\(pending.url)") }
        try await session.finishAuthorization(pending, callback: try await browser.callback())
    }

    private func direct(_ pending: PendingAuthorization) async throws -> WebURL {
        let place = try await place(after: pending.url)
        guard ["openid4vp", "haip-vp", "eudi-openid4vp"].contains(place.scheme.lowercased()) else { return place }
        // The issuer wants to see something first, by its own verifier (dynamic issuance).
        console.talk("the issuer asks for a presentation first")
        let conversation = AnswerConversation(
            try await AnswerSetup(invocation), invocation, transport: try ClientSetup.transport(invocation.context))
        let outcome = try await conversation.answer(try RequestInput(place.description))
        guard outcome.exit == .done, let next = outcome.place else {
            throw CommandError.refused("the issuer issues nothing without the presentation that it asked for")
        }
        return try await self.place(after: WebURL(next))
    }

    /// Where a page sends the browser.
    private func place(after url: WebURL) async throws -> WebURL {
        let response: HTTPResponse
        do throws(HTTPError) { response = try await wallet.transport.send(HTTPRequest("GET", url)) } catch {
            guard case .redirected(let place) = error.reason else { throw error }
            return try WebURL(place)
        }
        let code = (try? JSON.decode(response.bytes))?["error"]?.stringValue.map { " \($0)" } ?? ""
        throw CommandError.refused(
            "the authorization page answered \(response.status)\(code) instead of sending the wallet back",
            hint: "it may want a person: leave out --authorize direct")
    }

    // MARK: The end

    func answer(_ results: [IssuanceResult], _ session: IssuanceSession) -> ExitCode {
        let violations = session.checks.checks.filter(\.outcome.isViolation)
        let answer: JSONObject = [
            "event": "report", "role": "holder", "documents": .array(results.map { .object($0.json) }),
            "checks": .array(session.checks.checks.map { .object($0.row) }),
            "registration": session.registration?.shown ?? .null,
            "verdict": .string(results.contains { $0.failure != nil } ? "fail" : "pass"),
        ]
        console.answer(answer) {
            (results.flatMap(\.lines) + violations.map { "  \($0.outcome.word) \($0.id) \($0.name): \($0.reason ?? "")" })
                .map { $0.replacingControlCharacters() }.joined(separator: "\n")
        }
        return results.contains { $0.failure != nil } ? .refused : .done
    }

    /// Why the issuance stopped, after everything that was found is told.
    private func failed(_ error: any Error, _ session: IssuanceSession) async -> any Error {
        for check in session.checks.checks where check.outcome.isViolation {
            console.talk("\(check.outcome.word) \(check.id) \(check.name): \(check.reason ?? "")".replacingControlCharacters())
        }
        if console.isJSON {
            console.json([
                "event": "report", "role": "holder", "verdict": "fail", "documents": [],
                "checks": .array(session.checks.checks.map { .object($0.row) }),
                "registration": session.registration?.shown ?? .null, "error": .string("\(error)"),
            ])
        }
        if let error = error as? IssuanceError { return CommandError(error) }
        if let error = error as? HTTPError { return CommandError(error) }
        return error
    }
}

extension Check {
    /// A row of a report in JSON.
    fileprivate var row: JSONObject {
        [
            "id": .string(id), "name": .string(name), "outcome": .string(outcome.word),
            "reason": reason.map { .string($0) } ?? .null,
            "clause": clause.map { .string($0) } ?? .null, "subject": .string(subject),
        ]
    }
}
