import Codec
import Credentials
package import Crypto
package import Ports

/// What came of one credential request.
package enum Issuance: Sendable {
    /// Checked, ready to be stored; the key of each copy is in the key store.
    case delivered(DeliveredCredentials)
    case deferred(DeferredIssuance)
}

/// Checked credentials of one configuration.
package struct DeliveredCredentials: Sendable {
    package let configuration: CredentialConfiguration
    package let copies: [(bytes: [UInt8], keyID: KeyID?)]
    package let notificationID: String?
    /// What the issuer wants of their reuse.
    package let reuse: ReusePolicy?
}

/// A request whose answer is to come later. It can be kept and taken up after a restart.
package struct DeferredIssuance: Sendable, Equatable {
    package var configurationID: String
    package var transactionID: String
    /// When to ask again at the earliest.
    package var notBefore: Timestamp
    package var keyIDs: [KeyID]
}

extension IssuanceSession {
    /// Asks for the credentials of one configuration: makes keys, proves them, sends the request, checks the answer.
    package mutating func request(_ configurationID: String) async throws(IssuanceError) -> Issuance {
        guard let metadata, let configuration = metadata.configuration(configurationID) else {
            throw IssuanceError("there is no configuration \(configurationID)", .wallet, check: "IW1.unknown")
        }
        guard CredentialConfiguration.formats.contains(configuration.format) else {
            throw IssuanceError(
                "format \(ErrorText.shown(configuration.format)) of \(configurationID) is not spoken here", .wallet,
                hint: "formats are \(CredentialConfiguration.formats.joined(separator: " and "))")
        }
        let reuse = try reusePolicy(configuration)
        let type = try proofType(configuration)
        let keys = try await makeKeys(configuration, type, count: copies(type, reuse, metadata))
        do throws(IssuanceError) {
            return try await request(configuration, type, keys, reuse)
        } catch {
            await forget(keys.map(\.id))
            throw error
        }
    }

    private func forget(_ keys: [KeyID]) async { for key in keys { try? await wallet.keys.delete(key) } }

    private mutating func request(
        _ configuration: CredentialConfiguration, _ type: String?, _ keys: [KeyInfo], _ reuse: ReusePolicy?
    ) async throws(IssuanceError) -> Issuance {
        guard let metadata else { throw IssuanceError("no metadata", .wallet) }
        var isRetry = false
        while true {
            var body: JSONObject = [:]
            if let identifier = token?.identifiers[configuration.id]?.first {
                body["credential_identifier"] = .string(identifier)
            } else {
                body["credential_configuration_id"] = .string(configuration.id)
            }
            if let type {
                let nonce = try await fetchNonce()
                body["proofs"] = [type: .array(try await proofs(type, keys, nonce, configuration).map { .string($0) })]
            }
            do throws(IssuanceError) {
                let answer = try await protected(body, to: metadata.credentialEndpoint, .credential, keys: keys.count)
                return try await take(answer, configuration, keys, reuse)
            } catch {
                // One retry with a fresh nonce (§8.3.1.2); whatever else is final.
                guard error.code == "invalid_nonce", !isRetry else { throw error }
                isRetry = true
            }
        }
    }

    // MARK: Before the request

    private mutating func reusePolicy(_ configuration: CredentialConfiguration) throws(IssuanceError) -> ReusePolicy? {
        let (choice, findings) = ReusePolicy.choose(configuration.reusePolicy, support: settings.reuse)
        if configuration.reusePolicy == nil {
            checks.notRun("IW16", configuration.id, .notPresent)
        } else {
            try judge(["IW16"], findings, configuration.id)
        }
        switch choice {
        case .none: return nil
        case .use(let policy): return policy
        case .refuse(let why): throw IssuanceError(why, .issuer, check: "IW16", hint: "--reuse not-supported ignores the policy")
        }
    }

