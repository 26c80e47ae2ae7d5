import Codec
import Credentials
public import Ports

/// The wallet's side of OpenID4VP: resolves a request once, keeps what was verified, and makes the response.
///
/// Synchronous but for signatures; the one loop with a network is `resolve(_:over:)` and `deliver(_:over:)` in VPWallet+Transport.
public struct VPWallet: Sendable {
    public let settings: VPWalletSettings
    let random: any RandomSource

    public init(_ settings: VPWalletSettings, random: any RandomSource) {
        self.settings = settings
        self.random = random
    }

    /// A request object that has to be fetched first.
    public struct Fetch: Sendable {
        public let request: HTTPRequest
        let link: LinkParameters
        let walletNonce: String?
        let checks: CheckList
    }

    /// What opening a request comes to.
    public enum Opening: Sendable {
        case fetch(Fetch)
        case resolved(VPResolution)
    }

    /// Opens what a person gave.
    ///
    /// - Parameters:
    ///   - origin: the page that asks over the Digital Credentials API, as the platform authenticated it.
    ///   - time: the moment for which validity is judged.
    public func open(_ input: RequestInput, origin: String? = nil, at time: Timestamp) -> Opening {
        var resolution = RequestResolution(settings, origin: origin, at: time)
        switch input {
        case .link(let fields):
            guard let link = resolution.readLink(fields) else { return .resolved(resolution.refused()) }
            if let uri = link.requestURI { return fetch(uri, link, &resolution) }
            return .resolved(resolution.resolve(link))
        case .object(let text): return .resolved(resolution.resolve(object: text, link: nil))
        case .objects(let json): return .resolved(resolution.resolve(objects: json))
        case .parameters(let object): return .resolved(resolution.resolve(unsigned: object))
        case .digitalCredentials(let name, let data): return .resolved(resolution.resolve(protocol: name, data))
        }
    }

    private func fetch(_ uri: WebURL, _ link: LinkParameters, _ resolution: inout RequestResolution) -> Opening {
        let type = RequestObject.mediaType
        guard link.isPost, settings.fetchesByPost else {
            let request = HTTPRequest("GET", uri, headers: ["Accept": "application/\(type)"], limits: settings.limits)
            return .fetch(Fetch(request: request, link: link, walletNonce: nil, checks: resolution.list))
        }
        let nonce = Base64URL.encode(random.bytes(16))
        var fields: FormFields = ["wallet_metadata": metadata.encoded(), "wallet_nonce": nonce]
        if settings.faults.contains("wallet-metadata") { fields["wallet_metadata"] = "{broken" }
        var request = HTTPRequest.form(uri, fields, headers: ["Accept": "application/\(type)"])
        request.limits = settings.limits
        if settings.faults.contains("fetch-accept") { request.headers["Accept"] = "text/html" }
        if settings.faults.contains("fetch-form") {
            request.headers["Content-Type"] = "application/json"
            request.body = Array("{}".utf8)
        }
        return .fetch(Fetch(request: request, link: link, walletNonce: nonce, checks: resolution.list))
    }

    /// What this wallet says of itself (§10.1).
    private var metadata: JSON {
        [
            "vp_formats_supported": settings.formats.json, "response_types_supported": ["vp_token"],
            "response_modes_supported": .array(
                ResponseMode.allCases.filter { $0.way != .digitalCredentials }.map { .string($0.rawValue) }),
            "client_id_prefixes_supported": .array(
                ClientIdentifier.Prefix.allCases.filter { $0 != .origin }.map { .string($0.rawValue) } + ["pre-registered"]),
            "request_object_signing_alg_values_supported": ["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
            "authorization_encryption_alg_values_supported": ["ECDH-ES"],
            "authorization_encryption_enc_values_supported": .array(JWEEncryption.allCases.map { .string($0.rawValue) }),
        ]
    }

    /// Continues with what the request_uri answered.
    public func receive(_ answer: Result<HTTPResponse, HTTPError>, to fetch: Fetch, at time: Timestamp) -> VPResolution {
        var resolution = RequestResolution(settings, origin: nil, at: time)
        resolution.list = fetch.checks
        guard let text = resolution.readAnswer(answer, limit: fetch.request.limits) else { return resolution.refused() }
        return resolution.resolve(object: text, link: fetch.link, walletNonce: fetch.walletNonce)
    }
}
