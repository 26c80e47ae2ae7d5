import Codec
import Credentials
import Crypto
import OpenID
import Ports
import QR

/// `walletbench verifier request`
enum VerifierRequest {
    static let command = Command(
        name: "request", summary: "make one request of OpenID4VP and print its link and QR code",
        discussion: """
            FILE is a DCQL query, or {"dcql_query": …} with response_mode, request_uri_method (get, post, none), transaction_data, \
            verifier_info, same_device, lifetime, scheme, client_name, expected_origins, vp_formats_supported and \
            encrypted_response_enc_values_supported; instead of it the presets of --request. The transaction is kept in the home: a \
            verifier serve of the same home and --public-url answers its request_uri and takes its response, and without a server \
            verifier receive takes what a wallet returned. With --response-mode dc_api or dc_api.jwt the answer is what a page hands to \
            navigator.credentials.get. --profile haip refuses what HAIP 1.0 forbids.
            """,
        examples: [
            Example(
                "walletbench verifier request --request pid --request-uri-method none --client-id-prefix redirect_uri",
                "everything in the link, for a wallet on this machine"),
            Example("walletbench verifier request query.json --response-mode dc_api.jwt --origin https://shop.example"),
        ],
        options: [
            .choice("request", VerifierPresets.names, "A request that is built in"),
            .value("public-url", "URL", "Where wallets reach the verifier", default: "https://verifier.example"),
            .choice("response-mode", ResponseMode.allCases.map(\.rawValue), "How the response comes back"),
            .choice(
                "request-uri-method", ["get", "post", "none"],
                "How the request object gets to the wallet; none puts it into the link"),
            .flag("same-device", "The wallet is on the device of the browser: it has to come back with a response code"),
            .choice(
                "protocol", ["openid4vp", "openid4vp-multisigned", "org-iso-mdoc"],
                "Over the Digital Credentials API: also signed by several identities, or ISO/IEC TS 18013-7 Annex C",
                default: "openid4vp"),
            .value("origin", "URL", "A page that may ask over the Digital Credentials API", isRepeatable: true),
            .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
            .file("qr", "F.png", "Also write the QR code as a picture (.png or .svg)"),
        ] + VerifierIdentityChoice.options + VerifierSetup.registrationOptions,
        arguments: [Argument("FILE", "The request; - for stdin", isRequired: false)],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let order = try order(invocation)
        let trust = try await VerifierTrust(invocation)
        let verifier = try VerifierSetup.verifier(invocation, trust, store: try invocation.context.serviceVault())
        let transaction: VPTransaction
        do { transaction = try await verifier.begin(order) } catch { throw CommandError(vp: error) }
        var answer = transaction.summary
        answer["nonce"] = .string(transaction.nonce)
        answer["state"] = .string(transaction.state)
        guard order.isDigital else {
            try show(transaction, invocation, answer)
            return .done
        }
        let request = try await digital(transaction, verifier, trust, invocation)
        answer["digital"] = ["requests": [request]]
        invocation.console.answer(answer) { JSON.object(["digital": ["requests": [request]]]).encoded(pretty: true) }
        invocation.console.talk("transaction \(transaction.id), until \(transaction.expires)")
        return .done
    }

    /// What a page hands to the browser, under the protocol that was asked for.
    private static func digital(
        _ transaction: VPTransaction, _ verifier: VPVerifier, _ trust: VerifierTrust, _ invocation: Invocation
    ) async throws -> JSON {
        do throws(VPVerifierError) {
            switch invocation.string("protocol") {
            case "openid4vp-multisigned":
                let other: VPVerifier
                do {
                    let asked = invocation.asking("decentralized_identifier", verifier.settings.publicURL, isHAIP: false)
                    other = try VerifierSetup.verifier(asked, trust, store: try invocation.context.serviceVault())
                } catch { throw .order("a second identity: \(error.what)") }
                return try await verifier.multiSignedRequest(transaction, others: [other.settings.identity])
            case AnnexC.protocolName:
                guard let request = verifier.annexCRequest(transaction) else {
                    throw .order(
                        "\(AnnexC.protocolName) asks for mdocs alone, by their elements and without sets, and encrypts the answer: use --response-mode dc_api.jwt"
                    )
                }
                return request
            default: return try await verifier.digitalRequest(transaction)
            }
        } catch { throw CommandError(vp: error) }
    }

    private static func order(_ invocation: Invocation) throws(CommandError) -> VPOrder {
        var order = try VerifierPresets.order(invocation)
        if let mode = invocation.string("response-mode").flatMap(ResponseMode.init) { order.mode = mode }
        if let method = invocation.string("request-uri-method") { order.passing = VPOrder.Passing(rawValue: method) ?? .value }
        if invocation.flag("same-device") { order.isSameDevice = true }
        if !invocation.strings("origin").isEmpty { order.origins = invocation.strings("origin") }
        return order
    }

