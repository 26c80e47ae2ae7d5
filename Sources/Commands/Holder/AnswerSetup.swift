import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Vault

/// Everything `holder answer` needs before a request is looked at.
struct AnswerSetup: Sendable {
    let context: Context
    let wallet: Wallet
    let credentials: [HeldCredential]
    private let lists: EntityLists
    let consent: any ConsentProvider
    let choices: [Proposal.Choice]
    let gate: KeyGate
    let settings: VPWalletSettings
    let tampering: Tampering
    let statuses: StatusSetup
    let origin: String?

    /// Where the wallet remembers nonces and encryption keys of requests.
    static let seen = "openid4vp-seen"

    init(_ invocation: Invocation) async throws {
        context = invocation.context
        consent = try PresentConsent.provider(try invocation.required("consent"), invocation.console)
        choices = try AnswerChoice.choices(invocation)
        origin = invocation.string("origin")
        wallet = try Wallet(context, creating: false)
        gate = try KeyGate(invocation, wallet)
        let faults = try VPFaultChoice.faults(context, role: "holder")
        tampering = try VPFaultChoice.content(faults)
        let trust = try await TrustSetup(invocation, role: .readers)
        let (anchors, now) = (trust.anchors, context.clock.now())
        lists = trust.lists
        credentials = try await Self.credentials(in: wallet, invocation).map { $0.listed(by: trust.lists, at: now) }
        statuses = try StatusSetup(context)
        let registrations = RegistrationPolicy.verifier(invocation, anchors, leg: .presentation)
        var settings = VPWalletSettings(
            readers: SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew)))
        settings.registrations = registrations
        settings.rule = VerdictRule(trustWaived: !context.usesTrust)
        settings.rule.registrationEnforced = registrations.policy == .enforce
        settings.isHAIP = invocation.string("profile") == "haip"
        settings.isPartial = invocation.flag("partial")
        settings.responseMode = invocation.string("response-mode").flatMap(ResponseMode.init)
        settings.faults = faults
        if let path = invocation.string("known") {
            do { try KnownParties.read(InputReader.read(path).json(as: "known parties"), into: &settings) } catch let error
                as CommandError
            {
                throw error
            } catch { throw CommandError.refused("\(path): \(error)") }
        }
        let known: Set<String>
        do throws(StoreError) { known = Set(try await wallet.vault.keys(in: Self.seen)) } catch { throw CommandError("\(error)") }
        settings.wasSeen = { known.contains(Self.key($0)) }
        self.settings = settings
    }

    /// The name under which something is remembered.
    static func key(_ text: String) -> String { Hex.encode(HashAlgorithm.sha256.digest(Array(text.utf8))) }

    /// Remembers nonce and encryption key of a request.
    func remember(_ request: VPRequest) async {
        var texts = ["nonce \(request.nonce)"]
        if let thumbprint = request.encryption?.thumbprint { texts.append("key \(Base64URL.encode(thumbprint))") }
        for text in texts {
            // What cannot be kept is only a warning less next time.
            try? await wallet.vault.write([1], Self.key(text), in: Self.seen, expiring: context.clock.now().adding(days: 30))
        }
    }

    /// The credentials, each as the copy that comes next for this verifier.
    func credentials(for recipient: StoredDocument.Recipient) async throws(CommandError) -> [HeldCredential] {
        let (ids, now) = (Set(credentials.map(\.id)), context.clock.now())
        return try await wallet.credentials(to: recipient, at: now).credentials.filter { ids.contains($0.id) }
            .map { $0.listed(by: lists, at: now) }
    }

    private static func credentials(in wallet: Wallet, _ invocation: Invocation) async throws(CommandError) -> [HeldCredential] {
        let (all, refused) = try await wallet.credentials(at: invocation.context.clock.now())
        let wanted = invocation.strings("doc")
        guard !wanted.isEmpty else {
            for error in refused { invocation.console.talk("note: \(error.what)") }
            return all
        }
        var chosen: [HeldCredential] = []
        for id in wanted {
            let found = all.filter { $0.id == id || $0.id.hasPrefix(id) }
            guard found.count == 1 else {
                throw refused.first { $0.what.contains(id) }
                    ?? .refused("no document \(id) can be presented", hint: "walletbench holder list shows them")
            }
            chosen += found
        }
        return chosen
    }
}

