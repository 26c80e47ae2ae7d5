import Codec
import Credentials
import Crypto
import OpenID
import Ports
import TestSupport

/// A clock that tests move.
final class MovedClock: Ports.Clock {
    private let time: Locked<Timestamp>
    init(_ time: Timestamp) { self.time = Locked(time) }
    func now() -> Timestamp { time.withLock { $0 } }
    func advance(_ seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// Issuer and wallet in one process, each with the faults it is given.
struct IssuanceStage {
    static let identifier = "https://issuer.example"

    let clock = MovedClock(TestPKI.time)
    let issuer: VCIIssuer
    let wallet: VCIWallet
    let table: MemoryTable
    let transport: InProcessTransport

    struct Order {
        var settings: @Sendable (inout IssuerSettings) -> Void = { _ in }
        var wallet: @Sendable (inout WalletSettings) -> Void = { _ in }
        var issuerFaults: [String] = []
        var walletFaults: [String] = []
        var isHAIP = false
        var identifier = IssuanceStage.identifier
    }

    init(_ order: Order = Order()) throws {
        let random = SeededRandom(seed: 7)
        let authority = try TestPKI.authority()
        let provider = try TestWalletProvider.makeIdentity(authority.maker)
        var settings = IssuerSettings(identifier: order.identifier, configurations: SpecimenSource.configurations)
        settings.requiresClientAttestation = true
        settings.requiresDPoP = true
        if order.isHAIP { settings.adoptHAIP() }
        order.settings(&settings)
        table = MemoryTable(clock: clock)
        let issuerFaults = try IssuanceFaults(named: order.issuerFaults, of: .issuer)
        let walletFaults = try IssuanceFaults(named: order.walletFaults, of: .holder)
        issuer = VCIIssuer(
            settings: settings,
            keys: .init(
                metadata: authority.documentSigner, metadataRoot: authority.iaca.certificate,
                encryption: try PrivateKey.generate(.p256, random: random), providers: [provider.root.certificate]),
            source: try SpecimenSource(person: .mira, signer: authority.documentSigner, random: random), table: table, clock: clock,
            random: random, faults: issuerFaults)
        transport = InProcessTransport([try WebURL(order.identifier).origin: issuer])
        var walletSettings = WalletSettings()
        walletSettings.anchors = authority.anchors
        if order.isHAIP { walletSettings.adoptHAIP() }
        order.wallet(&walletSettings)
        wallet = VCIWallet(
            settings: walletSettings, transport: transport, keys: MemoryKeyStore(random: random),
            provider: TestWalletProvider(identity: provider.provider, clock: clock, random: random, faults: walletFaults),
            clock: clock,
            random: random, faults: walletFaults)
    }

    /// An offer's link.
    func offer(
        _ ids: [String] = ["mdl"], isPreAuthorized: Bool = false, code: String? = nil, byReference: Bool = true
    ) async throws -> String {
        let made = try await issuer.makeOffer(
            OfferOrder(configurationIDs: ids, isPreAuthorized: isPreAuthorized, transactionCode: code))
        return byReference ? made.byReference : made.byValue
    }

    /// What the person's browser does at an issuer that asks nobody: it follows to the redirect URI.
    func browse(_ pending: PendingAuthorization) async throws -> WebURL {
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await transport.send(HTTPRequest("GET", pending.url))
        } catch {
            guard case .redirected(let place) = error.reason else { throw error }
            return try WebURL(place)
        }
        throw IssuanceError("the authorization page answered \(response.status)", .issuer)
    }

    /// The whole code flow up to the token.
    func authorize(_ session: inout IssuanceSession, _ ids: [String] = ["mdl"]) async throws {
        let pending = try await session.beginAuthorization(ids)
        try await session.finishAuthorization(pending, callback: try await browse(pending))
    }

    /// Every violation that the issuer found.
    var issuerFindings: [Check] { issuer.log.steps().flatMap(\.checks).filter(\.outcome.isViolation) }
}

extension IssuanceSession {
    var violations: [Check] { checks.checks.filter(\.outcome.isViolation) }
}
