import Codec
import Credentials
import Ports

/// Names of signed request objects (RFC 9101; OpenID4VP 1.0 §5).
enum RequestObject {
    /// `typ` of the object; with `application/` before it the media type.
    static let mediaType = "oauth-authz-req+jwt"
    /// `aud` where the wallet is not known beforehand (§5.8).
    static let staticAudience = "https://self-issued.me/v2"
}

/// The parameters of a link, told apart.
struct LinkParameters: Sendable {
    let fields: [(name: String, value: String)]
    let clientID: String?
    let requestURI: WebURL?
    let object: String?
    let isPost: Bool

    /// All parameters as a JSON object, those that carry JSON decoded (§5.1).
    func parameters() throws(Unreadable) -> JSONObject {
        var object = JSONObject()
        for (name, value) in fields {
            guard Self.structured.contains(name) else {
                object[name] = .string(value)
                continue
            }
            do { object[name] = try JSON.decode(value) } catch { throw Unreadable(description: "\(name): \(error)") }
        }
        return object
    }

    struct Unreadable: Error { let description: String }

    static let structured: Set<String> = [
        "dcql_query", "client_metadata", "transaction_data", "verifier_info", "presentation_definition", "expected_origins",
    ]
}
