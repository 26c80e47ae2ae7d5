public import Codec

/// A credential as a query sees it; mdoc and SD-JWT VC alike.
public protocol Queryable: Sendable {
    /// `mso_mdoc`, `dc+sd-jwt`.
    var format: String { get }
    /// docType, or vct and every other type that the credential counts as.
    var types: [String] { get }
    /// Whether its holder can prove possession of a key.
    var isHolderBound: Bool { get }
    /// What a path selects, as JSON; empty when nothing is there.
    func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON]
    /// Whether the issuer is known to the authority; nil when this cannot be told here.
    func isTrusted(by authority: DCQLQuery.TrustedAuthority) -> Bool?
}

/// A credential given by what a query looks at.
public struct QueryableCredential: Queryable {
    public let format: String
    public let types: [String]
    public let isHolderBound: Bool
    /// The claims: of an mdoc, elements by name space.
    public let content: JSON
    /// The authority key identifiers of the certificates that came with it.
    public let authorityKeyIdentifiers: [[UInt8]]

    public init(
        format: String, types: [String], isHolderBound: Bool, content: JSON, authorityKeyIdentifiers: [[UInt8]] = []
    ) {
        self.format = format
        self.types = types
        self.isHolderBound = isHolderBound
        self.content = content
        self.authorityKeyIdentifiers = authorityKeyIdentifiers
    }

    public func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON] { try path.select(in: content) }

    /// `aki` by the bytes; other types need lists or federations, which nothing here has.
    public func isTrusted(by authority: DCQLQuery.TrustedAuthority) -> Bool? {
        guard authority.type == "aki" else { return nil }
        return authority.values.contains { value in
            (try? Base64URL.decode(value)).map(authorityKeyIdentifiers.contains) ?? false
        }
    }
}
