import Codec
import Credentials
import Crypto
import OpenID
import Ports
import Vault

/// Documents from issuers in the wallet, each with what is needed to go on with its issuance.
struct IssuanceStore: Sendable {
    let wallet: Wallet
    /// How often copies may be presented, whatever the issuer says.
    var policy: StoredDocument.UsePolicy?
    private static let partition = "issuance"

    init(_ context: Context, policy: StoredDocument.UsePolicy? = nil) throws(CommandError) {
        wallet = try Wallet(context, creating: true)
        self.policy = policy
    }

    private func guarded<T>(_ body: () async throws -> T) async throws(IssuanceError) -> T {
        do { return try await body() } catch {
            throw IssuanceError((error as? CommandError)?.what ?? "\(error)", .wallet)
        }
    }

    /// Stores what came.
    func add(
        _ credentials: DeliveredCredentials, _ session: IssuanceSession, _ context: Context
    ) async throws(IssuanceError) -> StoredDocument {
        try await guarded {
            let configuration = credentials.configuration
            let name = configuration.displayName(session.wallet.settings.locales)
            let (wanted, renewal) = Self.policy(credentials.reuse)
            let policy = policy ?? wanted
            let stored: StoredDocument
            if configuration.format == "mso_mdoc" {
                stored = try await wallet.add(
                    mdoc: credentials.copies.map { ($0.bytes, $0.keyID) }, displayName: name, policy: policy, renewal: renewal,
                    at: context.clock.now(), random: context.random)
            } else {
                stored = try await wallet.add(
                    sdJWT: credentials.copies.map { ($0.bytes, $0.keyID) }, displayName: name, policy: policy, renewal: renewal,
                    at: context.clock.now(), random: context.random)
            }
            try await keep(session, deferred: [], for: stored.id, configuration: configuration.id)
            return stored
        }
    }

    /// How the issuer's reuse policy reads here.
    private static func policy(_ reuse: ReusePolicy?) -> (StoredDocument.UsePolicy, StoredDocument.Renewal) {
        let policy: StoredDocument.UsePolicy =
            switch reuse?.method {
            case .onceOnly: .once
            case .limitedTime: .limitedTime
            case .perRelyingParty: .perRelyingParty
            case .rotatingBatch, nil: .rotate
            }
        return (policy, StoredDocument.Renewal(unused: reuse?.triggerUnused, lifetimeLeft: reuse?.triggerLifetimeLeft))
    }

    /// Notes a document that is to come.
    func add(
        deferred: DeferredIssuance, _ session: IssuanceSession, _ context: Context
    ) async throws(IssuanceError) -> StoredDocument {
        try await guarded {
            let configuration = session.metadata?.configuration(deferred.configurationID)
            let name = configuration?.displayName(session.wallet.settings.locales) ?? deferred.configurationID
            let document = StoredDocument(
                id: "", format: configuration?.format ?? "", type: configuration?.type ?? "", displayName: name,
                issuer: session.metadata?.displayName(session.wallet.settings.locales), state: .deferred, added: context.clock.now()
            )
            let stored = try await wallet.vault.add(document, copies: [], random: context.random)
            try await keep(session, deferred: [deferred], for: stored.id, configuration: deferred.configurationID)
            return stored
        }
    }

    /// Adds the copies of a document that was deferred, or fresh ones.
    func complete(
        _ document: StoredDocument, _ credentials: DeliveredCredentials, _ session: IssuanceSession
    ) async throws(IssuanceError) -> StoredDocument {
        try await guarded {
            let isMDoc = credentials.configuration.format == "mso_mdoc"
            let copies = credentials.copies.map {
                isMDoc ? NewCopy(mdoc: $0.bytes, keyID: $0.keyID) : NewCopy(sdJWT: $0.bytes, keyID: $0.keyID)
            }
            let stored = try await wallet.vault.addCopies(copies, to: document.id)
            try await keep(session, deferred: [], for: stored.id, configuration: credentials.configuration.id)
            return stored
        }
    }

    /// Keeps the state of an issuance.
    func keep(
        _ session: IssuanceSession, deferred: [DeferredIssuance], for id: String, configuration: String? = nil
    ) async throws(IssuanceError) {
        var object = try session.state(deferred: deferred).json
        let known = configuration ?? deferred.first?.configurationID
        if let known { object["configuration"] = .string(known) }
        if !session.warnings.isEmpty {
            var seen: Set<String> = []
            object["warnings"] = .array(session.warnings.filter { seen.insert($0).inserted }.prefix(50).map { .string($0) })
        }
        let record = object
        try await guarded { try await wallet.vault.write(Array(JSON.object(record).encoded().utf8), id, in: Self.partition) }
    }

    /// Removes a document that will not come.
    func forget(_ id: String) async throws {
        try await wallet.vault.delete(id, in: Self.partition)
        _ = try await wallet.vault.deleteDocument(id)
    }

    /// Every deferred document with its issuance, or the one named.
    func deferred(_ id: String?) async throws -> [(StoredDocument, IssuanceState)] {
        let documents = try await vaultCall { () async throws(VaultError) in
            if let id { [try await wallet.vault.document(id)] } else { try await wallet.vault.documents() }
        }
        var waiting: [(StoredDocument, IssuanceState)] = []
        for document in documents where document.state == .deferred {
            if let record = try await record(document.id), let state = IssuanceState(record) { waiting.append((document, state)) }
        }
        return waiting
    }

    /// The documents for which fresh copies are due, and whose issuance can go on.
    func due(at time: Timestamp) async throws -> [String] {
        let documents = try await vaultCall { () async throws(VaultError) in try await wallet.vault.documents() }
        var due: [String] = []
        for document in documents where document.renewalReason(at: time) != nil {
            if try await record(document.id) != nil { due.append(document.id) }
        }
        return due
    }

    /// Deferred documents whose issuance was never written down, since the wallet ended in between: nothing can come for them. Those of
    /// more than a minute are removed; before that another process may be about to write.
    func orphans(at time: Timestamp) async throws -> [StoredDocument] {
        var orphans: [StoredDocument] = []
        for document in try await vaultCall({ () async throws(VaultError) in try await wallet.vault.documents() })
        where document.state == .deferred {
            guard try await record(document.id) == nil else { continue }
            if time.seconds(since: document.added) > 60 { try await forget(document.id) }
            orphans.append(document)
        }
        return orphans
    }

    /// A document that an issuer delivered, with its issuance.
    func issued(_ id: String) async throws -> (StoredDocument, IssuanceState, String) {
        let document = try await vaultCall { () async throws(VaultError) in try await wallet.vault.document(id) }
        guard let record = try await record(document.id), let state = IssuanceState(record),
            let configuration = record["configuration"]?.stringValue
        else {
            throw CommandError.refused(
                "document \(document.id) did not come from an issuer over OpenID4VCI", hint: "accept an offer instead")
        }
        return (document, state, configuration)
    }

    /// What was odd when a document was issued, though nothing failed by it.
    static func warnings(of id: String, in vault: Vault) async -> [String] {
        let record = (try? await vault.read(id, in: partition)).flatMap { $0 }.flatMap { try? JSON.decode($0) }
        return record?["warnings"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func record(_ id: String) async throws -> JSON? {
        try await wallet.vault.read(id, in: Self.partition).flatMap { try? JSON.decode($0) }
    }
}
