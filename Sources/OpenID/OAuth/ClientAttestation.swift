import Codec
package import Credentials
package import Crypto
package import Ports

/// Attestation-based client authentication: a wallet provider attests the wallet's key, the wallet proves to have it.
package enum ClientAttestation {
    /// The drafts that are spoken.
    package enum Draft: String, Sendable, CaseIterable {
        /// The one that OpenID4VCI 1.0 pins: `iss` in both JWTs.
        case seven = "07"
        /// A newer one, without `iss`.
        case ten = "10"
    }

    package static let header = "OAuth-Client-Attestation"
    package static let popHeader = "OAuth-Client-Attestation-PoP"
    package static let challengeHeader = "OAuth-Client-Attestation-Challenge"
    package static let method = "attest_jwt_client_auth"
    package static let type = "oauth-client-attestation+jwt"
    package static let popType = "oauth-client-attestation-pop+jwt"
    /// What a server allows between `iat` of a proof of possession and its clock, in seconds.
    package static let window: Int64 = 300

    /// The proof of possession to be signed by the wallet's key.
    ///
    /// - Parameters:
    ///   - audience: the issuer identifier of the authorization server.
    ///   - challenge: the newest one of that server.
    package static func proofDraft(
        clientID: String, audience: String, challenge: String?, draft: Draft, at time: Timestamp, random: any RandomSource
    ) -> JWTDraft {
        var claims: JSONObject = [
            "aud": .string(audience), "jti": .string(Base64URL.encode(random.bytes(16))),
            "iat": .integer(time.secondsSince1970),
        ]
        if draft == .seven { claims["iss"] = .string(clientID) }
        if let challenge { claims["challenge"] = .string(challenge) }
        return JWTDraft(header: ["typ": .string(popType)], claims: claims)
    }

    /// Why an attestation or its proof does not authenticate the client; `check` is the id in the catalogue.
    package struct Rejection: Error, Sendable, Equatable, CustomStringConvertible {
        package let check: String
        package let detail: String
        package var description: String { detail }
    }

    /// Who the client is.
    package struct Verified: Sendable {
        package let clientID: String
        package let key: PublicKey
        /// `wallet_name`, for people.
        package let walletName: String?
        /// `challenge` and `jti` of the proof, for the server's memory.
        package let challenge: String?
        package let identifier: String
        /// Whether the attester was found trusted; nil without anchors.
        package let isTrusted: Bool?
    }

    /// What a server goes by.
    package struct Policy: Sendable {
        /// The issuer identifier of the server.
        package var audience: String
        package var anchors: [Certificate]
        /// The oldest `iat` of an attestation, in seconds; nil: any that has not expired.
        package var freshness: Int64?
        package var skew: Int64
        package var isHAIP: Bool

        package init(audience: String, anchors: [Certificate], freshness: Int64? = nil, skew: Int64 = 60, isHAIP: Bool = false) {
            self.audience = audience
            self.anchors = anchors
            self.freshness = freshness
            self.skew = skew
            self.isHAIP = isHAIP
        }
    }

    /// Checks both JWTs, all but the challenge and the replay of `jti`, which need the server's memory.
    package static func verify(
        attestation: String, proof: String, policy: Policy, at time: Timestamp
    ) throws(Rejection) -> Verified {
        let wallet: UnverifiedJWT
        do { wallet = try UnverifiedJWT(attestation) } catch {
            throw Rejection(check: "II3.typ", detail: "the attestation: \(error)")
        }
        guard wallet.header.type == type else { throw Rejection(check: "II3.typ", detail: "typ is not \(type)") }
        let isTrusted: Bool?
        do {
            isTrusted = try AttestationTrust(anchors: policy.anchors, skew: policy.skew, isHAIP: policy.isHAIP)
                .verify(wallet.jws, at: time)
        } catch { throw Rejection(check: "II3.signature", detail: "\(error)") }
        guard let expiry = wallet.time("exp") else { throw Rejection(check: "II3.claims", detail: "the attestation has no exp") }
        guard time < expiry.adding(seconds: policy.skew) else { throw Rejection(check: "II3.exp", detail: "expired at \(expiry)") }
        guard let subject = wallet.claims["sub"]?.stringValue, !subject.isEmpty else {
            throw Rejection(check: "II3.claims", detail: "the attestation has no sub")
        }
        let key = try confirmedKey(wallet)
        if let freshness = policy.freshness {
            guard let issued = wallet.time("iat"), time.seconds(since: issued) <= freshness + policy.skew else {
                throw Rejection(check: "II3.fresh", detail: "older than \(freshness) s, or no iat to tell")
            }
        }
        return try checkProof(proof, of: wallet, subject, key, isTrusted, policy, time)
    }

    private static func confirmedKey(_ wallet: UnverifiedJWT) throws(Rejection) -> PublicKey {
        guard let jwk = wallet.claims["cnf"]?["jwk"] else { throw Rejection(check: "II3.claims", detail: "no cnf.jwk") }
        guard jwk["d"] == nil else { throw Rejection(check: "II3.claims", detail: "cnf.jwk is a private key") }
        do { return try PublicKey(jwk: jwk) } catch { throw Rejection(check: "II3.claims", detail: "cnf.jwk: \(error)") }
    }

    private static func checkProof(
        _ compact: String, of wallet: UnverifiedJWT, _ subject: String, _ key: PublicKey, _ isTrusted: Bool?, _ policy: Policy,
        _ time: Timestamp
    ) throws(Rejection) -> Verified {
        let proof: UnverifiedJWT
        do { proof = try UnverifiedJWT(compact) } catch { throw Rejection(check: "II3.pop-typ", detail: "the proof: \(error)") }
        guard proof.header.type == popType else { throw Rejection(check: "II3.pop-typ", detail: "typ is not \(popType)") }
        do { try proof.jws.verify(with: key) } catch {
            throw Rejection(check: "II3.pop-signature", detail: "not signed by the attested key: \(error)")
        }
        // Draft -07 has iss in both; -10 in neither. One of both in one of the two is neither.
        let isSeven = wallet.claims["iss"]?.stringValue != nil
        if isSeven, proof.claims["iss"]?.stringValue != subject {
            throw Rejection(check: "II3.pop-typ", detail: "iss of the proof is not the client \(subject)")
        }
        if !isSeven, proof.claims["iss"] != nil { throw Rejection(check: "II3.claims", detail: "the attestation has no iss") }
        guard proof.isFor(policy.audience) else {
            throw Rejection(check: "II3.pop-aud", detail: "aud is not \(policy.audience)")
        }
        guard let issued = proof.time("iat"), abs(time.seconds(since: issued)) <= window else {
            throw Rejection(check: "II3.pop-iat", detail: "iat missing, or more than \(window) s from now")
        }
        guard let identifier = proof.claims["jti"]?.stringValue, !identifier.isEmpty, identifier.utf8.count <= 512 else {
            throw Rejection(check: "II3.pop-jti", detail: "no jti")
        }
        return Verified(
            clientID: subject, key: key, walletName: wallet.claims["wallet_name"]?.stringValue,
            challenge: proof.claims["challenge"]?.stringValue, identifier: identifier, isTrusted: isTrusted)
    }
}

