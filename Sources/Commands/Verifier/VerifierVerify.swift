import Codec
import Credentials
import Crypto
import Ports
import Reports

/// `walletbench verifier verify`
enum VerifierVerify {
    static let command = Command(
        name: "verify", summary: "verify presentations of either format offline",
        discussion: """
            Runs every check of a verifier over the text as received, and prints the report. The token is a vp_token, an SD-JWT with or \
            without key binding (compact or JSON), a DeviceResponse (CBOR, or its base64url as in a vp_token), or an encrypted response with \
            --decrypt-key. Presentations are bound to --nonce and the full --client-id (mdocs to --response-uri and the encryption key \
            too), or to --origin for the Digital Credentials API; --no-key-binding says that none is required. With --query also what was \
            asked is judged. Issuers are judged by x5c or x5chain, with the anchors of the home and of --anchor, or by --issuer-jwk. Ends 0 \
            when the verdict is pass, 1 when it is fail, 4 when it is undetermined.
            """,
        examples: [
            Example(
                "walletbench verifier verify --token vp.txt --nonce n-0S6 --client-id x509_san_dns:verifier.example --anchor ca.pem",
                "an SD-JWT with key binding"),
            Example(
                "walletbench verifier verify --token vp.json --query query.json --nonce n-0S6 --origin https://shop.example",
                "a vp_token of both formats and what it answers"),
            Example(
                "walletbench verifier verify --token pid.sd-jwt --no-key-binding --trust none", "the cryptography of a credential"),
        ],
        options: [.file("token", "T", "What was presented: a path, - for stdin, or the text itself")] + VerifyTerms.options + [
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
        let tokens = try PresentedTokens(try invocation.required("token"), key: invocation.string("decrypt-key"))
        let terms = try VerifyTerms(invocation, tokens)
        let file = try invocation.string("report").map { try ReportFile($0) }
        let trust = try await TrustSetup(invocation, role: .documents)
        let statuses = try StatusSetup(context)
        var reports: [PresentationReport] = []
        for report in try judge(tokens, terms, by: verifier(invocation, trust.anchors), at: context.clock.now()) {
            reports.append(await statuses.checker.completed(report))
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

    /// One report of a whole token with its query; without one, a report for each presentation.
    private static func judge(
        _ tokens: PresentedTokens, _ terms: VerifyTerms, by verifier: VPTokenVerifier, at time: Timestamp
    ) throws(CommandError) -> [PresentationReport] {
        if let query = terms.query, let binding = terms.binding {
            return [verifier.verify(try tokens.token(for: query), terms.terms(query, binding), at: time)]
        }
        return try tokens.presentations.map { presentation throws(CommandError) in
            guard !presentation.isSDJWT else {
                let text = presentation.value.stringValue ?? presentation.value.encoded()
                return verifier.sdJWT.verify(text, expecting: terms.expectation, at: time)
            }
            return verifier.mdoc.verify(
                try presentation.deviceResponse(), over: terms.transcript, mistakes: terms.mistakes, at: time)
        }
    }

    private static func verifier(_ invocation: Invocation, _ anchors: TrustAnchors) throws(CommandError) -> VPTokenVerifier {
        let context = invocation.context
        var keys: [PublicKey] = []
        for path in invocation.strings("issuer-jwk") { keys.append(try KeyFile.publicKey(path)) }
        let metadata = try invocation.string("type-metadata").map { path throws(CommandError) in try MetadataFolder(path) }
        let signers = SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew))
        let rule = VerdictRule(
            trustWaived: !context.usesTrust, holderBindingRequired: !invocation.flag("no-key-binding"), statusEnforced: true)
        return VPTokenVerifier(
            mdoc: PresentationVerifier(signers: signers, rule: rule),
            sdJWT: SDJWTVerifier(
                signers: signers, issuerKeys: keys, rule: rule, isHAIP: invocation.string("profile") == "haip", metadata: metadata))
    }
}
