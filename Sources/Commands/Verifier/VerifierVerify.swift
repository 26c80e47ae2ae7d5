import Codec
import Credentials
import Crypto
import Ports
import Reports

/// `walletbench verifier verify`
enum VerifierVerify {
    static let command = Command(
        name: "verify", summary: "verify an SD-JWT VC presentation offline",
        discussion: """
            Runs every check of a verifier over the text as received, and prints the report. The token is an SD-JWT with or without key \
            binding (compact or JSON), a vp_token that holds some, or an encrypted response with --decrypt-key. Key binding is required \
            unless --no-key-binding says otherwise; it is checked against --nonce and the full --client-id (or --origin for the Digital \
            Credentials API). The issuer's key comes from x5c, with the anchors of the home and of --anchor, or from --issuer-jwk. Ends 0 \
            when the verdict is pass, 1 when it is fail, 4 when it is undetermined.
            """,
        examples: [
            Example(
                "walletbench verifier verify --token vp.txt --nonce n-0S6 --client-id x509_san_dns:verifier.example --anchor ca.pem",
                "a presentation with key binding"),
            Example(
                "walletbench verifier verify --token pid.sd-jwt --no-key-binding --trust none", "the cryptography of a credential"),
        ],
        options: [
            .file("token", "T", "The presentation: a path, - for stdin, or the text itself"),
            .value("nonce", "N", "The nonce of the request"),
            .value("client-id", "C", "The full client_id of the request, with its prefix"),
            .value("origin", "O", "The origin of the page, for the Digital Credentials API"),
            .value("vct", "TYPE", "A type that was asked for; any of several will do", isRepeatable: true),
            .value("transaction-data", "TEXT", "A transaction_data string exactly as sent", isRepeatable: true),
            .flag("no-key-binding", "Accept a presentation without key binding"),
            .integer("window", "SECONDS", "How old the key binding may be", in: 0...315_360_000, default: 300),
            .file("decrypt-key", "K", "The private key of an encrypted response (JWK, PEM)"),
            .file(
                "issuer-jwk", "K", "An issuer's public key that is trusted in this run, for tokens without x5c", isRepeatable: true),
            .file("type-metadata", "DIR", "A folder of type metadata documents (JSON); then types and claims are judged by them"),
            .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
            .file("report", "F", "Also write the report: .html, .json, .xml (JUnit) or .txt"),
            .flag("redact", "Leave claim values out of everything that is printed and written"),
        ] + TrustSetup.options,
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let expectation = try expectation(invocation)
        let tokens = try PresentedTokens(try invocation.required("token"), key: invocation.string("decrypt-key")).texts
        let file = try invocation.string("report").map { try ReportFile($0) }
        let trust = try await TrustSetup(invocation, role: .documents)
        let verifier = try verifier(invocation, trust.anchors)
        let statuses = try StatusSetup(context)
        var reports: [PresentationReport] = []
        for token in tokens {
            reports.append(
                await statuses.checker.completed(verifier.verify(token, expecting: expectation, at: context.clock.now())))
        }
        await statuses.remember()
        guard let first = reports.first else { throw CommandError.refused("the token holds no presentation") }
        let report = trust.completed(reports.dropFirst().reduce(first) { $0.merging($1) })
        let options = ReportOptions(redacting: invocation.flag("redact"), colour: invocation.console.showsColours)
        try file?.write(report, redacting: options.redacting)
        if invocation.console.isJSON {
            invocation.console.json(report.json(redacting: options.redacting).objectValue ?? JSONObject())
        } else {
            invocation.console.out(TableReport(report, options).text)
        }
        return report.verdict.exitCode
    }

    private static func expectation(_ invocation: Invocation) throws(CommandError) -> SDJWTVerifier.Expectation {
        let types = invocation.strings("vct")
        let origin = invocation.string("origin").map { "origin:\($0)" }
        guard origin == nil || invocation.string("client-id") == nil else {
            throw .usage("--origin and --client-id exclude each other", hint: "over the Digital Credentials API aud is the origin")
        }
        let audience = invocation.string("client-id") ?? origin
        let nonce = invocation.string("nonce")
        guard (audience == nil) == (nonce == nil) else {
            throw .usage(
                "--nonce and --client-id (or --origin) belong together", hint: "both are what the key binding JWT must say")
        }
        guard audience != nil || invocation.flag("no-key-binding") else {
            throw .usage(
                "a presentation is bound to a nonce and a client id",
                hint: "give --nonce and --client-id, or --no-key-binding to accept one without")
        }
        var binding: KeyBindingExpectation?
        if let audience, let nonce {
            binding = KeyBindingExpectation(
                audience: audience, nonce: nonce, transactionData: invocation.strings("transaction-data"),
                window: Int64(invocation.integer("window") ?? 300))
        }
        return .presentation(types: types.isEmpty ? nil : types, binding: binding)
    }

    private static func verifier(_ invocation: Invocation, _ anchors: TrustAnchors) throws(CommandError) -> SDJWTVerifier {
        let context = invocation.context
        var keys: [PublicKey] = []
        for path in invocation.strings("issuer-jwk") { keys.append(try KeyFile.publicKey(path)) }
        let metadata = try invocation.string("type-metadata").map { path throws(CommandError) in try MetadataFolder(path) }
        return SDJWTVerifier(
            signers: SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew)), issuerKeys: keys,
            rule: VerdictRule(
                trustWaived: !context.usesTrust, holderBindingRequired: !invocation.flag("no-key-binding"), statusEnforced: true),
            isHAIP: invocation.string("profile") == "haip", metadata: metadata)
    }
}
