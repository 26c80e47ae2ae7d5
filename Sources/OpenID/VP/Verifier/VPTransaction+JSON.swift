public import Codec
import Credentials
import Crypto
import Ports

extension VPTransaction {
    /// The record as the store keeps it, secrets included.
    func encoded() -> [UInt8] {
        var object = summary
        object["state"] = .string(state)
        object["nonce"] = .string(nonce)
        object["transaction_data"] = .array(transactionData.map { .string($0) })
        object["verifier_info"] = .array(verifierInfo)
        object["formats"] = formats.json
        object["encryptions"] = .array(encryptions.map { .string($0.rawValue) })
        object["passing"] = .string(passing.rawValue)
        object["scope"] = scope.map { .string($0) }
        object["origins"] = .array(origins.map { .string($0) })
        object["client_name"] = clientName.map { .string($0) }
        object["session"] = sessionHash.map { .string($0) }
        object["key"] = encryptionKey.map { .object($0.jwk) }
        object["key_id"] = encryptionKeyID.map { .string($0.rawValue) }
        object["evidence"] = evidence
        object["response_code"] = responseCode.map { .string($0) }
        return Array(JSON.object(object).encoded().utf8)
    }

    /// What the page and the API may show of it: no key, no nonce, no code.
    public var summary: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "status": .string(status.rawValue), "created": .string(created.rfc3339),
            "expires": .string(expires.rfc3339), "client_id": .string(clientID), "response_uri": .string(responseURI),
            "response_mode": .string(mode.rawValue), "dcql_query": query.json, "link": .string(link),
            "same_device": .bool(isSameDevice), "fetches": .integer(Int64(fetches)), "returned": .bool(isReturned),
            "attempts": .array(attempts),
        ]
        object["answered"] = answered.map { .string($0.rfc3339) }
        object["error"] = error.map { .string($0) }
        object["report"] = report
        return object
    }

    /// Reads a record; nil for one that this program did not write.
    init?(encoded bytes: [UInt8]) {
        guard let json = try? JSON.decode(bytes), let object = json.objectValue else { return nil }
        func text(_ name: String) -> String? { object[name]?.stringValue }
        func time(_ name: String) -> Timestamp? { text(name).flatMap { try? Timestamp(rfc3339: $0) } }
        func texts(_ name: String) -> [String] { object[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        guard let id = text("id"), let status = text("status").flatMap(Status.init), let created = time("created"),
            let expires = time("expires"), let state = text("state"), let nonce = text("nonce"), let clientID = text("client_id"),
            let responseURI = text("response_uri"), let mode = text("response_mode").flatMap(ResponseMode.init),
            let query = object["dcql_query"].flatMap({ try? DCQLQuery($0) }),
            let formats = object["formats"].flatMap({ try? VPFormats($0) }),
            let passing = text("passing").flatMap(VPOrder.Passing.init)
        else { return nil }
        self.id = id
        self.created = created
        self.expires = expires
        self.state = state
        self.nonce = nonce
        self.clientID = clientID
        self.responseURI = responseURI
        self.query = query
        self.mode = mode
        self.formats = formats
        self.passing = passing
        encryptions = texts("encryptions").compactMap(JWEEncryption.init)
        transactionData = texts("transaction_data")
        verifierInfo = object["verifier_info"]?.arrayValue ?? []
        scope = text("scope")
        origins = texts("origins")
        clientName = text("client_name")
        isSameDevice = object["same_device"]?.boolValue ?? false
        sessionHash = text("session")
        encryptionKey = object["key"].flatMap { try? PublicKey(jwk: $0) }
        encryptionKeyID = text("key_id").map { KeyID(rawValue: $0) }
        link = text("link") ?? ""
        restore(status, object)
    }

    private mutating func restore(_ status: Status, _ object: JSONObject) {
        fetches = Int(clamping: object["fetches"]?.intValue ?? 0)
        restore(
            status: status, answered: object["answered"]?.stringValue.flatMap { try? Timestamp(rfc3339: $0) },
            report: object["report"], error: object["error"]?.stringValue, evidence: object["evidence"],
            responseCode: object["response_code"]?.stringValue, isReturned: object["returned"]?.boolValue ?? false,
            attempts: object["attempts"]?.arrayValue ?? [])
    }
}
