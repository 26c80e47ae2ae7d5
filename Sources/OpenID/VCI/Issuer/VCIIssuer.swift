import Codec
package import Credentials
package import Crypto
package import Ports

/// Makes the credentials that an issuer hands out.
package protocol CredentialSource: Sendable {
    /// One credential in as many copies as there are keys.
    ///
    /// - Parameters:
    ///   - keys: what the copies are bound to; nil: to nothing.
    ///   - copy: what is wrong on purpose.
    func credentials(
        _ configuration: CredentialConfiguration, for keys: [PublicKey?], at time: Timestamp, spoiled copy: CredentialSpoiling
    ) async throws -> MadeCredentials
}

/// Copies of one credential.
package struct MadeCredentials: Sendable {
    /// As they travel, in the order of the keys: base64url of IssuerSigned, or an SD-JWT VC.
    package let texts: [String]
    /// The name by which the issuer revokes them all; nil where they have no status.
    package let entry: String?

    package init(texts: [String], entry: String? = nil) { (self.texts, self.entry) = (texts, entry) }
}

/// Gives credentials a place in a status list before they are signed.
package protocol StatusRegister: Sendable {
    /// Enters a credential of so many copies: one reference for each, so that nobody can link them.
    ///
    /// - Parameter form: the form of the lists that the format asks for.
    func enter(
        type: String, form: StatusForm, copies: Int, at time: Timestamp
    ) async throws -> (entry: String, references: [StatusReference])
}

/// What an issuer makes wrong in a credential on purpose.
package struct CredentialSpoiling: Sendable, Equatable {
    /// Flips a bit of the signature.
    package var signature = false
    /// Salts, random and times are the same in every copy.
    package var isLinkable = false
    package static let none = CredentialSpoiling()
}

