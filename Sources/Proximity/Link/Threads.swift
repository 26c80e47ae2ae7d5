import Glibc
package import Ports

extension Threads {
    /// Runs `body` on a thread of its own and waits for it without holding a task's thread.
    /// - Parameter cancel: signalled when the waiting task is cancelled; `body` watches it.
    package static func run<Value: Sendable>(
        cancel: WakePipe, _ body: @escaping @Sendable () -> Result<Value, LinkError>
    ) async throws(LinkError) -> Value {
        let result: Result<Value, LinkError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = start { continuation.resume(returning: body()) }
                if !started { continuation.resume(returning: .failure(.system(doing: "starting a thread", code: EAGAIN))) }
            }
        } onCancel: {
            cancel.signal()
        }
        return try result.get()
    }
}

/// Wakes a thread that waits in `poll`. Owns two descriptors.
package final class WakePipe: Sendable {
    /// What `poll` watches.
    package let descriptor: Int32
    private let writer: Int32

    /// - Throws: `.system` when the process has no descriptors left.
    package init() throws(LinkError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(doing: "making a pipe", code: errno) }
        (descriptor, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        Glibc.close(descriptor)
        Glibc.close(writer)
    }

    /// Whether somebody has signalled.
    package var isSignalled: Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0
    }

    /// Makes `descriptor` readable; a full pipe is readable already.
    package func signal() {
        var byte: UInt8 = 1
        _ = Glibc.write(writer, &byte, 1)
    }

    /// Takes the signals away.
    package func drain() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
