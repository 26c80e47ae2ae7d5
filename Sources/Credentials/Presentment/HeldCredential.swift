public import Codec
public import Crypto
public import Ports

/// An SD-JWT VC in the holder's hands.
public struct HeldSDJWT: Sendable, Identifiable {
    /// The name the holder knows this copy by.
    public let id: String
    /// As the issuer delivered it, with all disclosures.
    public let token: SDJWT
    /// The key of `cnf`; nil for a credential that is not bound to one.
    public let keyID: KeyID?
    /// What a person calls it; nil takes its type.
    public let displayName: String?
    /// Its claims in their places.
    public let processed: ProcessedSDJWT

    /// - Throws: when the token cannot be read.
    public init(id: String, token: SDJWT, keyID: KeyID?, displayName: String? = nil) throws(SDJWTError) {
        self.id = id
        self.token = token.unbound
        self.keyID = keyID
        self.displayName = displayName
        processed = try token.processed()
    }

    /// `vct`.
    public var type: String { processed.claims["vct"]?.stringValue ?? "" }
}

/// One copy of a credential that a holder could present, in either format.
public struct HeldCredential: Sendable, Identifiable {
    /// The two formats.
    public enum Form: Sendable {
        case mdoc(IssuedDocument)
        case sdJWT(HeldSDJWT)
    }

    public let form: Form
    /// As a query sees it.
    private(set) var queryable: QueryableCredential

    /// - Throws: when the MSO cannot be read.
    public init(_ document: IssuedDocument) throws(CBORError) {
        form = .mdoc(document)
        queryable = try QueryableCredential(document.issuerSigned)
    }

    /// A document whose queries nobody runs: proximity matches elements by itself.
    init(unqueried document: IssuedDocument) {
        form = .mdoc(document)
        queryable = QueryableCredential(format: "mso_mdoc", types: [document.docType], isHolderBound: true, content: [:])
    }

    /// - Throws: when the token cannot be read.
    public init(_ credential: HeldSDJWT) throws(SDJWTError) {
        form = .sdJWT(credential)
        queryable = try QueryableCredential(credential.token)
    }

    /// The same, its issuer looked up in lists of trusted entities.
    public func listed(by lists: EntityLists, at time: Timestamp) -> HeldCredential {
        var credential = self
        credential.queryable = queryable.listed(by: lists, at: time)
        return credential
    }

    /// The name the holder knows this copy by.
    public var id: String {
        switch form {
        case .mdoc(let document): document.id
        case .sdJWT(let credential): credential.id
        }
    }

    /// docType or vct.
    public var type: String {
        switch form {
        case .mdoc(let document): document.docType
        case .sdJWT(let credential): credential.type
        }
    }

    /// What a person calls it.
    public var name: String {
        switch form {
        case .mdoc(let document): document.displayName ?? document.docType
        case .sdJWT(let credential): credential.displayName ?? credential.type
        }
    }

    /// The key that proves possession; nil for a credential that is bound to none.
    public var keyID: KeyID? {
        switch form {
        case .mdoc(let document): document.keyID
        case .sdJWT(let credential): credential.keyID
        }
    }

    /// The mdoc, where it is one.
    public var mdoc: IssuedDocument? { if case .mdoc(let document) = form { document } else { nil } }
}

extension HeldCredential: Queryable {
    /// `mso_mdoc` or `dc+sd-jwt`. Credentials made under the former name answer queries of the present one.
    public var format: String { queryable.format == SDJWTVC.formerMediaType ? SDJWTVC.mediaType : queryable.format }
    public var types: [String] { queryable.types }
    public var isHolderBound: Bool { queryable.isHolderBound && keyID != nil }

    public func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON] { try queryable.claims(at: path) }

    public func isTrusted(by authority: DCQLQuery.TrustedAuthority) -> Bool? { queryable.isTrusted(by: authority) }
}
