package import Codec
import Crypto
package import Ports

/// Explains public keys, and says of private ones only what is public about them.
package enum KeyAnnotator {
    /// A SubjectPublicKeyInfo, PKCS #8 or SEC 1 private key; nil if the element is none of them.
    package static func annotate(_ node: DERNode, _ der: [UInt8]) -> Annotation? {
        guard let parts = try? node.sequence(), parts.count >= 2 else { return nil }
        if parts[0].hasTag(16), parts[1].hasTag(3), parts.count == 2 { return publicKey(der) }
        guard parts[0].hasTag(2) else { return nil }
        if parts[1].hasTag(16), parts.count >= 3, parts[2].hasTag(4) {
            return privateKey("PrivateKeyInfo", "RFC 5208 5", parts[1], der.count)
        }
        if parts[1].hasTag(4) { return privateKey("ECPrivateKey", "RFC 5915 3", parts.dropFirst(2).first, der.count) }
        return nil
    }

    private static func publicKey(_ der: [UInt8]) -> Annotation {
        do throws(CryptoError) {
            return annotate(try PublicKey(spki: der), "SubjectPublicKeyInfo", "public key", der.count)
        } catch {
            return Annotation(
                "SubjectPublicKeyInfo", "public key, not usable: \(error)", clause: "RFC 5280 4.1.2.7", length: der.count)
        }
    }

    /// Nothing of the key itself is shown; only its algorithm.
    private static func privateKey(_ label: String, _ clause: String, _ algorithm: DERNode?, _ length: Int) -> Annotation {
        let parts = algorithm.flatMap { try? $0.children() } ?? []
        let names = parts.compactMap { try? $0.oid() }.map { algorithms[$0] ?? $0.description }
        return Annotation(
            label, "private key, which is not shown", clause: clause, length: length,
            children: [Annotation("algorithm", names.joined(separator: ", "))])
    }

    private static let algorithms: [OID: String] = [
        "1.2.840.10045.2.1": "EC", "1.2.840.113549.1.1.1": "RSA", "1.2.840.10045.3.1.7": "P-256", "1.3.132.0.34": "P-384",
        "1.3.132.0.35": "P-521",
        "1.3.36.3.3.2.8.1.1.7": "brainpoolP256r1", "1.3.36.3.3.2.8.1.1.9": "brainpoolP320r1",
        "1.3.36.3.3.2.8.1.1.11": "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.13": "brainpoolP512r1", "1.3.101.110": "X25519", "1.3.101.111": "X448", "1.3.101.112": "Ed25519",
        "1.3.101.113": "Ed448",
    ]

    private static func annotate(_ key: PublicKey, _ label: String, _ value: String, _ length: Int) -> Annotation {
        var children = [Annotation("curve", key.curve.rawValue), Annotation("x", Hex.encode(key.x))]
        if !key.y.isEmpty { children.append(Annotation("y", Hex.encode(key.y))) }
        return Annotation(label, value, length: length, children: children)
    }
}
