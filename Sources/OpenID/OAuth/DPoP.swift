import Codec
import Credentials
package import Crypto
package import Ports

/// Demonstrating proof of possession (RFC 9449): one short JWT for each request that carries a token or asks for one.
package enum DPoP {
    /// `typ` of proofs.
    package static let type = "dpop+jwt"
    /// What a server allows between `iat` and its clock, in seconds.
    package static let window: Int64 = 300

    /// A proof to be signed.
    ///
    /// - Parameters:
    ///   - url: of the request; query and fragment are left out.
    ///   - accessToken: of requests to resources.
    ///   - nonce: the newest one of that very server.
    package static func draft(
        method: String, url: WebURL, key: PublicKey, accessToken: String? = nil, nonce: String? = nil, at time: Timestamp,
        random: any RandomSource
    ) -> JWTDraft {
        var claims: JSONObject = [
            "jti": .string(Base64URL.encode(random.bytes(16))), "htm": .string(method), "htu": .string(target(url)),
            "iat": .integer(time.secondsSince1970),
        ]
        if let accessToken { claims.append("ath", .string(tokenHash(accessToken))) }
        if let nonce { claims.append("nonce", .string(nonce)) }
        return JWTDraft(header: ["typ": .string(type), "jwk": .object(key.jwk)], claims: claims)
    }

    /// `ath` of a token.
    package static func tokenHash(_ token: String) -> String { Base64URL.encode(HashAlgorithm.sha256.digest(Array(token.utf8))) }

    /// `jkt`, `dpop_jkt`: the thumbprint of a key.
    package static func thumbprint(_ key: PublicKey) -> String { Base64URL.encode(key.jwkThumbprint) }

    private static func target(_ url: WebURL) -> String {
        let text = url.description
        return String(text.prefix { $0 != "?" && $0 != "#" })
    }

    /// Why a proof is none, by member.
    package struct Rejection: Error, Sendable, Equatable, CustomStringConvertible {
        /// `form`, `typ`, `alg`, `jwk`, `signature`, `htm`, `htu`, `iat`, `jti`, `ath`.
        package let member: String
        package let detail: String
        package var description: String { "DPoP proof: \(member): \(detail)" }
    }

    /// What a proof says when everything but nonce and replay was checked.
    package struct Verified: Sendable {
        package let key: PublicKey
        /// `jkt` of the key.
        package let thumbprint: String
        package let identifier: String
        package let nonce: String?
        package let issued: Timestamp
    }

    /// Checks a proof against its request (RFC 9449 §4.3), all but `nonce` and the replay of `jti`, which need the server's memory.
    package static func verify(
        _ compact: String, method: String, url: WebURL, accessToken: String? = nil, at time: Timestamp, window: Int64 = window
    ) throws(Rejection) -> Verified {
        func fail(_ member: String, _ detail: String) -> Rejection { Rejection(member: member, detail: detail) }
        let jwt: UnverifiedJWT
        do { jwt = try UnverifiedJWT(compact) } catch { throw fail("form", "\(error)") }
        guard jwt.header.type == type else { throw fail("typ", "typ is not \(type)") }
        do { _ = try jwt.jws.algorithm() } catch { throw fail("alg", "\(error)") }
        guard let json = jwt.header["jwk"], let members = json.objectValue else { throw fail("jwk", "no jwk in the header") }
        guard members["d"] == nil else { throw fail("jwk", "the jwk is a private key") }
        let key: PublicKey
        do { key = try PublicKey(jwk: json) } catch { throw fail("jwk", "\(error)") }
        do { try jwt.jws.verify(with: key) } catch { throw fail("signature", "\(error)") }
        guard jwt.claims["htm"]?.stringValue == method else { throw fail("htm", "htm is not \(method)") }
        guard let htu = jwt.claims["htu"]?.stringValue, isSame(htu, url) else { throw fail("htu", "htu is not \(target(url))") }
        guard let issued = jwt.time("iat") else { throw fail("iat", "no iat") }
        let age = time.seconds(since: issued)
        guard abs(age) <= window else { throw fail("iat", "made \(age) seconds ago, \(window) allowed") }
        guard let identifier = jwt.claims["jti"]?.stringValue, !identifier.isEmpty, identifier.utf8.count <= 512 else {
            throw fail("jti", "no jti")
        }
        if let accessToken {
            guard jwt.claims["ath"]?.stringValue == tokenHash(accessToken) else {
                throw fail("ath", "ath is not the hash of the access token")
            }
        }
        return Verified(
            key: key, thumbprint: thumbprint(key), identifier: identifier, nonce: jwt.claims["nonce"]?.stringValue, issued: issued)
    }

    /// Compares after the normalisation of RFC 3986 §6.2.2–3 that matters here: case of scheme and host, the default port, an empty
    /// path; query and fragment do not count.
    private static func isSame(_ text: String, _ url: WebURL) -> Bool {
        guard let other = try? WebURL(text) else { return false }
        return normal(other) == normal(url)
    }

    private static func normal(_ url: WebURL) -> [String] {
        let scheme = url.scheme.lowercased()
        let port = url.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : 0)
        return [scheme, url.host.lowercased(), String(port), url.path.isEmpty ? "/" : url.path]
    }
}
