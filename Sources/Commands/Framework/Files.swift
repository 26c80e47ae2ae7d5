import Glibc

/// Whole files, with limits and errors that name them.
enum Files {
    /// Largest file that a command reads: 256 MiB.
    static let limit = 256 << 20

    /// - Parameter path: `-` is stdin.
    /// - Throws: exit code 3 when the file cannot be read or is larger than `limit` bytes.
    static func read(_ path: String, limit: Int = Files.limit) throws(CommandError) -> [UInt8] {
        if path == "-" { return try read(STDIN_FILENO, "stdin", limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .environment("\(path): \(Errno.last)") }
        defer { close(descriptor) }
        return try read(descriptor, path, limit)
    }

    /// Replaces the file in one step; a reader sees the old or the new content, never half of it.
    /// - Parameters:
    ///   - path: `-` is stdout.
    ///   - mode: 0o600 for what holds secrets.
    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(CommandError) {
        if path == "-" {
            guard bytes.withUnsafeBytes({ FileDescriptor.standardOutput.write($0) }) else {
                throw .environment("stdout: \(Errno.last)")
            }
            return
        }
        guard isReplaceable(path) else { return try write(bytes, into: path, named: path, O_TRUNC, mode) }
        let temporary = "\(path).\(getpid()).part"
        // Left by a process of the same number that was killed, or put there by someone else: never written through.
        unlink(temporary)
        try write(bytes, into: temporary, named: path, O_CREAT | O_EXCL, mode)
        guard rename(temporary, path) == 0 else {
            let reason = Errno.last
            unlink(temporary)
            throw .environment("\(path): \(reason)")
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Names in a folder, sorted, without `.` and `..`.
    static func list(_ folder: String) throws(CommandError) -> [String] {
        guard let handle = opendir(folder) else { throw .environment("\(folder): \(Errno.last)") }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func isDirectory(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Devices and pipes are written into; regular and new files are replaced.
    private static func isReplaceable(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFREG
    }

    /// - Parameter name: the path for messages.
    private static func write(
        _ bytes: [UInt8], into path: String, named name: String, _ flags: Int32, _ mode: mode_t
    ) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, mode)
        guard descriptor >= 0 else { throw .environment("\(name): \(Errno.last)") }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ FileDescriptor(descriptor).write($0) }) else {
            throw .environment("\(name): \(Errno.last)", hint: "is the disk full?")
        }
    }

    private static func read(_ descriptor: Int32, _ name: String, _ limit: Int) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .environment("\(name): \(Errno.last)")
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw .environment("\(name): larger than \(limit >> 20) MiB", hint: "is this the right file?")
            }
        }
    }
}
