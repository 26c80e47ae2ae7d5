import Codec

/// A transport that writes every request and response to a trace, bytes as they go over the wire: first line, header, body.
public struct TracedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let trace: SessionTrace
    private let isRevealed: Bool

    /// - Parameter isRevealed: keeps the bytes; otherwise only the first line and the type are written, since bodies hold claims and tokens.
    public init(_ transport: any HTTPTransport, trace: SessionTrace, isRevealed: Bool) {
        (self.transport, self.trace, self.isRevealed) = (transport, trace, isRevealed)
    }

    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        record(.sent, "\(request.method) \(request.url.origin)\(request.url.path)", request.wireText)
        do {
            let response = try await transport.send(request)
            record(.received, "\(response.status) \(response.headers["Content-Type"] ?? "")", response.wireText)
            return response
        } catch {
            record(.note, "\(request.url.origin): \(error.detail)", [])
            throw error
        }
    }

    private func record(_ direction: TraceEvent.Direction, _ name: String, _ bytes: [UInt8]) {
        trace.record(direction, layer: "http", name, bytes, isRedacted: !isRevealed && !bytes.isEmpty)
    }
}

extension HTTPRequest {
    /// As it goes over the wire (RFC 9112).
    public var wireText: [UInt8] {
        Array(
            "\(method) \(url.target) HTTP/1.1\r\nHost: \(url.origin.split(separator: "/").last ?? "")\r\n\(headers.wireText)\r\n"
                .utf8) + body
    }
}

extension HTTPResponse {
    /// As it goes over the wire (RFC 9112), without a reason phrase.
    public var wireText: [UInt8] { Array("HTTP/1.1 \(status)\r\n\(headers.wireText)\r\n".utf8) + bytes }
}

extension HTTPHeaders {
    fileprivate var wireText: String { pairs.map { "\($0.name): \($0.value)\r\n" }.joined() }
}

/// A transport that does to its messages what a `FaultPlan` says: to the bodies it sends and receives.
public actor FaultyTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let plan: FaultPlan
    private let rewrite: @Sendable (HTTPRequest, _ ordinal: Int) -> HTTPRequest
    private var counts: [FaultPlan.Direction: Int] = [:]

    /// - Parameter rewrite: changes a request, the `ordinal`-th from 0, before the plan is applied.
    public init(
        _ transport: any HTTPTransport, plan: FaultPlan = FaultPlan(),
        rewrite: @escaping @Sendable (HTTPRequest, _ ordinal: Int) -> HTTPRequest = { request, _ in request }
    ) {
        (self.transport, self.plan, self.rewrite) = (transport, plan, rewrite)
    }

    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let ordinal = next(.sent)
        var sent = rewrite(request, ordinal)
        let bodies = try await outcome(of: sent.body, .sent, ordinal, url: sent.url)
        guard !bodies.isEmpty else { throw HTTPError(.timedOut, url: sent.url, "the request was dropped by a fault") }
        var response: HTTPResponse?
        for body in bodies {
            sent.body = body
            response = try await transport.send(sent)
        }
        guard var response else { throw HTTPError(.cancelled, url: sent.url, "nothing was sent") }
        guard let body = try await outcome(of: response.bytes, .received, next(.received), url: sent.url).last else {
            throw HTTPError(.timedOut, url: sent.url, "the response was dropped by a fault")
        }
        response.body = .bytes(body)
        return response
    }

    private func next(_ direction: FaultPlan.Direction) -> Int {
        defer { counts[direction, default: 0] += 1 }
        return counts[direction, default: 0]
    }

    private func outcome(
        of body: [UInt8], _ direction: FaultPlan.Direction, _ ordinal: Int, url: WebURL
    ) async throws(HTTPError) -> [[UInt8]] {
        switch plan.apply(to: body, direction, ordinal: ordinal) {
        case .deliver(let bodies, let milliseconds):
            if milliseconds > 0 { try? await Task.sleep(for: .milliseconds(milliseconds)) }
            return bodies
        case .close: throw HTTPError(.unreachable, url: url, "the connection was closed by a fault")
        }
    }
}
