import Glibc
import Ports

/// How much is logged, least first.
enum LogLevel: String, CaseIterable, Sendable, Comparable {
    case error, warning, notice, info, debug, trace

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// Writes one line per event to stderr or a file. Secrets and claim values are never handed to it: callers log names, sizes and states.
struct Logger: Sendable {
    let level: LogLevel
    private let file: FileDescriptor

    /// - Parameter path: appended to, made with mode 0600; nil for stderr.
    init(level: LogLevel, path: String?) throws(CommandError) {
        self.level = level
        guard let path else {
            file = .standardError
            return
        }
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .environment("log file \(path): \(Errno.last)", hint: "name a file that can be written with --log-file")
        }
        file = FileDescriptor(descriptor)
    }

    func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        guard level <= self.level else { return }
        let line = message().replacingControlCharacters()
        file.write("\(SystemClock().now().rfc3339) \(level.rawValue): \(line)\n")
    }

    func error(_ message: @autoclosure () -> String) { log(.error, message()) }
    func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
    func notice(_ message: @autoclosure () -> String) { log(.notice, message()) }
    func info(_ message: @autoclosure () -> String) { log(.info, message()) }
    func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }
    func trace(_ message: @autoclosure () -> String) { log(.trace, message()) }
}

extension String {
    /// A peer's text must not be able to forge log lines or move the cursor.
    func replacingControlCharacters() -> String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1, and the characters that turn the direction of text.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
