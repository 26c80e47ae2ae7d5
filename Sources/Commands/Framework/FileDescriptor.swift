import Glibc

/// An open file to write to. Not closed: those of a run live as long as the process.
struct FileDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    static let standardOutput = FileDescriptor(STDOUT_FILENO)
    static let standardError = FileDescriptor(STDERR_FILENO)

    var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all of it. False when the other side is gone or the disk is full.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes all of it. False when the other side is gone or the disk is full.
    @discardableResult
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// The C library's words for why a call failed.
enum Errno {
    static var last: String { text(errno) }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
