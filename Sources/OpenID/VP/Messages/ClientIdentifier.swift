/// A client identifier with the prefix that says how the verifier is known (OpenID4VP 1.0 §5.9): `x509_hash:Uvo3HtuI…`.
public struct ClientIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The prefixes with a meaning here; raw values are what stands before the colon.
    public enum Prefix: String, Sendable, Hashable, CaseIterable {
        case redirectURI = "redirect_uri"
        case x509SanDNS = "x509_san_dns"
        case x509Hash = "x509_hash"
        case verifierAttestation = "verifier_attestation"
        case decentralizedIdentifier = "decentralized_identifier"
        /// Reserved for responses over the Digital Credentials API; never accepted in a request.
        case origin

        /// Whether its requests have to be signed.
        public var isSigned: Bool { self != .redirectURI && self != .origin }
    }

    /// Whole, as it stands in messages: what `aud`, handovers and comparisons use.
    public let text: String
    /// The prefix, where it is one of those known; nil for a pre-registered client.
    public let prefix: Prefix?
    /// What stands before the first colon, known or not.
    public let prefixText: String?
    /// What follows a known prefix, else the whole text.
    public let name: String

    /// Reads an identifier: what precedes the first colon is its prefix where it is a known one.
    public init(_ text: String) {
        self.text = text
        guard let colon = text.firstIndex(of: ":") else {
            (prefix, prefixText, name) = (nil, nil, text)
            return
        }
        prefixText = String(text[..<colon])
        prefix = prefixText.flatMap(Prefix.init)
        name = prefix == nil ? text : String(text[text.index(after: colon)...])
    }

    /// An identifier from its parts.
    public init(_ prefix: Prefix, _ name: String) { self.init("\(prefix.rawValue):\(name)") }

    public var description: String { text }

    /// What a prefix is that other versions or profiles know and this program refuses; nil for an unheard-of one.
    static func whatIsRefused(_ prefix: String) -> String? {
        switch prefix {
        case "x509_san_uri": "a prefix of drafts before OpenID4VP 1.0"
        case "openid_federation": "OpenID Federation is not supported here"
        case "did": "drafts before OpenID4VP 1.0 wrote a DID without the prefix decentralized_identifier"
        case "web-origin": "a prefix of drafts before OpenID4VP 1.0, now origin"
        case "https", "http": "drafts before OpenID4VP 1.0 knew entity identifiers and redirect URIs without a prefix"
        case "verifier_attestation_jwt", "entity_id": "a client_id_scheme of drafts"
        default: nil
        }
    }
}
