import Codec
import Glibc

@testable import Commands

/// Runs commands inside the test, each with files in place of stdout and stderr.
struct InProcess {
    let folder: String

    struct Outcome: Sendable {
        let exit: ExitCode
        let stdout: String
        let stderr: String

        /// The object of the last line.
        var answer: JSON? { stdout.split(separator: "\n").last.flatMap { try? JSON.decode(String($0)) } }

        /// `R14`: ids of the checks of the answer that failed or warned.
        var violations: Set<String> {
            let checks = answer?["checks"]?.arrayValue ?? []
            return Set(
                checks.filter { ["fail", "warn"].contains($0["outcome"]?.stringValue ?? "") }.compactMap { $0["id"]?.stringValue })
        }

        /// `T14`: steps that left a status open.
        var open: Set<String> {
            let checks = answer?["checks"]?.arrayValue ?? []
            return Set(
                checks.filter { $0["reason"]?.stringValue?.hasPrefix("undetermined: ") ?? false }.compactMap {
                    $0["id"]?.stringValue
                })
        }
    }

    init() throws {
        var template = Array("/tmp/walletbench-walk.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Shell.Failure(what: "mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A run on its way.
    struct Running: Sendable {
        let task: Task<ExitCode, Never>
        let stdout: String
        let stderr: String

        /// Waits for its end.
        func outcome() async -> Outcome {
            let exit = await task.value
            func text(_ path: String) -> String { String(decoding: (try? Files.read(path)) ?? [], as: UTF8.self) }
            return Outcome(exit: exit, stdout: text(stdout), stderr: text(stderr))
        }

        /// The first event of this name; nil when the run ends, or ten seconds pass, without it.
        func event(_ name: String) async -> JSON? {
            for _ in 0..<2000 {
                let lines = String(decoding: (try? Files.read(stdout)) ?? [], as: UTF8.self).split(separator: "\n")
                let events = lines.compactMap { try? JSON.decode(String($0)) }
                if let event = events.first(where: { $0["event"]?.stringValue == name }) { return event }
                if events.contains(where: { ["report", "error"].contains($0["event"]?.stringValue) }) { return nil }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return nil
        }
    }

    /// Starts a command; `name` tells its files apart.
    func start(_ words: [String], as name: String) -> Running {
        let (out, err) = ("\(folder)/\(name).out", "\(folder)/\(name).err")
        func file(_ path: String) -> FileDescriptor {
            FileDescriptor(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        }
        let (output, errors) = (file(out), file(err))
        let task = Task {
            let exit = await Entry.run(words, root: Root.command, output: output, errors: errors)
            for descriptor in [output, errors] { close(descriptor.number) }
            return exit
        }
        return Running(task: task, stdout: out, stderr: err)
    }

    func run(_ words: [String]) async -> Outcome { await start(words, as: "run").outcome() }

    /// Copies a home.
    func copy(_ home: String, to other: String) throws {
        for name in try Files.list("\(folder)/\(home)") { try copy(entry: "\(home)/\(name)", to: "\(other)/\(name)", in: other) }
    }

    private func copy(entry: String, to other: String, in parent: String) throws {
        mkdir("\(folder)/\(parent)", 0o700)
        if Files.isDirectory("\(folder)/\(entry)") {
            mkdir("\(folder)/\(other)", 0o700)
            for name in try Files.list("\(folder)/\(entry)") {
                try copy(entry: "\(entry)/\(name)", to: "\(other)/\(name)", in: other)
            }
        } else {
            try Files.write(try Files.read("\(folder)/\(entry)"), to: "\(folder)/\(other)", mode: 0o600)
        }
    }

    func remove() {
        Self.remove(folder)
    }

    static func remove(_ path: String) {
        if Files.isDirectory(path), let names = try? Files.list(path) {
            for name in names { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
