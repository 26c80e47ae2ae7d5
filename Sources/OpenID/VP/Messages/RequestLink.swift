public import Codec
public import Ports

/// What a person gives a wallet to answer: a link, a request object, or parameters of the Digital Credentials API; nothing of it is
/// checked yet.
public enum RequestInput: Sendable {
    /// The parameters of a link: `openid4vp://?client_id=…&request_uri=…`.
    case link(FormFields)
    /// A signed request object in compact serialisation.
    case object(String)
    /// A signed request object with several signatures (JWS JSON serialisation).
    case objects(JSON)
    /// Parameters that are not signed.
    case parameters(JSONObject)
    /// A request of the Digital Credentials API: `{"protocol", "data"}`.
    case digitalCredentials(protocol: String, data: JSON)

    /// Why text is no request.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Recognises a link of any scheme, a compact JWS, or JSON.
    public init(_ text: String) throws(Unreadable) {
        let text = text.trimmingBlanks
        if text.hasPrefix("{") {
            self = try Self.json(text)
        } else if text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2, !text.contains("://"), !text.contains("?") {
            self = .object(text)
        } else {
            let fields: FormFields
            do throws(WebURLError) { fields = try WebURL(text).fields() } catch {
                throw Unreadable(description: "no request of OpenID4VP: \(error)")
            }
            guard fields.names.contains(where: { Self.marks.contains($0) }) else {
                throw Unreadable(description: "no request of OpenID4VP: the link has none of client_id, request, request_uri")
            }
            self = .link(fields)
        }
    }

    private static let marks: Set<String> = ["client_id", "request", "request_uri", "dcql_query", "presentation_definition"]

    private static func json(_ text: String) throws(Unreadable) -> RequestInput {
        let json: JSON
        do { json = try JSON.decode(text) } catch { throw Unreadable(description: "no request of OpenID4VP: \(error)") }
        // navigator.credentials.get({digital: {requests: [{protocol, data}]}})
        let inner = json["digital"]?["requests"]?[0] ?? json["requests"]?[0] ?? json
        if let name = inner["protocol"]?.stringValue, let data = inner["data"] ?? inner["request"] {
            return .digitalCredentials(protocol: name, data: data.stringValue.flatMap { try? JSON.decode($0) } ?? data)
        }
        if json["payload"] != nil, json["signatures"] != nil || json["signature"] != nil { return .objects(json) }
        if let object = json["request"]?.stringValue, json.objectValue?.count == 1 { return .object(object) }
        return .parameters(json.objectValue ?? JSONObject())
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
        let start = drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...last])
    }
}
