import Codec
import Credentials
import Ports

/// One presentation over OpenID4VP: verifier and wallet as two processes that meet over HTTP on this machine.
struct DemoWebScene: Sendable {
    let name: String
    /// In front of the names of its files.
    let prefix: String
    let mode: String
    let query: JSON
    /// What the report must say: format and the way the holder is bound, one a document.
    let expected: [(format: String, binding: String)]
    /// Which document the wallet answers with; nil: whichever fits.
    var document: String?
    /// What the document's status must be; what is not valid fails. Nil: it is not looked at.
    var status: String?
    var verifierOptions: [String] = []

    static let all: [DemoWebScene] =
        ["direct_post", "direct_post.jwt"].flatMap { mode in
            let word = mode == "direct_post" ? "plain" : "encrypted"
            return [
                DemoWebScene(
                    name: "OpenID4VP, mDL, \(word)", prefix: "vp-mdoc-\(word)-", mode: mode, query: ["credentials": [licence]],
                    expected: [("mso_mdoc", "signature")]),
                DemoWebScene(
                    name: "OpenID4VP, PID as SD-JWT VC, \(word)", prefix: "vp-sd-jwt-\(word)-", mode: mode,
                    query: ["credentials": [person]],
                    expected: [("dc+sd-jwt", "kb-jwt")]),
            ]
        } + [
            DemoWebScene(
                name: "OpenID4VP, both in one answer", prefix: "vp-both-", mode: "direct_post.jwt",
                query: ["credentials": [licence, person]],
                expected: [("mso_mdoc", "signature"), ("dc+sd-jwt", "kb-jwt")])
        ]

    private static let licence: JSON = [
        "id": "mdl", "format": "mso_mdoc", "meta": ["doctype_value": "org.iso.18013.5.1.mDL"],
        "claims": [
            ["path": ["org.iso.18013.5.1", "family_name"]], ["path": ["org.iso.18013.5.1", "portrait"]],
            ["path": ["org.iso.18013.5.1", "driving_privileges"]],
        ],
    ]

    static let person: JSON = [
        "id": "pid", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:eudi:pid:1"]],
        "claims": [["path": ["family_name"]], ["path": ["given_name"]], ["path": ["birthdate"]]],
    ]

    /// Runs both processes; they are gone when this returns or throws.
    func play(on stage: DemoStage, out: String, familyName: String) async throws -> DemoScene.Result {
        let order: JSON = ["dcql_query": query, "response_mode": .string(mode)]
        let file = "\(out)/\(prefix)request.json"
        try Files.write(Array((order.encoded(pretty: true) + "\n").utf8), to: file)
        let verifier = try ChildProcess(
            "the verifier",
            arguments: [
                "verifier", "serve", "--home", stage.reader.path, "--request", file, "--once", "--timeout", "120", "--json",
                "--report", "\(out)/\(prefix)report.json", "--report", "\(out)/\(prefix)report.html",
            ] + verifierOptions, log: "\(stage.folder)/verifier.log")
        defer { verifier.stop() }
        guard let link = try await verifier.event("request", within: 60)["link"]?.stringValue else {
            return DemoScene.Result(isRight: false, detail: "the verifier made no link")
        }
        let holder = try ChildProcess(
            "the wallet",
            arguments: ["holder", "answer", link, "--home", stage.holder.path, "--consent", "auto", "--allow-private", "--json"]
                + (document.map { ["--doc", $0] } ?? []),
            log: "\(stage.folder)/wallet.log")
        defer { holder.stop() }
        async let held = holder.finish(within: 120)
        let judged = try await verifier.finish(within: 120)
        return judge(try await held, judged, familyName)
    }

    private func judge(_ holder: ChildProcess.Result, _ verifier: ChildProcess.Result, _ familyName: String) -> DemoScene.Result {
        guard let report = verifier.event("report"), let verdict = report["verdict"]?.stringValue else {
            let error = holder.lines.last?["error"]?.stringValue ?? verifier.lines.last?["error"]?.stringValue ?? "no report"
            return DemoScene.Result(isRight: false, detail: "\(error) (verifier ended \(verifier.exit), wallet \(holder.exit))")
        }
        let documents = report["documents"]?.arrayValue ?? []
        let checks = report["checks"]?.arrayValue ?? []
        let failed = checks.filter { $0["outcome"]?.stringValue == "fail" }.compactMap { $0["id"]?.stringValue }
        let passed = checks.count { $0["outcome"]?.stringValue == "pass" }
        let bindings = documents.map { ($0["format"]?.stringValue ?? "", $0["holderBinding"]?.stringValue ?? "") }
        let names = documents.compactMap { document in
            document["claims"]?["family_name"]?.stringValue
                ?? document["claims"]?.objectValue?.compactMap { $0.value["family_name"]?.stringValue }.first
        }
        if let wanted = status {
            let status = documents.first?["status"]?.stringValue ?? "none"
            return DemoScene.Result(
                isRight: status == wanted && verdict == (wanted == "valid" ? "pass" : "fail"),
                detail: "verdict \(verdict), status \(status), as the issuer's list says")
        }
        let isRight =
            verdict == "pass" && verifier.exit == 0 && holder.exit == 0 && names == expected.map { _ in familyName }
            && bindings.elementsEqual(expected.map { ($0.format, $0.binding) }, by: ==)
            && documents.allSatisfy { $0["trusted"]?.boolValue == true }
        return DemoScene.Result(
            isRight: isRight,
            detail: "verdict \(verdict), \(passed) checks passed, bound by \(bindings.map(\.1).joined(separator: " and "))"
                + (failed.isEmpty ? "" : ", failed \(failed.joined(separator: ", "))"))
    }
}
