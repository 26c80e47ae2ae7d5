import Codec
package import Crypto

/// Content encryption of a JWE; raw values are the registered names (RFC 7518 §5.1).
public enum JWEEncryption: String, Sendable, Hashable, CaseIterable {
    case a128GCM = "A128GCM"
    case a256GCM = "A256GCM"
    case a128CBCHS256 = "A128CBC-HS256"
    case a256CBCHS512 = "A256CBC-HS512"

    /// Length of the content encryption key in bytes.
    public var keyLength: Int {
        switch self {
        case .a128GCM: 16
        case .a256GCM, .a128CBCHS256: 32
        case .a256CBCHS512: 64
        }
    }

    /// Length of the initialisation vector in bytes.
    public var ivLength: Int { self == .a128GCM || self == .a256GCM ? 12 : 16 }

    /// Length of the authentication tag in bytes; shorter ones are refused.
    public var tagLength: Int { self == .a256CBCHS512 ? 32 : 16 }

    func seal(
        _ plaintext: [UInt8], key: [UInt8], iv: [UInt8], aad: [UInt8]
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        switch self {
        case .a128GCM, .a256GCM:
            let sealed = try AESGCM(key: key).seal(plaintext, nonce: iv, aad: aad)
            return (Array(sealed.dropLast(tagLength)), Array(sealed.suffix(tagLength)))
        case .a128CBCHS256, .a256CBCHS512: return try AESCBCHMAC(key: key).seal(plaintext, iv: iv, aad: aad)
        }
    }

    func open(_ ciphertext: [UInt8], tag: [UInt8], key: [UInt8], iv: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .a128GCM, .a256GCM: try AESGCM(key: key).open(ciphertext + tag, nonce: iv, aad: aad)
        case .a128CBCHS256, .a256CBCHS512: try AESCBCHMAC(key: key).open(ciphertext, tag: tag, iv: iv, aad: aad)
        }
    }

    /// The content encryption key of ECDH-ES in direct agreement (RFC 7518 §4.6.2).
    ///
    /// - Parameters:
    ///   - secret: the shared secret Z.
    ///   - partyU, partyV: the decoded `apu` and `apv`, empty where absent.
    package func derivedKey(secret: [UInt8], partyU: [UInt8], partyV: [UInt8]) throws(CryptoError) -> [UInt8] {
        let info = otherInfo(partyU: partyU, partyV: partyV)
        return try ConcatKDF.derive(secret: secret, otherInfo: info, length: keyLength)
    }

    /// OtherInfo: AlgorithmID ‖ PartyUInfo ‖ PartyVInfo ‖ SuppPubInfo, each but the last with its length in 32 bits in front.
    package func otherInfo(partyU: [UInt8], partyV: [UInt8]) -> [UInt8] {
        func prefixed(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count) + bytes }
        return prefixed(Array(rawValue.utf8)) + prefixed(partyU) + prefixed(partyV) + bigEndian(keyLength * 8)
    }

    private func bigEndian(_ number: Int) -> [UInt8] {
        let word = UInt32(truncatingIfNeeded: number)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
