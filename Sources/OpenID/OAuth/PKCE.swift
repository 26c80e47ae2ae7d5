import Codec
import Crypto
package import Ports

/// Proof key for code exchange (RFC 7636) with S256, the only method spoken here.
package struct PKCE: Sendable, Equatable {
    /// 43 characters.
    package let verifier: String

    /// The name of the method.
    package static let method = "S256"

    package init(random: any RandomSource) { verifier = Base64URL.encode(random.bytes(32)) }
    package init(verifier: String) { self.verifier = verifier }

    /// base64url of SHA-256 of the verifier.
    package var challenge: String { Self.challenge(of: verifier) }

    /// The challenge that belongs to a verifier.
    package static func challenge(of verifier: String) -> String {
        Base64URL.encode(HashAlgorithm.sha256.digest(Array(verifier.utf8)))
    }

    /// Whether the text may be a verifier or a challenge: 43 to 128 unreserved characters (RFC 7636 §4.1).
    package static func isWellFormed(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
