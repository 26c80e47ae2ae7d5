import Codec
import Credentials
import Crypto
import Ports

/// The named faults of one issuer or wallet that are switched on, applied where messages are made.
package struct IssuanceFaults: Sendable {
    package static let none = IssuanceFaults([])

    /// The faults, each with what follows its name after a colon.
    package let active: [(fault: IssuanceFault, argument: String)]

    package init(_ active: [(fault: IssuanceFault, argument: String)]) { self.active = active }

    /// A certificate of signed metadata that is no certificate: `wrpac-garbage` of issuance.
    package static let unreadableAccessCertificate = IssuanceFaults([
        (
            IssuanceFault(
                "wrpac-garbage", .issuer, "the certificate of the metadata's signer is unreadable", also: [],
                acts: [
                    .jwt(.signedMetadata) { draft, _ in
                        guard let text = draft.header["x5c"]?[0]?.stringValue, let der = try? Base64.decode(text) else { return }
                        draft.header["x5c"] = [.string(Base64.encode(der.dropLast(9)))]
                    }
                ]), ""
        )
    ])

    /// `issuer_info` in metadata that nobody signed: `wrpac-absent` of issuance.
    package static let unsignedIssuerInfo = IssuanceFaults([
        (
            IssuanceFault(
                "wrpac-absent", .issuer, "the metadata are not signed", also: [], acts: [.issuer { $0.signsMetadata = false }]), ""
        )
    ])

    package func adding(_ other: IssuanceFaults) -> IssuanceFaults { IssuanceFaults(active + other.active) }

    /// The faults of these names on one side.
    /// - Throws: the name that no fault of that side has.
    package init(named names: [String], of side: IssuanceFault.Side) throws(UnknownFault) {
        var active: [(fault: IssuanceFault, argument: String)] = []
        for name in names {
            let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let fault = IssuanceFault.all.first(where: { $0.name == parts[0] && $0.side == side }) else {
                throw UnknownFault(name: name)
            }
            active.append((fault, parts.count > 1 ? parts[1] : ""))
        }
        self.active = active
    }

    /// A name that is no fault of the side.
    package struct UnknownFault: Error, Sendable {
        package let name: String
    }

    /// JWTs that faults spoil.
    package enum JWTKind: Sendable {
        case signedMetadata, clientAttestation, clientProof, keyAttestation, keyProof, tokenProof, resourceProof
    }

    /// Answers that faults spoil.
    package enum AnswerStage: Sendable {
        case metadata, serverMetadata, offer, par, authorization, presentation, token, challenge, nonce, credential, deferred,
            notification, error
    }

    /// Requests that faults spoil.
    package enum RequestStage: Sendable {
        /// PAR, with its headers.
        case pushed
        case token, nonceRequest
        /// The message before it is encrypted.
        case credential, deferred
        /// After.
        case encrypted
        case notification
        /// Any request with a token, after its headers are complete.
        case protected
    }

    /// Ways to behave wrong that are more than one spoiled message.
    package enum Conduct: Sendable {
        case ignoresNonces, ignoresChallenges, repeatsTokenRequest, retriesEndlessly, sendsPlain, pollsEarly, answersAfterDelivery
        case repeatsRefresh, repeatsDeferred, repeatsPushed, repeatsProof
        case unknownMetadataSigner, selfSignedMetadata, anchorInMetadata
        case wrongType, wrongKey, sameKey, tooMany, badEncoding
    }

    package func has(_ conduct: Conduct) -> Bool {
        active.contains { item in item.fault.acts.contains { if case .conduct(let own) = $0 { own == conduct } else { false } } }
    }

    private var acts: [(IssuanceFault.Act, String)] { active.flatMap { item in item.fault.acts.map { ($0, item.argument) } } }

    func adjust(_ settings: inout IssuerSettings) {
        for case (.issuer(let change), _) in acts { change(&settings) }
    }

    func adjust(_ settings: inout WalletSettings) {
        for case (.wallet(let change), _) in acts { change(&settings) }
    }

    func spoil(_ kind: JWTKind, _ draft: inout JWTDraft) {
        for case (.jwt(let own, let change), let argument) in acts where own == kind { change(&draft, argument) }
    }

    func spoil(_ stage: AnswerStage, _ draft: inout AnswerDraft) {
        for case (.answer(let own, let change), _) in acts where own == stage { change(&draft) }
    }

    /// The JSON of a credential response, before it is encrypted.
    func spoil(inner stage: AnswerStage, _ draft: inout AnswerDraft) {
        for case (.inner(let own, let change), _) in acts where own == stage { change(&draft) }
    }

    func spoil(_ stage: RequestStage, _ draft: inout OutgoingRequest) {
        for case (.request(let own, let change), _) in acts where own == stage { change(&draft) }
    }

    func spoil(metadata: inout JSONObject) { for case (.metadata(let change), _) in acts { change(&metadata) } }
    func spoil(offer: inout JSONObject) { for case (.offer(let change), _) in acts { change(&offer) } }
    func spoil(redirect: inout FormFields) { for case (.redirect(let change), _) in acts { change(&redirect) } }

    func spoil(link: String) -> String {
        acts.reduce(link) { link, act in if case .link(let change) = act.0 { change(link) } else { link } }
    }

    func spoil(authorization url: WebURL, _ form: FormFields, _ endpoint: WebURL) -> WebURL {
        acts.reduce(url) { url, act in if case .open(let change) = act.0 { change(url, form, endpoint) } else { url } }
    }

    func spoil(_ parameters: inout MessageEncryption.ResponseParameters) {
        for case (.encryption(let change), _) in acts { change(&parameters) }
    }

    // MARK: Credentials

    var credential: CredentialSpoiling {
        var spoiling = CredentialSpoiling.none
        for case (.credential(let change), _) in acts { change(&spoiling) }
        return spoiling
    }

    /// For which keys what is issued.
    func order(
        _ configuration: CredentialConfiguration, _ keys: [PublicKey?], _ settings: IssuerSettings, _ random: any RandomSource
    ) -> (configuration: CredentialConfiguration, keys: [PublicKey?]) {
        var (configuration, keys) = (configuration, keys)
        if has(.wrongType),
            let other = settings.configurations.first(where: {
                $0.format == configuration.format && $0.type != configuration.type
            })
        {
            configuration = other
        }
        if has(.wrongKey) { keys = keys.map { _ in try? PrivateKey.generate(.p256, random: random).publicKey } }
        if has(.sameKey), let first = keys.first { keys = keys.map { _ in first } }
        if has(.tooMany), let last = keys.last { keys.append(last) }
        return (configuration, keys)
    }

    func encoded(_ credential: String) -> String { has(.badEncoding) ? "!\(credential)" : credential }
}

