public import Crypto

/// A key that signs JWSs, wherever it lives.
public struct JWSSigner: Sendable {
    public let algorithm: JWSAlgorithm
    public let publicKey: PublicKey
    private let use: @Sendable ([UInt8]) async throws -> [UInt8]

    /// A key at hand; throws `.key` when JOSE has no algorithm for its curve.
    public init(_ key: PrivateKey, nonce: SignatureNonce = .random) throws(JOSEError) {
        algorithm = try Self.algorithm(key.curve)
        publicKey = key.publicKey
        let hash = algorithm.hash
        use = { try key.sign($0, hash: hash, nonce: nonce) }
    }

    /// A key that a store keeps.
    public init(_ key: KeyInfo, in store: any KeyStore, unlock: KeyUnlock) throws(JOSEError) {
        algorithm = try Self.algorithm(key.curve)
        publicKey = key.publicKey
        let (id, hash) = (key.id, algorithm.hash)
        use = { try await store.sign($0, with: id, hash: hash, unlock: unlock) }
    }

    /// The signature over the bytes: r ‖ s, or an EdDSA signature.
    public func sign(_ bytes: [UInt8]) async throws(JOSEError) -> [UInt8] {
        do { return try await use(bytes) } catch { throw .keyUse("signing: \(error)") }
    }

    private static func algorithm(_ curve: Curve) throws(JOSEError) -> JWSAlgorithm {
        guard let algorithm = JWSAlgorithm(for: curve) else { throw .key(.cannotSign(curve)) }
        return algorithm
    }
}
