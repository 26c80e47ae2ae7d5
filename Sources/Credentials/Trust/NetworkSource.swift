public import Ports

/// Lists over HTTP (Token Status List §8.1, §8.2; CRLs by the distribution points of certificates, RFC 5280 §4.2.1.13).
///
/// What is read is bounded in bytes, time and redirects; whether private addresses may be asked is the transport's business.
public struct NetworkSource: ResourceSource {
    private let transport: any HTTPTransport
    private let asksReservedNames: Bool

    /// How often a server may send us on (Token Status List §8.1 lets it).
    public static let redirects = 3
    /// For one list, from the first byte of the request to the last of the answer.
    public static let seconds = 15

    /// - Parameter asksReservedNames: whether hosts below `.example` and `.invalid` are asked for, too. They belong to nobody
    ///   (RFC 2606 §2); test documents name them, and a resolver may take long to say so.
    public init(_ transport: any HTTPTransport, asksReservedNames: Bool = false) {
        self.transport = transport
        self.asksReservedNames = asksReservedNames
    }

    public func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(uri) } catch { throw ResourceError(uri, "is no URL: \(error)") }
        guard url.isWeb else { throw ResourceError(uri, "is not fetched: \(url.scheme) is neither http nor https") }
        guard asksReservedNames || !Self.isForExamples(url) else {
            throw ResourceError(uri, "is not fetched: \(url.host) is a name for examples, nobody is there")
        }
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": accept.isEmpty ? "*/*" : accept.joined(separator: ", ")],
            limits: HTTPLimits(body: limit, seconds: Self.seconds, redirects: Self.redirects))
        let response: HTTPResponse
        do throws(HTTPError) { response = try await transport.send(request) } catch {
            throw ResourceError(
                uri, error.detail + (error.reason == .privateAddress ? "; \(error.mend ?? "")" : ""),
                isCancelled: error.reason == .cancelled)
        }
        guard response.status == 200 else { throw ResourceError(uri, "answered \(response.status)", status: response.status) }
        return Resource(response.bytes, contentType: response.headers.mediaType)
    }

    /// Whether a host has a name for examples, at which nobody is.
    public static func isForExamples(_ url: WebURL) -> Bool {
        url.host.split(separator: ".").last.map { ["example", "invalid"].contains($0) } ?? false
    }
}

/// What stands in the place of the network where nothing is to be fetched.
public struct OfflineSource: ResourceSource {
    private let reason: String

    /// - Parameter reason: why, as the end of a sentence about a URI: `is not fetched: --offline`.
    public init(_ reason: String) { self.reason = reason }

    public func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
        throw ResourceError(uri, reason)
    }
}
