/// One option of a command: `--name`, `--name VALUE`, `-n VALUE`.
struct Option: Sendable {
    /// Without dashes.
    let name: String
    let short: Character?
    /// Names of the values as shown in usage lines; empty for a flag, two for `--tls CERT KEY`.
    let values: [String]
    let help: String
    let kind: ValueKind
    let isRepeatable: Bool
    /// What holds when the option is not given.
    let defaultValue: String?
    /// What holds when the option is given and no value follows; nil demands one.
    var impliedValue: String?

    /// A switch without a value.
    static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
        Option(
            name: name, short: short, values: [], help: help, kind: .text, isRepeatable: false, defaultValue: nil)
    }

    /// An option with one value.
    static func value(
        _ name: String, short: Character? = nil, _ valueName: String, _ help: String, kind: ValueKind = .text,
        isRepeatable: Bool = false, default defaultValue: String? = nil
    ) -> Option {
        Option(
            name: name, short: short, values: [valueName], help: help, kind: kind, isRepeatable: isRepeatable,
            defaultValue: defaultValue)
    }

    /// An option whose value is a path.
    static func file(
        _ name: String, short: Character? = nil, _ valueName: String = "FILE", _ help: String, isRepeatable: Bool = false,
        implied impliedValue: String? = nil
    ) -> Option {
        var option = value(name, short: short, valueName, help, kind: .file, isRepeatable: isRepeatable)
        option.impliedValue = impliedValue
        return option
    }

    /// An option whose value is one of a few words.
    static func choice(
        _ name: String, short: Character? = nil, _ choices: [String], _ help: String, isRepeatable: Bool = false,
        default defaultValue: String? = nil
    ) -> Option {
        value(
            name, short: short, choices.joined(separator: "|"), help, kind: .choice(choices), isRepeatable: isRepeatable,
            default: defaultValue)
    }

    /// An option whose value is a whole number.
    static func integer(
        _ name: String, short: Character? = nil, _ valueName: String = "N", _ help: String,
        in range: ClosedRange<Int> = Int.min...Int.max, default defaultValue: Int? = nil
    ) -> Option {
        value(
            name, short: short, valueName, help, kind: .integer(range), default: defaultValue.map(String.init))
    }

    /// An option followed by several values, all paths: `--tls CERT KEY`.
    static func files(_ name: String, _ valueNames: [String], _ help: String) -> Option {
        Option(
            name: name, short: nil, values: valueNames, help: help, kind: .file, isRepeatable: false, defaultValue: nil)
    }

    var isFlag: Bool { values.isEmpty }

    /// `-o, --out FILE`
    var usage: String {
        let names = short.map { "-\($0), --\(name)" } ?? "--\(name)"
        return ([names] + values).joined(separator: " ")
    }
}