/// Whether the signer of a client or key attestation is trusted.
package struct AttestationTrust: Sendable {
    /// Roots of wallet providers; none: the signature alone is checked, and trust is left open.
    package var anchors: [Certificate]
    package var skew: Int64
    package var isHAIP: Bool

    package init(anchors: [Certificate], skew: Int64 = 60, isHAIP: Bool = false) {
        self.anchors = anchors
        self.skew = skew
        self.isHAIP = isHAIP
    }

    /// Why not.
    package struct Distrust: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Verifies the signature with the leaf of `x5c`, and the chain to an anchor.
    /// - Returns: nil where there are no anchors to trust.
    package func verify(_ jws: JWS, at time: Timestamp) throws(Distrust) -> Bool? {
        let chain: [Certificate]
        do { chain = try (jws.protected.x5c() ?? []).map { (der) throws(CertificateError) in try Certificate(der: der) } } catch {
            throw Distrust(description: "x5c: \(error)")
        }
        guard let leaf = chain.first else { throw Distrust(description: "no x5c names the signer") }
        if isHAIP {
            guard !leaf.isSelfIssued else { throw Distrust(description: "the signing certificate is self-signed") }
            guard !chain.contains(where: anchors.contains) else { throw Distrust(description: "x5c contains its trust anchor") }
        }
        do { try jws.verify(with: leaf.publicKey()) } catch { throw Distrust(description: "signature: \(error)") }
        guard !anchors.isEmpty else { return nil }
        var policy = ChainPolicy.mdoc
        policy.skew = skew
        let result = ChainVerifier(anchors: anchors, policy: policy).verify(chain: chain, at: time)
        guard result.isTrusted else {
            throw Distrust(description: result.findings.map { "\($0)" }.joined(separator: "; "))
        }
        return true
    }
}