    /// The proof type to use; nil where the configuration wants none.
    private func proofType(_ configuration: CredentialConfiguration) throws(IssuanceError) -> String? {
        guard let types = configuration.proofTypes else { return nil }
        if settings.proofPolicy == .strict {
            let isAttested = types.contains { ["jwt", "attestation"].contains($0.key) && $0.value.attestation != nil }
            guard isAttested else {
                throw IssuanceError(
                    "proof_types_supported of \(configuration.id) has no type with key_attestations_required, which the strict policy wants",
                    .issuer, hint: "--proof-policy lenient takes any")
            }
        }
        let usable = ["jwt", "attestation"].filter { name in
            guard let type = types[name] else { return false }
            let needsProvider = name == "attestation" || type.attestation != nil
            return (!needsProvider || wallet.provider != nil)
                && (settings.proofPolicy == .lenient || type.attestation != nil)
        }
        if let wanted = settings.proofType, usable.contains(wanted) { return wanted }
        guard let first = usable.first else {
            throw IssuanceError(
                "no usable proof type among \(types.keys.sorted().map { ErrorText.shown($0) }.joined(separator: ", "))", .issuer)
        }
        return first
    }

    /// How many copies to ask for: the local wish, else the issuer's reuse policy, else one; never more than the issuer takes.
    private func copies(_ type: String?, _ reuse: ReusePolicy?, _ metadata: IssuerMetadata) -> Int {
        guard type != nil else { return 0 }
        if settings.copies == nil, let size = reuse?.batchSize { return min(max(size, 1), 1000) }
        let limit = reuse?.batchSize ?? metadata.batchSize ?? 1
        return min(max(settings.copies ?? 1, 1), limit, 1000)
    }

    private func makeKeys(
        _ configuration: CredentialConfiguration, _ type: String?, count: Int
    ) async throws(IssuanceError) -> [KeyInfo] {
        guard let type, count > 0 else { return [] }
        let listed = configuration.proofTypes?[type]?.algorithms ?? []
        let curves = [settings.curve] + [Curve.p256, .p384, .p521, .ed25519, .ed448].filter { $0 != settings.curve }
        let fitting = curves.first { curve in Self.algorithms(of: curve).contains(where: listed.contains) }
        guard let curve = fitting, curve == settings.curve || settings.curve == .p256 else {
            throw IssuanceError(
                "\(configuration.id) lists \(listed.joined(separator: ", ")), no algorithm of a \(settings.curve.rawValue) key",
                .issuer,
                hint: "--curve names another curve")
        }
        do { return try await wallet.keys.createBatch(KeyOptions(curve: curve, batch: count)) } catch {
            throw IssuanceError("\(error)", .wallet)
        }
    }

    private static func algorithms(of curve: Curve) -> [String] {
        JWSAlgorithm.allCases.filter { $0.allows(curve) }.map(\.rawValue)
    }

    /// A fresh c_nonce; nil where the issuer has no nonce endpoint. One that fails ends the issuance: a proof without nonce could be
    /// replayed.
    mutating func fetchNonce() async throws(IssuanceError) -> String? {
        guard let metadata, let endpoint = metadata.nonceEndpoint else {
            for id in ["IW8.http", "IW8.nonce", "IW8.store"] { checks.notRun(id, "nonce endpoint", .notPresent) }
            return nil
        }
        var draft = OutgoingRequest("POST", endpoint)
        wallet.faults.spoil(.nonceRequest, &draft)
        let response = try await send(draft, .resource)
        guard (200..<300).contains(response.status) else {
            try judge(
                [], [MessageFinding("IW8.http", "nonce endpoint answered \(response.status): issuance stops")], "nonce endpoint")
            return nil
        }
        var findings: [MessageFinding] = []
        let nonce = (try? JSON.decode(response.bytes))?["c_nonce"]?.stringValue
        if nonce?.isEmpty ?? true { findings.append(MessageFinding("IW8.nonce", "c_nonce missing")) }
        if !response.isNotStored { findings.append(MessageFinding("IW8.store", "not marked no-store")) }
        try judge(["IW8.http", "IW8.nonce", "IW8.store"], findings, "nonce endpoint")
        return nonce
    }

