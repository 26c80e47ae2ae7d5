import CMicroHTTPD
import Glibc
import Ports

/// The daemon and what its callbacks need. The callbacks run on the daemon's thread, which `stop` ends before this goes away.
final class ServerCore: @unchecked Sendable {
    // `daemon` is written by `start`, before any callback can run, and taken by `stop` under the lock.
    private let daemon = Locked<OpaquePointer?>(nil)
    private let socket = Locked<Int32>(-1)
    let origin: String
    let limits: ServerLimits
    let handler: any HTTPHandler
    let connections: ConnectionTable
    let suspensions = Suspensions()
    /// Whole requests whose answers are not on the wire yet, streams apart.
    let owed = Locked(0)
    /// Milliseconds that they have when the server stops.
    private static let grace = 10_000

    init(origin: String, limits: ServerLimits, handler: any HTTPHandler) {
        (self.origin, self.limits, self.handler) = (origin, limits, handler)
        connections = ConnectionTable()
    }

    func start(_ listener: HTTPListener) throws(HTTPServerError) {
        guard let descriptor = listener.takeSocket() else { throw HTTPServerError("\(listener.url): it is served already") }
        socket.withLock { $0 = descriptor }
        var flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_ITC.rawValue
        var options = [
            cmhd_option(.LISTEN_SOCKET, Int(descriptor), nil),
            cmhd_option(.CONNECTION_LIMIT, limits.connections, nil),
            cmhd_option(.CONNECTION_TIMEOUT, 2 * limits.seconds, nil),
            cmhd_option(.CONNECTION_MEMORY_LIMIT, limits.header + 2048, nil),
            cmhd_option(.STRICT_FOR_CLIENT, 1, nil),
        ]
        // The library reads them while it starts and keeps the pointers, not the text.
        var texts: [UnsafeMutablePointer<CChar>?] = []
        defer { for text in texts { free(text) } }
        if let tls = listener.tls {
            flags |= MHD_USE_TLS.rawValue
            let parts: [(MHD_OPTION, [UInt8])] = [
                (.HTTPS_MEM_CERT, tls.chain), (.HTTPS_MEM_KEY, tls.key),
                (.HTTPS_PRIORITIES, Array("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2".utf8)),
            ]
            for (option, bytes) in parts {
                let text = strdup(String(decoding: bytes, as: UTF8.self))
                texts.append(text)
                options.append(cmhd_option(option, 0, UnsafeMutableRawPointer(text)))
            }
        }
        options.append(cmhd_option(.END, 0, nil))
        let made = cmhd_start(
            flags, Unmanaged.passUnretained(self).toOpaque(), ServerCallbacks.access, ServerCallbacks.completed,
            ServerCallbacks.target, ServerCallbacks.connection, options)
        guard let made else {
            Glibc.close(descriptor)
            throw HTTPServerError(
                listener.tls == nil
                    ? "\(listener.url): the server does not start" : "--tls: certificate and key do not fit or cannot be read",
                hint: listener.tls == nil
                    ? nil : "PEM, the chain with the leaf first, its key not encrypted: walletbench trust make tls")
        }
        // The callbacks hold no reference; the daemon does, until it is stopped.
        _ = Unmanaged.passRetained(self)
        daemon.withLock { $0 = made }
    }

    /// In the order that the library wants: nothing new, nothing suspended, then the end.
    func stop() async {
        guard
            let made = daemon.withLock({ made in
                defer { made = nil }
                return made
            })
        else { return }
        MHD_quiesce_daemon(made)
        let descriptor = socket.withLock { $0 }
        if descriptor >= 0 { Glibc.close(descriptor) }
        await answerWhatIsOwed()
        await suspensions.drain()
        let box = DaemonBox(made)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // It joins the daemon's thread, so not on a task's thread.
            let started = Threads.start {
                MHD_stop_daemon(box.daemon)
                done.resume()
            }
            if !started {
                MHD_stop_daemon(box.daemon)
                done.resume()
            }
        }
        Unmanaged.passUnretained(self).release()
    }

    /// Who has sent a request gets its answer, unless that takes too long.
    private func answerWhatIsOwed() async {
        for _ in 0..<Self.grace / 10 where owed.withLock({ $0 }) > 0 { try? await Task.sleep(for: .milliseconds(10)) }
    }

    /// Carries the pointer to the thread that ends it.
    private final class DaemonBox: @unchecked Sendable {
        let daemon: OpaquePointer
        init(_ daemon: OpaquePointer) { self.daemon = daemon }
    }
}

/// Entry points for the library.
private enum ServerCallbacks {
    static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, target, connection in
            guard let target, let connection, let core = core(context) else { return nil }
            core.connections.begin(connection)
            let exchange = Exchange(core: core, connection: connection, target: String(cString: target))
            return Unmanaged.passRetained(exchange).toOpaque()
        }

    static let access:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> MHD_Result = { _, _, _, method, version, data, size, state in
            guard let exchange = exchange(state), let method, let version, let size else { return .NO }
            let chunk = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
            let goesOn = exchange.proceed(String(cString: method), String(cString: version), chunk)
            size.pointee = 0
            return goesOn ? .YES : .NO
        }

    static let completed:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?, MHD_RequestTerminationCode
        ) -> Void = { _, _, state, _ in
            guard let state, let pointer = state.pointee else { return }
            state.pointee = nil
            Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().complete()
        }

    static let connection:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_ConnectionNotificationCode
        ) -> Void = { context, connection, _, code in
            guard let core = core(context), let connection else { return }
            if code == .CONNECTION_NOTIFY_STARTED {
                core.connections.open(
                    connection, socket: cmhd_socket(connection), tls: cmhd_tls(connection), seconds: core.limits.seconds)
            } else {
                core.connections.close(connection)
            }
        }

    private static func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
        context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func exchange(_ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
        state?.pointee.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
}
