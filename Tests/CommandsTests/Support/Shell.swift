import Glibc

/// Runs shell command lines in a folder of their own, with the program under test on the path.
struct Shell {
    let folder: String

    struct Outcome {
        let status: Int32
        let stdout: String
        let stderr: String
    }

    /// Makes an empty folder.
    init() throws {
        var template = Array("/tmp/walletbench-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(what: "mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    struct Failure: Error {
        let what: String
    }

    /// Runs `sh -c line`, at most for `seconds`, with stdin empty.
    func run(_ line: String, seconds: Int = 120) throws -> Outcome {
        let wrapped = "cd '\(folder)' && exec timeout \(seconds) sh -c \"$LINE\" </dev/null >.stdout 2>.stderr"
        let status = try spawn(["/bin/sh", "-c", wrapped], environment: environment + ["LINE=\(line)"])
        return Outcome(status: status, stdout: try read(".stdout"), stderr: try read(".stderr"))
    }

    func write(_ text: String, to name: String) throws {
        guard let file = fopen("\(folder)/\(name)", "w") else { throw Failure(what: "\(name): \(errno)") }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw Failure(what: "\(name): \(errno)") }
    }

    func remove() {
        _ = try? spawn(["/bin/rm", "-rf", folder], environment: environment)
    }

    private var environment: [String] {
        [
            "PATH=\(Paths.binaries):/usr/local/bin:/usr/bin:/bin", "HOME=\(folder)", "WALLETBENCH_HOME=\(folder)/home",
            "FIXTURES=\(Paths.root)/fixtures", "LC_ALL=C.UTF-8", "TZ=UTC", "SWIFT_BACKTRACE=enable=no",
        ]
    }

    private func read(_ name: String) throws -> String {
        guard let file = fopen("\(folder)/\(name)", "r") else { throw Failure(what: "\(name): \(errno)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    private func spawn(_ words: [String], environment: [String]) throws -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var child = pid_t()
        let error = posix_spawn(&child, words[0], nil, nil, &arguments, &variables)
        guard error == 0 else { throw Failure(what: "posix_spawn \(words[0]): \(error)") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { throw Failure(what: "waitpid: \(errno)") } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}

/// Where the tests find things.
enum Paths {
    /// The package's folder.
    static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    /// The folder of the built program: that of the running test bundle, which is an executable itself, or `$WALLETBENCH_BINARIES`.
    static let binaries: String = {
        if let folder = getenv("WALLETBENCH_BINARIES") { return String(cString: folder) }
        guard let path = realpath("/proc/self/exe", nil) else { return "\(root)/.build/debug" }
        defer { free(path) }
        let folder = String(cString: path).split(separator: "/").dropLast()
        return folder.map { "/\($0)" }.joined()
    }()
}
