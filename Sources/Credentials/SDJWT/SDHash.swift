import Codec
import Crypto

/// The hash functions that `_sd_alg` and `transaction_data_hashes_alg` may name; raw values are those of the IANA registry "Named
/// Information Hash Algorithm".
public enum SDHash: String, Sendable, Hashable, CaseIterable {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"
    case sha3_256 = "sha3-256"
    case sha3_384 = "sha3-384"
    case sha3_512 = "sha3-512"

    /// Length of a digest in bytes.
    var length: Int {
        switch self {
        case .sha256, .sha3_256: 32
        case .sha384, .sha3_384: 48
        case .sha512, .sha3_512: 64
        }
    }

    /// The digest of bytes.
    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: HashAlgorithm.sha256.digest(bytes)
        case .sha384: HashAlgorithm.sha384.digest(bytes)
        case .sha512: HashAlgorithm.sha512.digest(bytes)
        case .sha3_256: SHA3.sha3_256.digest(bytes)
        case .sha3_384: SHA3.sha3_384.digest(bytes)
        case .sha3_512: SHA3.sha3_512.digest(bytes)
        }
    }

    /// base64url of the digest of a text's bytes as they are.
    func text(of text: some StringProtocol) -> String { Base64URL.encode(digest(Array(text.utf8))) }
}