    private static func show(_ transaction: VPTransaction, _ invocation: Invocation, _ answer: JSONObject) throws {
        let console = invocation.console
        let symbol = try? QRSymbol(transaction.link)
        if let path = invocation.string("qr") {
            guard let symbol else {
                throw CommandError.refused(
                    "the link of \(transaction.link.utf8.count) characters does not fit a QR code",
                    hint: "pass it by reference: --request-uri-method get")
            }
            try Files.write(QREncode.picture(symbol, path: path), to: path)
        }
        console.answer(answer) {
            let picture = symbol.map { $0.terminal(colours: console.showsColours) + "\n" } ?? ""
            return picture + transaction.link
        }
        console.talk("transaction \(transaction.id), until \(transaction.expires)")
        if symbol == nil { console.talk("note: the link is too long for a QR code") }
    }
}

/// Whom a verifier of OpenID4VP trusts, how it finds out the status of what is presented, and what it says of itself: one for all
/// transactions of a run.
struct VerifierTrust: Sendable {
    let documents: TrustSetup
    let statuses: StatusSetup
    let registration: RegistrationChoice

    init(_ invocation: Invocation) async throws {
        try await self.init(invocation, RegistrationChoice(invocation, as: .verifier))
    }

    init(_ invocation: Invocation, _ registration: RegistrationChoice) async throws {
        documents = try await TrustSetup(invocation, role: .documents)
        statuses = try StatusSetup(invocation.context)
        self.registration = registration
    }

    /// The report with status, revocation and what trust lists had to say.
    func completed(_ report: PresentationReport) async -> PresentationReport {
        let report = documents.completed(await statuses.checker.completed(report))
        await statuses.remember()
        return report
    }
}

/// A verifier from the options that its commands share.
enum VerifierSetup {
    /// Options of those that ask.
    static let registrationOptions: [Option] = [
        RegistrationChoice.option("verifier", "verifier_info"),
        .value("registration-for", "ID", "The registration certificate is about this query only", isRepeatable: true),
    ]

    static func verifier(
        _ invocation: Invocation, _ trust: VerifierTrust, store: any RecordTable,
        notice: @escaping @Sendable (String, VPEvent) -> Void = { _, _ in }
    ) throws(CommandError) -> VPVerifier {
        let context = invocation.context
        let url: WebURL
        do { url = try WebURL(try invocation.required("public-url")) } catch {
            throw error as? CommandError ?? .usage("--public-url: \(error)")
        }
        let isHAIP = invocation.string("profile") == "haip"
        var settings = VPVerifierSettings(
            identity: try VerifierIdentityChoice.identity(invocation, trust.registration), publicURL: url,
            tokens: VPTokenVerifier(
                signers: SignerVerifier(anchors: trust.documents.anchors, edition: context.edition, skew: Int64(context.skew)),
                rule: VerdictRule(trustWaived: !context.usesTrust, statusEnforced: true), isHAIP: isHAIP))
        settings.isHAIP = isHAIP
        settings.tokens.lists = trust.documents.lists
        if let certificate = trust.registration.certificate {
            settings.verifierInfo = [RegistrationAttestation.entry(certificate, for: invocation.strings("registration-for"))]
        }
        settings.completion = { await trust.completed($0) }
        settings.faults = try VPFaultChoice.faults(context, role: "verifier")
        return VPVerifier(
            settings, store: store, clock: context.clock, tableClock: SystemClock(), random: context.random, notice: notice)
    }
}

/// The faults of OpenID4VP on a command line.
enum VPFaultChoice {
    /// - Throws: exit code 2 for a name that the role has no fault of.
    static func faults(_ context: Context, role: String) throws(CommandError) -> VPFaultSet {
        var names: [String] = []
        for fault in context.faults {
            let isKnown =
                role == "verifier"
                ? VPRequestFault.all.contains { $0.name == fault.name }
                    || RegistrationFault(fault.name)?.roles.contains(.verifier) ?? false
                : VPResponseFault.all.contains { $0.name == fault.name }
                    || ContentFault.named(fault.name)?.senders.contains(.holder) ?? false
            guard isKnown, fault.argument == nil else {
                throw .usage("--fault \(fault.text): the \(role) has no such fault", hint: "walletbench faults lists them")
            }
            names.append(fault.name)
        }
        return VPFaultSet(names)
    }

    /// Those of them that spoil the content of a presentation.
    static func content(_ faults: VPFaultSet) throws(CommandError) -> Tampering {
        do {
            return try Tampering(named: faults.names.filter { name in !VPResponseFault.all.contains { $0.name == name } })
        } catch { throw .usage("\(error)") }
    }
}

extension CommandError {
    /// What the verifier says.
    init(vp error: VPVerifierError) {
        switch error {
        case .order(let what): self = .refused(what)
        case .store(let error): self = .environment("\(error)")
        case .crypto(let what): self.init(what)
        }
    }
}
