import Codec
import Testing

@testable import Commands

/// What must hold for every entry of the command table, those of later commands included.
@Suite struct CommandTableTests {
    private static let nodes = Completions.nodes(Root.command)

    /// Short words for the names of tests.
    struct Entry: Sendable, CustomTestStringConvertible {
        let path: [Command]
        var command: Command { path[path.count - 1] }
        var testDescription: String { path.map(\.name).joined(separator: " ") }
    }

    private static let entries = nodes.map { Entry(path: $0.path) }

    @Test(arguments: entries)
    func saysWhatItIsFor(_ entry: Entry) {
        let command = entry.command
        #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
        #expect(command.options.allSatisfy { !$0.help.isEmpty } && command.arguments.allSatisfy { !$0.help.isEmpty })
        #expect(command.run != nil || !command.subcommands.isEmpty, "a group has commands")
    }

    @Test(arguments: entries.filter { $0.command.run != nil })
    func hasExamplesThatParse(_ entry: Entry) throws {
        var paths: [[String]] = []
        for example in entry.command.examples {
            let words = try #require(Self.words(example.line), "\(example.line)")
            paths.append(try Parser.parse(words, root: Root.command).path.map(\.name))
        }
        #expect(paths.contains { $0.starts(with: entry.path.map(\.name)) }, "an example shows this command")
    }

    @Test(arguments: entries)
    func hasNoNameTwice(_ entry: Entry) {
        let options = entry.path.flatMap(\.options) + GlobalOptions.all
        #expect(Set(options.map(\.name)).count == options.count, "\(options.map(\.name))")
        let letters = options.compactMap(\.short)
        #expect(Set(letters).count == letters.count, "\(letters)")
        let commands = entry.command.subcommands.map(\.name)
        #expect(Set(commands).count == commands.count, "\(commands)")
    }

    /// The parser takes what is left over for the last argument, so only that one may repeat or be left out before others.
    @Test(arguments: entries)
    func ordersItsArguments(_ entry: Entry) {
        let arguments = entry.command.arguments
        #expect(arguments.dropLast().allSatisfy { !$0.isRepeatable })
        let required = arguments.map(\.isRequired)
        #expect(required == required.sorted { $0 && !$1 }, "required arguments come first")
    }

    @Test(arguments: entries)
    func fitsATerminal(_ entry: Entry) {
        let text = Help.text(path: entry.path, width: 80)
        #expect(text.contains("Usage: "))
        let isExample = { (line: Substring) in line.hasPrefix("  walletbench ") || line.contains(" | ") }
        for line in text.split(separator: "\n") where !isExample(line) { #expect(line.count <= 100, "\(line)") }
    }

    @Test(arguments: entries)
    func hasAManualPage(_ entry: Entry) {
        let page = ManPages.page(path: entry.path)
        for section in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXIT STATUS"] { #expect(page.contains(section)) }
    }

    @Test(arguments: entries)
    func showsItsHelpOnStdout(_ entry: Entry) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let text = try shell.run("\(entry.testDescription) --help")
        #expect(text.status == 0 && text.stderr.isEmpty && text.stdout.contains("Usage: \(entry.testDescription)"))
        let json = try shell.run("\(entry.testDescription) --help --json")
        #expect(json.status == 0 && json.stderr.isEmpty)
        #expect(try JSON.decode(json.stdout)["command"]?.stringValue == entry.testDescription)
    }

    /// Groups, and commands whose arguments are missing.
    @Test(arguments: entries.filter { $0.command.run == nil || $0.command.arguments.first?.isRequired == true })
    func refusesToRunWithoutWhatItNeeds(_ entry: Entry) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run("\(entry.testDescription) --json")
        #expect(outcome.status == 2)
        #expect(outcome.stderr.hasPrefix("error: \(entry.testDescription) needs "))
        #expect(outcome.stderr.contains("\nhint: "))
        #expect(try JSON.decode(outcome.stdout)["exit"]?.intValue == 2)
    }

    /// The words of the program's call in an example: up to a pipe or redirection, with single quotes taken off.
    private static func words(_ line: String) -> [String]? {
        guard let start = line.firstRange(of: "walletbench ") else { return line == "walletbench" ? [] : nil }
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line[start.upperBound...] {
            if character == "'" {
                isQuoted.toggle()
                word = word ?? ""
            } else if isQuoted {
                word = (word ?? "") + String(character)
            } else if "|><&;".contains(character) {
                break
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return isQuoted ? nil : words + (word.map { [$0] } ?? [])
    }
}
