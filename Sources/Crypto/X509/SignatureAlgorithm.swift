public import Codec

/// How a certificate or CRL is signed: the AlgorithmIdentifier (RFC 5280 §4.1.1.2) as far as it is known here.
public enum SignatureAlgorithm: Sendable, Hashable, CaseIterable {
    case ecdsaWithSHA256
    case ecdsaWithSHA384
    case ecdsaWithSHA512
    case ed25519
    case ed448
    /// RSASSA-PKCS1-v1_5, which authorities of other worlds use; no key of an mdoc or wallet does.
    case rsaWithSHA256
    case rsaWithSHA384
    case rsaWithSHA512
    /// RSASSA-PSS (RFC 4055 §3.1) with MGF1 over the same hash and a salt as long as the hash: no other parameters are known here.
    case rsaPSSWithSHA256
    case rsaPSSWithSHA384
    case rsaPSSWithSHA512
    /// Broken: recognised so that it can be named, accepted by no policy.
    case ecdsaWithSHA1

    /// The algorithm of `oid`; nil if it is none of these. RSASSA-PSS is known by its parameters, too: see `AlgorithmIdentifier`.
    public init?(oid: OID) {
        guard let known = Self.allCases.first(where: { $0.oid == oid && !$0.isPSS }) else { return nil }
        self = known
    }

    var isPSS: Bool { self == .rsaPSSWithSHA256 || self == .rsaPSSWithSHA384 || self == .rsaPSSWithSHA512 }

    /// RSASSA-PSS-params in DER, the parameters of its hashes being NULL or absent; empty for the other algorithms.
    var pssParameters: [[UInt8]] {
        guard isPSS, let hash else { return [] }
        let number: UInt8 = hash == .sha256 ? 1 : hash == .sha384 ? 2 : 3
        let sha: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, number]
        let mgf1: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08]
        func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let nulls: [[UInt8]] = [[0x05, 0x00], []]
        return nulls.map { null in
            let identifier = tagged(0x30, sha + null)
            let salt = tagged(0x02, [UInt8(hash.length)])
            return tagged(0x30, tagged(0xA0, identifier) + tagged(0xA1, tagged(0x30, mgf1 + identifier)) + tagged(0xA2, salt))
        }
    }

    /// The algorithm with which a key on `curve` signs certificates; nil for curves that cannot sign.
    public init?(curve: Curve) {
        switch curve.defaultHash {
        case .sha256: self = .ecdsaWithSHA256
        case .sha384: self = .ecdsaWithSHA384
        case .sha512: self = .ecdsaWithSHA512
        case .sha1, nil:
            guard curve.canSign else { return nil }
            self = curve == .ed448 ? .ed448 : .ed25519
        }
    }

    public var oid: OID {
        switch self {
        case .ecdsaWithSHA1: .ecdsaWithSHA1
        case .ecdsaWithSHA256: .ecdsaWithSHA256
        case .ecdsaWithSHA384: .ecdsaWithSHA384
        case .ecdsaWithSHA512: .ecdsaWithSHA512
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .rsaWithSHA256: .rsaWithSHA256
        case .rsaWithSHA384: .rsaWithSHA384
        case .rsaWithSHA512: .rsaWithSHA512
        case .rsaPSSWithSHA256, .rsaPSSWithSHA384, .rsaPSSWithSHA512: Self.pss
        }
    }

    static let pss: OID = "1.2.840.113549.1.1.10"

    /// The name of RFC 5758, RFC 8410 or RFC 4055.
    public var name: String {
        switch self {
        case .ecdsaWithSHA1: "ecdsa-with-SHA1"
        case .ecdsaWithSHA256: "ecdsa-with-SHA256"
        case .ecdsaWithSHA384: "ecdsa-with-SHA384"
        case .ecdsaWithSHA512: "ecdsa-with-SHA512"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .rsaWithSHA256: "sha256WithRSAEncryption"
        case .rsaWithSHA384: "sha384WithRSAEncryption"
        case .rsaWithSHA512: "sha512WithRSAEncryption"
        case .rsaPSSWithSHA256: "id-RSASSA-PSS with SHA-256"
        case .rsaPSSWithSHA384: "id-RSASSA-PSS with SHA-384"
        case .rsaPSSWithSHA512: "id-RSASSA-PSS with SHA-512"
        }
    }

    /// The hash of the signed bytes; nil where the algorithm hashes for itself.
    public var hash: HashAlgorithm? {
        switch self {
        case .ecdsaWithSHA1: .sha1
        case .ecdsaWithSHA256, .rsaWithSHA256, .rsaPSSWithSHA256: .sha256
        case .ecdsaWithSHA384, .rsaWithSHA384, .rsaPSSWithSHA384: .sha384
        case .ecdsaWithSHA512, .rsaWithSHA512, .rsaPSSWithSHA512: .sha512
        case .ed25519, .ed448: nil
        }
    }

    /// ECDSA with SHA-2, the only signatures of ISO/IEC 18013-5 Annex B.
    var isISOAlgorithm: Bool {
        self == .ecdsaWithSHA256 || self == .ecdsaWithSHA384 || self == .ecdsaWithSHA512
    }

    /// Whether a key on `curve` can make such signatures.
    func fits(_ curve: Curve) -> Bool {
        switch self {
        case .ed25519: curve == .ed25519
        case .ed448: curve == .ed448
        case .ecdsaWithSHA1, .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512: curve.isWeierstrass
        case .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512, .rsaPSSWithSHA256, .rsaPSSWithSHA384, .rsaPSSWithSHA512: false
        }
    }

    /// Whether `signature` (ECDSA-Sig-Value in DER, or raw) over `message` was made by `key` with this algorithm.
    func isSignature(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
        fits(key.curve) && key.verifyDER(signature: signature, message: message, hash: hash)
    }

    /// Whether the key of `issuer` made the signature, whatever kind of key this algorithm has.
    func isSignature(_ signature: [UInt8], of message: [UInt8], byKeyOf issuer: Certificate) -> Bool {
        switch self {
        case .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512:
            guard let hash, let key = try? RSAPublicKey(spki: issuer.spkiBytes) else { return false }
            return key.verifyPKCS1(signature: signature, message: message, hash: hash)
        case .rsaPSSWithSHA256, .rsaPSSWithSHA384, .rsaPSSWithSHA512:
            guard let hash, let key = try? RSAPublicKey(spki: issuer.spkiBytes) else { return false }
            return key.verifyPSS(signature: signature, message: message, hash: hash)
        default:
            guard let key = try? issuer.publicKey() else { return false }
            return isSignature(signature, of: message, by: key)
        }
    }
}
