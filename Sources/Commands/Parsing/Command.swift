/// One entry of the command table: everything that parsing, help, completions and man pages need to know.
struct Command: Sendable {
    typealias Run = @Sendable (Invocation) async throws -> ExitCode

    /// What is typed: `present`.
    let name: String
    /// One line without a full stop, for lists.
    let summary: String
    /// A paragraph or more for `--help` and the man page.
    let discussion: String
    /// Complete command lines that work as they stand, at least one for each command that runs.
    let examples: [Example]
    /// Options of this command (and of its subcommands), besides the global ones.
    let options: [Option]
    let arguments: [Argument]
    let subcommands: [Command]
    /// Nil for a group that only has subcommands.
    let run: Run?

    init(
        name: String, summary: String, discussion: String = "", examples: [Example] = [], options: [Option] = [],
        arguments: [Argument] = [], subcommands: [Command] = [], run: Run? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.options = options
        self.arguments = arguments
        self.subcommands = subcommands
        self.run = run
    }

    func subcommand(_ name: String) -> Command? {
        subcommands.first { $0.name == name }
    }
}

/// A command line that shows a command at work.
struct Example: Sendable, ExpressibleByStringLiteral {
    /// Without the leading `$`.
    let line: String
    /// What it does, in a few words.
    let explanation: String

    init(_ line: String, _ explanation: String = "") {
        self.line = line
        self.explanation = explanation
    }

    init(stringLiteral line: String) {
        self.init(line)
    }
}

/// What stands after the command's name without a dash.
struct Argument: Sendable {
    /// As shown in usage lines: `PICTURE`.
    let name: String
    let help: String
    let kind: ValueKind
    let isRequired: Bool
    let isRepeatable: Bool

    init(_ name: String, _ help: String, kind: ValueKind = .text, isRequired: Bool = true, isRepeatable: Bool = false) {
        self.name = name
        self.help = help
        self.kind = kind
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
    }

    /// `PICTURE`, `[NAME]`, `PICTURE...`
    var usage: String {
        let repeated = isRepeatable ? "\(name)..." : name
        return isRequired ? repeated : "[\(repeated)]"
    }
}
