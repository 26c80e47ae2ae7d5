import Codec
import Credentials
package import Crypto
package import Ports

/// The `jwt` proof type (OpenID4VCI 1.0 F.1): the holder's key signs the issuer's name and nonce.
package enum KeyProof {
    package static let type = "openid4vci-proof+jwt"
    /// What an issuer allows between `iat` and its clock, in seconds.
    package static let window: Int64 = 300

    /// A proof to be signed by `key`.
    package static func draft(
        key: PublicKey, issuer: String, clientID: String?, nonce: String?, attestation: String? = nil, at time: Timestamp
    ) -> JWTDraft {
        var header: JSONObject = ["typ": .string(type), "jwk": .object(key.jwk)]
        if let attestation { header["key_attestation"] = .string(attestation) }
        var claims: JSONObject = ["aud": .string(issuer), "iat": .integer(time.secondsSince1970)]
        if let clientID { claims["iss"] = .string(clientID) }
        if let nonce { claims["nonce"] = .string(nonce) }
        return JWTDraft(header: header, claims: claims)
    }

    /// What an issuer expects of a proof.
    package struct Expectation: Sendable {
        package var issuer: String
        /// nil: the token came from an anonymous request, `iss` must be absent.
        package var clientID: String?
        package var algorithms: [String]
        package var trust: AttestationTrust
        package var attestation: KeyAttestation.Requirement?
        package var hasNonceEndpoint: Bool

        package init(
            issuer: String, clientID: String?, algorithms: [String], trust: AttestationTrust,
            attestation: KeyAttestation.Requirement?, hasNonceEndpoint: Bool
        ) {
            self.issuer = issuer
            self.clientID = clientID
            self.algorithms = algorithms
            self.trust = trust
            self.attestation = attestation
            self.hasNonceEndpoint = hasNonceEndpoint
        }
    }

    /// What a proof proves: keys, and nonces still to be looked up.
    package struct Verified: Sendable {
        package var keys: [PublicKey]
        package var nonces: [String]
        package var attestation: KeyAttestation?
    }

    /// Verifies a proof, all but whether its nonces are the issuer's.
    package static func verify(
        _ compact: String, _ expected: Expectation, at time: Timestamp
    ) throws(ProofRejection) -> Verified {
        let jwt: UnverifiedJWT
        do { jwt = try UnverifiedJWT(compact) } catch { throw ProofRejection("II25.signature", "no JWT: \(error)") }
        guard jwt.header.type == type else { throw ProofRejection("II25.typ", "typ is not \(type)") }
        let name = jwt.header["alg"]?.stringValue ?? ""
        guard expected.algorithms.contains(name), (try? jwt.jws.algorithm()) != nil else {
            throw ProofRejection("II25.alg", "alg \(name) is not one of \(expected.algorithms.joined(separator: ", "))")
        }
        let attestation = try jwt.header["key_attestation"].map { (value) throws(ProofRejection) in
            try KeyAttestation(
                value.stringValue ?? "", trust: expected.trust, algorithms: expected.algorithms, needsExpiry: true, at: time)
        }
        let key = try key(of: jwt, attestation)
        do { try jwt.jws.verify(with: key) } catch { throw ProofRejection("II25.signature", "\(error)") }
        try checkClaims(jwt, expected, time)
        if let attestation {
            guard attestation.keys.contains(key) else {
                throw ProofRejection("II27.signer", "the key that signed the proof is not among the attested keys")
            }
        }
        if let requirement = expected.attestation {
            guard let attestation else { throw ProofRejection("II27.level", "a key attestation is required") }
            try attestation.check(requirement)
        }
        let nonces = try nonces(jwt, attestation, expected)
        let keys = [key] + (attestation?.keys.filter { $0 != key } ?? [])
        return Verified(keys: keys, nonces: nonces, attestation: attestation)
    }

    private static func nonces(
        _ jwt: UnverifiedJWT, _ attestation: KeyAttestation?, _ expected: Expectation
    ) throws(ProofRejection) -> [String] {
        guard expected.hasNonceEndpoint else { return [] }
        guard let nonce = jwt.claims["nonce"]?.stringValue else { throw ProofRejection("II26.missing", "no nonce") }
        return [nonce] + (attestation?.nonce.map { [$0] } ?? [])
    }

    private static func key(of jwt: UnverifiedJWT, _ attestation: KeyAttestation?) throws(ProofRejection) -> PublicKey {
        let ways = ["jwk", "kid", "x5c"].filter { jwt.header[$0] != nil }
        guard ways.count == 1 else {
            throw ProofRejection("II25.key", "\(ways.isEmpty ? "none" : ways.joined(separator: " and ")) in the header")
        }
        switch ways[0] {
        case "jwk":
            let jwk = jwt.header["jwk"] ?? .null
            guard jwk["d"] == nil else { throw ProofRejection("II25.private", "the jwk is a private key") }
            do { return try PublicKey(jwk: jwk) } catch { throw ProofRejection("II25.key", "\(error)") }
        case "x5c":
            do {
                guard let leaf = try jwt.header.x5c()?.first else { throw ProofRejection("II25.key", "x5c is empty") }
                return try Certificate(der: leaf).publicKey()
            } catch { throw ProofRejection("II25.key", "x5c: \(error)") }
        default:
            // With a key attestation, kid is the place of the key in it (F.1, second example).
            guard let attestation, let place = jwt.header.keyID.flatMap({ Int($0) }), attestation.keys.indices.contains(place)
            else {
                throw ProofRejection("II25.key", "kid names no key that is known here")
            }
            return attestation.keys[place]
        }
    }

    private static func checkClaims(
        _ jwt: UnverifiedJWT, _ expected: Expectation, _ time: Timestamp
    ) throws(ProofRejection) {
        guard jwt.isFor(expected.issuer) else { throw ProofRejection("II25.aud", "aud is not \(expected.issuer)") }
        guard let issued = jwt.time("iat"), abs(time.seconds(since: issued)) <= window else {
            throw ProofRejection("II25.iat", "iat missing, or more than \(window) s from now")
        }
        guard let issuer = jwt.claims["iss"] else { return }
        guard let clientID = expected.clientID else {
            throw ProofRejection("II25.iss", "iss is there though the token was given to an anonymous client")
        }
        guard issuer.stringValue == clientID else { throw ProofRejection("II25.iss", "iss is not \(clientID)") }
    }
}
