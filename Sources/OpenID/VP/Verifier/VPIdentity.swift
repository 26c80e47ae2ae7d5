import Codec
public import Credentials
public import Crypto

/// As whom a verifier asks (OpenID4VP 1.0 §5.9), with the key that proves it.
public struct VPIdentity: Sendable {
    /// How wallets know it.
    public enum Kind: Sendable {
        /// By the address of the response alone: requests are not signed.
        case redirectURI
        /// By the hash of its certificate.
        case x509Hash
        /// By a DNS name in its certificate.
        case x509SanDNS(String)
        /// By an attestation (§12) about the name in `sub`, in compact serialisation.
        case attestation(name: String, jwt: String)
        /// By a DID; `keyID` is the whole DID URL of the key.
        case decentralizedIdentifier(String, keyID: String)
        /// By a name that wallets have from before.
        case preRegistered(String)
    }

    public let kind: Kind
    /// Signs request objects; nil for `redirectURI`, and for a pre-registered verifier that asks unsigned.
    public let signer: JWSSigner?
    /// For `x5c`, leaf first, without the anchor.
    public let certificates: [Certificate]
    /// The root of the chain, for the fault that puts it into `x5c`.
    public var anchor: Certificate?

    public init(_ kind: Kind, signer: JWSSigner?, certificates: [Certificate] = []) {
        self.kind = kind
        self.signer = signer
        self.certificates = certificates
    }

    /// Asks unsigned, as whoever owns the response address.
    public static let unsigned = VPIdentity(.redirectURI, signer: nil)

    /// The client identifier for responses to an address.
    public func clientID(for responseURI: String) -> ClientIdentifier {
        switch kind {
        case .redirectURI: ClientIdentifier(.redirectURI, responseURI)
        case .x509Hash: ClientIdentifier(.x509Hash, certificates.first.map { Base64URL.encode($0.sha256) } ?? "")
        case .x509SanDNS(let name): ClientIdentifier(.x509SanDNS, name)
        case .attestation(let name, _): ClientIdentifier(.verifierAttestation, name)
        case .decentralizedIdentifier(let did, _): ClientIdentifier(.decentralizedIdentifier, did)
        case .preRegistered(let name): ClientIdentifier(name)
        }
    }
}
