public import Codec

/// What a client takes from a server, and for how long.
public struct HTTPLimits: Sendable, Hashable {
    /// Bytes of a response body.
    public var body: Int
    /// From the first byte of the request to the last of the response.
    public var seconds: Int
    /// How often a redirect is followed; 0 refuses the first.
    public var redirects: Int

    /// Limits: a body of 1 MiB, 30 seconds, no redirect.
    public init(body: Int = 1 << 20, seconds: Int = 30, redirects: Int = 0) {
        (self.body, self.seconds, self.redirects) = (body, seconds, redirects)
    }
}

/// A request (RFC 9110), seen by the client that sends it and by the server that answers it.
public struct HTTPRequest: Sendable {
    /// Upper case: `GET`, `POST`.
    public var method: String
    /// Absolute; a server sees the origin that its public URL has.
    public var url: WebURL
    /// In their order.
    public var headers: HTTPHeaders
    /// Whole.
    public var body: [UInt8]
    /// What the client takes; a server does not look at it.
    public var limits: HTTPLimits
    /// The address of the client, where a server knows it.
    public var peer: String?

    /// A request.
    public init(
        _ method: String, _ url: WebURL, headers: HTTPHeaders = [:], body: [UInt8] = [], limits: HTTPLimits = HTTPLimits(),
        peer: String? = nil
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.limits, self.peer) = (limits, peer)
    }

    /// A `POST` of a form.
    public static func form(_ url: WebURL, _ fields: FormFields, headers: HTTPHeaders = [:]) -> HTTPRequest {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return HTTPRequest("POST", url, headers: headers, body: Array(fields.encoded.utf8))
    }

    /// A `POST` of JSON.
    public static func json(_ url: WebURL, _ value: JSON, headers: HTTPHeaders = [:]) -> HTTPRequest {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return HTTPRequest("POST", url, headers: headers, body: Array(value.encoded().utf8))
    }
}

/// What follows the header of a response.
public enum HTTPBody: Sendable {
    /// The whole body.
    case bytes([UInt8])
    /// Chunks as they come, for server-sent events; the response ends with the stream.
    case stream(AsyncStream<[UInt8]>)
}

/// A response (RFC 9110).
public struct HTTPResponse: Sendable {
    /// 200, 404, …
    public var status: Int
    /// In their order.
    public var headers: HTTPHeaders
    /// What follows.
    public var body: HTTPBody

    /// A response; `Content-Length` and `Date` are the server's business.
    public init(_ status: Int, headers: HTTPHeaders = [:], body: HTTPBody = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A response with these bytes of this media type.
    public init(_ status: Int = 200, type: String, _ bytes: [UInt8], headers: HTTPHeaders = [:]) {
        var headers = headers
        headers["Content-Type"] = type
        self.init(status, headers: headers, body: .bytes(bytes))
    }

    /// JSON.
    public static func json(_ value: JSON, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(status, type: "application/json", Array(value.encoded().utf8), headers: headers)
    }

    /// A page.
    public static func html(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(status, type: "text/html; charset=utf-8", Array(text.utf8), headers: headers)
    }

    /// One sentence for people.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(status, type: "text/plain; charset=utf-8", Array((text + "\n").utf8), headers: headers)
    }

    /// Sends the client elsewhere, with `GET` (303).
    public static func redirect(to url: String, status: Int = 303) -> HTTPResponse {
        HTTPResponse(status, headers: ["Location": url, "Cache-Control": "no-store"])
    }

    /// The body where it is whole; empty for a stream.
    public var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why a response did not come. Only for messages that did not arrive: a status of 400 is a response.
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened.
    public enum Reason: Sendable, Hashable {
        /// No such host, nobody listens, or the connection broke.
        case unreachable
        /// Nothing, or too little, within the time.
        case timedOut
        /// More than the limit, in bytes.
        case tooLarge(limit: Int)
        /// Sends us elsewhere where that must not be followed, or too often.
        case redirected(to: String)
        /// The name leads to a private, loopback or link-local address, which is not allowed.
        case privateAddress
        /// The server's certificate does not verify.
        case notTrusted
        /// No HTTP, or no URL that can be fetched.
        case malformed
        /// Given up by this side.
        case cancelled
    }

    /// What happened.
    public var reason: Reason
    /// Whom it was about.
    public var url: String
    /// What exactly, for people.
    public var detail: String

    /// An error.
    public init(_ reason: Reason, url: WebURL, _ detail: String) { self.init(reason, url: url.description, detail) }

    /// An error about something that is no URL.
    public init(_ reason: Reason, url: String, _ detail: String) { (self.reason, self.url, self.detail) = (reason, url, detail) }

    /// One line for people.
    public var description: String { "\(url): \(detail)" }

    /// What helps, where something on this side does.
    public var mend: String? {
        switch reason {
        case .unreachable: "is the server running, and is it reachable from here?"
        case .privateAddress: "--allow-private lets this run fetch from private and loopback addresses"
        case .notTrusted: "name the server's root with --tls-ca"
        case .timedOut, .tooLarge, .redirected, .malformed, .cancelled: nil
        }
    }
}

/// Sends requests. Adapters and decorators conform; protocol code sees only this.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole response.
    /// - Throws: `HTTPError` when no response came within the request's limits.
    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

/// Answers requests: a server without its sockets.
public protocol HTTPHandler: Sendable {
    /// The answer; whatever a client sends gets one.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}
