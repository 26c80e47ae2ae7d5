import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust show`
enum TrustShow {
    static let command = Command(
        name: "show", summary: "list the trust anchors of the home",
        discussion:
            "By role: documents (issuers), readers, lists (VICAL signers), servers; and the document types that each may issue.",
        examples: [Example("walletbench trust show --role readers")], options: TrustStore.choices,
        arguments: [Argument("ANCHOR", "Id or part of the subject", isRequired: false, isRepeatable: true)]
    ) { invocation in
        let entries = try TrustStore(of: invocation.context.home).chosen(by: invocation)
        let now = invocation.context.clock.now()
        invocation.console.answer(["anchors": .array(entries.map { .object($0.json(at: now)) })]) {
            entries.isEmpty
                ? "no anchors; walletbench trust add FILE adds one" : entries.map { $0.text(at: now) }.joined(separator: "\n")
        }
        return .done
    }
}

extension TrustStore.Entry {
    func json(at time: Timestamp) -> JSONObject {
        var object: JSONObject = [
            "id": .string(id), "role": .string(anchor.role.rawValue),
            "docTypes": anchor.docTypes.map { .array($0.sorted().map { .string($0) }) } ?? .null, "path": .string(path),
        ]
        for (name, value) in anchor.certificate.summaryJSON { object.append(name, value) }
        object.append("valid", .bool(anchor.certificate.isValid(at: time)))
        return object
    }

    func text(at time: Timestamp) -> String {
        let types = anchor.docTypes.map { $0.sorted().joined(separator: ", ") } ?? "any type"
        let end = anchor.certificate.isValid(at: time) ? "until" : "NOT VALID, until"
        let scope = anchor.role == .documents ? " of \(types)" : ""
        return
            "\(id)  \(anchor.role.rawValue)\(scope)  \(anchor.certificate.subject)  \(end) \(anchor.certificate.notAfter.rfc3339)"
    }
}
