import Codec
import Credentials
import Crypto
import Ports
import Proximity
import QR

/// `walletbench holder present`
enum HolderPresent {
    static let command = Command(
        name: "present", summary: "show an engagement and present documents to the reader that comes",
        discussion: """
            Draws the QR code of a device engagement (ISO/IEC 18013-5), waits for a reader, shows who asks and what, and answers what is \
            consented to. A stream link (tcp:, unix:) goes into the engagement as a private retrieval method; it carries exactly the parts \
            that Bluetooth carries. A consent FILE decides by itself: {"default": true, "DOCTYPE": {"NAMESPACE": {"ELEMENT": false}}}. \
            Ends 0 when everything asked was answered and no check failed, 1 when something was refused or a check failed.
            """,
        examples: [
            Example("walletbench holder present --link tcp:127.0.0.1:0", "asks before anything leaves"),
            Example("walletbench holder present --link unix:/tmp/mdoc.sock --consent auto --qr engagement.png", "unattended"),
        ],
        options: [
            .value("doc", "ID", "Only these documents", isRepeatable: true),
            LinkChoice.option, LinkChoice.mode,
            .value("consent", "ask|auto|deny|FILE", "Who decides what leaves", kind: .file, default: "ask"),
            .choice(
                "device-auth", Presenter.DeviceAuthMethod.allCases.map(\.rawValue), "How the device key proves itself",
                default: "auto"),
            .file("device-signed", "FILE", "Values the device signs itself: {\"NAMESPACE\": {\"ELEMENT\": value}}"),
            .choice(
                "reader-policy", ReaderPolicy.allCases.map(\.rawValue), "What reader authentication is worth", default: "warn"),
            .choice("curve", Curve.allCases.filter(\.canAgree).map(\.rawValue), "The curve of the session"),
            .file("qr", "F.png", "Also write the QR code as a picture (.png or .svg)"),
            .flag("keep-open", "Wait for the next reader after each one"),
            .integer("timeout", "SECONDS", "Give up when no reader has come", in: 1...86_400),
        ] + KeyGate.options + RegistrationPolicy.options("reader", default: .warning) + TrustSetup.options + LinkChoice.channels,
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let setup = try await PresentSetup(invocation)
        guard invocation.flag("keep-open") else { return try await transaction(setup, invocation) }
        while true { _ = try await transaction(setup, invocation) }
    }

    /// One engagement, one reader.
    private static func transaction(_ setup: PresentSetup, _ invocation: Invocation) async throws -> ExitCode {
        try await Interrupt.cancelling {
            let engagement = try await setup.engage()
            try show(engagement, setup, invocation)
            let conversation = PresentConversation(setup, engagement, invocation)
            let outcome: SessionOutcome
            do { outcome = try await engagement.driver.run(conversation) } catch { throw CommandError(session: error) }
            return try await conversation.finish(outcome)
        }
    }

    private static func show(_ engagement: PresentSetup.Engagement, _ setup: PresentSetup, _ invocation: Invocation) throws {
        let console = invocation.console
        let symbol: QRSymbol
        do { symbol = try QRSymbol(engagement.text) } catch {
            throw CommandError("the engagement does not fit a QR code: \(error)")
        }
        if let path = invocation.string("qr") { try Files.write(QREncode.picture(symbol, path: path), to: path) }
        if !console.isJSON { console.out(symbol.terminal(colours: console.showsColours)) }
        console.out(engagement.text)
        console.caution(about: engagement.place)
        console.talk("waiting for a reader at \(engagement.place.description)")
        console.event(
            .ready, role: "holder",
            [
                "engagement": .string(engagement.text), "link": .string(engagement.place.description),
                "documents": .array(setup.documents.map { .string($0.id) }),
            ])
        engagement.live.state("waiting for a reader")
    }
}
