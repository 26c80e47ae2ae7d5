import Glibc

/// A line typed at the terminal without being shown.
enum HiddenLine {
    /// - Returns: nil when the terminal cannot hide what is typed, or nothing is.
    static func read(_ prompt: String, _ console: Console) -> String? {
        console.ask(prompt)
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            console.talk("")
        }
        guard let line = readLine(), !line.isEmpty else { return nil }
        return line
    }
}
