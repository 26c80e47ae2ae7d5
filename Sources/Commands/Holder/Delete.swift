import Codec
import Vault

/// `walletbench holder delete ID…`
enum HolderDelete {
    static let command = Command(
        name: "delete", summary: "delete documents with their copies and keys",
        discussion: "The device keys go with the document: it cannot be presented again, not even after importing it anew.",
        examples: [Example("walletbench holder delete 1a2b3c4d")],
        arguments: [Argument("ID", "A document, or the beginning of its id", isRepeatable: true)],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let vault = try invocation.context.wallet(creating: false)
        var deleted: [StoredDocument] = []
        // All names are looked at before anything goes: a wrong one deletes nothing.
        for id in invocation.arguments {
            deleted.append(try await vaultCall { () async throws(VaultError) in try await vault.document(id) })
        }
        for document in deleted {
            _ = try await vaultCall { () async throws(VaultError) in try await vault.deleteDocument(document.id) }
        }
        invocation.console.answer(["deleted": .array(deleted.map { .string($0.id) })]) {
            deleted.map { "deleted \($0.id)  \($0.displayName)".replacingControlCharacters() }.joined(separator: "\n")
        }
        return .done
    }
}
