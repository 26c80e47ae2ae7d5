public import Codec
public import Crypto
public import Ports

/// What is to be issued: one document for one device key.
public struct DocumentOrder: Sendable {
    /// The type, also of the MSO.
    public let docType: DocType
    /// The elements.
    public let claims: Claims
    /// The COSE_Key of the device, as the MSO will carry it.
    public let deviceKey: COSEKey
    /// When it is signed.
    public let signed: Timestamp
    /// The beginning of validity.
    public let validFrom: Timestamp
    /// The end of validity.
    public let validUntil: Timestamp
    /// The function of the digests.
    public let hash: HashAlgorithm
    /// What the device key may sign; nil: nothing.
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
