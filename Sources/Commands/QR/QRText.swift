import Codec

/// Says what the text of a QR code is.
enum QRText {
    static func explanation(_ text: String) -> [String] {
        switch URIScheme.of(text) {
        case .mdoc: ["an mdoc device engagement (ISO/IEC 18013-5:2021 8.2.2.3)"]
        case .openID4VP, .haipVP: ["an OpenID4VP request for a wallet"]
        case .credentialOffer, .haipVCI: ["an OpenID4VCI credential offer for a wallet"]
        case .http, .https: ["a web address"]
        case nil: [Sniffer.content(ofText: text).map { "\($0.content.name), no device engagement" } ?? "text, no device engagement"]
        }
    }
}
