import Codec
import Credentials
package import Crypto
package import Ports

/// An OpenID4VCI 1.0 wallet: what every issuance of it works with.
package struct VCIWallet: Sendable {
    package var settings: WalletSettings
    package let transport: any HTTPTransport
    package let keys: any KeyStore
    package let unlock: KeyUnlock
    /// Attests wallet and keys; nil: nobody does.
    package let provider: (any AttestationProvider)?
    package let clock: any Clock
    package let random: any RandomSource
    package let faults: IssuanceFaults

    package init(
        settings: WalletSettings, transport: any HTTPTransport, keys: any KeyStore, unlock: KeyUnlock = .automatic,
        provider: (any AttestationProvider)?, clock: any Clock, random: any RandomSource, faults: IssuanceFaults = .none
    ) {
        var settings = settings
        faults.adjust(&settings)
        self.settings = settings
        self.transport = transport
        self.keys = keys
        self.unlock = unlock
        self.provider = provider
        self.clock = clock
        self.random = random
        self.faults = faults
    }

    var now: Timestamp { clock.now() }
    func secret() -> String { Base64URL.encode(random.bytes(32)) }

    /// A fresh key for one purpose of the protocol: DPoP, client instance.
    func protocolKey() async throws(IssuanceError) -> KeyInfo {
        do { return try await keys.create(KeyOptions(curve: .p256, singlePurpose: false)) } catch {
            throw IssuanceError("\(error)", .wallet)
        }
    }

    func sign(_ draft: JWTDraft, _ key: KeyInfo, _ kind: IssuanceFaults.JWTKind) async throws(IssuanceError) -> String {
        var draft = draft
        faults.spoil(kind, &draft)
        do { return try await draft.signed(by: JWSSigner(key, in: keys, unlock: unlock), random: random) } catch {
            throw IssuanceError("signing: \(error)", .wallet)
        }
    }
}
