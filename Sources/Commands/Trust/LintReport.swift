import Codec
import Crypto

/// What was found in one certificate or CRL.
struct LintReport {
    let name: String
    let subject: String
    let sha256: [UInt8]?
    let profile: String
    let isGuessed: Bool
    /// Nil where nobody among the candidates is it.
    let issuer: Certificate?
    /// Whether the issuer's key made the signature; nil where that cannot be said.
    let isSigned: Bool?
    let result: LintResult

    var isPass: Bool { result.isConformant && isSigned != false }

    var json: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "subject": .string(subject), "sha256": sha256.map { .string(Hex.encode($0)) } ?? .null,
            "profile": .string(profile), "guessed": .bool(isGuessed),
            "issuer": issuer.map { ["subject": .string($0.subject.description), "sha256": .string(Hex.encode($0.sha256))] }
                ?? .null,
            "signature": isSigned.map { $0 ? "valid" : "invalid" } ?? .null,
            "findings": .array(result.findings.map { .object($0.json) }),
        ]
        object.append("notRun", .array(result.notRun.map { ["id": .string($0.id), "reason": .string($0.reason)] }))
        object.append("passed", .array(result.passed.map { .string($0) }))
        return object
    }

    func text(listsAll: Bool, console: Console) -> String {
        var lines = ["\(name): \(subject)", "  profile \(profile)\(isGuessed ? " (guessed)" : "")"]
        if isSigned == false { lines.append("  \(console.style("FAIL", .red))  the signature is not the issuer's") }
        lines += result.findings.flatMap { finding in
            let word = finding.severity == .fail ? console.style("FAIL", .red) : console.style("warn", .yellow)
            return ["  \(word)  \(finding.description.replacingControlCharacters())", "        \(finding.clause)"]
        }
        if listsAll { lines += result.passed.map { "  \(console.style("pass", .green))  \($0)" } }
        lines += result.notRun.filter { listsAll || $0.reason.contains("not known") }.map { "  not run  \($0.id): \($0.reason)" }
        lines.append("  \(result.passed.count) rules hold, \(result.findings.count) broken, \(result.notRun.count) not looked at")
        return lines.joined(separator: "\n")
    }
}

extension RuleFinding {
    var json: JSONObject {
        [
            "id": .string(id), "level": .string(severity.rawValue), "message": .string(message), "clause": .string(clause),
        ]
    }
}
