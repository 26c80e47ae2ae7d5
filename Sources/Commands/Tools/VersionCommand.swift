import Codec
import Crypto
import QR
import Vault
import Web

/// `walletbench version`
enum VersionCommand {
    /// The program's own version.
    static let version = "0.1.0"

    static let command = Command(
        name: "version", summary: "print the version of the program and of everything linked",
        examples: [Example("walletbench version --json", "for a bug report")]
    ) { invocation in
        invocation.console.answer(json) {
            (["walletbench \(version)"] + parts.map { "  \(TextLayout.pad($0.name, to: 14)) \($0.version)" }).joined(
                separator: "\n")
        }
        return .done
    }

    private static var json: JSONObject {
        [
            "walletbench": .string(version),
            "parts": .object(JSONObject(parts.map { (key: $0.name, value: .string($0.version)) })),
        ]
    }

    /// The compiler's language version and the C libraries.
    private static var parts: [(name: String, version: String)] {
        [("swift", compiler)] + CryptoLibraries.versions + VaultLibraries.versions + CodecLibraries.versions + QRLibraries.versions
            + WebLibraries.versions
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
