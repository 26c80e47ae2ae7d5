import Glibc

/// A step after which a debug build can be told to die as if by `kill -9`, so that tests can walk all of them. Release builds
/// know nothing of it.
///
/// `$WALLETBENCH_KILL_AT` is the number of the point, from 1, at which this process kills itself; `$WALLETBENCH_KILL_POINTS`
/// names a file to which every point that it passes is appended, one name a line.
package enum KillPoint {
    #if DEBUG
        private static let fatal = getenv("WALLETBENCH_KILL_AT").flatMap { Int(String(cString: $0)) }
        private static let list: Int32? = getenv("WALLETBENCH_KILL_POINTS").map {
            open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        private static let passed = Locked(0)

        /// Passes a point, or ends the process there.
        /// - Parameter last: what is still done before it ends: half of a write, say.
        package static func pass(_ name: @autoclosure () -> String, last: () -> Void = {}) {
            guard fatal != nil || list != nil else { return }
            let number = passed.withLock { number in
                number += 1
                return number
            }
            if let list {
                let line = Array("\(name())\n".utf8)
                _ = write(list, line, line.count)
            }
            guard number == fatal else { return }
            last()
            kill(getpid(), SIGKILL)
        }
    #else
        @inlinable @inline(__always)
        package static func pass(_ name: @autoclosure () -> String, last: () -> Void = {}) {}
    #endif
}