extension Wallet {
    /// Every credential of either format that may be presented now, each as the copy that comes next; and why others may not.
    func credentials(
        to recipient: StoredDocument.Recipient = .anybody, at time: Timestamp
    ) async throws(CommandError) -> (credentials: [HeldCredential], refused: [CommandError]) {
        let (documents, notes) = try await presentable(to: recipient, at: time)
        var credentials: [HeldCredential] = []
        var refused = notes
        for document in documents {
            do { credentials.append(try HeldCredential(document)) } catch {
                refused.append(.refused("document \(document.id) cannot be read: \(error)"))
            }
        }
        for document in try await vaultCall({ () async throws(VaultError) in try await vault.documents() })
        where document.format == SDJWTVC.mediaType {
            guard let copy = document.copyToPresent(to: recipient, at: time) else {
                refused.append(CommandError(document.nothingToPresent))
                continue
            }
            let bytes = try await vaultCall { () async throws(VaultError) in try await vault.bytes(of: copy, in: document) }
            do throws(SDJWTError) {
                let token = try SDJWT(compact: String(decoding: bytes, as: UTF8.self))
                credentials.append(
                    try HeldCredential(
                        HeldSDJWT(
                            id: document.id, token: token, keyID: copy.keyID.map { KeyID(rawValue: $0) },
                            displayName: document.displayName)))
            } catch { refused.append(.refused("document \(document.id) cannot be read: \(error)")) }
        }
        return (credentials, refused)
    }

    /// Counts the use of the copy that is about to be presented, on disk, before bytes leave.
    func count(
        _ credential: HeldCredential, for recipient: StoredDocument.Recipient, at time: Timestamp
    ) async throws(CommandError) {
        guard let keyID = credential.keyID else { return }
        let taken = try await vaultCall { () async throws(VaultError) in
            try await vault.takeCopy(of: credential.id, for: recipient, at: time)
        }
        guard taken.keyID == keyID.rawValue else {
            throw CommandError(
                "document \(credential.id): another process presented this copy meanwhile", hint: "run the command again")
        }
    }
}

/// `--known FILE`
///
///     { "clients": {"<client_id>": {"name", "jwks"?, "redirect_uris"?, "vp_formats_supported"?}},
///       "attestation_issuers": {"<iss>": {"keys": [JWK]}}, "did_documents": {"<did>": DID document},
///       "transaction_types": {…}, "scopes": {"<scope>": DCQL query} }
enum KnownParties {
    static func read(_ json: JSON, into settings: inout VPWalletSettings) throws {
        for (name, value) in json["clients"]?.objectValue ?? JSONObject() {
            let keys = try (value["jwks"]?["keys"]?.arrayValue ?? []).map { try PublicKey(jwk: $0) }
            var metadata = value.objectValue ?? JSONObject()
            if metadata["vp_formats_supported"] == nil { metadata["vp_formats_supported"] = VPFormats.own.json }
            // Keys of request objects are no encryption keys.
            metadata["jwks"] = value["encryption_jwks"]
            settings.clients[name] = VPWalletSettings.Client(
                name: value["name"]?.stringValue ?? name, keys: keys,
                redirectURIs: value["redirect_uris"]?.arrayValue?.compactMap(\.stringValue) ?? [],
                metadata: try VPClientMetadata(.object(metadata)))
        }
        for (issuer, value) in json["attestation_issuers"]?.objectValue ?? JSONObject() {
            settings.attestationIssuers[issuer] = try (value["keys"]?.arrayValue ?? []).map { try PublicKey(jwk: $0) }
        }
        for (did, document) in json["did_documents"]?.objectValue ?? JSONObject() { settings.didDocuments[did] = document }
        if let types = json["transaction_types"] { settings.transactionTypes = try TransactionTypes(types) }
        for (scope, query) in json["scopes"]?.objectValue ?? JSONObject() { settings.scopes[scope] = try DCQLQuery(query) }
    }
}
