import Codec

/// What a command was given, recognised by its content.
struct Input: Sendable {
    /// For messages: a path, `stdin` or `the text`.
    let origin: String
    /// How it was written, outermost first: `hex`, `base64url`; empty for content as it is.
    let encodings: [String]
    let content: Content

    enum Content: Sendable {
        /// One CBOR data item, or bytes that begin like a map, array or tag (decoding then says what is wrong).
        case cbor([UInt8])
        /// One DER value, outermost a sequence or set.
        case der([UInt8])
        case pem([(label: String, bytes: [UInt8])])
        /// Text that begins like a JSON object or array.
        case json(String)
        /// Compact serialisation, three parts.
        case jws(String)
        /// Compact serialisation, five parts.
        case jwe(String)
        /// A JWS followed by `~`-separated disclosures.
        case sdJWT(String)
        /// `mdoc:…`, `openid4vp://…`, `https://…` and the other schemes of `URIScheme`.
        case uri(URIScheme, String)
        /// PNG or JPEG.
        case picture([UInt8])
    }
}

/// The schemes that inputs may have.
enum URIScheme: String, CaseIterable, Sendable {
    case mdoc = "mdoc:"
    case openID4VP = "openid4vp://"
    case haipVP = "haip-vp://"
    case credentialOffer = "openid-credential-offer://"
    case haipVCI = "haip-vci://"
    case https = "https://"
    case http = "http://"

    /// The scheme that a text begins with, in any case of letters.
    static func of(_ text: String) -> URIScheme? {
        allCases.first { scheme in
            let head = text.utf8.prefix(scheme.rawValue.utf8.count)
            return head.count == scheme.rawValue.utf8.count
                && String(decoding: head, as: UTF8.self).lowercased() == scheme.rawValue
        }
    }
}

extension Input.Content {
    /// What it is, for messages.
    var name: String {
        switch self {
        case .cbor: "CBOR"
        case .der: "DER"
        case .pem: "PEM"
        case .json: "JSON"
        case .jws: "a JWS"
        case .jwe: "a JWE"
        case .sdJWT: "an SD-JWT"
        case .uri(let scheme, _): "an \(scheme.rawValue) link"
        case .picture: "a picture"
        }
    }
}
