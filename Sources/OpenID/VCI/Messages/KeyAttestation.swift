package import Codec
import Credentials
package import Crypto
package import Ports

/// A key attestation in JWT format (OpenID4VCI 1.0 D.1), its signature verified.
///
///     { "iat": 1, ? "exp": 2, "attested_keys": [ JWK, … ], ? "key_storage": [ tstr ], ? "user_authentication": [ tstr ], ? "nonce": tstr }
package struct KeyAttestation: Sendable {
    /// `typ`.
    package static let type = "key-attestation+jwt"

    package let keys: [PublicKey]
    package let keyStorage: [String]
    package let userAuthentication: [String]
    package let nonce: String?
    /// Whether the attester was found trusted; nil without anchors.
    package let isTrusted: Bool?

    /// Levels that an issuer asks for: one of each list that is there.
    package struct Requirement: Sendable, Hashable {
        package var keyStorage: [String]
        package var userAuthentication: [String]

        package init(keyStorage: [String] = [], userAuthentication: [String] = []) {
            self.keyStorage = keyStorage
            self.userAuthentication = userAuthentication
        }

        /// As in metadata.
        package var json: JSONObject {
            var object = JSONObject()
            if !keyStorage.isEmpty { object["key_storage"] = .array(keyStorage.map { .string($0) }) }
            if !userAuthentication.isEmpty { object["user_authentication"] = .array(userAuthentication.map { .string($0) }) }
            return object
        }
    }

    /// Verifies an attestation.
    ///
    /// - Parameters:
    ///   - algorithms: those that the issuer lists for the proof type.
    ///   - needsExpiry: with the `jwt` proof type.
    /// - Throws: `ProofRejection` with a check II27.
    package init(
        _ compact: String, trust: AttestationTrust, algorithms: [String], needsExpiry: Bool, at time: Timestamp
    ) throws(ProofRejection) {
        let jwt: UnverifiedJWT
        do { jwt = try UnverifiedJWT(compact) } catch { throw ProofRejection("II27.typ", "the key attestation: \(error)") }
        guard jwt.header.type == Self.type else { throw ProofRejection("II27.typ", "typ is not \(Self.type)") }
        guard let algorithm = jwt.header["alg"]?.stringValue, algorithms.contains(algorithm) else {
            throw ProofRejection("II27.signature", "alg is not one of \(algorithms.joined(separator: ", "))")
        }
        do { isTrusted = try trust.verify(jwt.jws, at: time) } catch { throw ProofRejection("II27.signature", "\(error)") }
        guard jwt.time("iat") != nil else { throw ProofRejection("II27.exp", "no iat") }
        if let expiry = jwt.time("exp") {
            guard time < expiry.adding(seconds: trust.skew) else { throw ProofRejection("II27.exp", "expired at \(expiry)") }
        } else if needsExpiry {
            throw ProofRejection("II27.exp", "no exp, which the jwt proof type needs")
        }
        guard let list = jwt.claims["attested_keys"]?.arrayValue, !list.isEmpty, list.count <= 1000 else {
            throw ProofRejection("II27.keys", "attested_keys is no list of 1 to 1000 keys")
        }
        var keys: [PublicKey] = []
        for (place, jwk) in list.enumerated() {
            guard jwk["d"] == nil else { throw ProofRejection("II25.private", "attested_keys[\(place)] is a private key") }
            do { keys.append(try PublicKey(jwk: jwk)) } catch {
                throw ProofRejection("II27.keys", "attested_keys[\(place)]: \(error)")
            }
        }
        self.keys = keys
        keyStorage = jwt.claims["key_storage"]?.arrayValue?.compactMap(\.stringValue) ?? []
        userAuthentication = jwt.claims["user_authentication"]?.arrayValue?.compactMap(\.stringValue) ?? []
        nonce = jwt.claims["nonce"]?.stringValue
    }

    /// Compares the levels with those that are asked for; names what is missing.
    package func check(_ requirement: Requirement) throws(ProofRejection) {
        for (name, has, wanted) in [
            ("key_storage", keyStorage, requirement.keyStorage),
            ("user_authentication", userAuthentication, requirement.userAuthentication),
        ] where !wanted.isEmpty && Set(has).isDisjoint(with: wanted) {
            throw ProofRejection(
                "II27.level", "\(name) lacks \(wanted.joined(separator: " or ")), it has \(has.joined(separator: ", "))")
        }
    }
}

/// Why a key proof is refused; `check` is the id in the catalogue.
package struct ProofRejection: Error, Sendable, Equatable, CustomStringConvertible {
    package let check: String
    package let detail: String

    package init(_ check: String, _ detail: String) {
        self.check = check
        self.detail = detail
    }

    package var description: String { detail }
}
