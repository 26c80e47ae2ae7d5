import CMicroHTTPD
import Glibc
import Ports

/// One request and its answer. The library's thread calls `proceed` again and again: with the header, with each part of the body, at
/// its end, and once more when the answer is there.
final class Exchange: @unchecked Sendable {
    // Everything but `outcome` and `task` is touched by the library's thread alone.
    private enum Phase {
        case fresh, receiving, answering
    }

    private let core: ServerCore
    private let connection: OpaquePointer
    private let target: String
    private var phase = Phase.fresh
    private var request: HTTPRequest?
    private var body: [UInt8] = []
    private var overflow = 0
    /// Whether `stop` has to wait for the answer.
    private var isOwed = false
    private let task = Locked<Task<Void, Never>?>(nil)
    private let outcome = Locked<HTTPResponse?>(nil)

    init(core: ServerCore, connection: OpaquePointer, target: String) {
        (self.core, self.connection, self.target) = (core, connection, target)
    }

    /// - Returns: false when the connection has to be cut.
    func proceed(_ method: String, _ version: String, _ chunk: UnsafeRawBufferPointer) -> Bool {
        switch phase {
        case .fresh:
            phase = .receiving
            let head = RequestHead(connection, method: method, version: version, target: target, core: core)
            switch head.judged(core.limits) {
            case .success(let request): self.request = request
            case .failure(let refusal): return queue(refusal.response)
            }
            return true
        case .receiving where !chunk.isEmpty: return receive(chunk)
        case .receiving:
            guard overflow == 0 else { return queue(Refusal.tooLarge(core.limits.body).response) }
            phase = .answering
            return answer()
        case .answering:
            let response = outcome.withLock { $0 }
            return queue(response ?? HTTPResponse.text("the server is ending", status: 503, headers: ["Connection": "close"]))
        }
    }

    /// The library is done with the request, for whatever reason.
    func complete() {
        settle()
        task.withLock { $0 }?.cancel()
        core.suspensions.forget(self)
        core.connections.rest(connection, within: 2 * core.limits.seconds)
    }

    private func settle() {
        guard isOwed else { return }
        isOwed = false
        core.owed.withLock { $0 -= 1 }
    }

    /// Keeps a part of the body. What is beyond the limit is read and dropped, so that the client hears why; far beyond, it is cut off.
    private func receive(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard overflow == 0, body.count + chunk.count <= core.limits.body else {
            body = []
            overflow += chunk.count
            return overflow <= core.limits.body
        }
        body.append(contentsOf: chunk)
        return true
    }

    /// Suspends the connection and lets the handler work.
    private func answer() -> Bool {
        guard var request else { return false }
        isOwed = true
        core.owed.withLock { $0 += 1 }
        request.body = body
        body = []
        core.connections.answer(connection, within: 10 * core.limits.seconds)
        let work = request
        let isRegistered = core.suspensions.register(self) { [weak self] in self?.task.withLock { $0 }?.cancel() }
        let isSuspended = isRegistered && core.suspensions.suspend { MHD_suspend_connection(connection) }
        guard isSuspended else { return proceed("", "", UnsafeRawBufferPointer(start: nil, count: 0)) }
        // Owned by this exchange, which cancels it when the request is over.
        let working = Task { [self] in
            let response = await core.handler.respond(to: work)
            outcome.withLock { $0 = response }
            core.suspensions.resume { MHD_resume_connection(connection) }
        }
        task.withLock { $0 = working }
        // Whoever told everyone to end may not have seen the task yet.
        if core.suspensions.isStopping { working.cancel() }
        return true
    }

    private func queue(_ response: HTTPResponse) -> Bool {
        if case .stream = response.body {
            // It ends when it is told to, not by itself.
            settle()
            core.connections.answer(connection, within: nil)
        } else {
            core.connections.answer(connection, within: 10 * core.limits.seconds)
        }
        guard let made = ServerResponse.make(response, connection, core) else { return false }
        defer { MHD_destroy_response(made) }
        return MHD_queue_response(connection, UInt32(clamping: response.status), made) == .YES
    }
}

/// What stands before the body, as the library read it.
private struct RequestHead {
    let method: String
    let version: String
    let target: String
    let headers: HTTPHeaders
    let origin: String
    let peer: String?

    init(_ connection: OpaquePointer, method: String, version: String, target: String, core: ServerCore) {
        (self.method, self.version, self.target) = (method, version, target)
        origin = core.origin
        peer = cmhd_peer(connection).flatMap { PeerAddress($0) }?.description
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { context, _, name, value in
                    guard let context, let name else { return .YES }
                    let headers = context.assumingMemoryBound(to: HTTPHeaders.self)
                    headers.pointee.add(String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, pointer)
        }
        self.headers = headers
    }

    /// The request without its body, or why it is not taken. Two lengths, or a length and an encoding, are how requests are
    /// smuggled past a proxy that counts differently (RFC 9112 6.3): refused, whatever they say.
    func judged(_ limits: ServerLimits) -> Result<HTTPRequest, Refusal> {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { return .failure(Refusal(505, "HTTP/1.1 is spoken here")) }
        guard headers.pairs.count <= limits.fields else {
            return .failure(Refusal(431, "more than \(limits.fields) header fields"))
        }
        let lengths = headers.all("Content-Length")
        let encodings = headers.all("Transfer-Encoding")
        if lengths.count > 1 { return .failure(Refusal(400, "Content-Length is sent \(lengths.count) times")) }
        if !lengths.isEmpty, !encodings.isEmpty {
            return .failure(Refusal(400, "both Content-Length and Transfer-Encoding are sent"))
        }
        if encodings.count > 1 || encodings.contains(where: { $0.lowercased() != "chunked" }) {
            return .failure(Refusal(400, "Transfer-Encoding is other than chunked"))
        }
        if let length = lengths.first {
            guard length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), !length.isEmpty else {
                return .failure(Refusal(400, "Content-Length is no number"))
            }
            guard let count = Int(length), count <= limits.body else { return .failure(.tooLarge(limits.body)) }
        }
        guard headers.all("Host").count <= 1 else { return .failure(Refusal(400, "Host is sent twice")) }
        guard let url else { return .failure(Refusal(400, "the request's target is no path")) }
        // The library leaves the body of an answer to HEAD out by itself.
        return .success(HTTPRequest(method == "HEAD" ? "GET" : method, url, headers: headers, peer: peer))
    }

    /// With the origin that others see; a target in absolute form counts by its path (RFC 9112 3.2.2).
    private var url: WebURL? {
        if target.hasPrefix("/") { return try? WebURL(origin + target) }
        guard let absolute = try? WebURL(target), absolute.isWeb else { return nil }
        return try? WebURL(origin + absolute.target)
    }
}

/// Why a request is not even handed to the handler.
private struct Refusal: Error {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) { (self.status, self.reason) = (status, reason) }

    static func tooLarge(_ limit: Int) -> Refusal { Refusal(413, "the body is larger than \(limit) bytes") }

    /// The connection ends with it: what follows on it cannot be told apart.
    var response: HTTPResponse { .text(reason, status: status, headers: ["Connection": "close"]) }
}
