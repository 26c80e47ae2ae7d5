import Codec
import Credentials
import Ports
import Vault

/// `walletbench holder list`
enum HolderList {
    static let command = Command(
        name: "list", summary: "list the documents of the wallet",
        discussion: """
            Shows state, type, name, issuer, the copies left under the document's policy, and what a person should know before \
            presenting: expired, not yet valid, exhausted, key missing.
            """,
        examples: [
            Example("walletbench holder list"), Example("walletbench holder list --json", "for scripts"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        var documents: [HeldDocument] = []
        if let vault = try context.walletIfThere() {
            documents = try await HeldDocument.all(in: vault, random: context.random, at: context.clock.now())
            for error in try await vaultCall({ () async throws(VaultError) in try await vault.damagedDocuments() }) {
                context.console.talk("warning: \(error)".replacingControlCharacters())
            }
        }
        let shown = documents
        invocation.console.answer(["documents": .array(shown.map { .object($0.summary) })]) {
            shown.isEmpty
                ? "no documents yet; issue one with: walletbench issuer mint --type mdl --to-holder" : table(shown)
        }
        return .done
    }

    private static func table(_ documents: [HeldDocument]) -> String {
        documents.map { document in
            let stored = document.stored
            let head = "\(stored.id)  \(stored.displayName)  (\(stored.type))"
            let facts = [
                stored.issuer.map { "issuer \($0)" }, stored.state.rawValue, document.copiesText,
                document.mso.map { "valid until \($0.validityInfo.validUntil.text)" },
            ]
            let lines =
                ["          " + facts.compactMap { $0 }.joined(separator: ", ")] + document.warnings.map { "        ! \($0)" }
            return ([head] + lines).map { $0.replacingControlCharacters() }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
