import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Vault

/// The test issuer of this home: its settings, its certificates, and what it remembers in the service vault. Every process of the home
/// works on the same memory, so that `issuer offer` makes offers for an issuer that serves elsewhere.
struct IssuerService {
    /// Options of the commands that make an issuer.
    static let options: [Option] = [
        .value("set", "NAME=VALUE", "Switch something: \(switches)", isRepeatable: true),
        .choice("specimen", Specimen.all.map(\.name), "Whose documents are issued", default: "mira"),
        .integer("valid-days", "N", "How long documents are valid, at most as long as their signer", in: 1...36_500, default: 90),
        .choice("profile", ["haip"], "The stricter rules of HAIP 1.0"),
        RegistrationChoice.option("issuer", "issuer_info"),
        .file("wallet-anchor", "FILE", "A root of wallet providers to trust; the home's own test provider is", isRepeatable: true),
    ]

    private static var switches: String { IssuerSettings.switches.map(\.name).joined(separator: ", ") }

    let issuer: VCIIssuer
    let vault: Vault

    /// - Parameters:
    ///   - lists: what is served beside the issuer; nil where nothing is issued.
    ///   - pages: of an issuer that serves; nil for one that only makes offers.
    init(_ invocation: Invocation, identifier: String, lists: IssuerLists? = nil, pages: Pages?) async throws {
        let context = invocation.context
        var settings = IssuerSettings(identifier: identifier, configurations: SpecimenSource.configurations)
        if invocation.string("profile") == "haip" { settings.adoptHAIP() }
        for text in invocation.strings("set") { try Self.set(text, &settings) }
        let identities = IssuanceIdentities(context)
        let (signer, root) = try lists.map { ($0.signer, $0.root) } ?? identities.documentSigner()
        let registration = try await RegistrationChoice(invocation, as: .issuer)
        if let certificate = registration.certificate { settings.issuerInfo = [RegistrationAttestation.entry(certificate)] }
        let person = invocation.string("specimen").flatMap(Specimen.named) ?? .mira
        let source = try SpecimenSource(
            person: person, signer: signer, validity: Int64(invocation.integer("valid-days") ?? 90) * 86400, random: context.random,
            statuses: lists?.desk)
        let vault = try context.serviceVault()
        self.vault = vault
        var presentation: IssuerPresentation?
        if let pages { presentation = try await Self.desk(invocation, identifier, vault, root, pages.presentation) }
        issuer = VCIIssuer(
            settings: settings,
            keys: .init(
                metadata: registration.access ?? signer, metadataRoot: root,
                encryption: try PrivateKey.generate(.p256, random: context.random),
                providers: try identities.providerRoots(adding: invocation.strings("wallet-anchor"))),
            source: source, table: vault, clock: context.clock, tableClock: SystemClock(), random: context.random,
            faults: try IssuanceFaults(context, .issuer, registration.fault), consentPage: pages?.consent,
            presentation: presentation)
    }

    /// Draws the pages of the authorization endpoint.
    struct Pages {
        let consent: @Sendable (VCIIssuer.ConsentPrompt) -> String
        let presentation: @Sendable (_ link: String) -> String
    }

    /// The issuer's own verifier, which asks as the reader of this home, and trusts this home's documents too.
    private static func desk(
        _ invocation: Invocation, _ identifier: String, _ vault: Vault, _ root: Certificate,
        _ page: @escaping @Sendable (String) -> String
    ) async throws -> IssuerPresentation {
        let context = invocation.context
        let reader = try IssuanceIdentities(context).reader()
        let trust = try await VerifierTrust(invocation, .none)
        let anchors = context.usesTrust ? trust.documents.anchors.adding(TrustAnchor(root, role: .documents)) : .none
        let signer = try JWSSigner(reader.key, nonce: context.isDeterministic ? .deterministic : .random)
        var settings = VPVerifierSettings(
            identity: VPIdentity(.x509Hash, signer: signer, certificates: [reader.certificate]),
            publicURL: try WebURL("\(identifier)/\(IssuerPresentation.path)"),
            tokens: VPTokenVerifier(
                signers: SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew)),
                rule: VerdictRule(trustWaived: !context.usesTrust, statusEnforced: true)))
        settings.completion = { await trust.completed($0) }
        var orders: [String: VPOrder] = [:]
        for name in ["pid", "pid-mdoc", "mdl"] { orders[name] = try VerifierPresets.json(name).map { try VPOrder($0) } }
        let verifier = VPVerifier(
            settings, store: vault, clock: context.clock, tableClock: SystemClock(), random: context.random)
        return IssuerPresentation(verifier: verifier, orders: orders, page: page)
    }

    private static func set(_ text: String, _ settings: inout IssuerSettings) throws(CommandError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, settings.set(parts[0], to: parts[1]) else {
            let known = IssuerSettings.switches.first { $0.name == parts.first }
            let hint = known.map { "\($0.name): \($0.values.isEmpty ? "a number" : $0.values.joined(separator: ", "))" }
            throw .usage("--set \(text): no such switch or value", hint: hint ?? "switches are \(switches)")
        }
    }

    // MARK: Where the issuer is

    private static let place = (key: "identifier", partition: "issuer.service")

    /// Notes where the issuer of this home serves.
    func keepIdentifier() async throws(StoreError) {
        try await vault.write(Array(issuer.settings.identifier.utf8), Self.place.key, in: Self.place.partition)
    }

    /// Where the issuer of this home serves, or did last.
    static func knownIdentifier(_ context: Context) async throws -> String? {
        guard let vault = try context.serviceVaultIfThere(), let bytes = try await vault.read(place.key, in: place.partition) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The options that say what an offer is for, and the order they make.
enum OfferOptions {
    static let options: [Option] = [
        .value(
            "type", "ID", "What to offer: \(SpecimenSource.configurations.map(\.id).joined(separator: ", "))", isRepeatable: true),
        .choice(
            "grant", ["pre-authorized", "authorization-code"], "How the wallet gets its token", default: "pre-authorized"),
        .value("tx-code", "CODE", "Ask for this transaction code; - makes one of four digits"),
        .choice("scheme", CredentialOffer.schemes, "The scheme of the link", default: CredentialOffer.schemes[0]),
        .file("qr", "FILE", "Write the link as a QR code: PNG or SVG"),
    ]

    static func order(_ invocation: Invocation) throws(CommandError) -> OfferOrder {
        let wanted = invocation.strings("type")
        let known = SpecimenSource.configurations
        var ids: [String] = []
        for name in wanted {
            guard let configuration = known.first(where: { $0.id == name || $0.type == name }) else {
                throw .usage("--type \(name): there is no such credential", hint: known.map(\.id).joined(separator: ", "))
            }
            ids.append(configuration.id)
        }
        let code = invocation.string("tx-code").map { code in
            code == "-" ? String(invocation.context.random.bytes(4).map { Character(String($0 % 10)) }) : code
        }
        return OfferOrder(
            configurationIDs: ids.isEmpty ? ["mdl"] : ids, isPreAuthorized: invocation.string("grant") != "authorization-code",
            transactionCode: code, isTextCode: code.map { !$0.allSatisfy(\.isNumber) } ?? false,
            scheme: invocation.string("scheme") ?? CredentialOffer.schemes[0])
    }
}

extension MadeOffer {
    /// Members of events and answers.
    var facts: JSONObject {
        [
            "issuance": .string(issuance), "offer": .object(offer), "uri": .string(byReference), "uriByValue": .string(byValue),
            "txCode": transactionCode.map { .string($0) } ?? .null,
        ]
    }
}
