import Codec
import Credentials
import Crypto
import Ports

extension VCIIssuer {
    /// `nonce_endpoint` (§7): unprotected.
    func nonce(_ exchange: inout Exchange) async throws -> AnswerDraft {
        guard exchange.settings.hasNonceEndpoint else {
            throw Refusal(status: 404, code: "not_found", "there is no nonce endpoint")
        }
        exchange.checks.pass("II32", exchange.subject)
        let end = exchange.time.adding(seconds: exchange.settings.nonceLifetime)
        var answer = AnswerDraft(["c_nonce": .string(try await tickets().issue(.nonce, until: end, random: random))])
        if exchange.settings.usesDPoPNonces { answer.headers["DPoP-Nonce"] = try await freshDPoPNonce("rs", exchange.settings) }
        return answer
    }

    // MARK: Tokens (II20, II21)

    /// The grant of the access token of a protected request.
    private func grant(_ exchange: inout Exchange) async throws -> Grant {
        let (scheme, token) = try Self.token(&exchange)
        guard let record = try await records.get(.token, token), let grant = Grant(record) else {
            throw Refusal("II20.invalid", "the access token is unknown or expired")
        }
        exchange.issuance = grant.issuance
        guard try await records.get(.revoked, grant.family) == nil else {
            throw Refusal("II20.invalid", "the access token was revoked")
        }
        if let bound = grant.thumbprint {
            guard scheme == "dpop" else { throw Refusal("II20.invalid", "a DPoP-bound token was sent as Bearer") }
            guard let thumbprint = try await checkDPoP(&exchange, accessToken: token) else {
                throw Refusal("II21", "no DPoP proof")
            }
            guard thumbprint == bound else { throw Refusal("II20.invalid", "the access token is bound to another DPoP key") }
        } else {
            guard scheme == "bearer" else { throw Refusal("II20.invalid", "a Bearer token was sent as DPoP") }
        }
        exchange.pass(["II20.none", "II20.query", "II20.invalid"])
        return grant
    }

