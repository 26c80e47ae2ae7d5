import Glibc

/// The folder that holds wallet, keys, trust, settings and logs. Nothing is written elsewhere unless it is named.
struct Home: Sendable {
    let path: String
    /// Where the path comes from, for `config show`.
    let source: String

    /// `--home`, else `$WALLETBENCH_HOME`, else `$XDG_DATA_HOME/walletbench`, else `~/.local/share/walletbench`.
    static func resolve(option: String?) throws(CommandError) -> Home {
        if let option { return Home(path: option, source: "--home") }
        if let path = environment("WALLETBENCH_HOME") { return Home(path: path, source: "$WALLETBENCH_HOME") }
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return Home(path: "\(data)/walletbench", source: "$XDG_DATA_HOME")
        }
        guard let user = environment("HOME") ?? getpwuid(getuid()).map({ String(cString: $0.pointee.pw_dir) }) else {
            throw .environment("no home folder is known: $HOME is not set", hint: "name one with --home DIR")
        }
        return Home(path: "\(user)/.local/share/walletbench", source: "default")
    }

    /// Path of a file in the home.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether the home was made by `--test-home`.
    var isTestHome: Bool { access(file(Self.testMarker), F_OK) == 0 }

    /// Makes the folder, readable by its owner only, where it does not exist.
    func make() throws(CommandError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && !path.hasPrefix("/") ? String(part) : "/\(part)"
            if path.hasPrefix("/"), made == "/" { made = "" }
            if made.isEmpty || mkdir(made, 0o700) == 0 || errno == EEXIST { continue }
            throw .environment("home \(path): \(made): \(Errno.last)", hint: "name a folder that can be made with --home DIR")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw .environment("home \(path): \(Errno.last)", hint: "name a folder of your own with --home DIR")
        }
    }

    /// Makes a home for tests, or finds that it is one already.
    func makeTestHome() throws(CommandError) {
        if isTestHome { return }
        guard try isEmpty else {
            throw .usage(
                "home \(path) is in use and was not made by --test-home", hint: "name a new folder with --home DIR --test-home")
        }
        try make()
        let descriptor = open(file(Self.testMarker), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .environment("home \(path): \(Errno.last)") }
        close(descriptor)
    }

    private static let testMarker = "test-home"

    private var isEmpty: Bool {
        get throws(CommandError) {
            exists ? try Files.list(path).isEmpty : true
        }
    }
}

/// The variable's value; nil when it is unset or empty.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
