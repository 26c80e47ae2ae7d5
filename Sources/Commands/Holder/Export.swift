import Codec
import Ports
import Vault

/// `walletbench holder export ID`
enum HolderExport {
    static let command = Command(
        name: "export", summary: "write a document as its issuer delivered it",
        discussion: "Private keys never leave the wallet: what is written can be looked at elsewhere, not presented.",
        examples: [
            Example("walletbench holder export 1a2b3c4d -o mdl.cbor"),
            Example("walletbench holder export 1a2b --encoding base64url", "as text on stdout"),
        ],
        options: [
            .file("out", short: "o", "FILE", "Where to write; else stdout"),
            .choice("encoding", ["raw", "hex", "base64url"], "How to write; raw in a terminal becomes base64url"),
            .value("copy", "N", "Write this copy; else the one that would be presented next"),
        ],
        arguments: [Argument("ID", "The document, or the beginning of its id")],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let vault = try context.wallet(creating: false)
        let stored = try await vaultCall { () async throws(VaultError) in try await vault.document(invocation.argument) }
        let document = try await HeldDocument.read(
            stored, copy: invocation.string("copy"), from: vault, keys: [], at: context.clock.now())
        guard let copy = document.copy else {
            throw CommandError.refused("document \(stored.id) has no copy yet: it is \(stored.state.rawValue)")
        }
        let bytes = try await vaultCall { () async throws(VaultError) in try await vault.bytes(of: copy, in: stored) }
        if let path = invocation.string("out"), path != "-" {
            try Files.write(encoded(bytes, as: invocation.string("encoding") ?? "raw"), to: path, mode: 0o600)
            invocation.console.answer(["id": .string(stored.id), "copy": .string(copy.id), "out": .string(path)]) {
                "copy \(copy.id) of \(stored.id) written to \(path)"
            }
        } else if context.console.isJSON {
            context.console.json([
                "id": .string(stored.id), "copy": .string(copy.id), "format": .string(stored.format), "type": .string(stored.type),
                "credential": .string(Base64URL.encode(bytes)),
            ])
        } else {
            let encoding = invocation.string("encoding") ?? (context.console.isTerminal ? "base64url" : "raw")
            context.console.out(bytes: encoded(bytes, as: encoding))
        }
        return .done
    }

    private static func encoded(_ bytes: [UInt8], as encoding: String) -> [UInt8] {
        switch encoding {
        case "hex": [UInt8]((Hex.encode(bytes) + "\n").utf8)
        case "base64url": [UInt8]((Base64URL.encode(bytes) + "\n").utf8)
        default: bytes
        }
    }
}
