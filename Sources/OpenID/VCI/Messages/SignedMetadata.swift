package import Codec
package import Credentials
package import Crypto
package import Ports

/// Issuer metadata as a signed JWT (OpenID4VCI 1.0 §12.2.3).
package enum SignedMetadata {
    package static let type = "openidvci-issuer-metadata+jwt"

    /// How a wallet takes signed metadata.
    package enum Policy: String, Sendable, CaseIterable {
        /// Asks for JSON only.
        case ignore
        /// Asks for a JWT first, and takes JSON too.
        case prefer
        /// Takes a JWT of a trusted signer only.
        case require
    }

    /// A JWT to be signed by the issuer.
    package static func draft(_ metadata: JSONObject, issuer: String, certificates: [Certificate], at time: Timestamp) -> JWTDraft {
        var claims = metadata
        claims["sub"] = .string(issuer)
        claims["iat"] = .integer(time.secondsSince1970)
        claims["exp"] = .integer(time.adding(seconds: 86400).secondsSince1970)
        return JWTDraft(
            header: ["typ": .string(type), "x5c": .array(certificates.map { .string(Base64.encode($0.der)) })], claims: claims)
    }

    /// Reads a JWT and says what is wrong with it.
    ///
    /// - Parameter anchors: roots of metadata signers; none leaves the path open.
    /// - Returns: the claims, where there are any, the certificate that signed them, and the findings.
    package static func read(
        _ compact: String, issuer: String, anchors: [Certificate], isHAIP: Bool, skew: Int64, at time: Timestamp
    ) -> (claims: JSON?, access: AccessCertificate, findings: [MessageFinding]) {
        var findings: [MessageFinding] = []
        func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }
        let jwt: UnverifiedJWT
        do { jwt = try UnverifiedJWT(compact) } catch {
            return (nil, .absent, [MessageFinding("IW3.signature", "no JWT: \(error)")])
        }
        if jwt.header.type != type { add("IW3.typ", "typ is not `\(type)`") }
        if jwt.claims["sub"]?.stringValue != issuer { add("IW3.sub", "sub is not the issuer") }
        if let issued = jwt.time("iat") {
            if issued > time.adding(seconds: skew) { add("IW3.times", "iat is in the future") }
        } else {
            add("IW3.times", "iat missing")
        }
        if let expiry = jwt.time("exp"), time >= expiry.adding(seconds: skew) { add("IW3.times", "expired at \(expiry)") }
        let ders = (try? jwt.header.x5c()) ?? nil
        let chain = ders?.compactMap { try? Certificate(der: $0) } ?? []
        var access = jwt.header["x5c"] != nil && chain.count != ders?.count ? AccessCertificate.unreadable("in x5c") : .absent
        let key: PublicKey? = (try? chain.first?.publicKey()) ?? (try? PublicKey(jwk: jwt.header["jwk"] ?? .null))
        if isHAIP {
            if chain.isEmpty { add("IW3.x5c", "no x5c") }
            if chain.contains(where: anchors.contains) { add("IW3.anchor", "trust anchor is in x5c") }
            if chain.first?.isSelfIssued == true { add("IW3.self-signed", "signing certificate is self-signed") }
        }
        do {
            guard let key else { throw JOSEError.malformed("no key to verify with in the header") }
            try jwt.jws.verify(with: key)
            if let leaf = chain.first, chain.count == ders?.count { access = .certificate(leaf) }
        } catch { add("IW3.signature", "signature invalid: \(error)") }
        if !anchors.isEmpty {
            var policy = ChainPolicy.mdoc
            policy.skew = skew
            let result = ChainVerifier(anchors: anchors, policy: policy).verify(chain: chain, at: time)
            if !result.isTrusted {
                add("IW3.path", "signer not trusted: \(result.findings.map { "\($0)" }.joined(separator: "; "))")
            }
        }
        return (.object(jwt.claims), access, findings)
    }
}
