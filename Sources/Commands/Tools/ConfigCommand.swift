import Codec
import Ports

/// `walletbench config show|set|unset`
enum ConfigCommand {
    static let command = Command(
        name: "config", summary: "show and keep settings", subcommands: [show, set, unset])

    private static let show = Command(
        name: "show", summary: "print every setting and where it comes from",
        examples: [Example("walletbench config show --edition 2", "what holds with these options")]
    ) { invocation in
        let rows = try rows(invocation)
        invocation.console.answer(json(rows)) {
            rows.map { "\(TextLayout.pad($0.name, to: 16)) \(TextLayout.pad($0.value ?? "-", to: 32)) \($0.source)" }
                .joined(separator: "\n")
        }
        return .done
    }

    private static let set = Command(
        name: "set", summary: "keep a setting in the home",
        examples: [Example("walletbench config set edition 2", "from now on, without --edition 2")],
        arguments: [Argument("NAME", "The setting", kind: .choice(Settings.names)), Argument("VALUE", "Its value")]
    ) { invocation in
        try change(invocation) { settings throws(CommandError) in
            try settings.set(invocation.arguments[0], invocation.arguments[1])
        }
    }

    private static let unset = Command(
        name: "unset", summary: "forget a setting of the home",
        examples: [Example("walletbench config unset edition", "back to the default")],
        arguments: [Argument("NAME", "The setting", kind: .choice(Settings.names))]
    ) { invocation in
        try change(invocation) { settings throws(CommandError) in settings.unset(invocation.arguments[0]) }
    }

    private static func change(
        _ invocation: Invocation, _ body: (inout Settings) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        let home = invocation.context.home
        var settings = try Settings(home: home)
        try body(&settings)
        try settings.save(in: home)
        invocation.console.answer([
            "settings": .object(JSONObject(settings.values.map { (key: $0.name, value: .string($0.value)) }))
        ]) { settings.values.map { "\($0.name) \($0.value)" }.joined(separator: "\n") }
        return .done
    }

    private typealias Row = (name: String, value: String?, source: String)

    private static func rows(_ invocation: Invocation) throws(CommandError) -> [Row] {
        let context = invocation.context
        let settings = try Settings(home: context.home)
        let given = GlobalOptions.all.filter { !["help", "home", "passphrase-file"].contains($0.name) }
        let home: Row = ("home", context.home.path, context.home.source)
        let kind: Row = ("test-home", context.home.isTestHome ? "yes" : "no", context.home.exists ? "the home" : "not made yet")
        return [home, kind, passphrase(context)]
            + given.filter { $0.name != "test-home" }.map { row($0, invocation.parsed, settings) }
            + [("NO_COLOR", environment("NO_COLOR"), environment("NO_COLOR") == nil ? "default" : "$NO_COLOR")]
    }

    private static func row(_ option: Option, _ parsed: ParsedCommand, _ settings: Settings) -> Row {
        if let given = parsed.values[option.name], !parsed.kept.contains(option.name) {
            let values = given.flatMap { $0 }
            return (option.name, values.isEmpty ? "yes" : values.joined(separator: " "), "--\(option.name)")
        }
        if let kept = settings[option.name] { return (option.name, kept, "settings.json") }
        return (option.name, option.defaultValue ?? (option.isFlag ? "no" : nil), "default")
    }

    /// Where a passphrase would come from; never the passphrase.
    private static func passphrase(_ context: Context) -> Row {
        if let file = context.passphraseFile { return ("passphrase", "first line of \(file)", "--passphrase-file") }
        if environment("WALLETBENCH_PASSPHRASE") != nil { return ("passphrase", "set", "$WALLETBENCH_PASSPHRASE") }
        let hasKeyFile = Files.exists(context.home.file("wallet.key"))
        return hasKeyFile
            ? ("passphrase", "none needed", "wallet.key in the home") : ("passphrase", "asked for on a terminal", "default")
    }

    private static func json(_ rows: [Row]) -> JSONObject {
        [
            "settings": .array(
                rows.map { row in
                    [
                        "name": .string(row.name), "value": row.value.map { .string($0) } ?? .null,
                        "source": .string(row.source),
                    ]
                })
        ]
    }
}
