public import Codec
public import Crypto
public import Ports

/// What is to be issued: one document for one device key.
public struct DocumentOrder: Sendable {
    public let docType: DocType
    public let claims: Claims
    /// The COSE_Key of the device, as the MSO will carry it.
    public let deviceKey: COSEKey
    public let signed: Timestamp
    public let validFrom: Timestamp
    public let validUntil: Timestamp
    public let hash: HashAlgorithm
    public let keyAuthorizations: KeyAuthorizations?
    /// The revocation reference, as the MSO will carry it.
    public let status: CBOR?

    /// - Parameters:
    ///   - signed: also the beginning of validity unless `validFrom` says otherwise; fractions of seconds are dropped.
    ///   - hash: SHA-256, SHA-384 or SHA-512.
    public init(
        docType: DocType, claims: Claims, deviceKey: PublicKey, signed: Timestamp, validFrom: Timestamp? = nil,
        validUntil: Timestamp, hash: HashAlgorithm = .sha256, keyAuthorizations: KeyAuthorizations? = nil, status: CBOR? = nil
    ) {
        self.docType = docType
        self.claims = claims
        self.deviceKey = COSEKey(deviceKey)
        self.signed = signed
        self.validFrom = validFrom ?? signed
        self.validUntil = validUntil
        self.hash = hash
        self.keyAuthorizations = keyAuthorizations
        self.status = status
    }
}
