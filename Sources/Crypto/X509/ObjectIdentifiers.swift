public import Codec

/// Certificate and CRL extensions (RFC 5280 §4.2, §5.2).
extension OID {
    public static let subjectKeyIdentifier: OID = "2.5.29.14"
    public static let keyUsage: OID = "2.5.29.15"
    public static let subjectAlternativeName: OID = "2.5.29.17"
    public static let issuerAlternativeName: OID = "2.5.29.18"
    public static let basicConstraints: OID = "2.5.29.19"
    public static let crlNumber: OID = "2.5.29.20"
    public static let crlReason: OID = "2.5.29.21"
    public static let deltaCRLIndicator: OID = "2.5.29.27"
    public static let issuingDistributionPoint: OID = "2.5.29.28"
    public static let nameConstraints: OID = "2.5.29.30"
    public static let crlDistributionPoints: OID = "2.5.29.31"
    public static let certificatePolicies: OID = "2.5.29.32"
    public static let policyMappings: OID = "2.5.29.33"
    public static let authorityKeyIdentifier: OID = "2.5.29.35"
    public static let policyConstraints: OID = "2.5.29.36"
    public static let extendedKeyUsage: OID = "2.5.29.37"
    public static let freshestCRL: OID = "2.5.29.46"
    public static let inhibitAnyPolicy: OID = "2.5.29.54"
    public static let authorityInformationAccess: OID = "1.3.6.1.5.5.7.1.1"
    public static let ocspAccess: OID = "1.3.6.1.5.5.7.48.1"
}

/// Purposes of the extended key usage extension.
extension OID {
    /// Any purpose (RFC 5280 §4.2.1.12).
    public static let anyPurpose: OID = "2.5.29.37.0"
    public static let serverAuthentication: OID = "1.3.6.1.5.5.7.3.1"
    /// Document signer of an mDL (ISO/IEC 18013-5:2021 B.1.4).
    public static let mdlDocumentSigner: OID = "1.0.18013.5.1.2"
    /// Reader authentication (ISO/IEC 18013-5:2021 B.1.7).
    public static let mdlReaderAuthentication: OID = "1.0.18013.5.1.6"
    /// VICAL signer (ISO/IEC 18013-5:2021 Annex C).
    public static let vicalSigner: OID = "1.0.18013.5.1.8"
    /// Document signer of any mdoc (ISO/IEC 23220-4).
    public static let mdocDocumentSigner: OID = "1.0.23220.4.1.2"
    /// Reader authentication for any mdoc (ISO/IEC 23220-4).
    public static let mdocReaderAuthentication: OID = "1.0.23220.4.1.6"
    /// Signer of trust lists for any mdoc (ISO/IEC 23220-4).
    public static let mdocTrustListSigner: OID = "1.0.23220.4.1.8"
    /// Status list signer (Token Status List §10). The registry entry is still open; this is the number that
    /// implementations use meanwhile.
    public static let oauthStatusSigning: OID = "1.3.6.1.5.5.7.3.30"
}

/// Attribute types of distinguished names (RFC 5280 Appendix A.1).
extension OID {
    public static let commonName: OID = "2.5.4.3"
    public static let nameSerialNumber: OID = "2.5.4.5"
    public static let countryName: OID = "2.5.4.6"
    public static let localityName: OID = "2.5.4.7"
    public static let stateOrProvinceName: OID = "2.5.4.8"
    public static let organizationName: OID = "2.5.4.10"
    public static let organizationalUnitName: OID = "2.5.4.11"
    static let streetAddress: OID = "2.5.4.9"
    static let domainComponent: OID = "0.9.2342.19200300.100.1.25"
    static let userID: OID = "0.9.2342.19200300.100.1.1"
    static let emailAddress: OID = "1.2.840.113549.1.9.1"
}

/// Signatures (RFC 5758, RFC 8410, RFC 8017 Appendix C).
extension OID {
    static let ecdsaWithSHA1: OID = "1.2.840.10045.4.1"
    static let ecdsaWithSHA256: OID = "1.2.840.10045.4.3.2"
    static let ecdsaWithSHA384: OID = "1.2.840.10045.4.3.3"
    static let ecdsaWithSHA512: OID = "1.2.840.10045.4.3.4"
    static let ed25519: OID = "1.3.101.112"
    static let ed448: OID = "1.3.101.113"
    static let rsaWithSHA256: OID = "1.2.840.113549.1.1.11"
    static let rsaWithSHA384: OID = "1.2.840.113549.1.1.12"
    static let rsaWithSHA512: OID = "1.2.840.113549.1.1.13"
}
