import Codec
import Testing

@Suite struct ScriptTests {
    @Test(arguments: try Script.all())
    func theProgramDoesWhatTheScriptSays(_ script: Script) throws {
        let shell = try Shell()
        defer { shell.remove() }
        for file in script.files { try shell.write(file.text, to: file.name) }
        for step in script.steps {
            let outcome = try shell.run(step.command)
            let place = "\(script.name):\(step.line): \(step.command)"
            let output = "\nstdout: \(outcome.stdout.suffix(2000))\nstderr: \(outcome.stderr.suffix(2000))"
            #expect(outcome.status == step.exit, "\(place)\(output)")
            for check in step.checks {
                let holds = try Self.holds(check, outcome) != check.isNegated
                #expect(holds, "\(script.name):\(check.line): \(check.subject) \(check.text)\nafter \(place)\(output)")
            }
        }
    }

    private static func holds(_ check: Script.Check, _ outcome: Shell.Outcome) throws -> Bool {
        if check.subject == "json" { return try member(check.text, of: outcome.stdout) }
        let output = check.subject == "stdout" ? outcome.stdout : outcome.stderr
        let lines = output.split(separator: "\n")
        switch check.text {
        case "none": return output.isEmpty
        case "json": return lines.count == 1 && object(lines[0]) != nil
        case "events": return !lines.isEmpty && lines.allSatisfy { object($0)?["event"] != nil }
        default: break
        }
        guard check.text.hasPrefix("~ ") else { return lines.contains { $0.contains(check.text) } }
        let pattern = try Regex(String(check.text.dropFirst(2)))
        return lines.contains { $0.contains(pattern) }
    }

    private static func object(_ line: Substring) -> JSON? {
        guard let json = try? JSON.decode(String(line)), case .object = json else { return nil }
        return json
    }

    /// `documents.0.trusted true`: the value at the path equals the JSON value.
    private static func member(_ text: String, of output: String) throws -> Bool {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, var value = try? JSON.decode(output) else { return false }
        for name in parts[0].split(separator: ".") {
            switch value {
            case .object(let members):
                guard let next = members[String(name)] else { return false }
                value = next
            case .array(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return false }
                value = elements[index]
            default: return false
            }
        }
        guard case .array(let wanted) = try JSON.decode("[\(parts[1])]") else { return false }
        return wanted == [value]
    }
}
