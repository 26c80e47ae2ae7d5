import Codec
import Credentials
import OpenID
import Ports
import Reports

/// `walletbench verifier receive`
enum VerifierReceive {
    static let command = Command(
        name: "receive", summary: "judge a response to a request that was made here",
        discussion: """
            TRANSACTION is what verifier request printed. RESPONSE is what the wallet returned: the address that it sent the browser to \
            (response modes fragment and query), the form that it posted, or the JSON that navigator.credentials.get gave, with --origin. \
            The first answer that opens and has the right state is kept and ends the transaction. Ends 0 when the verdict is pass, 1 when \
            it is fail or the wallet answered with an error, 4 when it is undetermined.
            """,
        examples: [
            Example("walletbench verifier receive HL0… 'https://verifier.example/return/HL0…#response=eyJ…'"),
            Example("walletbench verifier receive HL0… response.json --origin https://shop.example"),
        ],
        options: [
            .value("public-url", "URL", "As with verifier request", default: "https://verifier.example"),
            .value("origin", "URL", "The page that got the response over the Digital Credentials API"),
            .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
            .file("report", "F", "Also write the report: .html, .json, .xml (JUnit) or .txt"),
            .flag("redact", "Leave claim values out of everything that is printed and written"),
        ] + TrustSetup.options + VerifierIdentityChoice.options,
        arguments: [Argument("TRANSACTION", "Its id"), Argument("RESPONSE", "A file, - for stdin, or the text itself")],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let file = try invocation.string("report").map { try ReportFile($0) }
        let verifier = try VerifierSetup.verifier(
            invocation, try await VerifierTrust(invocation), store: try invocation.context.serviceVault())
        let id = invocation.argument
        let receipt: VPReceipt
        do throws(VPVerifierError) {
            guard let transaction = try await verifier.transaction(id) else {
                throw .order("there is no transaction \(id) (any more)")
            }
            receipt = try await receive(try text(invocation), for: transaction, by: verifier, invocation)
        } catch { throw CommandError(vp: error) }
        let isLate = receipt.report.checks.contains { $0.id == "VV2.once" && $0.outcome == .fail }
        if !isLate, let transaction = try? await verifier.transaction(id), transaction.status != .waiting {
            await VerifierLog(context: invocation.context).record(transaction, receipt.report)
        }
        let options = ReportOptions(redacting: invocation.flag("redact"), colour: invocation.console.showsColours)
        try file?.write(receipt.report, redacting: options.redacting)
        invocation.console.answer(receipt.report.json(redacting: options.redacting).objectValue ?? JSONObject()) {
            TableReport(receipt.report, options).text
        }
        return receipt.report.verdict.exitCode
    }

    private static func text(_ invocation: Invocation) throws(VPVerifierError) -> String {
        let argument = invocation.arguments.count > 1 ? invocation.arguments[1] : "-"
        guard argument == "-" || Files.exists(argument) else { return argument }
        do { return String(decoding: try Files.read(argument), as: UTF8.self) } catch { throw .order(error.what) }
    }

    private static func receive(
        _ text: String, for transaction: VPTransaction, by verifier: VPVerifier, _ invocation: Invocation
    ) async throws(VPVerifierError) -> VPReceipt {
        let text = text.split(whereSeparator: \.isNewline).joined()
        if text.hasPrefix("{") {
            let json: JSON
            do { json = try JSON.decode(text) } catch { throw .order("the response: \(error)") }
            if transaction.mode.way == .digitalCredentials {
                guard let origin = invocation.string("origin") ?? transaction.origins.first else {
                    throw .order("the response of the Digital Credentials API is bound to a page: name it with --origin")
                }
                return try await verifier.receive(digital: json, origin: origin, for: transaction.id)
            }
            var fields = FormFields()
            for (name, value) in json.objectValue ?? JSONObject() { fields.add(name, value.stringValue ?? value.encoded()) }
            return try await verifier.receive(.form(try address(transaction, verifier), fields), for: transaction.id)
        }
        let fields: FormFields
        do throws(WebURLError) {
            if text.contains("://"), let url = try? WebURL(text) {
                fields = try FormFields(url.fragment ?? url.query ?? "")
            } else {
                fields = try FormFields(text)
            }
        } catch { throw .order("the response: \(error)") }
        return try await verifier.receive(.form(try address(transaction, verifier), fields), for: transaction.id)
    }

    private static func address(_ transaction: VPTransaction, _ verifier: VPVerifier) throws(VPVerifierError) -> WebURL {
        do { return try WebURL(transaction.responseURI) } catch { return verifier.address("response", transaction.id) }
    }
}
