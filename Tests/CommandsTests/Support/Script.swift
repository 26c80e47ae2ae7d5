import Glibc
import Testing

/// A test of the real program, as text. Lines that begin with `#` are comments, the others are:
///
///     $ walletbench qr encode hello -o code.png    runs in a folder of its own; a pipe, `&` and the like work as in sh
///     exit 1                                       the exit code, when it is not 0
///     stdout TEXT                                  a line of the output contains TEXT; stderr alike
///     ! stdout TEXT                                no line contains it
///     stdout ~ REGEX                               a line matches
///     stdout none                                  nothing was written
///     stdout json                                  one JSON object and nothing else
///     stdout events                                JSON objects, one a line, each with "event"
///     json PATH VALUE                              a member of the JSON object: json documents.0.trusted true
///     -- NAME --                                   the lines up to the next such line are put into a file before the first command
///
/// `$FIXTURES` is the package's folder of fixtures; `$WALLETBENCH_HOME` is fresh for each script.
struct Script: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [Step]
    let files: [(name: String, text: String)]

    struct Step: Sendable {
        let line: Int
        let command: String
        var exit: Int32 = 0
        var checks: [Check] = []
    }

    struct Check: Sendable {
        let line: Int
        let isNegated: Bool
        let subject: String
        let text: String
    }

    var testDescription: String { name }

    struct Malformed: Error {
        let what: String
    }

    init(name: String, text: String) throws {
        var steps: [Step] = []
        var files: [(name: String, text: String)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            if line.hasPrefix("-- "), line.hasSuffix(" --") {
                files.append((String(line.dropFirst(3).dropLast(3)), ""))
            } else if !files.isEmpty {
                files[files.count - 1].text += "\(line)\n"
            } else if line.hasPrefix("$ ") {
                steps.append(Step(line: number, command: String(line.dropFirst(2))))
            } else if !line.isEmpty, !line.hasPrefix("#") {
                guard !steps.isEmpty else { throw Malformed(what: "\(name):\(number): a check before the first command") }
                try Self.add(line, number, to: &steps[steps.count - 1], name)
            }
        }
        guard !steps.isEmpty else { throw Malformed(what: "\(name): no command") }
        self.name = name
        self.steps = steps
        self.files = files
    }

    private static func add(_ line: Substring, _ number: Int, to step: inout Step, _ name: String) throws {
        let isNegated = line.hasPrefix("! ")
        let words = line.dropFirst(isNegated ? 2 : 0).split(separator: " ", maxSplits: 1)
        guard words.count == 2, ["exit", "stdout", "stderr", "json"].contains(words[0]) else {
            throw Malformed(what: "\(name):\(number): \(line)")
        }
        if words[0] == "exit" {
            guard let code = Int32(words[1]) else { throw Malformed(what: "\(name):\(number): \(line)") }
            step.exit = code
        } else {
            step.checks.append(
                Check(line: number, isNegated: isNegated, subject: String(words[0]), text: String(words[1])))
        }
    }

    /// All scripts of the folder `Scripts`, by name.
    static func all() throws -> [Script] {
        let folder = "\(Paths.root)/Tests/CommandsTests/Scripts"
        guard let handle = opendir(folder) else { throw Malformed(what: "\(folder): \(errno)") }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".txt") { names.append(name) }
        }
        return try names.sorted().map { try Script(name: $0, text: try text(of: "\(folder)/\($0)")) }
    }

    private static func text(of path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Malformed(what: "\(path): \(errno)") }
        defer { fclose(file) }
        var text = ""
        var buffer = [CChar](repeating: 0, count: 1 << 16)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            text += String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return text
    }
}
