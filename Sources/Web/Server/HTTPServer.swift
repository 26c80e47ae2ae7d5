import CMicroHTTPD
import Glibc
public import Ports

/// An HTTP/1.1 server over libmicrohttpd: one thread with epoll for all connections; a request that is being answered is suspended, so
/// that a slow handler or client holds no thread. What a client sends cannot take more than the limits allow.
public final class HTTPServer: Sendable {
    /// What others reach it by.
    public var url: WebURL { listener.url }
    /// Where it listens.
    public let listener: HTTPListener
    private let core: ServerCore
    private let watch: Task<Void, Never>

    /// Starts to serve.
    /// - Throws: `HTTPServerError` when the listener serves already, or certificate and key do not fit.
    public init(_ listener: HTTPListener, limits: ServerLimits = ServerLimits(), handler: any HTTPHandler) throws(HTTPServerError) {
        self.listener = listener
        let core = ServerCore(origin: listener.url.origin, limits: limits, handler: handler)
        try core.start(listener)
        self.core = core
        // Ends slow requests; cancelled by `stop`.
        watch = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(250))
                core.connections.closeOverdue()
            }
        }
    }

    deinit { watch.cancel() }

    /// Ends: no new connections; whole requests are answered if that does not take long, else cancelled; streams end. Returns when
    /// everything is closed.
    public func stop() async {
        watch.cancel()
        await core.stop()
    }
}
