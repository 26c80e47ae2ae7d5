import Glibc

/// The settings that the running bluetoothd works by.
package struct DaemonSettings: Sendable, Hashable {
    /// The file it reads.
    package let path: String
    /// As the file is now.
    package let file: MainConf
    /// Whether the file was changed after the daemon was started; its lines then do not hold yet.
    package let isStale: Bool

    package init(path: String, file: MainConf, isStale: Bool) { (self.path, self.file, self.isStale) = (path, file, isStale) }

    /// Whether the line is there and the daemon knows it.
    package func holds(_ wanted: MainConf.Wanted) -> Bool { !isStale && file.has(wanted) }

    /// Whether transfers are right in every role.
    package var isRight: Bool { MainConf.wanted.allSatisfy(holds) }

    static let usualPath = "/etc/bluetooth/main.conf"

    /// Looks at the process that owns org.bluez. Both times are known to about a second, so that a change at the very start passes.
    package static func current(_ stack: Stack) async -> DaemonSettings {
        let reply = try? await stack.bus.call(
            BusRequest(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                [.string(Stack.name)]))
        return of(process: reply?.first?.integer)
    }

    static func of(process: Int?) -> DaemonSettings {
        let arguments = process.flatMap { TextFile.read("/proc/\($0)/cmdline") }?.split(separator: "\0").map(String.init) ?? []
        let path = configurationFile(arguments) ?? usualPath
        let text = TextFile.read(path)
        var isStale = false
        if let process, let started = startTime(of: process), let changed = modification(of: path) {
            isStale = changed > started + 1.5
        }
        return DaemonSettings(path: path, file: MainConf(text ?? ""), isStale: isStale)
    }

    /// `--configfile FILE`, `--configfile=FILE`, `-f FILE`
    static func configurationFile(_ arguments: [String]) -> String? {
        for (place, argument) in arguments.enumerated() {
            if argument.hasPrefix("--configfile=") { return String(argument.dropFirst("--configfile=".count)) }
            if argument == "--configfile" || argument == "-f" { return arguments.dropFirst(place + 1).first }
        }
        return nil
    }

    /// Seconds since 1970. The 22nd field of /proc/PID/stat counts clock ticks since the machine started.
    private static func startTime(of process: Int) -> Double? {
        guard let text = TextFile.read("/proc/\(process)/stat"), let close = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]), let since = TextFile.read("/proc/uptime") else { return nil }
        guard let uptime = since.split(separator: " ").first.flatMap({ Double($0) }) else { return nil }
        return Double(time(nil)) - uptime + ticks / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    }

    private static func modification(of path: String) -> Double? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return Double(facts.st_mtim.tv_sec)
    }
}
