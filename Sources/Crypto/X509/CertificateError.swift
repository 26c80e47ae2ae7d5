public import Codec

/// Why bytes are not a certificate or certificate revocation list.
public enum CertificateError: Error, Equatable, CustomStringConvertible {
    /// Not DER, or not the syntax of RFC 5280; with the offset in the certificate.
    case malformed(DERError)
    /// The extension occurs twice (RFC 5280 §4.2 forbids it).
    case duplicateExtension(OID)
    /// The content of a known extension is not what its definition says; with the offset in that content.
    case malformedExtension(OID, DERError)

    public var description: String {
        switch self {
        case .malformed(let error): error.description
        case .duplicateExtension(let oid): "extension \(oid) occurs twice"
        case .malformedExtension(let oid, let error): "extension \(oid): \(error)"
        }
    }
}