    private func proofs(
        _ type: String, _ keys: [KeyInfo], _ nonce: String?, _ configuration: CredentialConfiguration
    ) async throws(IssuanceError) -> [String] {
        guard let metadata else { return [] }
        var attestation: String?
        let isRequired = configuration.proofTypes?[type]?.attestation != nil
        if type == "attestation" || isRequired || settings.attestsKeys, let provider = wallet.provider {
            do { attestation = try await provider.keyAttestation(keys.map(\.publicKey), nonce: nonce) } catch {
                throw IssuanceError("\(error)", .provider, hint: "the issuer is not to blame")
            }
        }
        if type == "attestation" { return [attestation].compactMap { $0 } }
        // One proof stands for all keys of the attestation (F.1); without one each key proves itself.
        let provers = attestation == nil ? keys : Array(keys.prefix(1))
        let clientID = token?.isAnonymous ?? true ? nil : settings.clientID
        var proofs: [String] = []
        for key in provers {
            let draft = KeyProof.draft(
                key: key.publicKey, issuer: metadata.issuer, clientID: clientID, nonce: nonce, attestation: attestation,
                at: wallet.now)
            proofs.append(try await wallet.sign(draft, key, .keyProof))
        }
        return proofs
    }

    // MARK: After the answer

    private mutating func take(
        _ answer: Answer, _ configuration: CredentialConfiguration, _ keys: [KeyInfo], _ reuse: ReusePolicy?
    ) async throws(IssuanceError) -> Issuance {
        let read = CredentialResponse.read(
            answer.json, status: answer.response.status, keys: configuration.proofTypes == nil ? nil : keys.count)
        try judge(["IW11.status", "IW11.shape", "IW11.interval", "IW11.count"], read.findings, configuration.id)
        switch read.response {
        case nil: throw IssuanceError("the response cannot be read", .issuer, check: "IW11.shape")
        case .deferred(let id, let interval)?:
            return .deferred(
                DeferredIssuance(
                    configurationID: configuration.id, transactionID: id, notBefore: wallet.now.adding(seconds: interval),
                    keyIDs: keys.map(\.id)))
        case .issued(let credentials, let notificationID)?:
            do throws(IssuanceError) {
                return .delivered(try check(credentials, configuration, keys, notificationID, reuse))
            } catch {
                // What is not stored is told to the issuer (§11.1): a part of a batch counts as all of it.
                if let notificationID { try? await notify(notificationID, .failure, "\(error.check ?? "") failed") }
                throw error
            }
        }
    }

    private mutating func check(
        _ credentials: [String], _ configuration: CredentialConfiguration, _ keys: [KeyInfo], _ notificationID: String?,
        _ reuse: ReusePolicy?
    ) throws(IssuanceError) -> DeliveredCredentials {
        var check = ReceivedCredentialCheck(
            configuration, keys: keys.map(\.publicKey), settings: settings, time: wallet.now)
        check.run(credentials)
        var ids = ["IW12.format", "IW12.type", "IW12.key", "IW12.content", "IW12.distinct"]
        if credentials.count > 1 { ids.append("IW12.batch") } else { checks.notRun("IW12.batch", configuration.id, .notPresent) }
        try judge(ids, check.findings, configuration.id, hint: "nothing was stored; the issuer was told credential_failure")
        let copies = check.received.map { received in
            (bytes: received.bytes, keyID: keys.first { $0.publicKey == received.key }?.id)
        }
        return DeliveredCredentials(
            configuration: configuration, copies: copies, notificationID: notificationID, reuse: reuse)
    }

    // MARK: Deferred credentials

