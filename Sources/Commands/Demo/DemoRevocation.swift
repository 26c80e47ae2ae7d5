import Codec
import Credentials
import Ports

/// A revocation as everybody sees it: an issuer that goes on serving, two of its documents, a reader (proximity) and a verifier (OpenID4VP)
/// that fetch its lists, before and after.
struct DemoRevocation: Sendable {
    /// Runs all; the issuer is gone when this returns or throws.
    func play(on stage: DemoStage, out: String, _ invocation: Invocation) async throws -> [(String, DemoScene.Result)] {
        let issuer = try ChildProcess(
            "the issuer",
            arguments: [
                "issuer", "serve", "--home", stage.issuer.path, "--offer", "--type", "mdl", "--type", "pid-sd-jwt", "--json",
                "--timeout", "300",
            ], log: "\(stage.folder)/issuer.log")
        defer { issuer.stop() }
        guard let link = try await issuer.event("request", within: 120)["uri"]?.stringValue else {
            throw CommandError("the issuer made no offer")
        }
        let taken = try await run(
            "the wallet", ["holder", "accept", link, "--home", stage.holder.path, "--consent", "auto", "--allow-private"], stage)
        let documents = taken.event("report")?["documents"]?.arrayValue ?? []
        func document(_ type: String) throws(CommandError) -> String {
            guard let id = documents.first(where: { $0["type"]?.stringValue == type })?["id"]?.stringValue else {
                throw CommandError("the wallet took no \(type): \(taken.lines.last?.encoded() ?? "it said nothing")")
            }
            return id
        }
        let (licence, identity) = (try document("org.iso.18013.5.1.mDL"), try document("urn:eudi:pid:1"))
        var results = try await present(licence, identity, "valid", stage, out, invocation)
        try await revokeAll(stage)
        results += try await present(licence, identity, "invalid", stage, out, invocation)
        return results
    }

    private func present(
        _ licence: String, _ identity: String, _ status: String, _ stage: DemoStage, _ out: String, _ invocation: Invocation
    ) async throws -> [(String, DemoScene.Result)] {
        let (word, prefix) = status == "valid" ? ("with a status", "status-") : ("revoked", "revoked-")
        let proximity = DemoScene(
            name: "present mDL, \(word)", prefix: prefix, link: "unix", request: "mdl", document: licence,
            holderOptions: ["--consent", "auto"], readerOptions: ["--allow-private", "--status-policy", "enforce"],
            expected: .status(status))
        var web = DemoWebScene(
            name: "OpenID4VP, PID, \(word)", prefix: "vp-\(prefix)", mode: "direct_post",
            query: ["credentials": [DemoWebScene.person]], expected: [("dc+sd-jwt", "kb-jwt")])
        web.document = identity
        web.status = status
        web.verifierOptions = ["--allow-private", "--status-policy", "enforce"]
        return [
            (proximity.name, try await proximity.play(on: stage, out: out, edition: invocation.context.edition)),
            (web.name, try await web.play(on: stage, out: out, familyName: Specimen.mira.familyName)),
        ]
    }

    /// As a person would at another terminal.
    private func revokeAll(_ stage: DemoStage) async throws {
        let listed = try await run("the issuer", ["issuer", "status", "--home", stage.issuer.path], stage)
        for entry in listed.lines.last?["entries"]?.arrayValue ?? [] {
            guard let id = entry["id"]?.stringValue else { continue }
            _ = try await run("the issuer", ["issuer", "revoke", id, "--home", stage.issuer.path], stage)
        }
    }

    private func run(_ name: String, _ words: [String], _ stage: DemoStage) async throws -> ChildProcess.Result {
        let process = try ChildProcess(name, arguments: words + ["--json"], log: "\(stage.folder)/revocation.log")
        defer { process.stop() }
        let result = try await process.finish(within: 120)
        guard result.exit == 0 else {
            throw CommandError(
                "\(words.prefix(2).joined(separator: " ")): \(result.lines.last?.encoded() ?? "ended \(result.exit)")")
        }
        return result
    }
}
