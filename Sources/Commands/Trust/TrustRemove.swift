import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust remove ANCHOR`
enum TrustRemove {
    static let command = Command(
        name: "remove", summary: "stop trusting an anchor",
        examples: [Example("walletbench trust remove 1f2e3d4c5b6a7988", "by the id that trust show prints; a list by its name")],
        options: TrustStore.choices + [.flag("all", "Remove all that match, where several do")],
        arguments: [Argument("ANCHOR", "Id or part of the subject", isRepeatable: true)]
    ) { invocation in
        let store = invocation.context.trustStore
        let sources = invocation.context.trustSources
        if let kept = try sources.all().first(where: { [$0.name] == invocation.arguments }) {
            _ = sources.remove(kept.name)
            invocation.console.answer(["removed": [.string(kept.name)]]) { "removed \(kept.name)" }
            return .done
        }
        let entries = try store.chosen(by: invocation)
        guard entries.count <= invocation.arguments.count || invocation.flag("all") else {
            throw CommandError.refused(
                "\(entries.count) anchors match", hint: "name one by its id, or --all: \(entries.map(\.id).joined(separator: ", "))"
            )
        }
        for entry in entries { try store.remove(entry) }
        invocation.console.answer(["removed": .array(entries.map { .string(Hex.encode($0.anchor.certificate.sha256)) })]) {
            entries.map { "removed \($0.id)  \($0.anchor.certificate.subject)" }.joined(separator: "\n")
        }
        return .done
    }
}
