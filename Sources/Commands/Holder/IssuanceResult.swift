import Codec
import Crypto
import OpenID
import Ports
import Vault

/// What became of one configuration.
struct IssuanceResult: Sendable {
    let configurationID: String
    var document: StoredDocument?
    var deferred: DeferredIssuance?
    var failure: IssuanceError?
    /// What came in this run.
    var delivered: DeliveredCredentials?

    var json: JSONObject {
        var object: JSONObject = [
            "configuration": .string(configurationID), "id": document.map { .string($0.id) } ?? .null,
            "type": document.map { .string($0.type) } ?? .null, "format": document.map { .string($0.format) } ?? .null,
            "state": .string(failure != nil ? "failed" : deferred == nil ? "issued" : "deferred"),
            "copies": .integer(Int64(document?.copies.count ?? 0)),
        ]
        if let failure {
            object["error"] = .string(failure.what)
            object["code"] = failure.code.map { .string($0) } ?? .null
            object["check"] = failure.check.map { .string($0) } ?? .null
            object["party"] = .string(failure.party.rawValue)
        }
        if let deferred { object["notBefore"] = .string(deferred.notBefore.rfc3339) }
        return object
    }

    var lines: [String] {
        if let failure { return ["\(configurationID): failed, \(failure.what)"] + (failure.hint.map { ["  hint: \($0)"] } ?? []) }
        guard let document else { return [configurationID] }
        if let deferred {
            return [
                "\(document.displayName): deferred as \(document.id), ask again after \(deferred.notBefore.rfc3339) with holder poll"
            ]
        }
        let copies = document.copies.count
        return [
            "\(document.displayName) (\(document.type)): in the wallet as \(document.id), \(copies) \(copies == 1 ? "copy" : "copies")"
        ]
    }
}
