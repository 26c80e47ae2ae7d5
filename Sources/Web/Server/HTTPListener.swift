import CMicroHTTPD
import Glibc
public import Ports

/// Where a server listens and what others call it. Made before the server, so that its handler can be told its own URL.
public final class HTTPListener: Sendable {
    /// What others reach the server by: the public URL where one was given, else made of the bound address and port.
    public let url: WebURL
    /// The port the system gave.
    public let port: UInt16
    /// Whether only this machine can reach it.
    public let isLoopback: Bool
    /// Certificate and key, where it speaks TLS.
    let tls: TLSIdentity?
    private let socket = Locked<Int32>(-1)

    /// Binds and listens.
    /// - Parameters:
    ///   - address: a name or an address (`0.0.0.0`, `::`), IPv6 without brackets.
    ///   - port: 0 lets the system choose.
    ///   - publicURL: what others see: an address of the network, a tunnel, a proxy.
    /// - Throws: `HTTPServerError` when the address cannot be had.
    public init(
        address: String = "127.0.0.1", port: UInt16 = 0, publicURL: WebURL? = nil, tls: TLSIdentity? = nil
    ) throws(HTTPServerError) {
        let bound = try Self.bind(address, port)
        self.port = bound.port
        self.tls = tls
        isLoopback = bound.isLoopback
        socket.withLock { $0 = bound.socket }
        if let publicURL {
            url = publicURL
        } else {
            let host = address.contains(":") ? "[\(address)]" : address
            do throws(WebURLError) { url = try WebURL("\(tls == nil ? "http" : "https")://\(host):\(bound.port)") } catch {
                throw HTTPServerError("--bind \(address): \(error)", hint: "name an address, or localhost")
            }
        }
    }

    deinit { if let socket = takeSocket() { Glibc.close(socket) } }

    /// The listening socket, once: whoever takes it closes it.
    func takeSocket() -> Int32? {
        socket.withLock { socket in
            defer { socket = -1 }
            return socket >= 0 ? socket : nil
        }
    }

    private typealias Bound = (socket: Int32, port: UInt16, isLoopback: Bool)

    private static func bind(_ address: String, _ port: UInt16) throws(HTTPServerError) -> Bound {
        var hints = addrinfo()
        hints.ai_socktype = CMHD_STREAM
        hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address, String(port), &hints, &list)
        guard code == 0, let first = list else {
            throw HTTPServerError(
                "\(address): \(String(cString: gai_strerror(code)))", hint: "--bind takes an address of this machine")
        }
        defer { freeaddrinfo(list) }
        let socket = Glibc.socket(first.pointee.ai_family, CMHD_STREAM, 0)
        guard socket >= 0 else { throw .system("a socket for \(address)", errno) }
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        guard Glibc.bind(socket, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, listen(socket, 128) == 0 else {
            let code = errno
            Glibc.close(socket)
            throw .system("\(address), port \(port)", code)
        }
        let name = boundName(socket)
        return (socket, name.port, name.isLoopback)
    }

    private static func boundName(_ socket: Int32) -> (port: UInt16, isLoopback: Bool) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let raw = UnsafeMutableRawPointer(pointer)
            guard getsockname(socket, raw.assumingMemoryBound(to: sockaddr.self), &size) == 0 else { return (0, false) }
            let address = PeerAddress(raw.assumingMemoryBound(to: sockaddr.self))
            // sin_port and sin6_port share their place.
            return (UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self)), address?.isLoopback ?? false)
        }
    }
}

/// Certificate chain and private key of a TLS server.
public struct TLSIdentity: Sendable {
    /// PEM, leaf first.
    let chain: [UInt8]
    /// PEM.
    let key: [UInt8]

    /// - Parameters:
    ///   - chain: PEM, leaf first.
    ///   - key: PEM, not encrypted.
    public init(chain: [UInt8], key: [UInt8]) { (self.chain, self.key) = (chain, key) }
}

/// Why a server cannot serve: always the surroundings.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// One line: what and why.
    public let description: String
    /// The mend.
    public let hint: String?

    init(_ description: String, hint: String? = nil) { (self.description, self.hint) = (description, hint) }

    static func system(_ what: String, _ code: Int32) -> HTTPServerError {
        let hint =
            switch code {
            case EADDRINUSE: "another program listens there; choose another --port, or 0 for any"
            case EACCES: "ports below 1024 are for root; choose a higher --port"
            case EADDRNOTAVAIL: "--bind takes an address of this machine; 0.0.0.0 means all of them"
            default: String?.none
            }
        return HTTPServerError("\(what): \(String(cString: strerror(code)))", hint: hint)
    }
}
