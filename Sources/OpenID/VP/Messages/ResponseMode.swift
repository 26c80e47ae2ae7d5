/// How the response goes back (OpenID4VP 1.0 §8.2, §8.3, §A.2); raw values are those of `response_mode`.
public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    case directPost = "direct_post"
    case directPostJWT = "direct_post.jwt"
    case fragment
    case fragmentJWT = "fragment.jwt"
    case query
    case queryJWT = "query.jwt"
    case dcAPI = "dc_api"
    case dcAPIJWT = "dc_api.jwt"

    /// Whether the response is an encrypted JWT.
    public var isEncrypted: Bool {
        switch self {
        case .directPostJWT, .fragmentJWT, .queryJWT, .dcAPIJWT: true
        case .directPost, .fragment, .query, .dcAPI: false
        }
    }

    /// The way it takes.
    public enum Way: Sendable, Hashable {
        /// A POST to `response_uri`.
        case post
        /// A redirect of the browser to `redirect_uri`.
        case redirect
        /// The Digital Credentials API.
        case digitalCredentials
    }

    public var way: Way {
        switch self {
        case .directPost, .directPostJWT: .post
        case .fragment, .fragmentJWT, .query, .queryJWT: .redirect
        case .dcAPI, .dcAPIJWT: .digitalCredentials
        }
    }
}
