import Codec
import Credentials
import Testing

@testable import Commands

/// Every fault of a status list that `issuer serve` can have, over HTTP: the document names the server, the verifier has a home of its own
/// and fetches the list.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NetworkWalkTests {
    private let at = ["--at", "2026-11-30T12:00:00Z"]

    /// An issuer's home with a device key beside it.
    private func stage() async throws -> InProcess {
        let stage = try InProcess()
        let made = await stage.run(
            ["holder", "key", "new", "--test-home", "--no-passphrase", "--json", "--home", "\(stage.folder)/issuer"] + at)
        let jwk = try #require(made.answer?["keys"]?[0]?["publicKey"], "\(made.stderr)")
        try Files.write(Array(jwk.encoded().utf8), to: "\(stage.folder)/key.json")
        return stage
    }

    /// Serves with the faults while `body` runs; its argument is the issuer's address.
    private func serving<R>(_ stage: InProcess, _ options: [String] = [], _ body: (String) async throws -> R) async throws -> R {
        let server = stage.start(["issuer", "serve", "--json", "--home", "\(stage.folder)/issuer"] + options + at, as: "server")
        let ready = await server.event("ready")
        let result: Result<R, any Error>
        do {
            let url = try #require(ready?["url"]?.stringValue)
            result = .success(try await body(url))
        } catch { result = .failure(error) }
        server.task.cancel()
        _ = await server.outcome()
        return try result.get()
    }

    /// A PID whose list is at the server.
    private func mint(_ stage: InProcess, _ url: String) async throws {
        let outcome = await stage.run(
            [
                "issuer", "mint", "--type", "pid", "--format", "dc+sd-jwt", "--status", "--status-url", "\(url)/status",
                "--device-key", "\(stage.folder)/key.json", "-o", "\(stage.folder)/pid", "--home", "\(stage.folder)/issuer",
            ] + at)
        try #require(outcome.exit == .done, "\(outcome.stderr)")
    }

    private func verify(_ stage: InProcess, in home: String, _ options: [String] = ["--allow-private"]) async -> InProcess.Outcome {
        await stage.run(
            [
                "verifier", "verify", "--token", "\(stage.folder)/pid", "--no-key-binding", "--json", "--status-policy", "enforce",
                "--anchor", "\(stage.folder)/issuer/trust/made/iaca.pem", "--home", "\(stage.folder)/\(home)",
            ] + options + at)
    }

    private func reason(_ id: String, _ outcome: InProcess.Outcome) -> String? {
        outcome.answer?["checks"]?.arrayValue?.first { $0["id"]?.stringValue == id }?["reason"]?.stringValue
    }

    @Test func aListIsFetchedFromWhoServesIt() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        try await serving(stage) { url in
            try await mint(stage, url)
            let seen = await verify(stage, in: "verifier")
            #expect(seen.answer?["documents"]?[0]?["status"] == "valid")
            #expect(seen.violations.isEmpty && seen.open.isEmpty, "\(seen.violations) \(seen.open)")
            // Nothing private is asked unless it may be.
            let strict = await verify(stage, in: "strict", [])
            #expect(strict.answer?["documents"]?[0]?["status"] == "undetermined")
            #expect(reason("T10.fetch", strict)?.contains("--allow-private") == true)
        }
    }

    @Test func everyFaultOfAServedListIsSeen() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let words = ["list-down": "answered 404", "list-endless": "longer than", "list-redirect": "sends us on"]
        // A list is as old as its fetch: status-ttl shows on copies only.
        for fault in ListFault.all where !StatusWalkTests.mdocOnly.contains(fault.name) && fault.name != "status-ttl" {
            switch fault.kind {
            case .list, .conduct: break
            case .entry, .reference, .identifier, .revocationList, .unrevoke: continue
            }
            try await serving(stage, ["--fault", fault.name]) { url in
                try await mint(stage, url)
                let seen = await verify(stage, in: fault.name)
                let promised = fault.checks.filter { $0.hasPrefix("T") || $0.hasPrefix("S15") }
                let tripped = seen.violations.union(seen.open)
                #expect(!promised.isEmpty && promised.allSatisfy(tripped.contains), "\(fault.name): \(promised), seen \(tripped)")
                let surplus = seen.violations.subtracting(fault.checks + fault.also)
                #expect(surplus.isEmpty, "\(fault.name): \(surplus)")
                if let word = words[fault.name] { #expect(reason("T10.fetch", seen)?.contains(word) == true, "\(fault.name)") }
            }
        }
        #expect(words.keys.allSatisfy { ListFault.named($0) != nil })
    }
}