/// One thing that an issuer or a wallet can do wrong on purpose. The checks it must trip are those of the catalogue that name it.
package struct IssuanceFault: Sendable {
    package enum Side: String, Sendable { case issuer, holder }

    /// What it does.
    enum Act: Sendable {
        case issuer(@Sendable (inout IssuerSettings) -> Void)
        case wallet(@Sendable (inout WalletSettings) -> Void)
        case offer(@Sendable (inout JSONObject) -> Void)
        case link(@Sendable (String) -> String)
        case metadata(@Sendable (inout JSONObject) -> Void)
        case redirect(@Sendable (inout FormFields) -> Void)
        case open(@Sendable (_ url: WebURL, _ form: FormFields, _ endpoint: WebURL) -> WebURL)
        case answer(IssuanceFaults.AnswerStage, @Sendable (inout AnswerDraft) -> Void)
        case inner(IssuanceFaults.AnswerStage, @Sendable (inout AnswerDraft) -> Void)
        case jwt(IssuanceFaults.JWTKind, @Sendable (inout JWTDraft, String) -> Void)
        case request(IssuanceFaults.RequestStage, @Sendable (inout OutgoingRequest) -> Void)
        case encryption(@Sendable (inout MessageEncryption.ResponseParameters) -> Void)
        case credential(@Sendable (inout CredentialSpoiling) -> Void)
        case conduct(IssuanceFaults.Conduct)
    }

    package let name: String
    package let side: Side
    package let summary: String
    /// Other checks that may fail or warn along with its own.
    package let also: [String]
    let acts: [Act]

    init(_ name: String, _ side: Side, _ summary: String, also: [String], acts: [Act]) {
        self.name = name
        self.side = side
        self.summary = summary
        self.also = also
        self.acts = acts
    }

    /// The checks that must notice.
    package var trips: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }

    /// All, in the order of the catalogue.
    package static let all: [IssuanceFault] = Array(
        [offers, metadata, authorization, issuing, clients, grants, tokens, proofs, messages].joined())
}
