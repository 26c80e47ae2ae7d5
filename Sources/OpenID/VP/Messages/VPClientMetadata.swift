public import Codec
public import Credentials
public import Crypto

/// What is used of `client_metadata` (OpenID4VP 1.0 §5.1, §11): other members are ignored.
public struct VPClientMetadata: Sendable {
    /// `jwks.keys`, as received.
    public let keys: [JSON]
    /// `encrypted_response_enc_values_supported`; nil: the default A128GCM.
    public let encryptions: [String]?
    /// `vp_formats_supported`.
    public let formats: VPFormats?
    /// `client_name`, for display; nobody vouches for it.
    public let clientName: String?
    /// As received.
    public let json: JSON

    /// - Throws: says which member is mistyped.
    public init(_ json: JSON) throws(Malformed) {
        guard json.objectValue != nil else { throw Malformed("client_metadata is a JSON \(json.typeName), an object expected") }
        self.json = json
        if let set = json["jwks"] {
            guard let keys = set["keys"]?.arrayValue else { throw Malformed("client_metadata.jwks has no list of keys") }
            guard keys.count <= 32 else { throw Malformed("client_metadata.jwks has \(keys.count) keys, at most 32 are read") }
            self.keys = keys
        } else {
            keys = []
        }
        if let list = json["encrypted_response_enc_values_supported"] {
            let names = list.arrayValue?.compactMap(\.stringValue) ?? []
            guard !names.isEmpty, names.count == list.arrayValue?.count else {
                throw Malformed("client_metadata.encrypted_response_enc_values_supported is no list of names")
            }
            encryptions = names
        } else {
            encryptions = nil
        }
        do { formats = try json["vp_formats_supported"].map { (json) throws(VPFormats.Malformed) in try VPFormats(json) } } catch {
            throw Malformed("client_metadata.vp_formats_supported: \(error)")
        }
        clientName = json["client_name"]?.stringValue
    }

    /// Why JSON is no client metadata.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }
}

/// The key that a response is encrypted to, chosen once: the handover and the JWE use the same.
public struct ResponseEncryption: Sendable {
    public let key: PublicKey
    /// The `kid` to copy; nil where the JWK has none.
    public let keyID: String?
    public let encryption: JWEEncryption
    /// SHA-256 thumbprint (RFC 7638), 32 bytes.
    public let thumbprint: [UInt8]
}
