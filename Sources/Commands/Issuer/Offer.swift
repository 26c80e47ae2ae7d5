import Codec
import OpenID
import Ports
import QR

/// `walletbench issuer offer`
enum IssuerOffer {
    static let command = Command(
        name: "offer", summary: "make a credential offer of the issuer that serves from this home",
        discussion: """
            The offer's codes go into the home, where the running `issuer serve` finds them. Prints the link by reference, which fits a QR \
            code, and the one that carries the whole offer.
            """,
        examples: [
            Example("walletbench issuer offer --type mdl", "a driving licence, without a browser"),
            Example("walletbench issuer offer --type pid-sd-jwt --grant authorization-code --qr offer.png"),
            Example("walletbench issuer offer --type mdl --tx-code -", "with a transaction code of four digits"),
        ],
        options: OfferOptions.options + [
            .value("issuer", "URL", "The issuer's identifier; else the one that served from this home last")
        ],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let known = try await IssuerService.knownIdentifier(invocation.context)
        guard let identifier = invocation.string("issuer") ?? known else {
            throw CommandError.refused(
                "no issuer has served from this home yet", hint: "walletbench issuer serve, in another terminal")
        }
        let service = try await IssuerService(invocation, identifier: identifier, pages: nil)
        let made = try await service.issuer.makeOffer(try OfferOptions.order(invocation))
        try picture(made, invocation)
        invocation.console.answer(made.facts) { text(made) }
        return .done
    }

    /// The picture where one is asked for.
    static func picture(_ made: MadeOffer, _ invocation: Invocation) throws {
        guard let path = invocation.string("qr") else { return }
        try Files.write(QREncode.picture(try QRSymbol(made.byReference), path: path), to: path)
    }

    /// Both links, and the transaction code.
    static func text(_ made: MadeOffer) -> String {
        let code = made.transactionCode.map { "\ntransaction code: \($0)" } ?? ""
        return "\(made.byReference)\n\nthe whole offer: \(made.byValue)\(code)"
    }
}
