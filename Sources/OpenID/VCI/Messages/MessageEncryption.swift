package import Codec
package import Credentials
import Crypto
package import Ports

/// Encrypted requests and responses (OpenID4VCI 1.0 §10): JWEs to a JWK that names its algorithm.
package enum MessageEncryption {
    /// What an encrypted message may inflate to, in bytes.
    package static let inflateLimit = 8 << 20
    package static let contentType = "application/jwt"

    /// How the peer is to encrypt its response.
    ///
    ///     { "jwk": JWK with alg, "enc": tstr, ? "zip": "DEF" }
    package struct ResponseParameters: Sendable {
        package var key: JWK
        package var encryption: JWEEncryption
        package var compresses: Bool

        /// Reads the object of a request.
        /// - Throws: a finding II29.algs.
        package init(_ json: JSON) throws(MessageFinding) {
            func fail(_ what: String) -> MessageFinding { MessageFinding("II29.algs", what) }
            guard let jwk = json["jwk"] else { throw fail("credential_response_encryption without jwk") }
            guard jwk["d"] == nil else { throw fail("jwk is a private key") }
            do { key = try JWK(jwk) } catch { throw fail("jwk: \(error)") }
            guard let algorithm = key.algorithm else { throw fail("jwk without alg") }
            guard algorithm == JWE.keyManagement else { throw fail("alg \(algorithm) is not offered") }
            guard key.publicKey.curve.canAgree else { throw fail("the key cannot agree on a secret") }
            guard let name = json["enc"]?.stringValue, let known = JWEEncryption(rawValue: name) else {
                throw fail("enc \(json["enc"]?.stringValue ?? "missing") is not offered")
            }
            encryption = known
            switch json["zip"] {
            case nil: compresses = false
            case "DEF"?: compresses = true
            case let other?: throw fail("zip \(other.encoded()) is not offered")
            }
        }
    }

    /// Encrypts a message to a key.
    package static func encrypt(
        _ message: JSONObject, to key: JWK, _ encryption: JWEEncryption, compresses: Bool, random: any RandomSource
    ) throws(JOSEError) -> String {
        var header = JSONObject()
        if let keyID = key.keyID { header["kid"] = .string(keyID) }
        let ephemeral: PrivateKey
        do { ephemeral = try PrivateKey.generate(key.publicKey.curve, random: random) } catch { throw .key(error) }
        return try JWE.encrypt(
            Array(JSON.object(message).encoded().utf8), to: key.publicKey, encryption, ephemeral: ephemeral,
            iv: random.bytes(encryption.ivLength), options: .init(header: header, compresses: compresses)
        ).compact
    }
}
