import Codec
import Credentials
import Crypto
import Ports
import Vault

/// `walletbench issuer mint`
enum Mint {
    static let command = Command(
        name: "mint", summary: "issue one document offline",
        discussion: """
            Signs a document of a known type (mdl, pid, photo-id, age-verification) or of any DOCTYPE for a device key, or straight into the \
            wallet of this home. The values are those of a specimen person, of a JSON file, or of both with the file on top: \
            {"family_name": "Roe", "org.example.ns": {"points": 7}}. Each value takes the type that the document's definition gives it \
            (dates from text, binary from {"bytes": "<base64url>"} or {"file": "portrait.jpg"}); others keep their JSON type.

            With --format dc+sd-jwt the document is an SD-JWT VC: `pid` (vct urn:eudi:pid:1) of a specimen person, or any vct with the JSON \
            claims of --claims as they are. Every claim is selectively disclosable unless --frame says otherwise: \
            {"_sd": ["name", "address"], "address": {"_sd": ["street"]}, "_sd_decoy": 2}.

            The signer is the `ds` of the home's trust/made (made when there is none), or --signer and --signer-key. Specimen people: \
            \(Specimen.all.map { "\($0.name) (\($0.givenName) \($0.familyName), born \($0.birthDate))" }.joined(separator: ", ")).
            """,
        examples: [
            Example("walletbench issuer mint --type mdl --specimen mira --to-holder", "a driving licence into the wallet"),
            Example("walletbench issuer mint --type pid --specimen jonas --device-key device.pem -o pid.cbor"),
            Example("walletbench issuer mint --type org.example.ticket --claims ticket.json --to-holder --batch 5"),
            Example("walletbench issuer mint --type mdl --to-holder --portrait-size 300000", "how a large document behaves"),
            Example("walletbench issuer mint --type pid --format dc+sd-jwt --device-key device.pem -o pid.sd-jwt"),
        ],
        options: [
            .value("type", "TYPE", "mdl, pid, photo-id, age-verification, or a document type such as org.example.ticket"),
            .choice("format", ["mso_mdoc", "dc+sd-jwt"], "The format of the document", default: "mso_mdoc"),
            .file("claims", "FILE", "Values as JSON; - for stdin, or the text itself"),
            .choice("specimen", Specimen.all.map(\.name), "Values of this invented person; the default without --claims is mira"),
            .file("device-key", "FILE", "The holder's key, public or private: PEM, DER, JWK or COSE_Key"),
            .flag("to-holder", "Make the device key in the wallet of this home, and put the document there"),
            .integer("batch", "N", "With --to-holder: so many copies, each with its own device key", in: 1...1000),
            .choice(
                "policy", StoredDocument.UsePolicy.allCases.map(\.rawValue), "With --to-holder: how often a copy may be presented",
                default: StoredDocument.UsePolicy.rotate.rawValue),
            .value("name", "TEXT", "With --to-holder: what the document is called; else the name of its type"),
            .file("out", short: "o", "FILE", "Write IssuerSigned (CBOR) or the SD-JWT here; else text on stdout"),
            .integer(
                "valid-days", "N", "How long the document is valid, at most as long as its signer", in: 1...36_500, default: 90),
            .choice("digest", ["sha-256", "sha-384", "sha-512"], "The digest of the elements", default: "sha-256"),
            .value(
                "authorize", "NAMESPACE[/ELEMENT]", "What the device key may sign itself: a name space, or one element of it",
                isRepeatable: true),
            .integer("portrait-size", "BYTES", "Pad the portrait with JPEG comments to this size", in: 4...8_000_000),
            .file("frame", "FILE", "With dc+sd-jwt: which claims are selectively disclosable, as JSON"),
            .file("signer", "CERT", "The document signer's certificate instead of the home's"),
            .file("signer-key", "KEY", "The private key of --signer"),
        ] + KeyGate.options + MintStatus.options,
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        try checkTarget(invocation)
        guard invocation.string("format") == "mso_mdoc" else { return try await SDJWTMinting(invocation).run() }
        let type = try DocumentKind(invocation.required("type"))
        let signer = try MintSigner(invocation)
        let claims = try MintClaims(invocation, type: type, signer: signer.certificate).claims
        let mint = try Minting(invocation, type: type, signer: signer, claims: claims)
        return invocation.flag("to-holder") ? try await mint.toHolder() : try await mint.toFile()
    }

    /// What is wrong with the command line is said before anything is made.
    private static func checkTarget(_ invocation: Invocation) throws(CommandError) {
        let hasKey = invocation.string("device-key") != nil
        guard hasKey != invocation.flag("to-holder") else {
            throw .usage(
                hasKey ? "--device-key and --to-holder exclude each other" : "the document needs a device key",
                hint: "give --device-key FILE, or --to-holder to make the key in the wallet")
        }
        guard invocation.flag("to-holder") || invocation.string("batch") == nil else {
            throw .usage("--batch needs --to-holder", hint: "mint one document for each --device-key")
        }
    }
}

/// A document type as named on the command line.
struct DocumentKind: Sendable {
    let docType: DocType
    /// The element tables; nil for types without.
    let definition: DocumentDefinition?

    /// - Parameter name: a short name or a document type.
    init(_ name: String) throws(CommandError) {
        definition = DocumentDefinition.named(name) ?? DocumentDefinition.of(name)
        docType = definition?.docType ?? name
        guard definition != nil || name.contains(".") else {
            throw .usage(
                "--type \(name): no such type",
                hint:
                    "\(DocumentDefinition.known.map(\.shortName).joined(separator: ", ")), or a document type such as org.example.ticket"
            )
        }
    }
}
