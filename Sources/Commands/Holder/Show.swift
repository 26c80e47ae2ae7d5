import Codec
import Credentials
import Crypto
import Ports
import Vault

/// `walletbench holder show ID`
enum HolderShow {
    static let command = Command(
        name: "show", summary: "show a document: what is in it, its signer, its copies",
        discussion: """
            Elements appear by the names that their document type gives them; those it does not know appear as they are. Values are \
            hidden unless --reveal is given.
            """,
        examples: [
            Example("walletbench holder show 1a2b3c4d"),
            Example("walletbench holder show 1a2b --reveal", "with values; the beginning of the id is enough"),
            Example("walletbench holder show 1a2b --portrait face.jpg", "saves the portrait"),
        ],
        options: [
            .value("copy", "N", "Look at this copy; else at the one that would be presented next"),
            .file("portrait", "FILE", "Save the portrait"),
        ],
        arguments: [Argument("ID", "The document, or the beginning of its id")],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let vault = try context.wallet(creating: false)
        let stored = try await vaultCall { () async throws(VaultError) in try await vault.document(invocation.argument) }
        let document = try await HeldDocument.read(
            stored, copy: invocation.string("copy"), from: vault,
            keys: try await HeldDocument.keyNames(vault, context.random), at: context.clock.now())
        if let path = invocation.string("portrait") {
            try Files.write(try portrait(of: document), to: path, mode: 0o600)
            invocation.console.talk("portrait written to \(path)")
        }
        let view = DocumentView(document, reveals: context.reveals)
        invocation.console.answer(view.json) { view.text }
        return .done
    }

    private static func portrait(of document: HeldDocument) throws(CommandError) -> [UInt8] {
        for nameSpace in document.issuerSigned?.nameSpaces ?? [] {
            let item = nameSpace.items.first { $0.value.elementIdentifier == "portrait" }
            if let bytes = try? item?.value.elementValue.bytes() { return bytes }
        }
        throw .refused("document \(document.stored.id) has no portrait")
    }
}
