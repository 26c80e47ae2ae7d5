package import Codec

/// What a credential or deferred credential endpoint delivers (OpenID4VCI 1.0 §8.3, §9.2).
///
///     { "credentials": [ + {"credential": tstr} ], ? "notification_id": tstr } / { "transaction_id": tstr, "interval": uint }
package enum CredentialResponse: Sendable, Equatable {
    case issued(credentials: [String], notificationID: String?)
    /// - interval: seconds to wait at least.
    case deferred(transactionID: String, interval: Int64)

    /// Reads a response; what can still be used is returned beside the findings.
    ///
    /// - Parameters:
    ///   - keys: how many keys were sent; nil: none, one credential is expected.
    package static func read(
        _ json: JSON, status: Int, keys: Int?
    ) -> (response: CredentialResponse?, findings: [MessageFinding]) {
        var findings: [MessageFinding] = []
        func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }
        let (list, transaction) = (json["credentials"], json["transaction_id"])
        guard (list == nil) != (transaction == nil) else {
            add("IW11.shape", list == nil ? "neither credentials nor transaction_id" : "both credentials and transaction_id")
            return (nil, findings)
        }
        if let transaction {
            if status != 202 { add("IW11.status", "status \(status) with transaction_id, 202 expected") }
            if json["notification_id"] != nil { add("IW11.shape", "notification_id without credentials") }
            guard let id = transaction.stringValue else {
                add("IW11.shape", "transaction_id is no string")
                return (nil, findings)
            }
            let interval = json["interval"]?.intValue ?? 0
            if interval <= 0 { add("IW11.interval", "interval missing or ≤ 0") }
            return (.deferred(transactionID: id, interval: min(max(interval, 1), 31_536_000)), findings)
        }
        if status != 200 { add("IW11.status", "status \(status) with credentials, 200 expected") }
        if json["interval"] != nil { add("IW11.shape", "interval beside credentials") }
        let entries = list?.arrayValue ?? []
        let credentials = entries.compactMap { $0["credential"]?.stringValue }
        guard !entries.isEmpty, credentials.count == entries.count else {
            add("IW11.shape", "credentials is no list of objects with a credential")
            return (nil, findings)
        }
        if credentials.count > max(keys ?? 1, 1) { add("IW11.count", "\(credentials.count) credentials for \(keys ?? 0) keys") }
        if let id = json["notification_id"], id.stringValue == nil { add("IW11.shape", "notification_id is no string") }
        return (.issued(credentials: credentials, notificationID: json["notification_id"]?.stringValue), findings)
    }
}
