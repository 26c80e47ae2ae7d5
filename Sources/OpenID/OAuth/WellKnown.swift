package import Ports

/// Where metadata is: the well-known string goes between host and path (RFC 8414 §3.1, OpenID4VCI 1.0 §12.2.2).
package enum WellKnown: String, Sendable {
    case credentialIssuer = "openid-credential-issuer"
    case authorizationServer = "oauth-authorization-server"
    /// The keys of an issuer of SD-JWT VCs (SD-JWT VC §5).
    case sdJWTIssuer = "jwt-vc-issuer"

    /// The URL of the metadata of an issuer or server.
    package func url(of identifier: String) throws(WebURLError) -> WebURL {
        let url = try WebURL(identifier)
        var path = url.path
        while path.hasSuffix("/") { path.removeLast() }
        return url.with(path: "/.well-known/\(rawValue)\(path)")
    }
}
