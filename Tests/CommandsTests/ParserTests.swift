import Testing

@testable import Commands

@Suite struct ParserTests {
    private static let root = Command(
        name: "tool", summary: "a tool",
        subcommands: [
            Command(
                name: "send", summary: "send things",
                options: [
                    .flag("all", short: "a", "All"), .flag("brief", short: "b", "Brief"),
                    .value("out", short: "o", "FILE", "Output", kind: .file),
                    .integer("count", "N", "Count", in: -5...5, default: 3),
                    .value("anchor", "FILE", "Anchor", isRepeatable: true), .files("tls", ["CERT", "KEY"], "Certificate and key"),
                    .choice("level", ["low", "high"], "Level", default: "low"),
                ],
                arguments: [Argument("FIRST", "One"), Argument("MORE", "Others", isRequired: false, isRepeatable: true)],
                subcommands: [Command(name: "log", summary: "what was sent") { _ in .done }]
            ) { _ in .done }
        ])

    private func parse(_ words: String...) throws -> ParsedCommand { try Parser.parse(words, root: Self.root) }

    private func refusal(_ words: String...) -> CommandError? {
        do throws(CommandError) { _ = try Parser.parse(words, root: Self.root) } catch { return error }
        return nil
    }

    @Test(arguments: [
        ["send", "--out", "f", "x"], ["send", "--out=f", "x"], ["send", "-o", "f", "x"], ["send", "-of", "x"],
        ["send", "-o=f", "x"],
        ["send", "-abof", "x"], ["send", "x", "-ab", "-o", "f"],
    ])
    func takesAValueHoweverItIsWritten(_ words: [String]) throws {
        let parsed = try Parser.parse(words, root: Self.root)
        #expect(parsed.values["out"] == [["f"]])
        #expect(parsed.arguments == ["x"])
    }

    @Test func takesLettersTogether() throws {
        #expect(try parse("send", "-ab", "x").values.keys.sorted() == ["all", "brief"])
    }

    @Test func keepsTheOrderOfRepeatedOptions() throws {
        #expect(try parse("send", "--anchor", "1", "x", "--anchor=2").values["anchor"] == [["1"], ["2"]])
    }

    @Test func takesSeveralValuesAtOnce() throws {
        #expect(try parse("send", "--tls", "c", "k", "x").values["tls"] == [["c", "k"]])
        #expect(refusal("send", "--tls", "c", "--all", "x")?.what == "--tls needs a value: KEY")
    }

    @Test func takesNegativeNumbersAsValuesAndArguments() throws {
        let parsed = try parse("send", "--count", "-5", "-7")
        #expect(parsed.values["count"] == [["-5"]])
        #expect(parsed.arguments == ["-7"])
    }

    /// base64url text may begin with a dash.
    @Test func takesAValueThatOnlyLooksLikeLetters() throws {
        #expect(try parse("send", "-o", "-xyz", "x").values["out"] == [["-xyz"]])
        #expect(refusal("send", "-o", "-ab")?.what == "-o needs a value: FILE")
    }

    @Test func endsOptionsAtTwoDashes() throws {
        #expect(try parse("send", "--", "--all", "-b").arguments == ["--all", "-b"])
    }

    @Test func prefersACommandToAnArgument() throws {
        #expect(try parse("send", "log").path.map(\.name) == ["tool", "send", "log"])
        #expect(try parse("send", "x", "log").arguments == ["x", "log"])
    }

    @Test(arguments: [
        (["sned"], "tool has no command 'sned'", "did you mean 'send'?"),
        (["send", "--al", "x"], "tool send has no option --al", "did you mean --all?"),
        (["send", "--level", "hihg", "x"], "--level: 'hihg' is not one of its values", "did you mean 'high'? one of: low, high"),
        (["send", "--count", "6", "x"], "--count: 6 is outside -5…5", "see: tool send --help"),
        (
            ["send", "--count", "99999999999999999999", "x"], "--count: '99999999999999999999' is not a whole number",
            "see: tool send --help"
        ),
        (["send", "--all=1", "x"], "--all takes no value", "see: tool send --help"),
        (["send", "-z", "x"], "tool send has no option -z", "see: tool send --help"),
        (["send", "-o", "1", "-o", "2", "x"], "--out is given twice", "see: tool send --help"),
        (["send"], "tool send needs the argument FIRST", "see: tool send --help"),
        (["send", "log", "x"], "tool send log does not take the argument 'x'", "see: tool send log --help"),
        ([], "tool needs a command", "one of: send"),
    ])
    func saysWhatIsWrongAndWhatWasMeant(_ words: [String], _ what: String, _ hint: String) {
        do throws(CommandError) {
            _ = try Parser.parse(words, root: Self.root)
            Issue.record("\(words) was taken")
        } catch {
            #expect(error == CommandError(what, hint: hint, exit: .usage))
        }
    }

    @Test func helpNeedsNothingElse() throws {
        #expect(try parse("send", "--help").wantsHelp)
        #expect(try parse("-h").wantsHelp)
    }
}
