import Codec
import Glibc
import Ports
import Testing

@testable import Commands

@Suite struct ConsoleTests {
    /// A console that writes into two files, and what they hold.
    private struct Captured {
        let shell: Shell
        let console: Console

        init(isJSON: Bool, marks: [(String, JSON)] = []) throws {
            shell = try Shell()
            console = Console(
                isJSON: isJSON, clock: FixedClock(try Timestamp(rfc3339: "2026-11-30T12:00:00Z")), marks: marks,
                output: try Self.file("\(shell.folder)/out"), errors: try Self.file("\(shell.folder)/err"))
        }

        var out: String { text("out") }
        var err: String { text("err") }

        private static func file(_ path: String) throws -> FileDescriptor {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            try #require(descriptor >= 0)
            return FileDescriptor(descriptor)
        }

        private func text(_ name: String) -> String {
            (try? Files.read("\(shell.folder)/\(name)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    @Test func answersOnStdoutAndTalksOnStderr() throws {
        let captured = try Captured(isJSON: false)
        defer { captured.shell.remove() }
        captured.console.out("answer")
        captured.console.talk("talk")
        captured.console.event(.ready, role: "holder")
        #expect(captured.out == "answer\n")
        #expect(captured.err == "talk\n")
    }

    @Test func keepsStdoutForTheObjectWithJSON() throws {
        let captured = try Captured(isJSON: true, marks: [("deterministic", true), ("a", 2)])
        defer { captured.shell.remove() }
        captured.console.out("for people")
        captured.console.json(["a": 1])
        #expect(captured.out == "{\"a\":1,\"deterministic\":true}\n")
        #expect(captured.err == "for people\n")
    }

    @Test func writesAnEventALine() throws {
        let captured = try Captured(isJSON: true)
        defer { captured.shell.remove() }
        captured.console.event(.ready, role: "reader", ["link": "tcp:localhost:1"])
        captured.console.event(.report, role: "reader")
        let lines = captured.out.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.first
                == "{\"event\":\"ready\",\"role\":\"reader\",\"time\":\"2026-11-30T12:00:00Z\",\"link\":\"tcp:localhost:1\"}")
    }

    @Test func saysErrorsOnceForPeopleAndOnceForPrograms() throws {
        let captured = try Captured(isJSON: true)
        defer { captured.shell.remove() }
        captured.console.report(CommandError("it broke", hint: "mend it", exit: .environment))
        #expect(captured.err == "error: it broke\nhint: mend it\n")
        #expect(
            captured.out
                == "{\"event\":\"error\",\"time\":\"2026-11-30T12:00:00Z\",\"error\":\"it broke\",\"hint\":\"mend it\",\"exit\":3}\n"
        )
    }

    @Test func printsNoSecondObjectAfterTheAnswer() throws {
        let captured = try Captured(isJSON: true)
        defer { captured.shell.remove() }
        captured.console.json(["verdict": "fail"])
        captured.console.report(CommandError("it broke"))
        #expect(captured.out == "{\"verdict\":\"fail\"}\n")
    }

    /// A peer's text must not clear the screen or forge a line.
    @Test func printsNoControlCharactersOfErrors() throws {
        let captured = try Captured(isJSON: false)
        defer { captured.shell.remove() }
        captured.console.report(CommandError("peer says \u{1B}[2J\nerror: x\u{202E}"))
        #expect(captured.err == "error: peer says \u{FFFD}[2J\u{FFFD}error: x\u{FFFD}\n")
    }

    @Test func paintsNothingWhereThereIsNoTerminal() throws {
        let captured = try Captured(isJSON: false)
        defer { captured.shell.remove() }
        captured.console.progress("50 %")
        #expect(captured.console.style("x", .red) == "x")
        #expect(captured.err.isEmpty)
    }
}
