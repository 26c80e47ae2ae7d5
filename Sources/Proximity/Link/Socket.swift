import Glibc
import Ports

/// The few socket calls that links need. All block their thread and watch a `WakePipe`; descriptors are non-blocking and close on exec.
enum Socket {
    /// Connects.
    static func connect(to address: LinkAddress, within milliseconds: Int, cancel: WakePipe) -> Result<Int32, LinkError> {
        let deadline = monotonicMilliseconds() + Int64(milliseconds)
        return firstSuccess(of: address, passive: false) { candidate, doing in
            let made = descriptor(for: candidate, doing: doing)
            guard case .success(let socket) = made else { return made }
            let code = candidate.withPointer { Glibc.connect(socket, $0, $1) == 0 ? 0 : errno }
            let outcome = code == EINPROGRESS ? awaitConnection(socket, until: deadline, doing: doing, cancel: cancel) : code
            guard outcome != 0 else { return .success(socket) }
            Glibc.close(socket)
            if outcome == ECANCELED { return .failure(.cancelled) }
            if outcome == ETIMEDOUT { return .failure(.timedOut(seconds: milliseconds / 1000, doing: doing)) }
            return .failure(.system(doing: doing, code: outcome))
        }
    }

    /// Binds and listens. A Unix socket left behind by a process that is gone is replaced; one in use is not.
    static func listen(on address: LinkAddress) -> Result<(socket: Int32, address: LinkAddress), LinkError> {
        removeStale(address)
        let bound = firstSuccess(of: address, passive: true) { candidate, doing in
            let made = descriptor(for: candidate, doing: doing)
            guard case .success(let socket) = made else { return made }
            var on: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            guard candidate.withPointer({ bind(socket, $0, $1) }) == 0, restrict(address), Glibc.listen(socket, 8) == 0 else {
                let code = errno
                Glibc.close(socket)
                return .failure(.system(doing: doing, code: code))
            }
            return .success(socket)
        }
        return bound.map { ($0, boundAddress(of: $0, asked: address)) }
    }

    /// Waits for a connection.
    /// - Parameter milliseconds: nil waits for ever.
    static func accept(from listener: Int32, within milliseconds: Int?, cancel: WakePipe) -> Result<Int32, LinkError> {
        let deadline = milliseconds.map { monotonicMilliseconds() + Int64($0) }
        while true {
            let ready = wait(for: POLLIN, on: listener, until: deadline, cancel: cancel)
            if ready == ECANCELED { return .failure(.cancelled) }
            if ready == ETIMEDOUT { return .failure(.timedOut(seconds: (milliseconds ?? 0) / 1000, doing: "waiting for a reader")) }
            let socket = Glibc.accept(listener, nil, nil)
            if socket >= 0 {
                configure(socket)
                return .success(socket)
            }
            guard [EINTR, EAGAIN, ECONNABORTED].contains(errno) else {
                return .failure(.system(doing: "accepting a connection", code: errno))
            }
        }
    }

    /// - Returns: 0 when ready, ECANCELED, ETIMEDOUT, or what `poll` says.
    private static func wait(for events: Int32, on socket: Int32, until deadline: Int64?, cancel: WakePipe) -> Int32 {
        while true {
            var watched = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let left = deadline.map { max($0 - monotonicMilliseconds(), 0) }
            let count = poll(&watched, 2, left.map { Int32(clamping: $0) } ?? -1)
            if watched[1].revents != 0 { return ECANCELED }
            if count > 0 { return 0 }
            if count == 0 { return ETIMEDOUT }
            if errno != EINTR { return errno }
        }
    }

    private static func awaitConnection(_ socket: Int32, until deadline: Int64, doing: String, cancel: WakePipe) -> Int32 {
        let ready = wait(for: POLLOUT, on: socket, until: deadline, cancel: cancel)
        guard ready == 0 else { return ready }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        return code
    }

    private static func descriptor(for candidate: SocketAddress, doing: String) -> Result<Int32, LinkError> {
        let socket = Glibc.socket(Int32(candidate.family), Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return .failure(.system(doing: doing, code: errno)) }
        configure(socket)
        return .success(socket)
    }

    private static func configure(_ socket: Int32) {
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func firstSuccess(
        of address: LinkAddress, passive: Bool, _ attempt: (SocketAddress, String) -> Result<Int32, LinkError>
    ) -> Result<Int32, LinkError> {
        let doing = "\(passive ? "listening on" : "connecting to") \(address)"
        switch SocketAddress.resolve(address, passive: passive) {
        case .failure(let error): return .failure(error)
        case .success(let candidates):
            var last = Result<Int32, LinkError>.failure(.address("\(address) has no address"))
            for candidate in candidates {
                last = attempt(candidate, doing)
                if case .success = last { break }
            }
            return last
        }
    }

    private static func removeStale(_ address: LinkAddress) {
        guard case .unix(let path) = address else { return }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, let wake = try? WakePipe() else { return }
        switch connect(to: address, within: 1000, cancel: wake) {
        case .success(let socket): Glibc.close(socket)
        case .failure(.system(_, ECONNREFUSED)): unlink(path)
        case .failure: return
        }
    }

    /// A Unix socket is for its owner alone.
    private static func restrict(_ address: LinkAddress) -> Bool {
        guard case .unix(let path) = address else { return true }
        return chmod(path, 0o600) == 0
    }

    private static func boundAddress(of socket: Int32, asked: LinkAddress) -> LinkAddress {
        guard case .tcp(let host, 0) = asked else { return asked }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutablePointer(to: &storage) { pointer -> UInt16 in
            let raw = UnsafeMutableRawPointer(pointer)
            guard getsockname(socket, raw.assumingMemoryBound(to: sockaddr.self), &size) == 0 else { return 0 }
            // sin_port and sin6_port share their place.
            return UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self))
        }
        return .tcp(host: host, port: port)
    }
}

/// A socket address as the kernel takes it.
struct SocketAddress {
    let family: sa_family_t
    private let bytes: [UInt8]

    /// All addresses of a host name, or the one of a path.
    static func resolve(_ address: LinkAddress, passive: Bool) -> Result<[SocketAddress], LinkError> {
        switch address {
        case .unix(let path): .success([unix(path)])
        case .tcp(let host, let port): resolve(host: host, port: port, passive: passive)
        }
    }

    func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { raw in
            raw.copyBytes(from: bytes.prefix(raw.count))
            guard let base = raw.baseAddress else { preconditionFailure("a sockaddr_storage has bytes") }
            return body(UnsafePointer(base.assumingMemoryBound(to: sockaddr.self)), socklen_t(min(bytes.count, raw.count)))
        }
    }

    private static func unix(_ path: String) -> SocketAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return SocketAddress(family: address.sun_family, bytes: withUnsafeBytes(of: address) { Array($0) })
    }

    private static func resolve(host: String, port: UInt16, passive: Bool) -> Result<[SocketAddress], LinkError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(.address("\(host): \(String(cString: gai_strerror(code)))")) }
        defer { freeaddrinfo(list) }
        let found = sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }).compactMap { entry in
            entry.flatMap { $0.pointee.ai_addr }.map { pointer in
                SocketAddress(
                    family: pointer.pointee.sa_family,
                    bytes: Array(UnsafeRawBufferPointer(start: pointer, count: Int(entry?.pointee.ai_addrlen ?? 0))))
            }
        }
        return .success(found)
    }
}
