import Codec
import Credentials
import Crypto
import Ports
import Proximity
import Reports

/// `walletbench reader read`
enum ReaderRead {
    static let command = Command(
        name: "read", summary: "read the documents that a holder's QR code offers",
        discussion: """
            Decodes the engagement in a picture or text, connects to the mdoc, asks, and reports every check of engagement, session and \
            response. Several --request are asked one after the other in one session. Requests are signed with the reader certificate of \
            the home (`trust make reader`) or of --reader-cert, where there is one. Ends 0 when the verdict is pass, 1 when it is fail or the \
            holder refused, 4 when it is undetermined.
            """,
        examples: [
            Example("walletbench reader read --qr engagement.png --request mdl --anchor iaca.pem --report report.html"),
            Example("walletbench reader read --engagement 'mdoc:owBj…' --request mdl-age-over-18 --trust none", "by text"),
            Example("walletbench reader read --camera --link ble", "from a camera, by Bluetooth"),
        ],
        options: [
            .file("qr", "PICTURE", "A PNG or JPEG with the QR code"),
            .value("engagement", "TEXT", "The text of the QR code, or a file with it", kind: .file),
            .file("camera", "[DEVICE]", "Read the QR code with a camera, /dev/video0 if no other is named", implied: "/dev/video0"),
            .value(
                "request", "PRESET|FILE", "\(ReadRequest.presets.joined(separator: ", ")); or a JSON file", kind: .file,
                isRepeatable: true),
            LinkChoice.option, LinkChoice.readerMode,
            .file("reader-cert", "FILE", "The reader's certificate chain (PEM), leaf first; needs --reader-key"),
            .file("reader-key", "FILE", "The key of --reader-cert (PEM, DER or JWK)"),
            ReaderRegistration.option,
            .flag("no-reader-auth", "Do not sign requests"),
            .file("report", "F", "Also write the report: .html, .json, .xml (JUnit) or .txt", isRepeatable: true),
            .flag("redact", "Leave claim values out of everything that is printed and written"),
            .integer("timeout", "SECONDS", "Give up when no mdoc is found by Bluetooth", in: 1...86_400, default: 90),
        ] + TrustSetup.options + LinkChoice.channels,
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let files = try invocation.strings("report").map { path throws(CommandError) in try ReportFile(path) }
        let setup = try await ReadSetup(invocation)
        let report = try await Interrupt.cancelling { try await read(setup, invocation) }
        for file in files { try file.write(report.presentation, redacting: invocation.flag("redact"), faults: setup.faults.names) }
        await setup.remember()
        if invocation.console.isJSON { invocation.console.failure(report.failure, role: "reader", at: report.place) }
        show(report, invocation)
        if !invocation.console.isJSON { invocation.console.failure(report.failure, role: "reader", at: report.place) }
        let isIncomplete = report.isRefused || report.responses < setup.requests.count
        return isIncomplete ? .refused : report.presentation.verdict.exitCode
    }

    private static func read(_ setup: ReadSetup, _ invocation: Invocation) async throws -> ReadReport {
        guard setup.review.isUsable, let engagement = setup.review.engagement, let key = setup.review.eDeviceKey else {
            let failed = setup.review.checks.checks.first { $0.outcome == .fail }
            let report = setup.reportWithoutResponse(because: failed?.id ?? "P5.point").adding(checks: setup.review.checks)
            return ReadReport(report, responses: 0, documents: 0, failure: unusable(failed), place: nil)
        }
        invocation.console.event(.engaged, role: "reader", ["engagement": .string(setup.text)])
        let conversation: ReadConversation
        do { conversation = try await ReadConversation(setup, engagement, key, invocation) } catch let error as CommandError {
            guard error.exit == .refused else { throw error }
            let report = setup.reportWithoutResponse(because: "P6.known").adding(checks: setup.review.checks)
            return ReadReport(report, responses: 0, documents: 0, failure: error, place: nil)
        }
        invocation.console.caution(about: conversation.place)
        invocation.console.talk("meeting the mdoc at \(conversation.place.description)")
        conversation.live.state("looking for the mdoc")
        let outcome: SessionOutcome
        do { outcome = try await conversation.driver.run(conversation) } catch { throw CommandError(session: error) }
        return await conversation.finish(outcome)
    }

    private static func unusable(_ failed: Check?) -> CommandError {
        CommandError(
            "no session can be made of this engagement: \(failed.map { "\($0.id) \($0.reason ?? $0.name)" } ?? "its key is not usable")",
            hint: "walletbench inspect explains it; the report lists every check")
    }

    private static func show(_ report: ReadReport, _ invocation: Invocation) {
        let console = invocation.console
        let redacting = invocation.flag("redact")
        if console.isJSON {
            var object = report.presentation.json(redacting: redacting).objectValue ?? JSONObject()
            object["refused"] = .bool(report.isRefused)
            return console.event(.report, role: "reader", object)
        }
        console.out(
            TableReport(
                report.presentation,
                ReportOptions(
                    redacting: redacting, colour: console.showsColours, faults: invocation.context.faults.map(\.text))
            ).text)
        if report.isRefused, report.failure == nil { console.out("the holder returned no document") }
    }
}

/// What came of `reader read`.
struct ReadReport: Sendable {
    let presentation: PresentationReport
    let responses: Int
    let documents: Int
    /// Why the session ended early.
    let failure: (any Error)?
    /// Where the session was held; nil when there was none.
    let place: LinkPlace?

    init(_ presentation: PresentationReport, responses: Int, documents: Int, failure: (any Error)?, place: LinkPlace?) {
        (self.presentation, self.responses, self.documents) = (presentation, responses, documents)
        (self.failure, self.place) = (failure, place)
    }

    /// Whether the holder answered and gave nothing, or did not answer.
    var isRefused: Bool { documents == 0 }
}
