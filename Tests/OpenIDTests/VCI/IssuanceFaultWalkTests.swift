import Credentials
import OpenID
import Ports
import TestSupport
import Testing

/// Every fault of issuance, switched on in the role that makes it and seen by the other, in memory: its checks fail or warn, and none that
/// is not allowed to.
struct IssuanceFaultWalkTests {
    /// What a fault needs to show, beside being switched on. A fault that is not named needs nothing: the code flow with PAR, DPoP, client
    /// attestation and encryption.
    struct Scene: Sendable {
        var isHAIP = false
        var isPreAuthorized = false
        var transactionCode: String?
        var argument = ""
        var ids = ["mdl"]
        var settings: @Sendable (inout IssuerSettings) -> Void = { _ in }
        var wallet: @Sendable (inout WalletSettings) -> Void = { _ in }
    }

    private static let scenes: [String: Scene] = [
        "offer-tx-code": Scene(isPreAuthorized: true), "offer-scope": Scene(isHAIP: true), "metadata-scope": Scene(isHAIP: true),
        "metadata-nonce-endpoint": Scene(isHAIP: true), "signed-metadata-x5c": Scene(isHAIP: true),
        "signed-metadata-anchor": Scene(isHAIP: true), "signed-metadata-self-signed": Scene(isHAIP: true),
        "token-details": Scene(), "token-lifetime": Scene(settings: { $0.requiresDPoP = false }),
        "credential-count": Scene(), "issued-keys-distinct": Scene(wallet: { $0.copies = 2 }),
        "issued-linkable": Scene(wallet: { $0.copies = 2 }), "issued-key": Scene(), "nonce-no-store": Scene(),
        "attestation-fresh": Scene(settings: { $0.attestationFreshness = 3600 }),
        "attestation-challenge": Scene(settings: { $0.requiresChallenge = true }), "par-required": Scene(),
        "pre-code-missing": Scene(isPreAuthorized: true), "pre-code-wrong": Scene(isPreAuthorized: true),
        "anonymous-not-allowed": Scene(
            isPreAuthorized: true,
            settings: {
                $0.requiresClientAttestation = false
                $0.allowsAnonymous = false
            }),
        "tx-code-missing": Scene(isPreAuthorized: true, transactionCode: "4711"),
        "tx-code-unexpected": Scene(isPreAuthorized: true),
        "tx-code-wrong": Scene(isPreAuthorized: true, transactionCode: "4711"),
        "unknown-configuration": Scene(wallet: { $0.prefersScope = true }),
        "token-scope": Scene(wallet: { $0.prefersScope = true }), "proofs-distinct": Scene(wallet: { $0.copies = 2 }),
        "enc-required": Scene(settings: { $0.responseEncryption = .required }),
        "deferred-transaction": Scene(settings: { $0.deferrals = 1 }), "deferred-used": Scene(settings: { $0.deferrals = 1 }),
        "deferred-early": Scene(settings: { $0.deferrals = 2 }),
        "proof-iss": Scene(), "dpop-nonce-as": Scene(), "dpop-bad": Scene(argument: "htm"),
        "ka-level": Scene(settings: { settings in
            for place in settings.configurations.indices {
                settings.configurations[place].proofTypes?["jwt"]?.attestation = .init(keyStorage: ["iso_18045_moderate"])
            }
        }),
    ]

    struct Seen {
        var wallet: [Check] = []
        var issuer: [Check] = []
        var end: String?
    }

    private func walk(_ fault: IssuanceFault?, _ scene: Scene) async throws -> Seen {
        let name = fault.map { scene.argument.isEmpty ? $0.name : "\($0.name):\(scene.argument)" }
        let stage = try IssuanceStage(
            .init(
                settings: scene.settings, wallet: scene.wallet, issuerFaults: fault?.side == .issuer ? [name ?? ""] : [],
                walletFaults: fault?.side == .holder ? [name ?? ""] : [], isHAIP: scene.isHAIP))
        var session = IssuanceSession(stage.wallet)
        var end: String?
        do { try await run(&session, stage, scene) } catch { end = "\(error)" }
        return Seen(wallet: session.violations, issuer: stage.issuerFindings, end: end)
    }

