import Glibc
import Ports

/// Signals. SIGPIPE is ignored: a vanished reader is seen by write. SIGINT and SIGTERM end the run with exit code 130, at once or, for work
/// wrapped in `cancelling`, after that work was cancelled and has cleaned up; another one a second later ends it at once. (Sooner it is
/// the same one: `timeout` and some terminals signal a process and then its group.)
enum Interrupt {
    private static let listeners = Locked<[Int: @Sendable () -> Void]>([:])
    private static let pipe = Pipe()

    static func install() {
        signal(SIGPIPE, SIG_IGN)
        _ = pipe.writeEnd
        // A parent may have started this program from a thread that blocks signals.
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in signalArrived() }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Runs `body` in a task that SIGINT cancels.
    /// - Throws: `CommandError.interrupted` when a signal came, whatever `body` made of it.
    static func cancelling<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await body() }
        let came = Locked(false)
        let id = add {
            came.withLock { $0 = true }
            task.cancel()
        }
        defer { remove(id) }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if came.withLock({ $0 }) { throw CommandError.interrupted }
        return try result.get()
    }

    private static func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        pipe.startReading { for listener in listeners.withLock({ Array($0.values) }) { listener() } }
        let id = listeners.withLock { table in
            let id = (table.keys.max() ?? 0) + 1
            table[id] = listener
            return id
        }
        isHandled = true
        return id
    }

    private static func remove(_ id: Int) {
        isHandled = listeners.withLock { table in
            table[id] = nil
            return !table.isEmpty
        }
    }
}

/// Whether somebody wants to clean up. Read by the signal handler, which may only touch plain memory; a torn or late read of a Bool is
/// harmless: it only chooses between ending now and ending after the cleanup.
nonisolated(unsafe) private var isHandled = false
nonisolated(unsafe) private var writeEnd: Int32 = -1
/// When the cleanup began, in seconds of the monotonic clock; 0 before.
nonisolated(unsafe) private var endingSince = 0

/// The signal handler: async-signal-safe calls only.
private func signalArrived() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    if endingSince > 0, now.tv_sec - endingSince <= 1 { return }
    guard isHandled, writeEnd >= 0 else { _exit(ExitCode.interrupted.rawValue) }
    isHandled = false
    endingSince = now.tv_sec
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
}

/// Carries a signal from its handler to an ordinary thread.
private final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32
    private let isReading = Locked(false)

    init() {
        var ends: [Int32] = [-1, -1]
        if Glibc.pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        readEnd = ends[0]
        writeEnd = ends[1]
        setWriteEnd(ends[1])
    }

    /// Calls `handler` on a thread of its own for every signal.
    func startReading(_ handler: @escaping @Sendable () -> Void) {
        let isFirst = isReading.withLock { reading in
            defer { reading = true }
            return !reading
        }
        guard isFirst, readEnd >= 0 else { return }
        let box = Unmanaged.passRetained(Handler(end: readEnd, call: handler))
        var thread = pthread_t()
        pthread_create(&thread, nil, { Pipe.read($0) }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Handler: Sendable {
        let end: Int32
        let call: @Sendable () -> Void
        init(end: Int32, call: @escaping @Sendable () -> Void) {
            self.end = end
            self.call = call
        }
    }

    private static func read(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let handler = Unmanaged<Handler>.fromOpaque(argument).takeRetainedValue()
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(handler.end, &byte, 1)
            if count == 1 { handler.call() } else if count == 0 || errno != EINTR { return nil }
        }
    }
}

private func setWriteEnd(_ descriptor: Int32) { writeEnd = descriptor }
