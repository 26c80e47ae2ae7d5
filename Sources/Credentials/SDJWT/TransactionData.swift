import Codec

/// Transaction data of OpenID4VP (§5.1, §8.4) as SD-JWT VC presentations carry it (§B.3.3.1).
public enum TransactionData {
    /// The hash over each string, and whether the key binding JWT names it.
    public enum Hash: Sendable, Hashable {
        /// SHA-256, the default where the request lists no algorithms.
        case unstated
        /// One of those that the request lists.
        case stated(SDHash)

        var algorithm: SDHash { if case .stated(let algorithm) = self { algorithm } else { .sha256 } }
    }

    /// base64url of the hash over the string exactly as received, which is not decoded for it.
    public static func hash(_ text: String, _ algorithm: SDHash) -> String {
        algorithm.text(of: text)
    }

    /// The algorithms that the string lists (`transaction_data_hashes_alg`); nil where it lists none.
    static func listedAlgorithms(_ text: String) -> [String]? {
        guard let bytes = try? Base64URL.decode(text), let json = try? JSON.decode(bytes) else { return nil }
        return json["transaction_data_hashes_alg"]?.arrayValue?.compactMap(\.stringValue)
    }
}
