import CCurl
import Glibc
import Ports

/// One request on its way through libcurl.
final class CurlTransfer: @unchecked Sendable {
    // Everything but `continuation` is touched by the worker's thread alone once the transfer was added.
    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let allowsPrivate: Bool
    private let milliseconds: Int64
    private var list: UnsafeMutablePointer<curl_slist>?
    private let continuation = Locked<(Expectation?, isOver: Bool)>((nil, false))
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var stop: (reason: HTTPError.Reason, detail: String)?
    private var refused: PeerAddress?

    typealias Expectation = CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>

    /// Bytes of header fields that a server may send, and how many of them.
    private static let longestHeader = 64 << 10
    private static let mostFields = 200

    /// Nil when libcurl takes the URL or a header for malformed.
    init?(_ request: HTTPRequest, _ options: CurlTransport.Options, milliseconds: Int64) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.request = request
        self.milliseconds = milliseconds
        allowsPrivate = options.allowsPrivate
        // What was made so far is freed by `deinit`.
        guard prepare(options) else { return nil }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(list)
    }

    /// Whether the end was told already.
    var isOver: Bool { continuation.withLock { $0.isOver } }

    func expect(_ expectation: Expectation) {
        let isOver = continuation.withLock { state in
            if !state.isOver { state.0 = expectation }
            return state.isOver
        }
        if isOver { expectation.resume(returning: .failure(error(.cancelled, "the request was cancelled"))) }
    }

    func fail(_ reason: HTTPError.Reason, _ detail: String) { end(.failure(error(reason, detail))) }

    /// The transfer ended by itself.
    func finish(_ code: CURLcode) {
        if let stop { return fail(stop.reason, stop.detail) }
        if let refused, code != CURLE_OK {
            return fail(.privateAddress, "\(request.url.host) is \(refused), a private address, which is not fetched from")
        }
        guard code == CURLE_OK else { return end(.failure(CurlFailure.error(code, request, milliseconds))) }
        end(.success(HTTPResponse(Int(ccurl_status(handle)), headers: headers, body: .bytes(body))))
    }

    private func end(_ result: Result<HTTPResponse, HTTPError>) {
        let expectation = continuation.withLock { state in
            defer { state = (nil, true) }
            return state.0
        }
        expectation?.resume(returning: result)
    }

    private func error(_ reason: HTTPError.Reason, _ detail: String) -> HTTPError { HTTPError(reason, url: request.url, detail) }

    // MARK: what libcurl is told

    private func prepare(_ options: CurlTransport.Options) -> Bool {
        let codes = [
            ccurl_set_text(handle, CURLOPT_URL, request.url.with(fragment: nil).description),
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, Int(clamping: milliseconds)),
            ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, options.connectSeconds),
            ccurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // A proxy of the environment would see the request instead of the address check.
            ccurl_set_text(handle, CURLOPT_PROXY, ""),
            ccurl_set_text(handle, CURLOPT_USERAGENT, "walletbench"),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return false }
        if !options.authorities.isEmpty { _ = ccurl_set_authorities(handle, options.authorities, options.authorities.count) }
        ccurl_set_receivers(handle, Self.header, Self.body, Self.open, Unmanaged.passUnretained(self).toOpaque())
        return prepareMethod() && prepareHeaders()
    }

    private func prepareMethod() -> Bool {
        if request.method == "HEAD" { return ccurl_set_long(handle, CURLOPT_NOBODY, 1) == CURLE_OK }
        if !request.body.isEmpty || request.method == "POST" {
            guard ccurl_set_body(handle, request.body, Int64(request.body.count)) == CURLE_OK else { return false }
        }
        return ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method) == CURLE_OK
    }

    private func prepareHeaders() -> Bool {
        var lines = request.headers.pairs.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // Not waiting for "100 Continue"; no type where the caller named none.
        lines.append("Expect:")
        if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        for line in lines {
            guard !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), let longer = curl_slist_append(list, line) else {
                return false
            }
            list = longer
        }
        return ccurl_set_list(handle, CURLOPT_HTTPHEADER, list) == CURLE_OK
    }

    // MARK: what libcurl tells

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let header: ccurl_receiver = { bytes, size, count, context in
        guard let transfer = transfer(context) else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer.takeHeader(line) ? line.count : 0
    }

    private static let body: ccurl_receiver = { bytes, size, count, context in
        guard let transfer = transfer(context) else { return 0 }
        let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer.takeBody(chunk) ? chunk.count : 0
    }

    /// The address is known now and cannot change until the connection stands: the place to refuse a private one.
    private static let open: ccurl_opener = { context, _, address in
        guard let transfer = transfer(context), let address else { return CURL_SOCKET_BAD }
        let peer = withUnsafePointer(to: &address.pointee.addr) { PeerAddress($0) }
        guard let peer, transfer.allowsPrivate || peer.isPublic else {
            transfer.refused = peer ?? PeerAddress(bytes: [])
            return CURL_SOCKET_BAD
        }
        let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.longestHeader, headers.pairs.count < Self.mostFields else {
            stop = (
                .tooLarge(limit: Self.longestHeader),
                "the header is longer than \(Self.longestHeader) bytes or \(Self.mostFields) fields"
            )
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = HTTPHeaders()
            return true
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return true }
        headers.add(Self.trimmed(parts[0]), Self.trimmed(parts[1]))
        return true
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
        var scalars = text.unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }

    private func takeBody(_ chunk: UnsafeRawBufferPointer) -> Bool {
        let limit = request.limits.body
        guard body.count + chunk.count <= limit else {
            stop = (.tooLarge(limit: limit), "the body is longer than \(limit) bytes")
            return false
        }
        body.append(contentsOf: chunk)
        return true
    }
}

/// What libcurl's codes mean.
private enum CurlFailure {
    static func error(_ code: CURLcode, _ request: HTTPRequest, _ milliseconds: Int64) -> HTTPError {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            return HTTPError(.timedOut, url: request.url, "no whole answer within \(request.limits.seconds) seconds")
        case CURLE_COULDNT_RESOLVE_HOST: return HTTPError(.unreachable, url: request.url, "there is no host \(request.url.host)")
        case CURLE_COULDNT_CONNECT:
            return HTTPError(.unreachable, url: request.url, "nobody answers at \(request.url.origin)")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            return HTTPError(
                .notTrusted, url: request.url, "the server's certificate leads to no trusted root, or is for another name")
        case CURLE_SSL_CONNECT_ERROR: return HTTPError(.unreachable, url: request.url, "no TLS connection: \(text)")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING,
            CURLE_PARTIAL_FILE:
            return HTTPError(.malformed, url: request.url, "no HTTP that can be read: \(text)")
        default: return HTTPError(.unreachable, url: request.url, "the connection broke: \(text)")
        }
    }
}
