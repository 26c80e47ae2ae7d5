/// How a run ends, as the shell sees it.
package enum ExitCode: Int32, Sendable {
    /// Done; the verdict, where there is one, is pass.
    case done = 0
    /// Refused, invalid, or the verdict is fail.
    case refused = 1
    /// The command line itself is wrong.
    case usage = 2
    /// The surroundings are in the way: no adapter, port taken, file unreadable, wallet locked.
    case environment = 3
    /// The verdict is undetermined.
    case undetermined = 4
    /// Interrupted by a signal.
    case interrupted = 130
}

/// Why a command stops: one line that says what, where and whose fault, and the mend.
struct CommandError: Error, Sendable, Equatable {
    /// One line, without a full stop or prefix.
    var what: String
    /// The mend, printed after `hint:`.
    var hint: String?
    var exit: ExitCode

    init(_ what: String, hint: String? = nil, exit: ExitCode = .refused) {
        self.what = what
        self.hint = hint
        self.exit = exit
    }

    /// The command line is wrong: exit code 2.
    static func usage(_ what: String, hint: String? = nil) -> CommandError {
        CommandError(what, hint: hint, exit: .usage)
    }

    /// The surroundings are in the way: exit code 3.
    static func environment(_ what: String, hint: String? = nil) -> CommandError {
        CommandError(what, hint: hint, exit: .environment)
    }

    /// A signal ended the run: exit code 130.
    static let interrupted = CommandError("interrupted", exit: .interrupted)
}
