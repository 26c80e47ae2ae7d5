import Codec
import Glibc
import Ports

/// Where a command talks. The rules:
/// - stdout is the answer, stderr the talk. With `--json`, stdout carries one JSON object, or one event a line from commands that last,
///   and nothing else: text for people then goes to stderr.
/// - Colours and progress only on a terminal; `NO_COLOR` is honoured.
/// - An error is one line that says what, where and whose fault, and a `hint:` line with the mend.
/// - Output of a run with `--seed` or `--fault` says so.
final class Console: Sendable {
    let isJSON: Bool
    private let clock: any Clock
    private let marks: [(String, JSON)]
    private let output: FileDescriptor
    private let errors: FileDescriptor
    private let state = Locked(State())

    private struct State {
        var hasAnswered = false
        var progressIsShown = false
    }

    /// - Parameters:
    ///   - clock: the time of events.
    ///   - marks: members added to every JSON object, such as `"deterministic": true`.
    init(
        isJSON: Bool, clock: any Clock, marks: [(String, JSON)] = [], output: FileDescriptor = .standardOutput,
        errors: FileDescriptor = .standardError
    ) {
        self.isJSON = isJSON
        self.clock = clock
        self.marks = marks
        self.output = output
        self.errors = errors
    }

    /// A line of the answer for people; goes to stderr with `--json`.
    func out(_ line: String) {
        clearProgress()
        write((isJSON ? errors : output), "\(line)\n")
    }

    /// The answer as JSON.
    func json(_ answer: JSONObject) {
        clearProgress()
        state.withLock { $0.hasAnswered = true }
        write(output, "\(JSON.object(marked(answer)).encoded())\n")
    }

    /// The answer in the form that was asked for.
    func answer(_ object: @autoclosure () -> JSONObject, text: () -> String) {
        isJSON ? json(object()) : out(text())
    }

    /// Raw bytes of the answer: `-o -`.
    func out(bytes: [UInt8]) {
        clearProgress()
        if !bytes.withUnsafeBytes({ output.write($0) }) { outputIsGone() }
    }

    /// An event of a lasting command, one JSON object a line; only with `--json`.
    func event(_ event: Event, role: String, _ fields: JSONObject = JSONObject()) {
        guard isJSON else { return }
        clearProgress()
        var object = JSONObject()
        object.append("event", .string(event.rawValue))
        object.append("role", .string(role))
        object.append("time", .string(clock.now().rfc3339))
        for (name, value) in fields { object.append(name, value) }
        write(output, "\(JSON.object(marked(object)).encoded())\n")
    }

    /// The events of all roles.
    enum Event: String, Sendable {
        case ready, engaged, connected, request, consent, sent, received, progress, terminated, error, report
    }

    /// A line for the person, on stderr.
    func talk(_ line: String) {
        clearProgress()
        errors.write("\(line)\n")
    }

    /// Text without an end of line, on stderr: a question.
    func ask(_ prompt: String) {
        clearProgress()
        errors.write(prompt)
    }

    /// One line that is rewritten while work goes on; nothing where stderr is no terminal.
    func progress(_ line: String) {
        guard errors.isTerminal, !isJSON else { return }
        state.withLock { $0.progressIsShown = true }
        errors.write("\r\u{1B}[K\(line)")
    }

    /// Says why the run stops.
    func report(_ error: CommandError) {
        clearProgress()
        errors.write("\(style("error:", .red, on: errors)) \(error.what.replacingControlCharacters())\n")
        if let hint = error.hint { errors.write("\(style("hint:", .bold, on: errors)) \(hint.replacingControlCharacters())\n") }
        guard isJSON, !state.withLock({ $0.hasAnswered }) else { return }
        var object = JSONObject()
        object.append("event", .string(Event.error.rawValue))
        object.append("time", .string(clock.now().rfc3339))
        object.append("error", .string(error.what))
        object.append("hint", error.hint.map { .string($0) } ?? .null)
        object.append("exit", .integer(Int64(error.exit.rawValue)))
        write(output, "\(JSON.object(marked(object)).encoded())\n")
    }

    enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    var isTerminal: Bool { output.isTerminal }
    /// Columns of the terminal, 80 where there is none.
    var width: Int { TerminalSize.columns(of: output.number) ?? 80 }

    /// The text in a colour where stdout shows colours, else as it is.
    func style(_ text: String, _ style: Style) -> String {
        self.style(text, style, on: output)
    }

    /// Whether stdout is a terminal that may be painted.
    var showsColours: Bool { Self.showsColours(on: output) }

    private static func showsColours(on file: FileDescriptor) -> Bool {
        file.isTerminal && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
    }

    private func style(_ text: String, _ style: Style, on file: FileDescriptor) -> String {
        guard Self.showsColours(on: file) else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    private func clearProgress() {
        let shown = state.withLock { state in
            defer { state.progressIsShown = false }
            return state.progressIsShown
        }
        if shown { errors.write("\r\u{1B}[K") }
    }

    private func marked(_ object: JSONObject) -> JSONObject {
        var object = object
        for (name, value) in marks where object[name] == nil { object.append(name, value) }
        return object
    }

    private func write(_ file: FileDescriptor, _ text: String) {
        if !file.write(text), file.number == output.number { outputIsGone() }
    }

    /// Whoever read stdout has seen enough (`| head`), or the disk is full: there is nobody to answer any more.
    private func outputIsGone() {
        let code = errno
        if code != EPIPE { errors.write("error: stdout: \(Errno.text(code))\n") }
        exit(code == EPIPE ? ExitCode.done.rawValue : ExitCode.environment.rawValue)
    }
}
