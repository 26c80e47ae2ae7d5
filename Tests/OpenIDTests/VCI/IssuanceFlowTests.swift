import Codec
import Credentials
import Crypto
import OpenID
import Ports
import TestSupport
import Testing

/// Issuer and wallet against each other, in memory.
struct IssuanceFlowTests {
    private func delivered(_ issuance: Issuance) throws -> DeliveredCredentials {
        guard case .delivered(let credentials) = issuance else { throw IssuanceError("deferred", .issuer) }
        return credentials
    }

    private func expectClean(_ stage: IssuanceStage, _ session: IssuanceSession) {
        #expect(session.violations.isEmpty)
        #expect(stage.issuerFindings.isEmpty)
    }

    @Test(arguments: ["mdl", "pid-mdoc", "pid-sd-jwt", "photo-id", "age-verification"])
    func theCodeFlowDeliversADocumentBoundToTheWalletsKey(_ id: String) async throws {
        let stage = try IssuanceStage()
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer([id]))
        try await stage.authorize(&session, [id])
        #expect(session.token?.isDPoP == true)
        #expect(session.token?.identifiers[id] == ["\(id)#1"])
        let credentials = try delivered(try await session.request(id))
        #expect(credentials.copies.count == 1)
        #expect(credentials.copies[0].keyID != nil)
        try await session.notify(try #require(credentials.notificationID), .accepted)
        expectClean(stage, session)
    }