    /// Asks again for what was deferred. Its interval must have passed.
    package mutating func poll(_ deferred: DeferredIssuance) async throws(IssuanceError) -> Issuance {
        guard let metadata, let endpoint = metadata.deferredEndpoint else {
            throw IssuanceError("the issuer has no deferred credential endpoint", .issuer, check: "IW2.shape")
        }
        guard let configuration = metadata.configuration(deferred.configurationID) else {
            throw IssuanceError("configuration \(deferred.configurationID) not in metadata", .issuer, check: "IW1.unknown")
        }
        guard wallet.now >= deferred.notBefore || wallet.faults.has(.pollsEarly) else {
            throw IssuanceError("the issuer wants to be asked again after \(deferred.notBefore)", .wallet, hint: "poll later")
        }
        let subject = configuration.id
        let answer: Answer
        do throws(IssuanceError) {
            answer = try await protected(["transaction_id": .string(deferred.transactionID)], to: endpoint, .deferred, keys: 0)
        } catch {
            if error.code == "credential_request_denied" {
                try judge([], [MessageFinding("IW13.denied", "credential_request_denied: polling stops")], subject)
            }
            throw error
        }
        var keys: [KeyInfo] = []
        for id in deferred.keyIDs { if let key = try? await wallet.keys.info(id) { keys.append(key) } }
        let reuse = try reusePolicy(configuration)
        let issuance = try await take(answer, configuration, keys, reuse)
        if case .deferred(let next) = issuance {
            let isSame = next.transactionID == deferred.transactionID
            try judge(["IW13.id"], isSame ? [] : [MessageFinding("IW13.id", "transaction_id changed")], subject)
        }
        return issuance
    }

    /// Asks once more for what was delivered: the transaction must be dead (§9.2).
    package mutating func checkIsDead(_ deferred: DeferredIssuance) async throws(IssuanceError) {
        guard let metadata, let endpoint = metadata.deferredEndpoint else { return }
        let answer: Answer
        do throws(IssuanceError) {
            answer = try await protected(["transaction_id": .string(deferred.transactionID)], to: endpoint, .deferred, keys: 0)
        } catch { return checks.pass("IW13.dead", deferred.configurationID) }
        try judge(
            [], [MessageFinding("IW13.dead", "delivered transaction still answers \(answer.response.status)")],
            deferred.configurationID)
    }

    // MARK: Notifications

    /// What a wallet tells the issuer of its credentials (§11.1).
    package enum NotificationEvent: String, Sendable {
        /// Stored.
        case accepted = "credential_accepted"
        /// Not stored because of the person: declined or deleted.
        case deleted = "credential_deleted"
        /// Not stored for any other reason, a part of a batch included.
        case failure = "credential_failure"
    }

    /// Tells the issuer. Whatever it answers changes nothing about the documents: it is a warning (IW15).
    package mutating func notify(
        _ notificationID: String, _ event: NotificationEvent, _ description: String? = nil
    ) async throws(IssuanceError) {
        guard let endpoint = metadata?.notificationEndpoint else { return }
        var body: JSONObject = ["notification_id": .string(notificationID), "event": .string(event.rawValue)]
        if let description { body["event_description"] = .string(ErrorDescription.allowed(description)) }
        var draft = OutgoingRequest("POST", endpoint, json: body)
        wallet.faults.spoil(.notification, &draft)
        do throws(IssuanceError) {
            let response = try await sendProtected(draft, .notification)
            let isGood = (200..<300).contains(response.status)
            let finding = MessageFinding("IW15", "notification answered \(response.status)")
            try judge(["IW15"], isGood ? [] : [finding], endpoint.description)
        } catch {
            // The documents are stored, or not, whatever becomes of the notification.
            guard error.party != .wallet else { throw error }
            try judge([], [MessageFinding("IW15", "notification not delivered: \(error.what)")], endpoint.description)
        }
    }
}