/// An OpenID4VCI 1.0 issuer with its authorization server, as one handler of requests.
///
/// All state is in the record table: codes, tokens and nonces are used once by an atomic change, and a restart loses nothing.
package final class VCIIssuer: HTTPHandler {
    package struct Keys: Sendable {
        /// Signs metadata.
        package var metadata: SigningIdentity
        /// The root of that signer: only metadata that are wrong on purpose carry it.
        package var metadataRoot: Certificate?
        /// Opens encrypted requests.
        package var encryption: PrivateKey
        /// Roots of wallet providers; none: attestations are verified, but anybody's are taken.
        package var providers: [Certificate]

        package init(
            metadata: SigningIdentity, metadataRoot: Certificate? = nil, encryption: PrivateKey, providers: [Certificate]
        ) {
            self.metadata = metadata
            self.metadataRoot = metadataRoot
            self.encryption = encryption
            self.providers = providers
        }
    }

    package let log = IssuanceLog()
    package let keys: Keys
    package let source: any CredentialSource
    let records: IssuerRecords
    let clock: any Clock
    let random: any RandomSource
    let faults: IssuanceFaults
    private let live: Locked<IssuerSettings>
    private let knownTickets = Locked<IssuerTickets?>(nil)
    /// Metadata as they go out, by settings and by what was asked for; of issuers that make nothing wrong.
    private let shown = Locked<[String: AnswerDraft]>([:])
    /// Draws the page on which a person decides; nil where nobody is asked.
    let consentPage: (@Sendable (ConsentPrompt) -> String)?
    /// Asks wallets to present something first; nil: this issuer cannot.
    let desk: IssuerPresentation?

    /// What the authorization page shows.
    package struct ConsentPrompt: Sendable {
        /// Where the form goes, by POST, with `id` and `decision` = approve or deny.
        package let action: String
        package let id: String
        package let clientID: String
        package let walletName: String?
        package let configurations: [CredentialConfiguration]
    }

    /// - Parameter tableClock: the clock by which the table expires records.
    package init(
        settings: IssuerSettings, keys: Keys, source: any CredentialSource, table: any RecordTable, clock: any Clock,
        tableClock: (any Clock)? = nil, random: any RandomSource, faults: IssuanceFaults = .none,
        consentPage: (@Sendable (ConsentPrompt) -> String)? = nil, presentation desk: IssuerPresentation? = nil
    ) {
        var settings = settings
        faults.adjust(&settings)
        live = Locked(settings)
        self.keys = keys
        self.source = source
        self.clock = clock
        self.random = random
        self.faults = faults
        self.consentPage = consentPage
        self.desk = desk
        records = IssuerRecords(table: table, clock: clock, tableClock: tableClock ?? clock)
    }

    package var settings: IssuerSettings { live.withLock { $0 } }

    /// Sets a switch; whether there is one that takes the value.
    package func set(_ name: String, to value: String) -> Bool { live.withLock { $0.set(name, to: value) } }

    /// What is handed out without being remembered; its key is kept in the table.
    func tickets() async throws(StoreError) -> IssuerTickets {
        if let known = knownTickets.withLock({ $0 }) { return known }
        let made = IssuerTickets(key: try await records.key("tickets", or: random.bytes(32)))
        knownTickets.withLock { $0 = made }
        return made
    }

    /// The answer of an earlier request of the same kind; else made now, and kept where nothing is made wrong on purpose.
    private func kept(_ name: String, _ settings: IssuerSettings, _ make: () -> AnswerDraft) -> AnswerDraft {
        let name = "\(settings.generation) \(name)"
        if let known = shown.withLock({ $0[name] }) { return known }
        var answer = make()
        guard faults.active.isEmpty else { return answer }
        answer.raw = Array(JSON.object(answer.json).encoded().utf8)
        shown.withLock { table in
            if table.count >= 64 { table.removeAll() }
            table[name] = answer
        }
        return answer
    }

    /// A fresh unguessable name.
    func secret() -> String { Base64URL.encode(random.bytes(32)) }

    // MARK: Routing

    private typealias Endpoint = @Sendable (VCIIssuer, inout Exchange) async throws -> AnswerDraft

    /// The endpoints below the identifier: name, methods, what they do, and the fault stage of their answer.
    private static let endpoints: [String: (methods: [String], stage: IssuanceFaults.AnswerStage, body: Endpoint)] = [
        "par": (["POST"], .par, { try await $0.pushedRequest(&$1) }),
        "authorize": (["GET", "POST"], .authorization, { try await $0.authorize(&$1) }),
        "token": (["POST"], .token, { try await $0.token(&$1) }),
        "challenge": (["POST"], .challenge, { try await $0.challenge(&$1) }),
        "nonce": (["POST"], .nonce, { try await $0.nonce(&$1) }),
        "credential": (["POST"], .credential, { try await $0.credential(&$1) }),
        "deferred_credential": (["POST"], .deferred, { try await $0.deferredCredential(&$1) }),
        "notification": (["POST"], .notification, { try await $0.notification(&$1) }),
    ]

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let settings = settings
        guard let base = try? WebURL(settings.identifier) else { return HTTPResponse(500) }
        let prefix = base.path == "/" ? "" : base.path
        let path = request.url.path
        if path == "/.well-known/\(WellKnown.credentialIssuer.rawValue)\(prefix)" {
            return await run("metadata", ["GET"], .metadata, request, settings) { try await $0.issuerMetadata(&$1) }
        }
        if path == "/.well-known/\(WellKnown.authorizationServer.rawValue)\(prefix)" {
            return await run("server-metadata", ["GET"], .serverMetadata, request, settings) { issuer, exchange in
                issuer.kept("server", exchange.settings) {
                    AnswerDraft(exchange.settings.serverMetadata, headers: ["Cache-Control": "no-cache"])
                }
            }
        }
        guard path.hasPrefix("\(prefix)/") else { return notFound() }
        let name = String(path.dropFirst(prefix.count + 1))
        if name.hasPrefix("offer/") {
            return await run("offer", ["GET"], .offer, request, settings) {
                try await $0.offer(String(name.dropFirst("offer/".count)), &$1)
            }
        }
        if name.hasPrefix("\(IssuerPresentation.path)/") {
            return await run("presentation", ["GET", "POST"], .presentation, request, settings) {
                try await $0.presentation(name.split(separator: "/").dropFirst().map(String.init), &$1)
            }
        }
        guard let endpoint = Self.endpoints[name] else { return notFound() }
        return await run(name, endpoint.methods, endpoint.stage, request, settings, endpoint.body)
    }

    private func notFound() -> HTTPResponse {
        AnswerDraft(["error": "not_found", "error_description": "nothing is served here"], status: 404).response
    }

    private func run(
        _ name: String, _ methods: [String], _ stage: IssuanceFaults.AnswerStage, _ request: HTTPRequest,
        _ settings: IssuerSettings,
        _ body: Endpoint
    ) async -> HTTPResponse {
        var exchange = Exchange(request: request, time: clock.now(), settings: settings, endpoint: name)
        var answer: AnswerDraft
        do {
            if methods.contains(request.method) {
                answer = try await body(self, &exchange)
            } else {
                let check = name == "par" ? "II7.method" : name == "nonce" ? "II32" : nil
                let refusal =
                    check.map { Refusal($0, "\(request.method) is not allowed here") }
                    ?? Refusal(status: 405, code: nil, "\(request.method) is not allowed here")
                throw refusal.adding("Allow", methods.joined(separator: ", "))
            }
            faults.spoil(stage, &answer)
            exchange.detail = exchange.detail.isEmpty ? "answered" : exchange.detail
            return told(exchange, answer, nil, exchange.detail)
        } catch {
            return refuse(error, &exchange)
        }
    }

    /// The answer as it leaves, with its row in the log.
    private func told(_ exchange: Exchange, _ answer: AnswerDraft, _ code: String?, _ detail: String) -> HTTPResponse {
        let response = answer.response
        log.add(
            exchange.time, exchange.issuance, exchange.endpoint, answer.status, code, detail, exchange.checks.checks,
            StepMessages(request: exchange.request, response: response, opened: exchange.opened, sealed: answer.sealed))
        KillPoint.pass("answer \(exchange.endpoint)")
        return response
    }

    /// The answer to what went wrong.
    private func refuse(_ error: any Error, _ exchange: inout Exchange) -> HTTPResponse {
        let redirect = error as? Redirect
        let refusal =
            redirect?.refusal ?? error as? Refusal ?? Refusal(status: 500, code: "server_error", "the issuer failed: \(error)")
        if let check = refusal.check {
            exchange.checks.fail(check, exchange.subject, "\(CheckCatalogue.row(check)?.message ?? check): \(refusal.detail)")
        }
        var headers = refusal.headers
        if refusal.status == 401 || refusal.status == 403 {
            headers["WWW-Authenticate"] = Self.challenge(refusal, exchange.settings)
        }
        var json = JSONObject()
        if let code = refusal.code {
            json["error"] = .string(code)
            json["error_description"] = .string(ErrorDescription.allowed(refusal.detail))
        }
        var answer =
            redirect.map { Redirect.answer(to: $0.target, $0.fields) }
            ?? AnswerDraft(json, status: refusal.status, headers: headers)
        faults.spoil(.error, &answer)
        return told(exchange, answer, refusal.code, refusal.detail)
    }

    /// `WWW-Authenticate` (RFC 6750 §3, RFC 9449 §7.1).
    private static func challenge(_ refusal: Refusal, _ settings: IssuerSettings) -> String {
        let isDPoP = settings.requiresDPoP || ["use_dpop_nonce", "invalid_dpop_proof"].contains(refusal.code)
        var text = isDPoP ? "DPoP algs=\"ES256 ES384 ES512 EdDSA\"" : "Bearer"
        if let code = refusal.code {
            text += "\(isDPoP ? "," : "") error=\"\(code)\", error_description=\"\(ErrorDescription.allowed(refusal.detail))\""
        }
        return text
    }

    // MARK: Metadata and offers

    private func issuerMetadata(_ exchange: inout Exchange) async throws -> AnswerDraft {
        let accepts = exchange.request.headers.all("Accept").joined(separator: ",")
        let isSigned = exchange.settings.signsMetadata && accepts.contains("application/jwt")
        let language = exchange.request.headers["Accept-Language"]
        let settings = exchange.settings
        guard isSigned else {
            return kept("issuer \(language ?? "")", settings) { plainMetadata(language, settings).answer }
        }
        let (json, answer) = plainMetadata(language, settings)
        let (signer, certificates) = try metadataSigner(at: exchange.time)
        var draft = SignedMetadata.draft(
            json, issuer: exchange.settings.identifier, certificates: certificates, at: exchange.time)
        faults.spoil(.signedMetadata, &draft)
        let text = try await draft.signed(
            by: JWSSigner(signer, nonce: random.isDeterministic ? .deterministic : .random), random: random)
        return AnswerDraft(text: text, type: "application/jwt", headers: answer.headers)
    }

    private func plainMetadata(_ language: String?, _ settings: IssuerSettings) -> (json: JSONObject, answer: AnswerDraft) {
        let locales = Self.locales(language)
        let made = settings.metadata(requestKey: requestKey, locales: locales)
        var headers: HTTPHeaders = ["Cache-Control": "no-cache", "Vary": "Accept, Accept-Language"]
        headers["Content-Language"] = made.languages.joined(separator: ", ")
        var json = made.json
        faults.spoil(metadata: &json)
        return (json, AnswerDraft(json, headers: headers))
    }

    /// Who signs the metadata, with the certificates of `x5c`: another one where a fault wants it.
    private func metadataSigner(at time: Timestamp) throws -> (PrivateKey, [Certificate]) {
        let good = keys.metadata
        let maker = CertificateMaker(at: time, random: random, organization: "Erewhon")
        if faults.has(.unknownMetadataSigner) {
            let stranger = try maker.endEntity(.status, issuer: maker.root())
            return (stranger.key, [stranger.certificate])
        }
        if faults.has(.selfSignedMetadata) {
            let own = try maker.root()
            return (own.key, [own.certificate])
        }
        let root = faults.has(.anchorInMetadata) ? keys.metadataRoot : nil
        return (good.key, [good.certificate] + (root.map { [$0] } ?? []))
    }

    /// The public key of encrypted requests, as metadata have it.
    var requestKey: JSONObject {
        var jwk = keys.encryption.publicKey.jwk
        jwk["use"] = "enc"
        jwk["alg"] = .string(JWE.keyManagement)
        jwk["kid"] = .string(String(DPoP.thumbprint(keys.encryption.publicKey).prefix(12)))
        return jwk
    }

    /// Languages in the order of their weight.
    static func locales(_ header: String?) -> [String] {
        let entries = (header ?? "").split(separator: ",").prefix(20).map { entry -> (String, Double) in
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (parts.first.map { String($0) } ?? "", weight)
        }
        return entries.filter { !$0.0.isEmpty && $0.1 > 0 }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    private func offer(_ id: String, _ exchange: inout Exchange) async throws -> AnswerDraft {
        guard let record = try await records.get(.offer, id), let offer = record["offer"]?.objectValue else {
            throw Refusal(status: 404, code: "not_found", "no such offer")
        }
        exchange.issuance = record["issuance"]?.stringValue
        exchange.detail = "the wallet fetched the offer"
        return AnswerDraft(offer)
    }
}
