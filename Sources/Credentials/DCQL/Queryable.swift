public import Codec
public import Ports

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
    /// The certificates that came with it, DER, leaf first.
    public let chain: [[UInt8]]
    /// What lists of trusted entities say of its issuer.
    private(set) var listing = EntityListing.none

    public init(
        format: String, types: [String], isHolderBound: Bool, content: JSON, authorityKeyIdentifiers: [[UInt8]] = [],
        chain: [[UInt8]] = []
    ) {
        self.format = format
        self.types = types
        self.isHolderBound = isHolderBound
        self.content = content
        self.authorityKeyIdentifiers = authorityKeyIdentifiers
        self.chain = chain
    }

    /// The same, looked up in lists.
    public func listed(by lists: EntityLists, at time: Timestamp) -> QueryableCredential {
        var credential = self
        credential.listing = lists.listing(of: chain, at: time)
        return credential
    }

    public func claims(at path: ClaimPath) throws(ClaimPath.Mismatch) -> [JSON] { try path.select(in: content) }

    /// `aki` by the bytes, `etsi_tl` by the lists in use; other types need federations, which nothing here has.
    public func isTrusted(by authority: DCQLQuery.TrustedAuthority) -> Bool? {
        switch authority.type {
        case "aki":
            authority.values.contains { value in
                (try? Base64URL.decode(value)).map(authorityKeyIdentifiers.contains) ?? false
            }
        case "etsi_tl": listing.isNamed(by: authority.values)
        default: nil
        }
    }
}
