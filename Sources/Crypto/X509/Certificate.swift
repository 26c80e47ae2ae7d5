public import Codec
public import Ports

/// An X.509 certificate (RFC 5280 §4.1) as received: parsed whole, nothing verified.
///
/// ```
/// Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue BIT STRING }
/// ```
/// Reading is lenient where a rule of a profile exists to say so (versions, serial numbers, defaults that are written out), so
/// that such a certificate can be shown and linted; `CertificateProfile` holds those rules. Two certificates are equal when
/// their bytes are.
public struct Certificate: Sendable, Hashable {
    /// Complete DER.
    public let der: [UInt8]
    /// 1, 2 or 3 as people count; other numbers as encoded, plus one.
    public let version: Int
    /// Content of the INTEGER, two's complement, as encoded.
    public let serialNumber: [UInt8]
    /// Of the outer `signatureAlgorithm`.
    public let signatureAlgorithm: AlgorithmIdentifier
    /// Of `tbsCertificate.signature`, which has to be the same.
    public let signedAlgorithm: AlgorithmIdentifier
    public let issuer: DistinguishedName
    /// First second of validity.
    public let notBefore: Timestamp
    /// Last second of validity.
    public let notAfter: Timestamp
    public let subject: DistinguishedName
    /// SubjectPublicKeyInfo, DER.
    public let spkiBytes: [UInt8]
    /// Algorithm of the SubjectPublicKeyInfo.
    public let keyAlgorithm: AlgorithmIdentifier
    /// Content of subjectPublicKey: an EC point, a raw Edwards or Montgomery key, or an RSAPublicKey in DER.
    public let publicKeyBits: [UInt8]
    /// In order, known or not.
    public let extensions: [CertificateExtension]
    /// The known ones, decoded.
    public let known: KnownExtensions
    /// The bytes that are signed: the complete tbsCertificate.
    public let signedBytes: [UInt8]
    /// Content of signatureValue: ECDSA-Sig-Value in DER, or a raw Edwards or RSA signature.
    public let signature: [UInt8]
    /// The subject's key, made once for all copies.
    let subjectKey: Result<PublicKey, CryptoError>

    public static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }

    public var keyUsage: KeyUsage? { known.keyUsage }
    public var basicConstraints: BasicConstraints? { known.basicConstraints }
    public var extendedKeyUsage: [OID]? { known.extendedKeyUsage }
    public var subjectKeyIdentifier: [UInt8]? { known.subjectKeyIdentifier }
    public var authorityKeyIdentifier: AuthorityKeyIdentifier? { known.authorityKeyIdentifier }
    public var crlDistributionPoints: [DistributionPoint]? { known.crlDistributionPoints }
    public var issuerAlternativeName: [GeneralName]? { known.issuerAlternativeName }
    public var subjectAlternativeName: [GeneralName]? { known.subjectAlternativeName }
    public var authorityInformationAccess: [AccessDescription]? { known.authorityInformationAccess }

    /// The extension with this id, critical or not.
    public func `extension`(_ oid: OID) -> CertificateExtension? { extensions.first { $0.oid == oid } }

    /// SHA-256 of the DER: the usual fingerprint.
    public var sha256: [UInt8] { HashAlgorithm.sha256.digest(der) }

    /// Whether subject and issuer are the same bytes.
    public var isSelfIssued: Bool { subject == issuer }

    /// The subject's key. Throws where it is no key that this product uses, or no point of its curve.
    public func publicKey() throws(CryptoError) -> PublicKey { try subjectKey.get() }

    /// Whether `key` made the signature, by the algorithm that the certificate names. False, too, where that algorithm is
    /// unknown or not one of the key.
    public func isSigned(by key: PublicKey) -> Bool {
        signatureAlgorithm.signatureAlgorithm?.isSignature(signature, of: signedBytes, by: key) ?? false
    }

    /// Whether the key of `issuer` made the signature.
    public func isSigned(by issuer: Certificate) -> Bool {
        signatureAlgorithm.signatureAlgorithm?.isSignature(signature, of: signedBytes, byKeyOf: issuer) ?? false
    }

    /// Whether `time` lies within notBefore and notAfter, both included, with `skew` seconds of tolerance on both sides.
    /// Fractions of a second do not count: notAfter is the last second, to its end.
    public func isValid(at time: Timestamp, skew: Int64 = 0) -> Bool {
        let time = Timestamp(secondsSince1970: time.secondsSince1970)
        return notBefore.adding(seconds: -skew) <= time && time <= notAfter.adding(seconds: skew)
    }
}

/// `SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }` (RFC 5280 §4.1.1.2).
public struct AlgorithmIdentifier: Sendable, Hashable {
    public let oid: OID
    /// Complete DER of the parameters; nil: absent.
    public let parameters: [UInt8]?

    public init(oid: OID, parameters: [UInt8]? = nil) {
        self.oid = oid
        self.parameters = parameters
    }

    /// The known signature algorithm with this id.
    public var signatureAlgorithm: SignatureAlgorithm? {
        guard oid == SignatureAlgorithm.pss else { return SignatureAlgorithm(oid: oid) }
        return SignatureAlgorithm.allCases.first { algorithm in parameters.map(algorithm.pssParameters.contains) ?? false }
    }

    /// The name of the signature algorithm, else the object identifier.
    public var name: String { signatureAlgorithm?.name ?? oid.description }
}
