import Codec
import Credentials
import Glibc
import Ports

/// `walletbench demo`
enum Demo {
    static let command = Command(
        name: "demo", summary: "show everything end to end, on this machine, without a radio",
        discussion: """
            Makes throw-away homes and a test PKI; has a driving licence and a PID issued over OpenID4VCI (by a pre-authorized code, and by the \
            authorization code flow); presents both from holder to reader as two processes that \
            meet over the picture of a QR code; then shows that a forged device signature and a refused consent are seen; then presents the \
            licence as mdoc and a PID as SD-JWT VC over OpenID4VP, plain and encrypted, from wallet to verifier as two processes that meet over \
            HTTP; then has both issued with a status, revokes them, and shows that reader and verifier see it in the lists that the issuer \
            serves. Writes engagement.png, report.json, report.html and trace.jsonl, and the like for the other presentations. Ends 0 only if \
            every verdict is right.
            """,
        examples: [Example("walletbench demo"), Example("walletbench demo --out demo-results", "keeps the results there")],
        options: [.value("out", "DIR", "Where to write the results; a temporary folder by default", kind: .directory)],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        try await Interrupt.cancelling {
            let stage = try DemoStage(invocation.context)
            defer { stage.remove() }
            return try await play(stage, try folder(invocation), invocation)
        }
    }

    private static func folder(_ invocation: Invocation) throws(CommandError) -> String {
        guard let path = invocation.string("out") else { return try DemoStage.makeFolder() }
        try Home(path: path, source: "--out").make()
        return path
    }

    private static func play(_ stage: DemoStage, _ out: String, _ invocation: Invocation) async throws -> ExitCode {
        let console = invocation.console
        var steps: [JSON] = []
        func tell(_ name: String, _ isRight: Bool, _ detail: String) {
            steps.append(["step": .string(name), "ok": .bool(isRight), "detail": .string(detail)])
            let mark = isRight ? console.style("ok", .green) : console.style("NOT OK", .red)
            console.out("\(mark)  \(name): \(detail)".replacingControlCharacters())
        }

        try stage.makeTrust()
        tell("trust", true, "test roots for issuers and readers, signers below them")
        let person = Specimen.mira
        let licence = try await stage.issue(["--type", "mdl", "--tx-code", "4711"], to: ["--tx-code", "4711"], of: person)
        tell(
            "issue mDL", true, "over OpenID4VCI to \(person.givenName) \(person.familyName): pre-authorized code, transaction code")
        // A key attestation instead of a signed proof leaves the device key free to make MACs.
        let identity = try await stage.issue(
            ["--type", "pid-mdoc", "--grant", "authorization-code", "--profile", "haip"],
            to: ["--authorize", "direct", "--proof", "attestation", "--ask-by", "scope"], of: person)
        tell("issue PID", true, "over OpenID4VCI: authorization code, PAR, PKCE, DPoP, wallet and key attestation")
        for scene in DemoScene.all(licence: licence, identity: identity, person: person) {
            let result = try await scene.play(on: stage, out: out, edition: invocation.context.edition)
            tell(scene.name, result.isRight, result.detail)
        }
        _ = try await stage.issue(["--type", "pid-sd-jwt"], to: [], of: person)
        tell("issue PID as SD-JWT VC", true, "over OpenID4VCI: pre-authorized code")
        for scene in DemoWebScene.all {
            let result = try await scene.play(on: stage, out: out, familyName: person.familyName)
            tell(scene.name, result.isRight, result.detail)
        }
        for (name, result) in try await DemoRevocation().play(on: stage, out: out, invocation) {
            tell(name, result.isRight, result.detail)
        }
        let isRight = steps.allSatisfy { $0["ok"]?.boolValue == true }
        console.out("results in \(out): engagement.png, report.html, report.json, trace.jsonl, vp-*.json, vp-*.html")
        if console.isJSON { console.json(["out": .string(out), "ok": .bool(isRight), "steps": .array(steps)]) }
        return isRight ? .done : .refused
    }
}