    /// As far as it gets: offer, authorization, credential, notification, with what the faults of conduct repeat.
    private func run(_ session: inout IssuanceSession, _ stage: IssuanceStage, _ scene: Scene) async throws {
        let faults = stage.wallet.faults
        let offer = try await stage.offer(scene.ids, isPreAuthorized: scene.isPreAuthorized, code: scene.transactionCode)
        try await session.resolve(offer: offer)
        if scene.isPreAuthorized {
            try await session.redeemPreAuthorizedCode(transactionCode: scene.transactionCode)
        } else {
            let pending = try await session.beginAuthorization(scene.ids)
            if faults.has(.repeatsPushed) { _ = try await stage.browse(pending) }
            try await session.finishAuthorization(pending, callback: try await stage.browse(pending))
        }
        if faults.has(.repeatsRefresh) {
            var copy = session
            try await copy.refresh()
            try await session.refresh()
        }
        var issuance = try await session.request(scene.ids[0])
        while case .deferred(let deferred) = issuance {
            if !faults.has(.pollsEarly) { stage.clock.advance(deferred.notBefore.seconds(since: stage.clock.now())) }
            issuance = try await session.poll(deferred)
            if faults.has(.pollsEarly) { return }
            if case .delivered = issuance { try await session.checkIsDead(deferred) }
        }
        if case .delivered(let credentials) = issuance, let id = credentials.notificationID {
            try await session.notify(id, .accepted)
        }
    }

    @Test(arguments: IssuanceFault.all.map(\.name)) func aFaultTripsItsChecksAndNoOthers(_ name: String) async throws {
        let fault = try #require(IssuanceFault.all.first { $0.name == name })
        let seen = try await walk(fault, Self.scenes[name] ?? Scene())
        // The wallet's own errors follow from what the issuer refuses, and the other way round.
        let own = (fault.side == .issuer ? seen.wallet : seen.issuer).map(\.id)
        let missing = fault.trips.filter { !own.contains($0) }
        let surplus = own.filter { !(fault.trips + fault.also).contains($0) }
        #expect(!fault.trips.isEmpty, "\(name) names no check")
        #expect(
            missing.isEmpty && surplus.isEmpty,
            """
            \(name): not tripped \(missing), not allowed \(surplus)
            wallet \(seen.wallet.map { "\($0.id): \($0.reason ?? "")" }), issuer \(seen.issuer.map { "\($0.id): \($0.reason ?? "")" })
            end: \(seen.end ?? "well")
            """)
    }

    @Test func everyCheckOfIssuanceHasAFault() {
        let covered = Set(IssuanceFault.all.flatMap(\.trips))
        let bare = CheckCatalogue.rows.map(\.id).filter { ($0.hasPrefix("IW") || $0.hasPrefix("II")) && !covered.contains($0) }
        #expect(bare.isEmpty, "no fault trips \(bare)")
        #expect(Set(IssuanceFault.all.map(\.name)).count == IssuanceFault.all.count)
    }

    @Test(arguments: [Scene(), Scene(isHAIP: true), Scene(settings: { $0.requiresChallenge = true }), Scene(isPreAuthorized: true)])
    func withoutAFaultNothingIsViolated(_ scene: Scene) async throws {
        let seen = try await walk(nil, scene)
        #expect(seen.wallet.isEmpty && seen.issuer.isEmpty && seen.end == nil, "\(seen)")
    }

    @Test(arguments: ["typ", "alg", "jwk", "htm", "htu", "iat", "jti", "signature"])
    func everyMemberOfADPoPProofIsChecked(_ member: String) async throws {
        let fault = try #require(IssuanceFault.all.first { $0.name == "dpop-bad" })
        let seen = try await walk(fault, Scene(argument: member))
        let finding = try #require(seen.issuer.first { $0.id == "II16.proof" })
        #expect(finding.reason?.contains(": \(member): ") == true, "\(finding.reason ?? "")")
    }
}
