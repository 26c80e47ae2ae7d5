import Codec
import Credentials
import Crypto
import Ports

/// Requests with the access token: DPoP proof, encryption both ways.
extension IssuanceSession {
    /// What a protected endpoint answered, decrypted; `json` is null when it is none.
    struct Answer {
        var response: HTTPResponse
        var json: JSON
    }

    /// A request with the access token, encrypted where that is wanted; one retry for a DPoP nonce.
    mutating func protected(
        _ body: JSONObject, to url: WebURL, _ endpoint: ErrorMeaning.Endpoint, keys: Int
    ) async throws(IssuanceError) -> Answer {
        let (draft, responseKey) = try encrypted(body, to: url, endpoint)
        let response = try await sendProtected(draft, endpoint)
        let subject = endpoint.rawValue
        guard let responseKey else {
            guard response.contentType == "application/json" else {
                try judge([], [MessageFinding("IW11.type", "content type \(ErrorText.shown(response.contentType))")], subject)
                return Answer(response: response, json: .null)
            }
            checks.pass("IW11.type", subject)
            return Answer(response: response, json: (try? JSON.decode(response.bytes)) ?? .null)
        }
        guard response.contentType != "application/json" else {
            try judge([], [MessageFinding("IW11.plain", "plain answer though encryption was asked")], subject)
            return Answer(response: response, json: .null)
        }
        guard response.contentType == MessageEncryption.contentType else {
            try judge([], [MessageFinding("IW11.type", "content type \(ErrorText.shown(response.contentType))")], subject)
            return Answer(response: response, json: .null)
        }
        let json = try open(response, responseKey, subject)
        try judge(["IW11.plain", "IW11.type", "IW11.jwe"], [], subject)
        return Answer(response: response, json: json)
    }

    /// The key that the response is to be encrypted to, and how.
    private struct ResponseKey {
        let key: PrivateKey
        let keyID: String
        let encryption: JWEEncryption
        let compresses: Bool

        /// `credential_response_encryption` (OpenID4VCI 1.0 8.2).
        var request: JSONObject {
            var jwk = key.publicKey.jwk
            jwk["kid"] = .string(keyID)
            jwk["use"] = "enc"
            jwk["alg"] = .string(JWE.keyManagement)
            var object: JSONObject = ["jwk": .object(jwk), "enc": .string(encryption.rawValue)]
            if compresses { object["zip"] = "DEF" }
            return object
        }
    }

    private func encrypted(
        _ body: JSONObject, to url: WebURL, _ endpoint: ErrorMeaning.Endpoint
    ) throws(IssuanceError) -> (OutgoingRequest, ResponseKey?) {
        let stage: IssuanceFaults.RequestStage = endpoint == .deferred ? .deferred : .credential
        guard let metadata, let request = metadata.requestEncryption,
            settings.encrypts || request.isRequired || needsResponse(metadata)
        else {
            guard !needsResponse(metadata) else {
                throw IssuanceError(
                    "the issuer requires encrypted responses, but takes no encrypted requests, which go with them", .issuer,
                    check: "IW2.encryption")
            }
            var draft = OutgoingRequest("POST", url, json: body)
            wallet.faults.spoil(stage, &draft)
            return (draft, nil)
        }
        do {
            var body = body
            let responseKey = try responseKey(metadata)
            if let responseKey { body["credential_response_encryption"] = .object(responseKey.request) }
            let usable = request.keys.first { $0.algorithm == JWE.keyManagement && $0.publicKey.curve.canAgree && $0.use != "sig" }
            let encryption = Self.preferred(request.encryptions)
            guard let key = usable, let encryption else {
                throw IssuanceError(
                    "no key or method of credential_request_encryption can be used", .issuer, check: "IW2.encryption")
            }
            var draft = OutgoingRequest("POST", url, headers: ["Accept": "application/jwt, application/json"], json: body)
            wallet.faults.spoil(stage, &draft)
            guard draft.raw == nil, let spoiled = draft.json, !wallet.faults.has(.sendsPlain) else { return (draft, responseKey) }
            draft.json = nil
            draft.raw = Array(
                try MessageEncryption.encrypt(
                    spoiled, to: key, encryption, compresses: settings.compresses && request.compressions.contains("DEF"),
                    random: wallet.random
                ).utf8)
            draft.headers["Content-Type"] = MessageEncryption.contentType
            wallet.faults.spoil(.encrypted, &draft)
            return (draft, responseKey)
        } catch let error as IssuanceError { throw error } catch { throw IssuanceError("encrypting: \(error)", .wallet) }
    }

