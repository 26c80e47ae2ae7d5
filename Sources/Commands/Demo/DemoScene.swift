import Codec
import Credentials
import Ports

/// One presentation of the demonstration: two processes, and what must come of it.
struct DemoScene: Sendable {
    struct Result: Sendable {
        let isRight: Bool
        let detail: String
    }

    let name: String
    /// In front of the names of its files; empty for the main one.
    let prefix: String
    /// `--link` of the holder; a Unix socket's path is put into the stage's folder.
    let link: String
    let request: String
    let document: String
    let holderOptions: [String]
    var readerOptions: [String] = []
    let expected: Expectation

    /// What the reader's report must say.
    enum Expectation: Sendable {
        case pass(binding: String, familyName: String)
        case fail(check: String)
        case refused
        /// The status of the document; what is not valid fails.
        case status(String)
    }

    static func all(licence: String, identity: String, person: Specimen) -> [DemoScene] {
        [
            DemoScene(
                name: "present mDL", prefix: "", link: "tcp:127.0.0.1:0", request: "mdl", document: licence,
                holderOptions: ["--device-auth", "signature", "--consent", "auto"],
                expected: .pass(binding: "signature", familyName: person.familyName)),
            DemoScene(
                name: "present PID", prefix: "pid-", link: "unix", request: "pid", document: identity,
                holderOptions: ["--device-auth", "mac", "--consent", "auto"],
                expected: .pass(binding: "mac", familyName: person.familyName)),
            DemoScene(
                name: "forged device signature", prefix: "forged-", link: "tcp:127.0.0.1:0", request: "mdl-age-over-18",
                document: licence,
                holderOptions: ["--device-auth", "signature", "--consent", "auto", "--fault", "device-signature-wrong"],
                expected: .fail(check: "R24.signature")),
            DemoScene(
                name: "refused consent", prefix: "refused-", link: "unix", request: "mdl", document: licence,
                holderOptions: ["--consent", "deny"], expected: .refused),
        ]
    }

    /// Runs both processes; they are gone when this returns or throws.
    func play(on stage: DemoStage, out: String, edition: Edition) async throws -> Result {
        let picture = "\(out)/\(prefix)engagement.png"
        let common = ["--json", "--edition", String(edition.rawValue)]
        let where_ = link == "unix" ? "unix:\(stage.folder)/\(prefix)link.sock" : link
        let holder = try ChildProcess(
            "the holder",
            arguments: [
                "holder", "present", "--home", stage.holder.path, "--link", where_, "--qr", picture, "--doc", document, "--timeout",
                "60",
            ]
                + holderOptions + common + ["--trace", "\(out)/\(prefix)holder-trace.jsonl"],
            log: "\(stage.folder)/holder.log")
        defer { holder.stop() }
        _ = try await holder.event("ready", within: 30)
        let reader = try ChildProcess(
            "the reader",
            arguments: ["reader", "read", "--home", stage.reader.path, "--qr", picture, "--request", request]
                + ["--report", "\(out)/\(prefix)report.json", "--report", "\(out)/\(prefix)report.html"] + readerOptions + common
                + ["--trace", "\(out)/\(prefix)trace.jsonl"],
            log: "\(stage.folder)/reader.log")
        defer { reader.stop() }
        async let held = holder.finish(within: 60)
        let read = try await reader.finish(within: 60)
        return judge(try await held, read)
    }

    private func judge(_ holder: ChildProcess.Result, _ reader: ChildProcess.Result) -> Result {
        guard let report = reader.event("report"), let verdict = report["verdict"]?.stringValue else {
            let error = reader.lines.last?["error"]?.stringValue ?? holder.lines.last?["error"]?.stringValue ?? "no report"
            return Result(isRight: false, detail: "\(error) (reader ended \(reader.exit), holder \(holder.exit))")
        }
        let document = report["documents"]?.arrayValue?.first
        let checks = report["checks"]?.arrayValue ?? []
        let failed = checks.filter { $0["outcome"]?.stringValue == "fail" }.compactMap { $0["id"]?.stringValue }
        let passed = checks.count { $0["outcome"]?.stringValue == "pass" }
        switch expected {
        case .pass(let binding, let familyName):
            let claims = document?["claims"]?.objectValue?.compactMap { $0.value["family_name"]?.stringValue } ?? []
            let isRight =
                verdict == "pass" && reader.exit == 0 && holder.exit == 0 && claims == [familyName]
                && document?["holderBinding"]?.stringValue == binding && document?["trusted"]?.boolValue == true
            return Result(
                isRight: isRight,
                detail:
                    "verdict \(verdict), \(passed) checks passed, device \(binding), \(document?["type"]?.stringValue ?? "no document")"
                    + (failed.isEmpty ? "" : ", failed \(failed.joined(separator: ", "))"))
        case .fail(let check):
            return Result(
                isRight: verdict == "fail" && reader.exit == 1 && failed == [check],
                detail: "verdict \(verdict), failed \(failed.joined(separator: ", "))")
        case .status(let wanted):
            let status = document?["status"]?.stringValue ?? "none"
            return Result(
                isRight: status == wanted && verdict == (wanted == "valid" ? "pass" : "fail"),
                detail: "verdict \(verdict), status \(status), as the issuer's list says")
        case .refused:
            return Result(
                isRight: document == nil && reader.exit == 1 && holder.exit == 1 && report["refused"]?.boolValue == true,
                detail: "no document came, reader and holder ended \(reader.exit) and \(holder.exit)")
        }
    }
}
