public import Codec
public import Crypto

/// The holder's copy of a document: what the issuer delivered, byte for byte, and the name of the device key.
///
/// A batch is several copies of one document, each with its own device key.
public struct IssuedDocument: Sendable, Identifiable {
    /// The name the holder knows this copy by.
    public let id: String
    /// The type under which the document is presented.
    public let docType: DocType
    /// As the issuer delivered it, all items with their bytes.
    public let issuerSigned: IssuerSigned
    /// What the issuer signed about the items.
    public let mobileSecurityObject: MobileSecurityObject
    /// The device key in its key store.
    public let keyID: KeyID
    /// What a person calls the document; nil takes the name of its type.
    public let displayName: String?

    /// - Parameters:
    ///   - docType: nil takes the type that the MSO states; an issuer that names another one shows in every report.
    ///   - issuerSigned: `IssuerSigned` as the issuer delivered it.
    /// - Throws: when the MSO cannot be read; a document without one cannot be presented.
    public init(
        id: String, docType: DocType? = nil, issuerSigned: IssuerSigned, keyID: KeyID, displayName: String? = nil
    ) throws(CBORError) {
        mobileSecurityObject = try issuerSigned.readableSecurityObject()
        self.id = id
        self.docType = docType ?? mobileSecurityObject.docType
        self.issuerSigned = issuerSigned
        self.keyID = keyID
        self.displayName = displayName
    }
}

extension IssuedDocument {
    /// The authority key identifier of the signer's certificate.
    var authorityKeyIdentifier: [UInt8]? {
        guard let leaf = try? issuerSigned.issuerAuth.x5chain?.certificates.first, let certificate = try? Certificate(der: leaf)
        else { return nil }
        return certificate.authorityKeyIdentifier?.keyIdentifier
    }
}

extension IssuerSigned {
    /// The MSO, also where the issuer forgot tag 24: the holder passes on what it was given, and the reader says what is wrong.
    public func readableSecurityObject() throws(CBORError) -> MobileSecurityObject {
        if let payload = try issuerAuth.payloadContent(), payload.kind == .map { return try MobileSecurityObject(payload) }
        return try mobileSecurityObject()
    }
}