    private func needsResponse(_ metadata: IssuerMetadata?) -> Bool { metadata?.responseEncryption?.isRequired ?? false }

    private static func preferred(_ names: [String]) -> JWEEncryption? {
        [JWEEncryption.a256GCM, .a128GCM, .a256CBCHS512, .a128CBCHS256].first { names.contains($0.rawValue) }
    }

    private func responseKey(_ metadata: IssuerMetadata) throws -> ResponseKey? {
        guard let response = metadata.responseEncryption, settings.encrypts || response.isRequired else { return nil }
        guard response.algorithms.contains(JWE.keyManagement), let encryption = Self.preferred(response.encryptions) else {
            throw IssuanceError("no method of credential_response_encryption can be used", .issuer, check: "IW2.encryption")
        }
        let key = try PrivateKey.generate(.p256, random: wallet.random)
        return ResponseKey(
            key: key, keyID: String(DPoP.thumbprint(key.publicKey).prefix(12)), encryption: encryption,
            compresses: settings.compresses && response.compressions.contains("DEF"))
    }

    private mutating func open(
        _ response: HTTPResponse, _ wanted: ResponseKey, _ subject: String
    ) throws(IssuanceError) -> JSON {
        do {
            let jwe = try JWE(compact: String(decoding: response.bytes, as: UTF8.self).filter { !$0.isWhitespace })
            guard jwe.protected.keyID == wanted.keyID else { throw JOSEError.malformed("kid is not that of the request") }
            guard try jwe.encryption() == wanted.encryption else { throw JOSEError.malformed("enc is not that of the request") }
            guard (jwe.protected["zip"] != nil) == wanted.compresses else {
                throw JOSEError.malformed("zip is not that of the request")
            }
            let plain = try jwe.decrypt(with: wanted.key, inflateLimit: MessageEncryption.inflateLimit)
            return try JSON.decode(plain)
        } catch {
            try judge([], [MessageFinding("IW11.jwe", "\(error)")], subject)
            return .null
        }
    }

    /// Sends a request with token and DPoP proof.
    mutating func sendProtected(
        _ prepared: OutgoingRequest, _ endpoint: ErrorMeaning.Endpoint
    ) async throws(IssuanceError) -> HTTPResponse {
        guard let token else { throw IssuanceError("there is no access token", .wallet) }
        var retries = 0
        while true {
            var draft = prepared
            draft.headers["Authorization"] = "\(token.isDPoP ? "DPoP" : "Bearer") \(token.value)"
            if token.isDPoP, let proof = try await proof(draft, .resource, accessToken: token.value) {
                draft.headers["DPoP"] = proof
            }
            wallet.faults.spoil(.protected, &draft)
            let response = try await send(draft, .resource)
            guard let refusal = try refusal(response, at: endpoint) else {
                if retries > 0 { checks.pass("IW9", endpoint.rawValue) }
                return response
            }
            guard refusal.code == "use_dpop_nonce" else { throw refusal }
            guard retries == 0 || (wallet.faults.has(.retriesEndlessly) && retries < 4) else {
                try judge([], [MessageFinding("IW9", "use_dpop_nonce again after one retry")], endpoint.rawValue)
                throw refusal
            }
            retries += 1
        }
    }
}
