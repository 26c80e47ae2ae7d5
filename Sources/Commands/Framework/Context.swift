import Codec
import Credentials
import Glibc
import Ports

/// What every command works with, made from the global options once.
struct Context: Sendable {
    let console: Console
    let home: Home
    /// `--at`, else the system's.
    let clock: any Clock
    /// `--seed`, else the system's.
    let random: any RandomSource
    let trace: any TraceSink
    let logger: Logger
    let edition: Edition
    /// Seconds of tolerance of every time check.
    let skew: Int
    /// False with `--trust none`: the verdict is about the cryptography alone.
    let usesTrust: Bool
    /// `--trust NAME`: the preset whose anchors and lists count in place of the home's.
    let trustPreset: String?
    /// Whether claim values and secrets may be shown.
    /// What trust in issuers is held to.
    let trustPolicy: TrustPolicies
    /// What the status of documents and signers is held to.
    let statusPolicy: StatusPolicy
    /// Folders with status lists and CRLs.
    let statusSources: [String]
    private(set) var network: NetworkUse
    let reveals: Bool
    let faults: [FaultName]
    /// Whether the run repeats byte for byte (`--seed`).
    let isDeterministic: Bool
    /// Whether a new home's key shall need no passphrase.
    let wantsNoPassphrase: Bool
    let passphraseFile: String?
    /// The command table, for help, completions and man pages.
    let root: Command
}

/// What a run may fetch, and from whom.
struct NetworkUse: Sendable, Hashable {
    /// `--offline`: lists are not fetched.
    let isOffline: Bool
    /// `--allow-private`: private, loopback and link-local addresses, too.
    let allowsPrivate: Bool
    /// `--tls-ca`: files with roots that are trusted for HTTPS.
    let authorities: [String]

    init(_ parsed: ParsedCommand) {
        let options = GlobalValues(parsed)
        isOffline = options.flag("offline")
        allowsPrivate = options.flag("allow-private")
        authorities = options.strings("tls-ca")
    }
}

/// A fault as named on the command line: `NAME[:ARG]`.
struct FaultName: Sendable, Hashable {
    let name: String
    let argument: String?

    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        argument = parts.count > 1 ? String(parts[1]) : nil
    }

    var text: String { argument.map { "\(name):\($0)" } ?? name }
}

extension Context {
    /// Reads the global options.
    /// - Throws: exit code 2 when they do not go together, 3 when a file they name cannot be opened.
    init(
        _ parsed: ParsedCommand, home: Home, root: Command, output: FileDescriptor = .standardOutput,
        errors: FileDescriptor = .standardError
    ) throws(CommandError) {
        let options = GlobalValues(parsed)
        self.home = home
        if options.flag("test-home") { try home.makeTestHome() }
        clock = options.time("at").map { FixedClock($0) } ?? SystemClock()
        isDeterministic = options.flag("seed")
        random = try Self.random(seed: options.integer("seed"), home: home)
        logger = try Logger(
            level: options.string("log-level").flatMap(LogLevel.init) ?? .notice, path: options.string("log-file"))
        trace = try Self.trace(path: options.string("trace"))
        edition = options.integer("edition").flatMap(Edition.init) ?? .first
        skew = options.integer("skew") ?? 60
        usesTrust = options.string("trust") != "none"
        trustPreset = try TrustPresets.name(options.string("trust") ?? "home")
        let trust = try StatusPolicy(
            general: options.string("trust-policy") ?? "enforce", overrides: options.strings("trust-for"), option: "trust-for")
        trustPolicy = TrustPolicies(trust.general, byType: trust.byType)
        statusPolicy = try StatusPolicy(general: options.string("status-policy"), overrides: options.strings("status-for"))
        statusSources = options.strings("status-source")
        network = NetworkUse(parsed)
        reveals = options.flag("reveal")
        faults = options.strings("fault").map(FaultName.init)
        wantsNoPassphrase = options.flag("no-passphrase")
        passphraseFile = options.string("passphrase-file")
        self.root = root
        var marks: [(String, JSON)] = []
        if isDeterministic { marks.append(("deterministic", true)) }
        if !faults.isEmpty { marks.append(("faults", .array(faults.map { .string($0.text) }))) }
        console = Console(isJSON: options.flag("json"), clock: clock, marks: marks, output: output, errors: errors)
    }

    /// The same run with another use of the network.
    func with(_ network: NetworkUse) -> Context {
        var context = self
        context.network = network
        return context
    }

    /// Says on stderr what is unusual about this run.
    func announce() {
        if isDeterministic { console.talk("note: --seed makes this run repeatable; its keys and nonces are no secrets") }
        if !faults.isEmpty { console.talk("note: faults are on: \(faults.map(\.text).joined(separator: ", "))") }
    }

    private static func random(seed: Int?, home: Home) throws(CommandError) -> any RandomSource {
        guard let seed else { return SystemRandom() }
        guard home.isTestHome else {
            throw .usage(
                "--seed is refused: \(home.path) was not made by --test-home", hint: "add --home DIR --test-home with a new folder")
        }
        return SeededRandom(seed: UInt64(seed))
    }

    private static func trace(path: String?) throws(CommandError) -> any TraceSink {
        guard let path else { return NoTrace() }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .environment("trace \(path): \(Errno.last)", hint: "name a file that can be written with --trace")
        }
        return JSONLinesTrace(fileDescriptor: descriptor)
    }
}

extension ParsedCommand {
    /// Adds what the home keeps, where the command line says nothing.
    mutating func add(_ settings: Settings) {
        for (name, value) in settings.values where values[name] == nil {
            values[name] = [[value]]
            kept.insert(name)
        }
    }
}

/// The global options of a parsed command line, with their defaults.
private struct GlobalValues {
    let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func flag(_ name: String) -> Bool { parsed.values[name] != nil }
    func strings(_ name: String) -> [String] { parsed.values[name]?.flatMap { $0 } ?? [] }
    func string(_ name: String) -> String? { strings(name).last }
    func integer(_ name: String) -> Int? { string(name).flatMap { Int($0) } }
    func time(_ name: String) -> Timestamp? { string(name).flatMap { try? Timestamp(rfc3339: $0) } }
}
