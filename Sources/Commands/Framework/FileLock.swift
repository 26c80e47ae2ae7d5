import Glibc

/// Keeps other processes of a home away from a file while it is changed: an advisory lock on a file beside it.
struct FileLock {
    private let descriptor: Int32

    /// Waits until nobody else has it.
    /// - Throws: exit code 3 when the lock's file cannot be opened.
    init(_ path: String) throws(CommandError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .environment("\(path): \(Errno.last)") }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let reason = Errno.last
                close(descriptor)
                throw .environment("\(path): \(reason)")
            }
        }
    }

    func release() { close(descriptor) }
}
