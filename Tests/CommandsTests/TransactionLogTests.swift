import Codec
import Credentials
import Crypto
import Glibc
import Testing

@testable import Commands

/// What both sides remember of an issuance and of a presentation over OpenID, and the bundles that back it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TransactionLogTests {
    private func run(_ words: [String], _ stage: InProcess) async throws -> InProcess.Outcome {
        let outcome = await stage.run(words + ["--home", "\(stage.folder)/home", "--at", "2036-01-15T12:00:00Z"])
        try #require(outcome.exit == .done, "\(words): \(outcome.stdout) \(outcome.stderr)")
        return outcome
    }

    private func records(_ role: String, _ stage: InProcess) async throws -> [JSON] {
        try await run([role, "log", "--json"], stage).answer?["records"]?.arrayValue ?? []
    }

    private func hash(_ path: String) throws -> String { Hex.encode(HashAlgorithm.sha256.digest(try Files.read(path))) }

    @Test func issuanceAndPresentationAreRecordedByBothSides() async throws {
        signal(SIGPIPE, SIG_IGN)
        let stage = try InProcess()
        defer { stage.remove() }
        let made = "\(stage.folder)/home/trust/made"
        for words in [
            ["trust", "make", "ds", "--test-home"], ["trust", "make", "wrpac"], ["trust", "make", "wrprc"],
            ["trust", "add", "\(made)/iaca.pem"], ["trust", "add", "\(made)/reader-ca.pem", "--role", "readers"],
            ["trust", "add", "\(made)/registrar-ca.pem", "--role", "registrars"],
        ] { _ = try await run(words, stage) }
        let serving = stage.start(
            [
                "issuer", "serve", "--offer", "--type", "pid-sd-jwt", "--timeout", "60", "--json", "--home", "\(stage.folder)/home",
                "--at", "2036-01-15T12:00:00Z",
            ], as: "issuer")
        let offer = try #require(await serving.event("request")?["uriByValue"]?.stringValue)
        _ = try await run(["holder", "accept", offer, "--consent", "auto", "--allow-private", "--json"], stage)
        serving.task.cancel()
        _ = await serving.outcome()

        let issued = try await records("holder", stage)
        try #require(issued.count == 1)
        #expect(issued[0]["kind"] == "issuance" && issued[0]["verdict"] == "issued" && issued[0]["peerTrusted"] == true)
        #expect(issued[0]["left"]?.objectValue?.keys == ["urn:eudi:pid:1"])
        let issuer = try await records("issuer", stage)
        #expect(issuer.map { $0["verdict"] } == ["delivered"], "\(issuer)")
        let bundle = "\(stage.folder)/issuance"
        _ = try await run(["holder", "log", "export", issued[0]["id"]?.stringValue ?? "", "-o", bundle], stage)
        #expect(try hash("\(bundle)/offer.json") == issued[0]["requestHash"]?.stringValue)
        #expect(try hash("\(bundle)/pid-sd-jwt-1.sd-jwt") == issued[0]["responseHash"]?.stringValue)
        #expect(try !Files.read("\(bundle)/trace.jsonl").isEmpty)

        try await present(stage, registration: "\(made)/wrprc.jwt")
        let presented = try #require(try await records("holder", stage).last)
        #expect(presented["kind"] == "presentation" && presented["verdict"] == "sent")
        #expect(presented["registration"]?["name"] == "Utopia TEST Services" && presented["registration"]?["granted"] == true)
        let second = "\(stage.folder)/presentation"
        _ = try await run(["holder", "log", "export", presented["id"]?.stringValue ?? "", "-o", second], stage)
        #expect(try hash("\(second)/request.jwt") == presented["requestHash"]?.stringValue)

        let verified = try await records("verifier", stage)
        try #require(verified.count == 1)
        #expect(verified[0]["verdict"] == "pass" && verified[0]["peerTrusted"] == true)
        #expect(verified[0]["asked"]?["urn:eudi:pid:1"]?.objectValue?.keys == [""])
        // Names, never values.
        #expect(!verified[0].encoded().contains("Specimen") && !presented.encoded().contains("Specimen"))
        let shown = try await run(["verifier", "log", "show", verified[0]["id"]?.stringValue ?? ""], stage)
        #expect(shown.stdout.contains("evidence  report.json") && shown.stdout.contains("family_name"))
        _ = try await run(["verifier", "log", "delete", verified[0]["id"]?.stringValue ?? ""], stage)
        #expect(try await records("verifier", stage).isEmpty)
    }

    private func present(_ stage: InProcess, registration: String) async throws {
        let request = try await run(
            [
                "verifier", "request", "--request", "pid", "--response-mode", "fragment", "--request-uri-method", "none", "--json",
                "--registration", registration,
            ], stage)
        let link = try #require(request.answer?["link"]?.stringValue)
        let answer = try await run(["holder", "answer", link, "--consent", "auto", "--json"], stage)
        let place = try #require(answer.answer?["location"]?.stringValue)
        _ = try await run(["verifier", "receive", request.answer?["id"]?.stringValue ?? "", place, "--json"], stage)
    }
}
