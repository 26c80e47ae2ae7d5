import Codec
import Credentials
import Testing

@testable import Commands

/// Every fault of a status list, made by `issuer mint` for an SD-JWT VC and seen by `verifier verify`. For mdocs the walk of all
/// faults does the same over a session.
@Suite(.timeLimit(.minutes(10))) struct StatusWalkTests {
    /// What exists for mdocs only.
    static let mdocOnly: Set<String> = [
        "status-jwt-for-mdoc", "status-typ-short", "status-signed-by-ds", "status-exp-present", "identifier-claim",
        "identifier-info",
        "identifier-revoked", "status-bits-2", "status-unrevoke",
    ]

    @Test func everyFaultOfAListIsSeenByTheVerifier() async throws {
        let stage = try InProcess()
        defer { stage.remove() }
        let common = ["--home", "\(stage.folder)/home", "--at", "2026-11-30T12:00:00Z"]
        let made = await stage.run(["holder", "key", "new", "--test-home", "--no-passphrase", "--json"] + common)
        try #require(made.exit == .done, "\(made.stderr)")
        let key = "\(stage.folder)/key.json"
        let jwk = try #require(made.answer?["keys"]?[0]?["publicKey"], "\(made.stdout)")
        try Files.write(Array(jwk.encoded().utf8), to: key)
        func mint(_ fault: [String]) async -> InProcess.Outcome {
            await stage.run(
                [
                    "issuer", "mint", "--type", "pid", "--format", "dc+sd-jwt", "--status", "--device-key", key, "-o",
                    "\(stage.folder)/pid",
                ]
                    + fault + common)
        }
        func verify() async -> InProcess.Outcome {
            await stage.run(["verifier", "verify", "--token", "\(stage.folder)/pid", "--no-key-binding", "--json"] + common)
        }
        #expect(await mint([]).exit == .done)
        #expect(await stage.run(["trust", "add", "\(stage.folder)/home/trust/made/iaca.pem"] + common).exit == .done)
        let good = await verify()
        #expect(good.violations.isEmpty && good.open.isEmpty, "\(good.violations) \(good.open)")
        for fault in ListFault.all where !Self.mdocOnly.contains(fault.name) {
            if case .revocationList = fault.kind { continue }
            // Of who serves lists: NetworkWalkTests.
            if case .conduct = fault.kind { continue }
            InProcess.remove("\(stage.folder)/home/issuer")
            let minted = await mint(["--fault", fault.name])
            #expect(minted.exit == .done, "\(fault.name): \(minted.stderr)")
            let seen = await verify()
            let promised = fault.checks.filter { $0.hasPrefix("T") || $0.hasPrefix("S15") }
            let tripped = seen.violations.union(seen.open)
            let allowed = Set(fault.checks + fault.also)
            #expect(!promised.isEmpty && promised.allSatisfy(tripped.contains), "\(fault.name): \(promised), seen \(tripped)")
            #expect(seen.violations.isSubset(of: allowed), "\(fault.name): \(seen.violations.subtracting(allowed))")
        }
    }
}
