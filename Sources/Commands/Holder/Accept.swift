import Codec
import Credentials
import OpenID
import Ports
import Vault

/// `walletbench holder accept OFFER`
enum HolderAccept {
    static let command = Command(
        name: "accept", summary: "get documents from an OpenID4VCI issuer",
        discussion: """
            OFFER is a credential offer: its link (openid-credential-offer://, haip-vci://, https), or a picture of its QR code. Without an offer, \
            --issuer and --type name what is wanted: a configuration id, a docType or a vct.

            The offer is shown before anything is asked of the token endpoint. With a pre-authorized code the documents come at once, with \
            --tx-code where the issuer gave one; else the browser opens the page that is printed, and comes back to a port of this machine \
            (--authorize direct goes there without a browser, for issuers that ask nobody).

            A registration certificate of the issuer (ETSI TS 119 475, issuer_info) is checked before anything is asked of it, and shown. It \
            is bound to the certificate that signed the metadata, so that metadata have to be signed.

            Everything that comes is checked before it is stored: own key, type, issuer, validity, digests. What fails is told to the issuer and \
            not stored. Several documents of an offer succeed or fail one by one.
            """,
        examples: [
            Example(
                "walletbench holder accept 'openid-credential-offer://?credential_offer_uri=http%3A%2F%2F127.0.0.1%3A8080%2Foffer%2F1'"
            ),
            Example("walletbench holder accept offer.png --tx-code 4711 --consent auto", "a photo of the QR code"),
            Example("walletbench holder accept --issuer http://127.0.0.1:8080 --type mdl --copies 5", "without an offer"),
        ],
        options: options,
        arguments: [Argument("OFFER", "The offer's link, or a picture of it", isRequired: false)],
        run: run)

    /// Options of every command that talks to an issuer.
    static let options: [Option] =
        own + KeyGate.options + RegistrationPolicy.options("issuer", default: .enforce) + TrustSetup.options

    private static let own: [Option] = [
        .value("tx-code", "CODE", "The transaction code that the issuer gave by another way"),
        .value("type", "ID", "Only this of the offer, or of the issuer: configuration id, docType or vct", isRepeatable: true),
        .value("issuer", "URL", "The issuer, where there is no offer: its identifier, or its name of `holder issuer`"),
        .choice("consent", ["ask", "auto", "deny"], "Whether to take what is offered", default: "ask"),
        .choice("authorize", ["browser", "direct"], "How to reach the authorization page", default: "browser"),
        .integer("copies", "N", "Copies of each document; else what the issuer recommends, or one", in: 1...1000),
        .choice("dpop", WalletSettings.DPoPUse.allCases.map(\.rawValue), "Tokens bound to a key", default: "preferred"),
        .choice(
            "client-auth", ["attestation", "none"], "The wallet attestation of the test provider, or none",
            default: "attestation"),
        .choice("attestation-draft", ClientAttestation.Draft.allCases.map(\.rawValue), "Its draft", default: "07"),
        .choice(
            "signed-metadata", SignedMetadata.Policy.allCases.map(\.rawValue), "What to make of signed metadata",
            default: "prefer"),
        .choice("proof", ["jwt", "attestation"], "The proof type to take where both are offered"),
        .flag("attest-keys", "A key attestation also where none is required"),
        .choice(
            "proof-policy", WalletSettings.ProofPolicy.allCases.map(\.rawValue), "Whether key attestations must be required",
            default: "lenient"),
        .choice(
            "reuse", ReusePolicy.Support.allCases.map(\.rawValue), "What to make of the issuer's reuse policy",
            default: "supported"
        ),
        .choice(
            "policy", StoredDocument.UsePolicy.allCases.map(\.rawValue),
            "How often a copy may be presented, whatever the issuer says"),
        .choice("ask-by", ["details", "scope"], "authorization_details, or scope where there is one", default: "details"),
        .flag("no-par", "No pushed authorization request unless it is required"),
        .flag("no-encryption", "No encryption unless it is required"),
        .choice("curve", ["P-256", "P-384", "P-521", "Ed25519", "Ed448"], "The curve of the device keys", default: "P-256"),
        .value("language", "TAG", "Preferred languages of names", isRepeatable: true),
        .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
        .flag("wait", "Poll for deferred documents until they come"),
    ]

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let accepting = try await Accepting(invocation)
        return try await Interrupt.cancelling {
            var accepting = accepting
            return try await accepting.run()
        }
    }
}

/// `walletbench holder poll`, `resume`, `refresh`
enum HolderPoll {
    static let poll = Command(
        name: "poll", summary: "ask issuers for deferred documents",
        discussion:
            "Asks for every deferred document, or for the one named, when its interval is over; --wait asks until it has come.",
        examples: [Example("walletbench holder poll"), Example("walletbench holder poll 1a2b --wait")],
        options: HolderAccept.options,
        arguments: [Argument("ID", "Only this document", isRequired: false)], run: { try await run($0, .poll) })

    static let resume = Command(
        name: "resume", summary: "take up deferred documents after a restart",
        discussion: "The same as poll: everything that is needed is in the wallet.",
        examples: [Example("walletbench holder resume")], options: HolderAccept.options,
        arguments: [Argument("ID", "Only this document", isRequired: false)], run: { try await run($0, .poll) })

    static let refresh = Command(
        name: "refresh", summary: "get fresh copies of a document from its issuer",
        discussion: """
            Uses the refresh token of the document's issuance; the new copies are added to those that are there. Without ID it does so for \
            every document whose issuer's reuse policy says that fresh copies are due: few unused ones, or little time, are left.
            """,
        examples: [
            Example("walletbench holder refresh 1a2b --copies 5"), Example("walletbench holder refresh", "whatever is due"),
        ],
        options: HolderAccept.options,
        arguments: [Argument("ID", "Only this document", isRequired: false)], run: { try await run($0, .refresh) })

    private enum Verb { case poll, refresh }

    private static func run(_ invocation: Invocation, _ verb: Verb) async throws -> ExitCode {
        let accepting = try await Accepting(invocation)
        return try await Interrupt.cancelling {
            verb == .poll
                ? try await accepting.poll(invocation.arguments.first) : try await accepting.refresh(invocation.arguments.first)
        }
    }
}
