import Codec
import Credentials
import Glibc
import Testing

@testable import Commands

/// What a home's settings want to see before a device key is used, and what the other side hears when the person does not show it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UserAuthenticationTests {
    private static let licence = "org.iso.18013.5.1.mDL"

    /// A home with a licence and a PID, of which the licence wants a passphrase and the PID a yes.
    private func stage() async throws -> (InProcess, home: [String]) {
        signal(SIGPIPE, SIG_IGN)
        let stage = try InProcess()
        let home = ["--home", "\(stage.folder)/home", "--at", "2026-11-30T12:00:00Z"]
        let made = "\(stage.folder)/home/trust/made"
        try Files.write(Array("4711\n".utf8), to: "\(stage.folder)/pin")
        try Files.write(Array("0815\n".utf8), to: "\(stage.folder)/wrong")
        for words in [
            ["issuer", "mint", "--type", "mdl", "--to-holder", "--test-home"],
            ["issuer", "mint", "--type", "pid", "--format", "dc+sd-jwt", "--to-holder"], ["trust", "make", "reader"],
            ["trust", "add", "\(made)/iaca.pem"], ["trust", "add", "\(made)/reader-ca.pem", "--role", "readers"],
            [
                "holder", "key", "default", Self.licence, "--authenticate", "passphrase", "--key-passphrase-file",
                "\(stage.folder)/pin",
            ],
            ["holder", "key", "default", "urn:eudi:pid:1", "--authenticate", "confirm"],
        ] {
            let outcome = await stage.run(words + home)
            try #require(outcome.exit == .done, "\(words): \(outcome.stderr)")
        }
        return (stage, home)
    }

    private func answer(_ preset: String, _ options: [String], _ stage: InProcess, _ home: [String]) async throws
        -> InProcess.Outcome
    {
        let request = await stage.run(
            ["verifier", "request", "--request", preset, "--response-mode", "fragment", "--request-uri-method", "none", "--json"]
                + home)
        let link = try #require(request.answer?["link"]?.stringValue, "\(request.stderr)")
        return await stage.run(["holder", "answer", link, "--consent", "auto", "--json"] + options + home)
    }

    @Test func overOpenID4VPTheVerifierHearsThatAccessIsDenied() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let (pin, wrong) = ("\(stage.folder)/pin", "\(stage.folder)/wrong")
        for options in [[], ["--key-passphrase-file", wrong], ["--key-passphrase-file", pin, "--key-unlock", "deny"]] {
            let outcome = try await answer("mdl", options, stage, home)
            #expect(outcome.exit == .refused && outcome.answer?["error"] == "access_denied", "\(options): \(outcome.stdout)")
            #expect(outcome.violations == ["VW30"])
        }
        #expect(try await answer("mdl", ["--key-passphrase-file", pin], stage, home).answer?["answered"] == true)
        // Nobody is at a terminal here.
        #expect(try await answer("pid", [], stage, home).answer?["error"] == "access_denied")
        #expect(try await answer("pid", ["--key-unlock", "auto"], stage, home).answer?["answered"] == true)
        let both = ["--key-unlock", "auto", "--key-passphrase-file", pin]
        #expect(try await answer("pid-and-mdl", both, stage, home).answer?["answered"] == true)
    }

    @Test func inProximityTheReaderGetsNoDocument() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        for (options, isAnswered) in [([], false), (["--key-passphrase-file", "\(stage.folder)/pin"], true)] {
            let holder = stage.start(
                ["holder", "present", "--link", "unix:\(stage.folder)/link", "--consent", "auto", "--json", "--timeout", "60"]
                    + options + home, as: "holder")
            let text = try #require(await holder.event("ready")?["engagement"]?.stringValue)
            let reader = await stage.run(["reader", "read", "--engagement", text, "--request", "mdl", "--json"] + home)
            let presented = await holder.outcome()
            #expect((presented.exit == .done) == isAnswered, "\(presented.stdout) \(presented.stderr)")
            #expect(reader.answer?["documents"]?.arrayValue?.count == (isAnswered ? 1 : 0), "\(reader.stdout)")
            if !isAnswered { #expect(presented.stdout.contains("is locked and nobody gave its passphrase")) }
        }
    }

    /// An issuance of a licence; the wallet's outcome, and what the issuer said of each step.
    private func accept(_ options: [String], _ stage: InProcess, _ home: [String]) async throws -> (
        InProcess.Outcome, issuer: String
    ) {
        let serving = stage.start(
            ["issuer", "serve", "--offer", "--type", "mdl", "--timeout", "60", "--json"] + home, as: "issuer")
        guard let offer = await serving.event("request")?["uriByValue"]?.stringValue else {
            throw Shell.Failure(what: "no offer: \(await serving.outcome().stderr)")
        }
        let outcome = await stage.run(
            ["holder", "accept", offer, "--consent", "auto", "--allow-private", "--json"] + options + home)
        serving.task.cancel()
        return (outcome, await serving.outcome().stdout)
    }

    @Test func overOpenID4VCITheIssuerHearsOfTheFailure() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let (refused, issuer) = try await accept([], stage, home)
        #expect(refused.exit == .refused)
        #expect(refused.answer?["documents"]?[0]?["party"] == "person", "\(refused.stdout)")
        #expect(issuer.contains("credential_failure"), "\(issuer)")
        let (kept, _) = try await accept(["--key-passphrase-file", "\(stage.folder)/pin"], stage, home)
        #expect(kept.exit == .done, "\(kept.stdout) \(kept.stderr)")
        let keys = await stage.run(["holder", "key", "list", "--json"] + home)
        let locked = (keys.answer?["keys"]?.arrayValue ?? []).filter { $0["needsPassphrase"] == true }
        #expect(locked.count == 2, "the one that was there, and the new one")
    }

    @Test func keysAreSealedAnewAndMintedByTheSetting() async throws {
        let (stage, home) = try await stage()
        defer { stage.remove() }
        let mint = ["issuer", "mint", "--type", "mdl", "--to-holder"]
        let blind = await stage.run(mint + home)
        #expect(blind.exit == .refused && blind.stderr.contains("--key-passphrase-file"), "\(blind.stderr)")
        let minted = await stage.run(mint + ["--key-passphrase-file", "\(stage.folder)/pin"] + home)
        #expect(minted.exit == .done, "\(minted.stderr)")
        let open = ["holder", "key", "default", Self.licence, "--authenticate", "none", "--key-passphrase-file"]
        #expect(await stage.run(open + ["\(stage.folder)/wrong"] + home).exit != .done)
        #expect(await stage.run(open + ["\(stage.folder)/pin"] + home).exit == .done)
        let keys = await stage.run(["holder", "key", "list", "--json"] + home)
        #expect((keys.answer?["keys"]?.arrayValue ?? []).allSatisfy { $0["needsPassphrase"] == false })
        #expect(try await answer("mdl", [], stage, home).answer?["answered"] == true)
    }
}
