package import Credentials
package import Crypto
import Ports

/// How the test wallet behaves towards issuers.
package struct WalletSettings: Sendable {
    /// What the wallet calls itself; also `sub` of its attestations, shared by all wallets of its kind (HAIP 4.4.1).
    package var clientID = "https://walletbench.example/wallet"
    /// Where the authorization server sends the person back to.
    package var redirectURI = "http://127.0.0.1/callback"
    package var dpop = DPoPUse.preferred
    /// Whether the wallet attests itself where the server takes that.
    package var attestsClient = true
    package var draft = ClientAttestation.Draft.seven
    /// Scope where the configuration has one; else authorization_details.
    package var prefersScope = false
    /// Pushed authorization requests where there is an endpoint.
    package var pushes = true
    package var signedMetadata = SignedMetadata.Policy.prefer
    package var proofPolicy = ProofPolicy.lenient
    /// The proof type to take where several are offered.
    package var proofType: String?
    /// A key attestation also where none is required.
    package var attestsKeys = false
    /// Encrypts whenever that is offered; else only where it is required.
    package var encrypts = true
    package var compresses = true
    /// Copies to ask for; nil: what the issuer recommends, else one.
    package var copies: Int?
    package var reuse = ReusePolicy.Support.supported
    package var locales: [String] = ["en"]
    package var curve = Curve.p256
    package var isHAIP = false
    package var skew: Int64 = 60
    package var edition = 1
    /// Who is trusted for documents; its roots are those of metadata signers, too, unless `metadataAnchors` names others.
    package var anchors = TrustAnchors.none
    package var metadataAnchors: [Certificate] = []

    package enum DPoPUse: String, Sendable, CaseIterable {
        /// Stops where the server lacks it.
        case required
        /// Bearer with a warning where the server lacks it.
        case preferred
        case off
    }

    /// What metadata have to say about proof types.
    package enum ProofPolicy: String, Sendable, CaseIterable {
        /// `jwt` and `attestation` count only with `key_attestations_required`.
        case strict
        case lenient
    }

    package init() {}

    /// What HAIP 1.0 wants of a wallet.
    package mutating func adoptHAIP() {
        isHAIP = true
        dpop = .required
        attestsClient = true
        pushes = true
        prefersScope = true
    }
}

/// Why an issuance stops, whose fault it is, and what mends it.
package struct IssuanceError: Error, Sendable, CustomStringConvertible {
    package enum Party: String, Sendable { case issuer, provider, person, wallet, network }

    package let what: String
    package let party: Party
    /// The id of the check that failed.
    package let check: String?
    /// The error code that the issuer answered.
    package let code: String?
    package let hint: String?

    package init(_ what: String, _ party: Party, check: String? = nil, code: String? = nil, hint: String? = nil) {
        self.what = what
        self.party = party
        self.check = check
        self.code = code
        self.hint = hint
    }

    package var description: String { what }
}
