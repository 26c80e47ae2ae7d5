import Codec
import Credentials
import Crypto
import OpenID
import Ports
import QR
import Vault

/// `walletbench holder answer`
enum HolderAnswer {
    static let command = Command(
        name: "answer", summary: "answer a request of OpenID4VP",
        discussion: """
            REQUEST is a link (openid4vp://, haip-vp:// or any other with the parameters of a request), a picture of its QR code, or a \
            file: a signed request object, or the JSON of the Digital Credentials API with --origin. The request is resolved once and \
            checked; then it is shown who asks, what and why, which documents match and why others do not, and what is consented to goes. \
            Where the request leaves a choice, everything to pick is numbered: the first that can be had goes unless --choose or the \
            person at the terminal picks another. A consent FILE decides by itself: {"default": true, "TYPE": {"CLAIM": false, \
            "NAMESPACE": {"ELEMENT": false}}}. Responses by redirect are printed for the browser. Verifiers have to be trusted by the \
            home or --anchor, unless --trust none. A registration certificate of the verifier (ETSI TS 119 475) is checked, status \
            included, and shown; with --registration-policy enforce a bad one is refused with access_denied. Ends 0 when \
            the request was answered and no check failed, 1 when it was refused or a check failed.
            """,
        examples: [
            Example("walletbench holder answer 'openid4vp://?client_id=…&request_uri=…'"),
            Example("walletbench holder answer photo.png --consent auto --profile haip"),
            Example(
                "walletbench holder answer request.jwt --consent auto --choose 2", "the second of the combinations that will do"),
            Example("walletbench holder answer request.json --origin https://shop.example --json"),
        ],
        options: [
            .value("doc", "ID", "Only these documents", isRepeatable: true),
            .value("consent", "ask|auto|deny|FILE", "Who decides what leaves", kind: .file, default: "ask"),
            AnswerChoice.option,
            .choice("response-mode", ResponseMode.allCases.map(\.rawValue), "Answer in this mode, whatever the request says"),
            .flag("partial", "Also offer documents that lack some of the claims; the specification forbids it"),
            .flag("follow", "Fetch the redirect_uri that the verifier answers with, in place of a browser"),
            .value("origin", "URL", "The page that asks over the Digital Credentials API"),
            .file(
                "known", "FILE", "Verifiers, attestation issuers, DID documents, transaction types and scopes that are known (JSON)"
            ),
            .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
        ] + KeyGate.options + RegistrationPolicy.options("verifier", default: .warning) + TrustSetup.options,
        arguments: [Argument("REQUEST", "A link, a picture or a file; - for stdin")],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let setup = try await AnswerSetup(invocation)
        let input = try request(invocation)
        return try await Interrupt.cancelling {
            if case .digitalCredentials(AnnexC.protocolName, let data) = input {
                return try await AnnexCConversation(setup, invocation).run(data)
            }
            return try await AnswerConversation(setup, invocation, transport: ClientSetup.transport(invocation.context)).run(input)
        }
    }

    /// The request in what a person gave: text, a file, or a picture with a QR code.
    private static func request(_ invocation: Invocation) throws(CommandError) -> RequestInput {
        let argument = invocation.argument
        let text: String
        if argument.contains("://"), !Files.exists(argument) {
            text = argument
        } else {
            let bytes = argument == "-" || Files.exists(argument) ? try Files.read(argument) : Array(argument.utf8)
            text = Picture.isPicture(bytes) ? try QRText.one(in: bytes, argument) : String(decoding: bytes, as: UTF8.self)
        }
        do { return try RequestInput(text) } catch {
            throw .refused(
                "\(error)", hint: "a request is a link with client_id, a request object, or JSON of the Digital Credentials API")
        }
    }
}
