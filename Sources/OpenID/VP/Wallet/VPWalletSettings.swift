public import Codec
public import Credentials
public import Crypto
public import Ports

/// What a wallet trusts and wants; the same for every request that it answers.
public struct VPWalletSettings: Sendable {
    /// A verifier that the wallet knows from before (OpenID4VP 1.0 §5.9.2).
    public struct Client: Sendable {
        public var name: String
        /// Keys of its request objects; empty lets it ask unsigned.
        public var keys: [PublicKey]
        /// Where responses to it may go, by their whole text.
        public var redirectURIs: [String]
        /// What it would say in `client_metadata`.
        public var metadata: VPClientMetadata?

        public init(name: String, keys: [PublicKey], redirectURIs: [String], metadata: VPClientMetadata?) {
            self.name = name
            self.keys = keys
            self.redirectURIs = redirectURIs
            self.metadata = metadata
        }
    }

    /// Verifies the chains of verifiers, against the anchors for readers.
    public var readers: SignerVerifier
    /// Judges what verifiers are registered for; nil: nobody looks.
    public var registrations: RegistrationVerifier?
    /// How checks become a verdict.
    public var rule = VerdictRule()
    /// The stricter rules of HAIP 1.0.
    public var isHAIP = false
    /// By client_id.
    public var clients: [String: Client] = [:]
    /// Issuers of verifier attestations with their keys, by `iss`.
    public var attestationIssuers: [String: [PublicKey]] = [:]
    /// DID documents of methods that need a look-up (did:web), by DID.
    public var didDocuments: [String: JSON] = [:]
    public var transactionTypes = TransactionTypes.builtIn
    /// Queries that a scope stands for.
    public var scopes: [String: DCQLQuery] = [:]
    /// The wallet's own issuer identifier, which `aud` may name; nil: static discovery only.
    public var issuer: String?
    /// Whether `request_uri_method=post` is followed; else the request object is fetched by GET.
    public var fetchesByPost = true
    /// The response mode to use in place of the request's.
    public var responseMode: ResponseMode?
    /// Offers credentials that lack some claims, which the specification forbids (§6.4.1).
    public var isPartial = false
    /// What the wallet can make and says so in `wallet_metadata`.
    public var formats = VPFormats.own
    /// Limits on what is fetched.
    public var limits = HTTPLimits(body: 1 << 20, seconds: 30, redirects: 0)
    /// Whether a nonce, or the thumbprint of an encryption key, was seen in another request.
    public var wasSeen: (@Sendable (String) -> Bool)?
    /// What is made wrong on purpose.
    public var faults = VPFaultSet.none

    public init(readers: SignerVerifier) { self.readers = readers }
}
