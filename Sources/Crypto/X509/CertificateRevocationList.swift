public import Codec
public import Ports

/// A certificate revocation list (RFC 5280 §5) as received: parsed whole, nothing verified.
public struct CertificateRevocationList: Sendable, Hashable {
    /// One revoked certificate.
    public struct Entry: Sendable, Hashable {
        /// Content of the INTEGER, as encoded.
        public let serialNumber: [UInt8]
        public let revokedAt: Timestamp
        public let extensions: [CertificateExtension]
    }

    /// Complete DER.
    public let der: [UInt8]
    /// 1 or 2.
    public let version: Int
    public let signatureAlgorithm: AlgorithmIdentifier
    public let signedAlgorithm: AlgorithmIdentifier
    public let issuer: DistinguishedName
    public let thisUpdate: Timestamp
    public let nextUpdate: Timestamp?
    /// Nil where the list is absent, which is how RFC 5280 writes that nothing is revoked.
    public let entries: [Entry]?
    public let extensions: [CertificateExtension]
    public let authorityKeyIdentifier: AuthorityKeyIdentifier?
    /// The complete tbsCertList.
    public let signedBytes: [UInt8]
    public let signature: [UInt8]

    public static func == (a: CertificateRevocationList, b: CertificateRevocationList) -> Bool { a.der == b.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }

    public func `extension`(_ oid: OID) -> CertificateExtension? { extensions.first { $0.oid == oid } }

    /// cRLNumber, magnitude big-endian; nil where it is absent or malformed.
    public var number: [UInt8]? {
        self.extension(.crlNumber).flatMap { try? DERNode(decoding: $0.value).integerBytes() }
    }

    /// When `certificate` was revoked by this list; nil: not listed. That the list is its issuer's is for the caller to see to.
    public func revocation(of certificate: Certificate) -> Timestamp? {
        entries?.first { $0.serialNumber == certificate.serialNumber }?.revokedAt
    }

    /// Whether the key of `issuer` made the signature.
    public func isSigned(by issuer: Certificate) -> Bool {
        guard let algorithm = signatureAlgorithm.signatureAlgorithm else { return false }
        return signatureAlgorithm == signedAlgorithm
            && algorithm.isSignature(signature, of: signedBytes, byKeyOf: issuer)
    }

    /// Reads a CRL: one complete DER SEQUENCE and nothing after it.
    ///
    /// - Throws: `CertificateError` with what is wrong and where.
    public init(der: [UInt8]) throws(CertificateError) {
        let parts: SignedParts
        let fields: ListFields
        let authority: AuthorityKeyIdentifier?
        do {
            parts = try SignedParts(try DERNode(decoding: der))
            fields = try ListFields(parts.signed)
            authority = try fields.authorityKeyIdentifier()
        } catch {
            throw .malformed(error)
        }
        self.der = der
        version = fields.version
        signatureAlgorithm = parts.algorithm
        signedAlgorithm = fields.algorithm
        issuer = fields.issuer
        thisUpdate = fields.thisUpdate
        nextUpdate = fields.nextUpdate
        entries = fields.entries
        extensions = fields.extensions
        authorityKeyIdentifier = authority
        signedBytes = parts.signed.encoded
        signature = parts.signature
    }
}

/// ```
/// TBSCertList ::= SEQUENCE { version OPTIONAL, signature, issuer, thisUpdate, nextUpdate OPTIONAL,
///                            revokedCertificates SEQUENCE OF SEQUENCE { serial, date, extensions OPTIONAL } OPTIONAL,
///                            [0] crlExtensions OPTIONAL }
/// ```
private struct ListFields {
    var version = 1
    var algorithm: AlgorithmIdentifier
    var issuer: DistinguishedName
    var thisUpdate: Timestamp
    var nextUpdate: Timestamp?
    var entries: [CertificateRevocationList.Entry]?
    var extensions: [CertificateExtension] = []

    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in try ListFields(&cursor) }
    }

    private init(_ cursor: inout DERCursor) throws(DERError) {
        if let version = cursor.optional(2) { self.version = try version.version() }
        algorithm = try AlgorithmIdentifier(try cursor.next("signature"))
        issuer = try DistinguishedName(try cursor.next("issuer"))
        thisUpdate = try cursor.next("thisUpdate").time()
        if let next = cursor.optional(23) ?? cursor.optional(24) { nextUpdate = try next.time() }
        if let list = cursor.optional(16) {
            entries = try list.elements { node throws(DERError) in try CertificateRevocationList.Entry(node) }
        }
        if let list = try cursor.optional(0, .contextSpecific)?.explicit(0) {
            extensions = try list.elements { node throws(DERError) in try CertificateExtension(node) }
        }
    }

    func authorityKeyIdentifier() throws(DERError) -> AuthorityKeyIdentifier? {
        guard let item = extensions.first(where: { $0.oid == .authorityKeyIdentifier }) else { return nil }
        return try AuthorityKeyIdentifier(try DERNode(decoding: item.value))
    }
}

extension CertificateRevocationList.Entry {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let serial = try cursor.next("userCertificate").integerBytes()
            let date = try cursor.next("revocationDate").time()
            let extensions = try cursor.optional(16)?.elements { node throws(DERError) in try CertificateExtension(node) }
            return CertificateRevocationList.Entry(serialNumber: serial, revokedAt: date, extensions: extensions ?? [])
        }
    }
}
