import Codec
import Ports
import Vault

/// `walletbench holder edit ID`
enum HolderEdit {
    static let command = Command(
        name: "edit", summary: "change a document's name or how often its copies are presented",
        discussion: """
            Policy once presents each copy one time, so that nobody can link two presentations; when all are used the document is \
            exhausted. Policy rotate presents the least used copy, any number of times; limited-time the newest one. Policy per-relying-party \
            keeps a copy for each relying party that is authenticated, and presents to it that one only.
            """,
        examples: [
            Example("walletbench holder edit 1a2b3c4d --policy once"),
            Example("walletbench holder edit 1a2b3c4d --name 'My licence'"),
        ],
        options: [
            .choice("policy", StoredDocument.UsePolicy.allCases.map(\.rawValue), "How often a copy may be presented"),
            .value("name", "TEXT", "What the document is called"),
        ],
        arguments: [Argument("ID", "The document, or the beginning of its id")],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let policy = invocation.string("policy").flatMap(StoredDocument.UsePolicy.init)
        let name = invocation.string("name")
        guard policy != nil || name != nil else { throw CommandError.usage("nothing to change", hint: "give --policy or --name") }
        let context = invocation.context
        let vault = try context.wallet(creating: false)
        let stored = try await vaultCall { () async throws(VaultError) in
            try await vault.update(invocation.argument) { document in
                document.policy = policy ?? document.policy
                document.displayName = name ?? document.displayName
            }
        }
        let document = try await HeldDocument.read(
            stored, from: vault, keys: try await HeldDocument.keyNames(vault, context.random), at: context.clock.now())
        invocation.console.answer(document.summary) { "\(stored.id)  \(stored.displayName): \(document.copiesText)" }
        return .done
    }
}
