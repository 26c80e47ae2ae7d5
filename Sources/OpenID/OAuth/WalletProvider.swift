import Codec
package import Credentials
package import Crypto
package import Ports

/// Attests wallets and their keys: what the backend of a wallet does. Its failure is no fault of the issuer.
package protocol AttestationProvider: Sendable {
    /// A client attestation for the wallet's key. `audience` is the server it is for: none is used at two (HAIP 4.4.1).
    func clientAttestation(_ key: PublicKey, clientID: String, audience: String) async throws(ProviderError) -> String
    /// One key attestation over all keys.
    func keyAttestation(_ keys: [PublicKey], nonce: String?) async throws(ProviderError) -> String
}

/// Why a wallet provider did not attest.
package struct ProviderError: Error, Sendable, CustomStringConvertible {
    package let what: String
    package init(_ what: String) { self.what = what }
    package var description: String { "the wallet provider does not attest: \(what)" }
}

/// The attack potential that a key storage or user authentication resists, weakest first (OpenID4VCI 1.0 D.2).
package enum AttackPotential: String, Sendable, CaseIterable {
    case basic = "iso_18045_basic"
    case enhancedBasic = "iso_18045_enhanced-basic"
    case moderate = "iso_18045_moderate"
    case high = "iso_18045_high"
}

/// The test wallet provider inside this program.
package struct TestWalletProvider: AttestationProvider {
    /// The provider's signing key and certificate.
    package let identity: SigningIdentity
    package var draft: ClientAttestation.Draft
    /// Seconds that attestations are valid.
    package var lifetime: Int64
    /// What it says of the keys.
    package var keyStorage: [AttackPotential]
    package var userAuthentication: [AttackPotential]
    private let clock: any Clock
    private let random: any RandomSource
    package var faults: IssuanceFaults

    /// `iss` of attestations.
    package static let name = "https://wallet-provider.walletbench.example"

    package init(
        identity: SigningIdentity, draft: ClientAttestation.Draft = .seven, lifetime: Int64 = 86400,
        keyStorage: [AttackPotential] = [.moderate], userAuthentication: [AttackPotential] = [.moderate], clock: any Clock,
        random: any RandomSource, faults: IssuanceFaults = .none
    ) {
        self.identity = identity
        self.draft = draft
        self.lifetime = lifetime
        self.keyStorage = keyStorage
        self.userAuthentication = userAuthentication
        self.clock = clock
        self.random = random
        self.faults = faults
    }

    /// A root and a provider under it, as an authority of tests makes them.
    package static func makeIdentity(_ maker: CertificateMaker) throws -> (root: SigningIdentity, provider: SigningIdentity) {
        let root = try maker.authority("TEST Wallet Provider CA")
        return (root, try maker.endEntity(.status, "TEST Wallet Provider", issuer: root))
    }

    package func clientAttestation(
        _ key: PublicKey, clientID: String, audience: String
    ) async throws(ProviderError) -> String {
        let now = clock.now()
        var claims: JSONObject = [
            "sub": .string(clientID), "iat": .integer(now.secondsSince1970),
            "exp": .integer(now.adding(seconds: lifetime).secondsSince1970), "wallet_name": "walletbench",
            "cnf": ["jwk": .object(key.jwk)],
        ]
        if draft == .seven { claims["iss"] = .string(Self.name) }
        return try await sign(JWTDraft(header: ["typ": .string(ClientAttestation.type)], claims: claims), .clientAttestation)
    }

    package func keyAttestation(_ keys: [PublicKey], nonce: String?) async throws(ProviderError) -> String {
        let now = clock.now()
        var claims: JSONObject = [
            "iss": .string(Self.name), "iat": .integer(now.secondsSince1970),
            "exp": .integer(now.adding(seconds: lifetime).secondsSince1970),
            "attested_keys": .array(keys.map { .object($0.jwk) }),
        ]
        if !keyStorage.isEmpty { claims["key_storage"] = .array(keyStorage.map { .string($0.rawValue) }) }
        if !userAuthentication.isEmpty {
            claims["user_authentication"] = .array(userAuthentication.map { .string($0.rawValue) })
        }
        if let nonce { claims["nonce"] = .string(nonce) }
        return try await sign(JWTDraft(header: ["typ": .string(KeyAttestation.type)], claims: claims), .keyAttestation)
    }

    private func sign(_ draft: JWTDraft, _ kind: IssuanceFaults.JWTKind) async throws(ProviderError) -> String {
        var draft = draft
        draft.header["x5c"] = [.string(Base64.encode(identity.certificate.der))]
        faults.spoil(kind, &draft)
        do {
            return try await draft.signed(
                by: JWSSigner(identity.key, nonce: random.isDeterministic ? .deterministic : .random), random: random)
        } catch { throw ProviderError("\(error)") }
    }
}
