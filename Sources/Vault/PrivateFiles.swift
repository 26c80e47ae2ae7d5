import Glibc
internal import Ports

/// Files and directories that only their owner may read.
package enum PrivateFiles {
    /// Makes the directory with mode 0700, parents too, or closes an existing one of ours to others.
    package static func makeDirectory(_ path: String) throws(VaultError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            try closeDirectory(path)
        case ENOENT where path.contains("/") && !parent(of: path).isEmpty && parent(of: path) != path:
            try makeDirectory(parent(of: path))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw trouble("cannot make the directory", path) }
        default:
            throw trouble("cannot make the directory", path)
        }
    }

    /// Makes the directory with mode 0700, or takes an existing one as it is.
    package static func makeNewDirectory(_ path: String) throws(VaultError) {
        if !exists(path) { try makeDirectory(path) }
    }

    /// Whether something is at `path`.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The content of a file; nil when there is none. Larger ones than `limit` bytes are refused.
    package static func read(_ path: String, limit: Int) throws(VaultError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw trouble("cannot read", path)
        }
        defer { close(file) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw trouble("cannot read", path) }
            if count == 0 { return content }
            content += chunk[..<count]
            guard content.count <= limit else {
                throw VaultError(.system, "\(path): larger than \(limit) bytes", hint: "name the right file")
            }
        }
    }

    /// Writes a file of mode 0600 so that it is there whole or not at all. Returns false when the name is taken: the first
    /// of two processes wins.
    package static func writeNew(_ path: String, _ bytes: [UInt8]) throws(VaultError) -> Bool {
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw trouble("cannot write", path) }
        defer { unlink(draft) }
        KillPoint.pass("file torn write") { _ = writeAll(file, Array(bytes.prefix(bytes.count / 2))) }
        let written = writeAll(file, bytes) && fsync(file) == 0
        guard close(file) == 0, written else { throw trouble("cannot write", path) }
        KillPoint.pass("file written")
        if link(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw trouble("cannot write", path) }
        return false
    }

    /// Makes an empty file of mode 0600 unless one is there that can be written.
    static func touch(_ path: String) throws(VaultError) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
        } else if errno != EEXIST {
            throw trouble("cannot make", path)
        } else if access(path, W_OK) != 0 {
            throw trouble("cannot be written", path)
        }
    }

    /// Holds the directory of `path` for one process at a time while `body` runs.
    static func alone<R>(atDirectoryOf path: String, _ body: () throws(VaultError) -> R) throws(VaultError) -> R {
        let directory = parent(of: path)
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw trouble("cannot open the directory", directory) }
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw trouble("cannot lock the directory", directory) }
        }
        return try body()
    }

    private static func closeDirectory(_ path: String) throws(VaultError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw trouble("cannot look at", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw VaultError(.system, "\(path) is no directory", hint: "name a directory with --home")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else { return }
        guard chmod(path, 0o700) == 0 else { throw trouble("cannot close to others", path) }
    }

    private static func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func parent(of path: String) -> String {
        let trimmed = path.last == "/" && path.count > 1 ? String(path.dropLast()) : path
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    private static func trouble(_ what: String, _ path: String) -> VaultError {
        let code = errno
        let message = String(cString: strerror(code))
        return switch code {
        case EROFS:
            VaultError(.readOnly, "\(path): \(what): \(message)", hint: "make the disk writable, or name another home with --home")
        case ENOSPC, EDQUOT:
            VaultError(.full, "\(path): \(what): \(message)", hint: "free some space and try again")
        default:
            VaultError(
                .system, "\(path): \(what): \(message)",
                hint: "check the path and its permissions, or name another home with --home")
        }
    }
}
