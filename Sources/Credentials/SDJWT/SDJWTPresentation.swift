import Codec
import Crypto
public import Ports

/// What a key binding JWT says besides the digest of what it binds (RFC 9901 §4.3).
public struct KeyBindingClaims: Sendable {
    /// The verifier: its full client_id, or `origin:<origin>`.
    public var audience: String
    public var nonce: String
    public var issuedAt: Timestamp
    /// The strings of `transaction_data`, exactly as received (OpenID4VP 1.0 §B.3.3.1).
    public var transactionData: [String]
    /// How they are hashed.
    public var transactionHash: TransactionData.Hash

    public init(
        audience: String, nonce: String, issuedAt: Timestamp, transactionData: [String] = [],
        transactionHash: TransactionData.Hash = .unstated
    ) {
        self.audience = audience
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.transactionData = transactionData
        self.transactionHash = transactionHash
    }
}

extension SDJWT {
    /// The media type of key binding JWTs.
    public static let keyBindingMediaType = "kb+jwt"

    /// This SD-JWT with the disclosures that show what the paths select, and no others, without key binding.
    ///
    /// - Parameters:
    ///   - nested: whether a path shows what is selectively disclosable inside of its claim, too.
    ///   - isLenient: passes on a credential that breaks rules: its recipient says what is wrong.
    /// - Throws: `.selection` when a path selects nothing or meets the wrong kind of value.
    public func showing(_ paths: [ClaimPath], nested: Bool = true, isLenient: Bool = false) throws(SDJWTError) -> SDJWT {
        let processed = try processed()
        if !isLenient, let finding = processed.findings.first(where: { $0.check != "S8.salt" }) {
            throw .selection(finding.reason)
        }
        var chosen: Set<Int> = []
        for path in paths {
            do {
                guard !(try path.selection(in: processed.root)).isEmpty else {
                    throw SDJWTError.selection("\(path) selects nothing")
                }
                chosen.formUnion(try processed.disclosures(showing: path, nested: nested))
            } catch { throw .selection("\(path): \(error)") }
        }
        let kept = disclosures.indices.filter(chosen.contains).map { disclosures[$0] }
        return SDJWT(issuerJWT: issuerJWT, disclosures: kept)
    }

    /// This SD-JWT with a key binding JWT made by the holder's key.
    public func bound(to claims: KeyBindingClaims, by signer: JWSSigner) async throws(SDJWTError) -> SDJWT {
        let keyBinding = try await keyBinding(
            keyBindingPayload(claims), header: ["typ": .string(Self.keyBindingMediaType)], by: signer)
        return SDJWT(issuerJWT: issuerJWT, disclosures: disclosures, keyBinding: keyBinding)
    }

    /// What the key binding JWT says.
    func keyBindingPayload(_ claims: KeyBindingClaims) throws(SDJWTError) -> JSONObject {
        let processed = try processed()
        guard let hash = processed.hash else { throw .hash(processed.claims["_sd_alg"]?.encoded() ?? "") }
        var payload: JSONObject = [
            "iat": .integer(claims.issuedAt.secondsSince1970), "aud": .string(claims.audience), "nonce": .string(claims.nonce),
            "sd_hash": .string(hash.text(of: bindable)),
        ]
        if !claims.transactionData.isEmpty {
            let hashes = claims.transactionData.map { TransactionData.hash($0, claims.transactionHash.algorithm) }
            payload.append("transaction_data_hashes", .array(hashes.map { .string($0) }))
            if case .stated(let algorithm) = claims.transactionHash {
                payload.append("transaction_data_hashes_alg", .string(algorithm.rawValue))
            }
        }
        return payload
    }

    /// The key binding JWT in compact serialisation.
    func keyBinding(_ payload: JSONObject, header: JSONObject, by signer: JWSSigner) async throws(SDJWTError) -> String {
        do { return try await JWS.sign(Array(JSON.object(payload).encoded().utf8), header: header, by: signer).compact } catch {
            throw .jwt("key binding JWT", error)
        }
    }
}
