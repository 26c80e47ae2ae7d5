import Codec
import Credentials
import Crypto
import Ports
import Reports

/// `walletbench reader verify`
enum ReaderVerify {
    static let command = Command(
        name: "verify", summary: "verify a DeviceResponse offline",
        discussion: """
            Runs every check of a reader over the bytes as received, and prints the report. The transcript is the SessionTranscript of \
            the session, in tag 24 or not; a response authenticated by MAC needs the reader's private session key too. Anchors are those \
            of the home and of --anchor; without any, or with --trust none, the verdict is about the cryptography alone at most. Ends 0 \
            when the verdict is pass, 1 when it is fail, 4 when it is undetermined.
            """,
        examples: [
            Example(
                "walletbench reader verify --response response.cbor --transcript transcript.cbor --anchor iaca.pem",
                "signed by the device"),
            Example(
                "walletbench reader verify --response r.cbor --transcript t.cbor --reader-key key.pem --trust none --report r.html",
                "authenticated by MAC, trust left aside, the report as a page"),
            Example(
                "walletbench reader verify --response r.cbor --transcript t.cbor --explain --origin https://shop.example --nonce n1",
                "does the device's proof cover another handover?"),
        ],
        options: [
            .file("response", "R", "DeviceResponse: CBOR, also as hex, base64 or base64url"),
            .file("transcript", "T", "SessionTranscript, in tag 24 or not; without it device authentication is not checked"),
            .file("reader-key", "K", "The reader's private session key (PEM, DER, JWK, COSE_Key or the scalar in hex), for a MAC"),
            .file(
                "request", "Q", "What was asked: a DeviceRequest, or as for `reader read`; adds the checks whether the answer fits"),
            .file("report", "F", "Also write the report: .html, .json, .xml (JUnit) or .txt"),
            .flag("redact", "Leave claim values out of everything that is printed and written"),
            .flag("explain", "Say more of each check that did not pass, and what the transcript holds"),
        ] + TrustSetup.options + HandoverOptions.options,
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let response = try InputReader.read(try invocation.required("response")).cbor(as: "a DeviceResponse")
        let transcript = try invocation.string("transcript").map { try Self.transcript($0) }
        let key = try invocation.string("reader-key").map { try readerKey($0, transcript) }
        let request = try invocation.string("request").map { try Self.request($0) }
        let file = try invocation.string("report").map { try ReportFile($0) }
        let trust = try await TrustSetup(invocation, role: .documents)
        let verifier = PresentationVerifier(
            signers: SignerVerifier(anchors: trust.anchors, edition: context.edition, skew: Int64(context.skew)),
            rule: VerdictRule(trustWaived: !context.usesTrust, statusEnforced: true))
        let statuses = try StatusSetup(context)
        let mistakes = try HandoverOptions(invocation).transcripts(besides: transcript)
        let report = trust.completed(
            await statuses.checker.completed(
                verifier.verify(
                    response, over: transcript, request: request, readerKey: key, mistakes: mistakes, at: context.clock.now())))
        await statuses.remember()
        try file?.write(report, redacting: invocation.flag("redact"))
        show(report, transcript, invocation)
        return report.verdict.exitCode
    }

    private static func show(_ report: PresentationReport, _ transcript: SessionTranscript?, _ invocation: Invocation) {
        let console = invocation.console
        let options = ReportOptions(redacting: invocation.flag("redact"), colour: console.showsColours)
        let explanation = invocation.flag("explain") ? VerdictExplanation(report, transcript, options).text : nil
        if console.isJSON {
            console.json(report.json(redacting: options.redacting).objectValue ?? JSONObject())
            explanation.map(console.talk)
        } else {
            console.out(TableReport(report, options).text + (explanation.map { "\n\($0)" } ?? ""))
        }
    }

    /// A SessionTranscript that a person gives, in tag 24 or not.
    static func transcript(_ argument: String) throws(CommandError) -> SessionTranscript {
        let input = try InputReader.read(argument)
        do { return try SessionTranscript(encoded: try input.cbor(as: "a SessionTranscript")) } catch let error as CBORError {
            throw .refused("\(input.origin): not a SessionTranscript: \(error)", hint: "it is an array of three, or tag 24 of one")
        } catch {
            throw error as? CommandError ?? .refused("\(input.origin): \(error)")
        }
    }

    /// What was asked: the DeviceRequest itself, or what `reader read --request` takes.
    private static func request(_ argument: String) throws(CommandError) -> DeviceRequest {
        if ReadRequest.presets.contains(argument) { return DeviceRequest(try ReadRequest(argument)) }
        let input = try InputReader.read(argument)
        if case .json = input.content { return DeviceRequest(try ReadRequest(argument)) }
        let bytes = try input.cbor(as: "a DeviceRequest or a request as JSON")
        do { return try DeviceRequest.receive(bytes) } catch {
            throw .refused("\(input.origin): not a DeviceRequest: \(error.reason)")
        }
    }

    /// A key file, or the bare scalar in hex: its curve is then that of the transcript's EReaderKey.
    private static func readerKey(_ argument: String, _ transcript: SessionTranscript?) throws(CommandError) -> PrivateKey {
        guard !Files.exists(argument), let scalar = try? Hex.decode(argument), !scalar.isEmpty else {
            return try KeyFile.privateKey(argument)
        }
        let curve = (try? transcript?.eReaderKey())?.curve ?? .p256
        do { return try PrivateKey(curve: curve, scalar: scalar) } catch {
            throw .refused("--reader-key: \(error)", hint: "the scalar of a \(curve.rawValue) key has \(curve.fieldSize) bytes")
        }
    }
}

extension DeviceRequest {
    /// The request without reader authentication.
    fileprivate init(_ request: ReadRequest) {
        self.init(
            docRequests: request.items.map { DocRequest(itemsRequest: Embedded($0)) },
            deviceRequestInfo: request.deviceRequestInfo.map { Embedded($0) })
    }
}