    private static func token(_ exchange: inout Exchange) throws(Refusal) -> (scheme: String, token: String) {
        guard let header = exchange.request.headers["Authorization"] else {
            let isInQuery = exchange.request.url.query?.contains("access_token=") ?? false
            let isInBody = String(decoding: exchange.request.body.prefix(65536), as: UTF8.self).contains("access_token")
            throw isInQuery || isInBody
                ? Refusal("II20.query", "the access token stands in the \(isInQuery ? "query" : "body")")
                : Refusal("II20.none", "no Authorization header")
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ["dpop", "bearer"].contains(parts[0].lowercased()) else {
            throw Refusal("II20.none", "Authorization is neither DPoP nor Bearer")
        }
        return (parts[0].lowercased(), String(parts[1]))
    }

    // MARK: Messages (II22, II29)

    /// What a credential or deferred request says, and how its answer is encrypted.
    private func message(
        _ exchange: inout Exchange
    ) async throws -> (json: JSONObject, response: MessageEncryption.ResponseParameters?) {
        let settings = exchange.settings
        let type = exchange.request.headers["Content-Type"]?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        guard let text = String(validating: exchange.request.body, as: UTF8.self) else {
            throw Refusal("II22.json", "the body is no UTF-8")
        }
        let isEncrypted = type == MessageEncryption.contentType
        try exchange.require(
            "II22.type", isEncrypted || type == "application/json", "media type \(type.isEmpty ? "missing" : type)")
        let bytes = isEncrypted ? try open(text, settings) : exchange.request.body
        if isEncrypted { exchange.opened = bytes }
        if isEncrypted {
            exchange.checks.pass("II29.jwe", exchange.subject)
        } else {
            exchange.checks.notRun("II29.jwe", exchange.subject, .notPresent)
        }
        let json: JSONObject
        do {
            guard let object = try JSON.decode(bytes).objectValue else {
                throw Refusal("II22.json", "the request is no JSON object")
            }
            json = object
        } catch let error as JSONError { throw Refusal("II22.json", "\(error)") }
        exchange.checks.pass("II22.json", exchange.subject)
        if !isEncrypted {
            guard settings.requestEncryption != .required else {
                throw Refusal("II29.plain", "a plain request, encryption is required")
            }
            guard json["credential_response_encryption"] == nil else {
                throw Refusal("II29.plain", "credential_response_encryption in a plain request")
            }
        }
        exchange.checks.pass("II29.plain", exchange.subject)
        return (json, try responseParameters(json, &exchange))
    }

    private func responseParameters(
        _ json: JSONObject, _ exchange: inout Exchange
    ) throws(Refusal) -> MessageEncryption.ResponseParameters? {
        guard let object = json["credential_response_encryption"] else {
            try exchange.require(
                "II29.response", exchange.settings.responseEncryption != .required,
                "no credential_response_encryption, it is required")
            return nil
        }
        guard exchange.settings.responseEncryption != .off else {
            throw Refusal("II29.algs", "this issuer does not encrypt responses")
        }
        let parameters: MessageEncryption.ResponseParameters
        do { parameters = try MessageEncryption.ResponseParameters(object) } catch { throw Refusal(error.check, error.what) }
        guard !parameters.compresses || exchange.settings.offersCompression else {
            throw Refusal("II29.algs", "zip is not offered")
        }
        exchange.pass(["II29.response", "II29.algs"])
        return parameters
    }

    private func open(_ compact: String, _ settings: IssuerSettings) throws(Refusal) -> [UInt8] {
        guard settings.requestEncryption != .off else { throw Refusal("II29.jwe", "this issuer takes no encrypted requests") }
        do {
            let jwe = try JWE(compact: compact.filter { !$0.isWhitespace })
            guard jwe.protected.keyID == requestKey["kid"]?.stringValue else {
                throw Refusal("II29.jwe", "kid \(jwe.protected.keyID ?? "missing") is no key of this issuer")
            }
            guard settings.offersCompression || jwe.protected["zip"] == nil else { throw Refusal("II29.jwe", "zip is not offered") }
            return try jwe.decrypt(with: keys.encryption, inflateLimit: MessageEncryption.inflateLimit)
        } catch let refusal as Refusal { throw refusal } catch { throw Refusal("II29.jwe", "\(error)") }
    }

    private func answer(
        _ json: JSONObject, _ status: Int, _ parameters: MessageEncryption.ResponseParameters?, _ stage: IssuanceFaults.AnswerStage
    ) throws -> AnswerDraft {
        var draft = AnswerDraft(json, status: status)
        faults.spoil(inner: stage, &draft)
        guard var parameters else { return draft }
        faults.spoil(&parameters)
        let jwe = try MessageEncryption.encrypt(
            draft.json, to: parameters.key, parameters.encryption, compresses: parameters.compresses, random: random)
        var sealed = AnswerDraft(
            text: jwe, type: MessageEncryption.contentType, status: draft.status, headers: ["Cache-Control": "no-store"])
        sealed.sealed = Array(JSON.object(draft.json).encoded().utf8)
        return sealed
    }

    // MARK: Credential endpoint (§8)

    func credential(_ exchange: inout Exchange) async throws -> AnswerDraft {
        let grant = try await grant(&exchange)
        let (json, parameters) = try await message(&exchange)
        let configuration = try Self.configuration(json, grant, &exchange)
        let keys = try await provenKeys(json, configuration, grant, &exchange)
        if exchange.settings.deniesCredential {
            throw Refusal(status: 400, code: "credential_request_denied", "this issuer denies every request")
        }
        guard exchange.settings.deferrals > 0 else {
            return try await issue(configuration, keys, grant, parameters, .credential, &exchange)
        }
        let transaction = secret()
        let interval = exchange.settings.deferralInterval
        let record: JSONObject = [
            "family": .string(grant.family), "issuance": .string(grant.issuance), "configuration": .string(configuration.id),
            "keys": keys.map { .array($0.map { .object($0.jwk) }) } ?? .null,
            "left": .integer(Int64(exchange.settings.deferrals - 1)),
            "next": .integer(exchange.time.adding(seconds: interval).secondsSince1970),
        ]
        try await records.put(.deferred, transaction, record, lifetime: exchange.settings.refreshLifetime)
        exchange.detail = "deferred: \(configuration.id)"
        return try answer(
            ["transaction_id": .string(transaction), "interval": .integer(interval)], 202, parameters, .credential)
    }

    private static func configuration(
        _ json: JSONObject, _ grant: Grant, _ exchange: inout Exchange
    ) throws(Refusal) -> CredentialConfiguration {
        let (id, identifier) = (json["credential_configuration_id"], json["credential_identifier"])
        for (name, value) in [("credential_configuration_id", id), ("credential_identifier", identifier)] {
            if let value, value.stringValue == nil { throw Refusal("II22.json", "\(name) is no string") }
        }
        try exchange.require(
            "II22.one", (id == nil) != (identifier == nil), id == nil ? "neither id nor identifier" : "both id and identifier")
        try exchange.require(
            "II22.identifier", (identifier != nil) == grant.usesDetails,
            grant.usesDetails
                ? "a configuration id, though the token response named credential identifiers"
                : "a credential identifier, though the token response named none")
        let name: String
        if let identifier = identifier?.stringValue {
            guard let known = grant.configuration(ofIdentifier: identifier) else {
                throw Refusal("II23.identifier", "\(identifier) is no identifier of this token")
            }
            exchange.checks.pass("II23.identifier", exchange.subject)
            name = known
        } else {
            name = id?.stringValue ?? ""
        }
        guard let configuration = exchange.settings.configuration(name) else {
            throw Refusal("II23.configuration", "there is no configuration \(name)")
        }
        exchange.checks.pass("II23.configuration", exchange.subject)
        try exchange.require("II20.scope", grant.configurations.contains(name), "the access token does not cover \(name)")
        return configuration
    }

    /// Mints one credential for each key and answers.
    private func issue(
        _ configuration: CredentialConfiguration, _ keys: [PublicKey]?, _ grant: Grant,
        _ parameters: MessageEncryption.ResponseParameters?, _ stage: IssuanceFaults.AnswerStage, _ exchange: inout Exchange
    ) async throws -> AnswerDraft {
        var credentials: [JSON] = []
        let order = faults.order(configuration, keys.map { $0.map { $0 } } ?? [nil], exchange.settings, random)
        let made = try await source.credentials(order.configuration, for: order.keys, at: exchange.time, spoiled: faults.credential)
        for text in made.texts { credentials.append(["credential": .string(faults.encoded(text))]) }
        var json: JSONObject = ["credentials": .array(credentials)]
        if exchange.settings.hasNotificationEndpoint {
            let end = exchange.time.adding(seconds: exchange.settings.refreshLifetime)
            json["notification_id"] = .string(
                try await tickets().issue(.notification, about: grant.family, until: end, random: random))
        }
        exchange.detail = "issued \(credentials.count) × \(configuration.id)\(made.entry.map { ", status entry \($0)" } ?? "")"
        var answer = try answer(json, 200, parameters, stage)
        if exchange.settings.usesDPoPNonces, grant.thumbprint != nil {
            answer.headers["DPoP-Nonce"] = try await freshDPoPNonce("rs", exchange.settings)
        }
        return answer
    }

    // MARK: Deferred credentials (§9)

    func deferredCredential(_ exchange: inout Exchange) async throws -> AnswerDraft {
        let grant = try await grant(&exchange)
        let (json, parameters) = try await message(&exchange)
        guard let transaction = json["transaction_id"]?.stringValue else { throw Refusal("II22.json", "no transaction_id") }
        let (now, interval) = (exchange.time.secondsSince1970, exchange.settings.deferralInterval)
        let outcome = try await records.change(.deferred, transaction, lifetime: 0) { record -> Poll in
            guard let present = record, present["family"]?.stringValue == grant.family else { return .unknown }
            if present["delivered"]?.boolValue ?? false { return .delivered }
            if let next = present["next"]?.intValue, now < next { return .early }
            if let left = present["left"]?.intValue, left > 0 {
                record?["left"] = .integer(left - 1)
                record?["next"] = .integer(now + interval)
                return .later
            }
            record?["delivered"] = true
            return .ready(present)
        }
        switch outcome {
        case .unknown: throw Refusal("II30.id", "the transaction was not issued, or to another token")
        case .delivered where !faults.has(.answersAfterDelivery): throw Refusal("II30.used", "the transaction was delivered")
        case .early: exchange.checks.fail("II30.early", exchange.subject, "polled before interval")
        case .later, .delivered: break
        case .ready(let record):
            exchange.pass(["II30.id", "II30.used", "II30.early"])
            return try await deliver(record, transaction, grant, parameters, &exchange)
        }
        exchange.detail = "not yet"
        return try answer(
            ["transaction_id": .string(transaction), "interval": .integer(interval)], 202, parameters, .deferred)
    }

    private enum Poll: Sendable {
        case unknown, delivered, early, later
        case ready(JSONObject)
    }

    private func deliver(
        _ record: JSONObject, _ transaction: String, _ grant: Grant, _ parameters: MessageEncryption.ResponseParameters?,
        _ exchange: inout Exchange
    ) async throws -> AnswerDraft {
        guard !exchange.settings.deniesDeferred else {
            throw Refusal(status: 400, code: "credential_request_denied", "this issuer denies deferred requests in the end")
        }
        guard let id = record["configuration"]?.stringValue, let configuration = exchange.settings.configuration(id) else {
            throw Refusal(status: 400, code: "credential_request_denied", "the configuration is gone")
        }
        let keys = record["keys"]?.arrayValue?.compactMap { try? PublicKey(jwk: $0) }
        do {
            return try await issue(configuration, keys, grant, parameters, .deferred, &exchange)
        } catch {
            // What could not be made is not delivered.
            try await records.change(.deferred, transaction, lifetime: exchange.settings.refreshLifetime) {
                $0?["delivered"] = false
            }
            throw error
        }
    }

    // MARK: Notifications (§11)

    func notification(_ exchange: inout Exchange) async throws -> AnswerDraft {
        guard exchange.settings.hasNotificationEndpoint else {
            throw Refusal(status: 404, code: "not_found", "there is no notification endpoint")
        }
        let grant = try await grant(&exchange)
        guard let json = (try? JSON.decode(exchange.request.body))?.objectValue, let id = json["notification_id"]?.stringValue,
            let event = json["event"]?.stringValue
        else { throw Refusal("II31.shape", "notification_id or event missing or mistyped") }
        if let text = json["event_description"] {
            guard let text = text.stringValue, ErrorDescription.isAllowed(text) else {
                throw Refusal("II31.shape", "event_description is no text of the allowed characters")
            }
        }
        exchange.checks.pass("II31.shape", exchange.subject)
        let known = ["credential_accepted", "credential_failure", "credential_deleted"]
        try exchange.require("II31.event", known.contains(event), "event \(ErrorDescription.allowed(event))")
        let isOurs = try await tickets().isGood(id, .notification, about: grant.family, at: exchange.time)
        try exchange.require(
            "II31.id", isOurs, "the notification id is unknown, or of another token")
        exchange.detail = "the wallet says: \(event)\(json["event_description"]?.stringValue.map { " (\($0))" } ?? "")"
        return AnswerDraft(status: 204)
    }
}
