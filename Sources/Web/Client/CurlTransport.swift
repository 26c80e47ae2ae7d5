import CCurl
import Glibc
public import Ports

/// An HTTP client over libcurl: one thread for all transfers, connections kept for the next request to the same place. Fetches only
/// http and https, follows redirects only where the request's limits say so, and connects to no private address unless it may.
public final class CurlTransport: HTTPTransport {
    /// What holds for every request.
    public struct Options: Sendable {
        /// Whether private, loopback and link-local addresses may be connected to.
        public var allowsPrivate: Bool
        /// Roots that are trusted for TLS besides the system's, PEM.
        public var authorities: [UInt8]
        /// Seconds until a connection stands.
        public var connectSeconds: Int

        /// Options.
        public init(allowsPrivate: Bool = false, authorities: [UInt8] = [], connectSeconds: Int = 10) {
            (self.allowsPrivate, self.authorities, self.connectSeconds) = (allowsPrivate, authorities, connectSeconds)
        }
    }

    private let options: Options
    private let worker = CurlWorker()

    /// A client; its thread begins with the first request.
    public init(_ options: Options = Options()) { self.options = options }

    deinit { worker.stop() }

    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let start = monotonicMilliseconds()
        var request = request
        var hops = request.limits.redirects
        while true {
            let left = Int64(request.limits.seconds) * 1000 - (monotonicMilliseconds() - start)
            guard left > 0 else {
                throw HTTPError(.timedOut, url: request.url, "no answer within \(request.limits.seconds) seconds")
            }
            let response = try await once(request, milliseconds: left)
            guard let place = Redirection.place(response) else { return response }
            guard hops > 0 else {
                throw HTTPError(.redirected(to: place), url: request.url, "sends us on to \(place), which is not followed")
            }
            hops -= 1
            request = try Redirection.request(after: request, status: response.status, to: place)
        }
    }

    private func once(_ request: HTTPRequest, milliseconds: Int64) async throws(HTTPError) -> HTTPResponse {
        guard request.url.isWeb else {
            throw HTTPError(.malformed, url: request.url, "\(request.url.scheme) is not fetched, http and https are")
        }
        guard let transfer = CurlTransfer(request, options, milliseconds: milliseconds) else {
            throw HTTPError(.malformed, url: request.url, "the request cannot be sent")
        }
        let worker = worker
        let result: Result<HTTPResponse, HTTPError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.expect(continuation)
                worker.add(transfer)
            }
        } onCancel: {
            worker.cancel(transfer)
        }
        return try result.get()
    }
}

/// What a redirect means for the next request (RFC 9110 15.4).
enum Redirection {
    /// Where a response sends the client; nil when it does not.
    static func place(_ response: HTTPResponse) -> String? {
        [301, 302, 303, 307, 308].contains(response.status) ? response.headers["Location"] : nil
    }

    /// The next request: `GET` unless the status keeps the method; credentials stay with their origin; never from https to http.
    static func request(after request: HTTPRequest, status: Int, to place: String) throws(HTTPError) -> HTTPRequest {
        guard let url = resolve(place, against: request.url), url.isWeb, !(request.url.scheme == "https" && url.scheme == "http")
        else {
            throw HTTPError(.redirected(to: place), url: request.url, "sends us on to \(place), which is not followed")
        }
        var next = request
        next.url = url
        if status != 307, status != 308, request.method != "HEAD" {
            (next.method, next.body) = ("GET", [])
            next.headers["Content-Type"] = nil
        }
        if url.origin != request.url.origin {
            for name in ["Authorization", "Cookie", "DPoP"] { next.headers[name] = nil }
        }
        return next
    }

    /// A `Location` may be relative (RFC 9110 10.2.2).
    private static func resolve(_ place: String, against base: WebURL) -> WebURL? {
        if let url = try? WebURL(place) { return url }
        if place.hasPrefix("//") { return try? WebURL("\(base.scheme):\(place)") }
        if place.hasPrefix("/") { return try? WebURL(base.origin + place) }
        if place.hasPrefix("?") { return try? WebURL(base.origin + (base.path.isEmpty ? "/" : base.path) + place) }
        let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
        return try? WebURL(base.origin + folder + place)
    }
}
