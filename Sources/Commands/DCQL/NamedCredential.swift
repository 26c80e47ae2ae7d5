import Codec
import Credentials
import Ports

/// A credential with the name that answers call it by.
struct NamedCredential: Queryable {
    let name: String
    private let credential: QueryableCredential

    var format: String { credential.format }
    var types: [String] { credential.types }
    var isHolderBound: Bool { credential.isHolderBound }
    func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON] { try credential.claims(at: path) }
    func isTrusted(by authority: DCQLQuery.TrustedAuthority) -> Bool? { credential.isTrusted(by: authority) }

    private init(_ name: String, _ credential: QueryableCredential) {
        self.name = name
        self.credential = credential
    }

    /// The same, its issuer looked up in lists of trusted entities.
    func listed(by lists: EntityLists, at time: Timestamp) -> NamedCredential {
        NamedCredential(name, credential.listed(by: lists, at: time))
    }

    /// Every credential in the input.
    static func all(in input: Input) throws(CommandError) -> [NamedCredential] {
        switch input.content {
        case .sdJWT(let text): return [try sdJWT(text, input.origin)]
        case .cbor(let bytes): return [try mdoc(bytes, input.origin)]
        case .json:
            let json = try input.json(as: "credentials")
            var all: [NamedCredential] = []
            for (place, entry) in (json.arrayValue ?? [json]).enumerated() {
                all.append(try described(entry, "\(input.origin)[\(place)]", fallback: "credential \(place)"))
            }
            return all
        default: throw input.wrong("credentials")
        }
    }

    private static func sdJWT(_ text: String, _ origin: String) throws(CommandError) -> NamedCredential {
        do { return NamedCredential(origin, try QueryableCredential(SDJWT(text: text))) } catch {
            throw .refused("\(origin): \(error)")
        }
    }

    private static func mdoc(_ bytes: [UInt8], _ origin: String) throws(CommandError) -> NamedCredential {
        do throws(CBORError) {
            let item = try CBOR(decoding: bytes)
            return NamedCredential(origin, try QueryableCredential(IssuerSigned(try item.optional("issuerSigned") ?? item)))
        } catch { throw .refused("\(origin): \(error)", hint: "a credential is an SD-JWT or IssuerSigned") }
    }

    private static func described(_ json: JSON, _ origin: String, fallback: String) throws(CommandError) -> NamedCredential {
        if let text = json.stringValue {
            if text.contains("~") { return try sdJWT(text, origin) }
            guard let bytes = try? Base64URL.decode(text) else { throw .refused("\(origin): neither an SD-JWT nor base64url") }
            return try mdoc(bytes, origin)
        }
        guard let format = json["format"]?.stringValue else { throw .refused("\(origin): format is missing") }
        let type = (json["vct"] ?? json["doctype"])?.stringValue
        guard let type, let content = json["claims"] ?? json["namespaces"], content.objectValue != nil else {
            throw .refused("\(origin): vct with claims, or doctype with namespaces, is missing")
        }
        let others = json["aka_vcts"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let keys =
            json["aki"].map { $0.arrayValue ?? [$0] }?.compactMap { $0.stringValue.flatMap { try? Base64URL.decode($0) } } ?? []
        return NamedCredential(
            json["name"]?.stringValue ?? fallback,
            QueryableCredential(
                format: format, types: [type] + others, isHolderBound: json["holderBound"]?.boolValue ?? true, content: content,
                authorityKeyIdentifiers: keys))
    }
}
