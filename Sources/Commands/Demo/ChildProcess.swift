import Codec
import Glibc
import Ports
import Proximity

/// Another process of this program, its stdout read line by line. Whoever starts one stops it.
final class ChildProcess: Sendable {
    /// How it ended and what it said.
    struct Result: Sendable {
        let exit: Int32
        /// The lines of stdout that are JSON.
        let lines: [JSON]

        func event(_ name: String) -> JSON? { lines.last { $0["event"]?.stringValue == name } }
    }

    let name: String
    private let identifier: pid_t
    private let output: Int32
    private let hasEnded = Locked(false)
    private let text = Locked<[UInt8]>([])

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - log: takes stderr.
    init(_ name: String, arguments: [String], log: String) throws(CommandError) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .environment("a pipe for \(name): \(Errno.last)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = (["walletbench"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/proc/self/exe", &actions, nil, &words, environ)
        Glibc.close(ends[1])
        guard code == 0 else {
            Glibc.close(ends[0])
            throw .environment("starting \(name): \(Errno.text(code))")
        }
        (identifier, output) = (child, ends[0])
    }

    deinit { Glibc.close(output) }

    /// Waits for an event on stdout.
    /// - Throws: when the process ends or `seconds` pass before.
    func event(_ name: String, within seconds: Int) async throws -> JSON {
        let found = try await watch(within: seconds) { lines in lines.first { $0["event"]?.stringValue == name } }
        guard let found else { throw CommandError("\(self.name) ended before it was \(name)") }
        return found
    }

    /// Waits for the end.
    func finish(within seconds: Int) async throws -> Result {
        _ = try await watch(within: seconds) { _ -> JSON? in nil }
        let exit = hasEnded.withLock { ended -> Int32 in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            ended = true
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        }
        return Result(exit: exit, lines: lines)
    }

    /// Ends the process, if it has not ended by itself.
    func stop() {
        hasEnded.withLock { ended in
            guard !ended else { return }
            kill(identifier, SIGTERM)
            for _ in 0..<50 where waitpid(identifier, nil, WNOHANG) == 0 { usleep(20_000) }
            kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
            ended = true
        }
    }

    private var lines: [JSON] {
        text.withLock { $0 }.split(separator: UInt8(ascii: "\n")).compactMap { try? JSON.decode(Array($0)) }
    }

    /// Reads stdout until `found` has something, or to its end.
    private func watch(within seconds: Int, _ found: @escaping @Sendable ([JSON]) -> JSON?) async throws -> JSON? {
        let cancel = try WakePipe()
        let deadline = monotonicMilliseconds() + Int64(seconds) * 1000
        return try await Threads.run(cancel: cancel) { [self] () -> Swift.Result<JSON?, LinkError> in
            while true {
                if let hit = found(lines) { return .success(hit) }
                var watched = [
                    pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                let left = deadline - monotonicMilliseconds()
                guard left > 0 else { return .failure(.timedOut(seconds: seconds, doing: "waiting for \(name)")) }
                guard poll(&watched, 2, Int32(clamping: left)) > 0 else { continue }
                if watched[1].revents != 0 { return .failure(.cancelled) }
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                let count = read(output, &chunk, chunk.count)
                if count == 0 { return .success(nil) }
                guard count > 0 else { continue }
                text.withLock { $0 += chunk[..<count] }
            }
        }
    }
}
