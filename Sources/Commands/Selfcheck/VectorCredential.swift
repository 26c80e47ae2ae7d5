import Codec
import Credentials

/// A credential in the forms of the vector files.
struct VectorCredential: Queryable {
    let name: String
    let format: String
    let types: [String]
    let isHolderBound: Bool
    let content: JSON
    let authority: JSON?

    init(_ json: JSON) throws {
        name = json["name"]?.stringValue ?? ""
        format = try json["format"]?.stringValue ?? json.text("credential_format")
        types = [json["doctype"] ?? json["vct"]].compactMap { $0?.stringValue }
        isHolderBound = json["cryptographic_holder_binding"]?.boolValue ?? true
        content = Self.plain(json["namespaces"] ?? json["claims"] ?? [:])
        authority = json["authority"]
    }

    /// A full-date compares as its text (RFC 8949 §6.1).
    private static func plain(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            if members.count == 1, let date = members["$fullDate"] { return date }
            return .object(JSONObject(members.map { (key: $0.key, value: plain($0.value)) }))
        case .array(let elements): return .array(elements.map(plain))
        default: return json
        }
    }

    func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON] { try path.select(in: content) }

    func isTrusted(by asked: DCQLQuery.TrustedAuthority) -> Bool? {
        authority?["type"]?.stringValue == asked.type
            && authority?["values"]?.arrayValue?.contains { $0.stringValue.map(asked.values.contains) ?? false } == true
    }
}
