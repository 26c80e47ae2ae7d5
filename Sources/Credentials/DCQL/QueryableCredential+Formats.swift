public import Codec
import Crypto

extension QueryableCredential {
    /// An SD-JWT VC with all its disclosures; nothing is verified.
    public init(_ token: SDJWT) throws(SDJWTError) {
        let claims = try token.processed().claims
        let header = try token.jws().protected
        let others = claims["aka_vcts"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let chain = ((try? header.x5c()) ?? nil) ?? []
        self.init(
            format: header.type == SDJWTVC.formerMediaType ? SDJWTVC.formerMediaType : SDJWTVC.mediaType,
            types: [claims["vct"]?.stringValue].compactMap { $0 } + others, isHolderBound: claims["cnf"] != nil,
            content: .object(claims), authorityKeyIdentifiers: Self.authorities(chain), chain: chain)
    }

    /// An mdoc; nothing is verified. Values compare as JSON by RFC 8949 §6.1: byte strings as base64url text, dates as their text.
    public init(_ document: IssuerSigned) throws(CBORError) {
        var nameSpaces = JSONObject()
        for (nameSpace, items) in document.nameSpaces {
            var elements = JSONObject()
            for item in items {
                elements.append(item.value.elementIdentifier, Self.comparable(JSON(claim: item.value.elementValue)))
            }
            nameSpaces.append(nameSpace, .object(elements))
        }
        let chain = (try? document.issuerAuth.x5chain?.certificates) ?? []
        self.init(
            format: "mso_mdoc", types: [try document.mobileSecurityObject().docType], isHolderBound: true,
            content: .object(nameSpaces), authorityKeyIdentifiers: Self.authorities(chain), chain: chain)
    }

    /// What was presented, as far as it is verified.
    ///
    /// - Parameter chain: the certificates that came with it, DER.
    init(presented document: PresentedDocument, chain: [[UInt8]]) {
        let content: JSON
        var types = [document.type]
        if let payload = document.payload {
            content = .object(payload)
            types += payload["aka_vcts"]?.arrayValue?.compactMap(\.stringValue) ?? []
        } else {
            var nameSpaces = JSONObject()
            for claim in document.claims where claim.isVerified {
                var elements = nameSpaces[claim.namespace]?.objectValue ?? JSONObject()
                elements.append(claim.element, Self.comparable(JSON(claim: claim.value)))
                nameSpaces.append(claim.namespace, .object(elements))
            }
            content = .object(nameSpaces)
        }
        self.init(
            format: document.format, types: types, isHolderBound: true, content: content,
            authorityKeyIdentifiers: Self.authorities(chain), chain: chain)
    }

    private static func authorities(_ chain: [[UInt8]]) -> [[UInt8]] {
        chain.compactMap { try? Certificate(der: $0).authorityKeyIdentifier?.keyIdentifier }
    }

    private static func comparable(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            if members.count == 1, let bytes = members["bytes"] { return bytes }
            return .object(JSONObject(members.map { (key: $0.key, value: comparable($0.value)) }))
        case .array(let elements): return .array(elements.map(comparable))
        default: return json
        }
    }
}