    @Test func thePreAuthorizedFlowAsksForTheTransactionCode() async throws {
        let stage = try IssuanceStage()
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer(isPreAuthorized: true, code: "4711", byReference: false))
        #expect(session.offer?.preAuthorized?.transactionCode?.length == 4)
        try await session.redeemPreAuthorizedCode(transactionCode: "4711")
        _ = try delivered(try await session.request("mdl"))
        expectClean(stage, session)
    }

    @Test func wrongTransactionCodesKillThePreAuthorizedCode() async throws {
        let stage = try IssuanceStage()
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer(isPreAuthorized: true, code: "4711"))
        for _ in 0..<3 {
            await #expect(throws: IssuanceError.self) { try await session.redeemPreAuthorizedCode(transactionCode: "0815") }
        }
        do {
            try await session.redeemPreAuthorizedCode(transactionCode: "4711")
            Issue.record("the code outlived three guesses")
        } catch { #expect(error.code == "invalid_grant") }
        #expect(stage.issuerFindings.map(\.id) == ["II14.wrong", "II14.wrong", "II14.wrong", "II13.wrong"])
    }

    @Test func aBatchHasAKeyForEveryCopyAndNothingThatLinksThem() async throws {
        let stage = try IssuanceStage(.init(wallet: { $0.copies = 5 }))
        for id in ["mdl", "pid-sd-jwt"] {
            var session = IssuanceSession(stage.wallet)
            try await session.resolve(offer: try await stage.offer([id]))
            try await stage.authorize(&session, [id])
            let credentials = try delivered(try await session.request(id))
            #expect(Set(credentials.copies.compactMap(\.keyID)).count == 5)
            expectClean(stage, session)
        }
    }

    @Test(arguments: ["jwt", "attestation"]) func aKeyAttestationStandsForAllKeys(_ type: String) async throws {
        let stage = try IssuanceStage(
            .init(wallet: {
                $0.copies = 3
                $0.attestsKeys = true
                $0.proofType = type
            }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        #expect(try delivered(try await session.request("mdl")).copies.count == 3)
        expectClean(stage, session)
    }

    @Test func aDeferredDocumentComesAfterTheInterval() async throws {
        let stage = try IssuanceStage(.init(settings: { $0.deferrals = 2 }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        guard case .deferred(let first) = try await session.request("mdl") else { throw IssuanceError("not deferred", .issuer) }
        stage.clock.advance(1)
        guard case .deferred(let second) = try await session.poll(first) else { throw IssuanceError("not deferred", .issuer) }
        #expect(second.transactionID == first.transactionID)
        stage.clock.advance(1)
        #expect(try delivered(try await session.poll(second)).copies.count == 1)
        try await session.checkIsDead(second)
        #expect(session.violations.isEmpty)
    }

    @Test func aRefreshedTokenIssuesAgainAndTheOldOneIsDead() async throws {
        let stage = try IssuanceStage()
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        let first = try #require(session.token?.refreshToken)
        try await session.refresh()
        #expect(session.token?.refreshToken != first)
        _ = try delivered(try await session.request("mdl"))
        expectClean(stage, session)
    }

    @Test func encryptionIsUsedBothWaysWhereItIsRequired() async throws {
        let stage = try IssuanceStage(
            .init(
                settings: {
                    $0.requestEncryption = .required
                    $0.responseEncryption = .required
                }, wallet: { $0.encrypts = false }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        _ = try delivered(try await session.request("mdl"))
        #expect(session.checks.check("IW11.jwe", "credential endpoint")?.outcome == .pass)
        expectClean(stage, session)
    }

    @Test func haipHoldsOnBothSides() async throws {
        let stage = try IssuanceStage(.init(isHAIP: true))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        _ = try delivered(try await session.request("mdl"))
        expectClean(stage, session)
    }

    @Test func aTenantsMetadataAreBetweenHostAndPath() async throws {
        let stage = try IssuanceStage(.init(identifier: "https://issuer.example/tenant"))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        _ = try delivered(try await session.request("mdl"))
        expectClean(stage, session)
    }

    @Test func aPublicClientWithBearerTokenIsWarned() async throws {
        let stage = try IssuanceStage(
            .init(
                settings: {
                    $0.requiresClientAttestation = false
                    $0.requiresDPoP = false
                },
                wallet: {
                    $0.dpop = .off
                    $0.attestsClient = false
                }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer(isPreAuthorized: true))
        try await session.redeemPreAuthorizedCode(transactionCode: nil)
        #expect(session.token?.isAnonymous == true)
        _ = try delivered(try await session.request("mdl"))
        #expect(stage.issuerFindings.isEmpty)
    }

    @Test func theIssuerGoesOnAfterARestart() async throws {
        let stage = try IssuanceStage(.init(settings: { $0.deferrals = 1 }))
        var session = IssuanceSession(stage.wallet)
        try await session.resolve(offer: try await stage.offer())
        try await stage.authorize(&session)
        guard case .deferred(let deferred) = try await session.request("mdl") else { throw IssuanceError("not deferred", .issuer) }
        stage.clock.advance(1)
        // Another issuer object over the same table stands for the restarted process.
        let again = VCIIssuer(
            settings: stage.issuer.settings, keys: stage.issuer.keys, source: stage.issuer.source, table: stage.table,
            clock: stage.clock, random: SeededRandom(seed: 9))
        let wallet = VCIWallet(
            settings: stage.wallet.settings, transport: InProcessTransport([IssuanceStage.identifier: again]),
            keys: stage.wallet.keys, provider: stage.wallet.provider, clock: stage.clock, random: SeededRandom(seed: 10))
        var resumed = try await IssuanceSession(wallet, resuming: session.state(deferred: [deferred]))
        #expect(try delivered(try await resumed.poll(deferred)).copies.count == 1)
    }
}

/// Many wallets at one issuer at the same time.
struct IssuanceLoadTests {
    @Test func manyWalletsAtOnceEachGetTheirOwnDocuments() async throws {
        let stage = try IssuanceStage(.init(wallet: { $0.copies = 3 }))
        let keys = try await withThrowingTaskGroup(of: [KeyID].self) { group in
            for _ in 0..<24 {
                let offer = try await stage.offer(isPreAuthorized: true)
                group.addTask {
                    var session = IssuanceSession(stage.wallet)
                    try await session.resolve(offer: offer)
                    try await session.redeemPreAuthorizedCode(transactionCode: nil)
                    guard case .delivered(let credentials) = try await session.request("mdl") else { return [] }
                    if let id = credentials.notificationID { try await session.notify(id, .accepted) }
                    return credentials.copies.compactMap(\.keyID)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(keys.count == 24 * 3)
        #expect(Set(keys).count == 24 * 3)
        #expect(stage.issuerFindings.isEmpty)
        #expect(stage.issuer.log.steps().count { $0.endpoint == "notification" && $0.status == 204 } == 24)
    }

    /// As many wallets as a pilot has on its first morning; the whole batch of ten each is walked by scripts/load.
    @Test func twoHundredWalletsLoseNothingAndGetNothingTwice() async throws {
        let stage = try IssuanceStage(.init(wallet: { $0.copies = 2 }))
        let batches = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<200 {
                let offer = try await stage.offer(["age-verification"], isPreAuthorized: true)
                group.addTask {
                    var session = IssuanceSession(stage.wallet)
                    try await session.resolve(offer: offer)
                    try await session.redeemPreAuthorizedCode(transactionCode: nil)
                    guard case .delivered(let credentials) = try await session.request("age-verification") else { return [] }
                    if let id = credentials.notificationID { try await session.notify(id, .accepted) }
                    return credentials.copies.map(\.bytes)
                }
            }
            return try await group.reduce(into: [[[UInt8]]]()) { $0.append($1) }
        }
        #expect(batches.allSatisfy { $0.count == 2 })
        #expect(Set(batches.joined()).count == 400)
        #expect(stage.issuerFindings.isEmpty)
        // What is kept for the page has its bounds.
        let kept = stage.issuer.log.steps()
        #expect(kept.count <= IssuanceLog.capacity)
        #expect(kept.reduce(0) { $0 + ($1.messages?.size ?? 0) } <= IssuanceLog.messageBudget)
        #expect(kept.last?.messages != nil)
    }

    @Test func oneCodeForManyWalletsIsGoodForOneOfThem() async throws {
        let stage = try IssuanceStage()
        let offer = try await stage.offer(isPreAuthorized: true)
        let wins = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var session = IssuanceSession(stage.wallet)
                    guard (try? await session.resolve(offer: offer)) != nil else { return false }
                    return (try? await session.redeemPreAuthorizedCode(transactionCode: nil)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
    }
}
