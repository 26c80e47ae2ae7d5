import Glibc
import Ports
import Web

/// A server on loopback for one test, and a client that may reach it. Time limits are generous: other tests may hold every thread.
struct Stage {
    let server: HTTPServer
    let client: CurlTransport
    var url: WebURL { server.url }

    init(limits: ServerLimits = ServerLimits(seconds: 3600), _ handler: some HTTPHandler) throws {
        server = try HTTPServer(try HTTPListener(), limits: limits, handler: handler)
        client = CurlTransport(CurlTransport.Options(allowsPrivate: true))
    }

    func get(_ path: String, limits: HTTPLimits = HTTPLimits(seconds: 3600), headers: HTTPHeaders = [:]) async throws
        -> HTTPResponse
    {
        try await client.send(HTTPRequest("GET", try WebURL(url.origin + path), headers: headers, limits: limits))
    }
}

/// A handler made of a closure.
struct Answer: HTTPHandler {
    let body: @Sendable (HTTPRequest) async -> HTTPResponse

    init(_ body: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) { self.body = body }
    func respond(to request: HTTPRequest) async -> HTTPResponse { await body(request) }
}

/// A connection without any HTTP of its own, for what no proper client sends.
final class RawConnection: Sendable {
    private let socket: Int32

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, 1, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0 else { throw Failure(code: errno) }
    }

    struct Failure: Error {
        let code: Int32
    }

    deinit { close(socket) }

    /// False when the other side has closed.
    @discardableResult
    func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Everything until the other side closes; on a thread of its own, since it waits in the kernel.
    func receiveAll() async -> String {
        await withCheckedContinuation { done in
            let thread = Body { done.resume(returning: self.readToEnd()) }
            thread.start()
        }
    }

    private func readToEnd() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }

        func start() {
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
            pthread_detach(thread)
        }
    }
}

/// A server that answers every connection with the same bytes, endlessly if asked, whatever it is sent: what no HTTP library would do.
final class RawServer: Sendable {
    let port: UInt16
    private let listener: Int32

    /// - Parameters:
    ///   - opening: sent once the client has said something.
    ///   - filling: repeated until the client closes; empty for none, the connection is then held open.
    init(opening: String, filling: String = "") throws {
        listener = Glibc.socket(AF_INET, 1, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0 ? getsockname(listener, address, &size) : -1
            }
        }
        guard code == 0 else { throw RawConnection.Failure(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        let work = Work(listener: listener, opening: Array(opening.utf8), filling: Array(filling.utf8))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        pthread_detach(thread)
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func url(_ path: String = "/") throws -> WebURL { try WebURL("http://127.0.0.1:\(port)\(path)") }

    private final class Work: Sendable {
        let listener: Int32
        let opening: [UInt8]
        let filling: [UInt8]

        init(listener: Int32, opening: [UInt8], filling: [UInt8]) {
            (self.listener, self.opening, self.filling) = (listener, opening, filling)
        }

        func run() {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                var chunk = [UInt8](repeating: 0, count: 65536)
                _ = recv(socket, &chunk, chunk.count, 0)
                var goesOn = Glibc.send(socket, opening, opening.count, Int32(MSG_NOSIGNAL)) > 0
                while goesOn, !filling.isEmpty { goesOn = Glibc.send(socket, filling, filling.count, Int32(MSG_NOSIGNAL)) > 0 }
                // Until the client closes.
                while goesOn, recv(socket, &chunk, chunk.count, 0) > 0 {}
                close(socket)
            }
        }
    }
}
