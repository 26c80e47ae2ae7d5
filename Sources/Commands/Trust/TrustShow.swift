import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust show`
enum TrustShow {
    static let command = Command(
        name: "show", summary: "list the trust anchors of the home",
        discussion: """
            By role: documents (issuers), readers, lists (signers of trust lists), servers, registrars, wallets; and the document types that \
            each may issue. With --trust PRESET those of a preset; the presets of the home are named too.
            """,
        examples: [Example("walletbench trust show --role readers")], options: TrustStore.choices,
        arguments: [Argument("ANCHOR", "Id or part of the subject", isRequired: false, isRepeatable: true)]
    ) { invocation in
        try invocation.context.trustStore.requirePreset()
        let presets = TrustPresets.all(of: invocation.context.home)
        let entries = try invocation.context.trustStore.chosen(by: invocation)
        let now = invocation.context.clock.now()
        let roots = try invocation.context.trustStore.all().filter { $0.anchor.role == .lists }
        let verifier = TrustListVerifier(
            roots: roots.map(\.anchor.certificate), edition: invocation.context.edition, skew: Int64(invocation.context.skew))
        let kept = try invocation.context.trustSources.all()
        let lists = kept.map { (name: $0.name, list: try? verifier.verify($0.bytes, for: $0.role, at: now)) }
        invocation.console.answer([
            "anchors": .array(entries.map { .object($0.json(at: now)) }), "lists": .array(lists.map { json($0.name, $0.list) }),
            "presets": .array(presets.map { .string($0) }),
        ]) {
            let lines =
                entries.map { $0.text(at: now) } + lists.map { text($0.name, $0.list) }
                + presets.map { "preset \($0): --trust \($0)" }
            return lines.isEmpty ? "no anchors; walletbench trust add FILE adds one" : lines.joined(separator: "\n")
        }
        return .done
    }

    private static func json(_ name: String, _ list: TrustList?) -> JSON {
        [
            "id": .string(name), "name": list.map { .string($0.name) } ?? .null, "usable": .bool(list?.isUsable ?? false),
            "anchors": .integer(Int64(list?.entries.count ?? 0)),
            "nextUpdate": list?.nextUpdate.map { .string($0.rfc3339) } ?? .null,
        ]
    }

    private static func text(_ name: String, _ list: TrustList?) -> String {
        guard let list else { return "\(name)  unreadable" }
        return "\(name)  \(list.name), \(list.entries.count) authorities\(list.isUsable ? "" : ", NOT USABLE")"
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
