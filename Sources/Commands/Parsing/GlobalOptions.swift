/// The options that every command understands, before or after its name.
enum GlobalOptions {
    static let all: [Option] = [
        .flag("help", short: "h", "Show this help"),
        .flag("json", "Print one JSON object (lasting commands: one event a line) and nothing else on stdout"),
        .value(
            "home", "DIR", "Wallet, keys, trust and settings; else $WALLETBENCH_HOME, else $XDG_DATA_HOME/walletbench",
            kind: .directory),
        .file("passphrase-file", "FILE", "Read the wallet's passphrase from the first line of FILE"),
        .flag("no-passphrase", "Make a new home's key wrapped by a file of mode 0600 instead of a passphrase"),
        .flag("test-home", "Make a new home for tests: --seed is allowed there, its documents are not to be trusted"),
        .value("at", "RFC3339", "The time of every validity check", kind: .time, default: "now"),
        .integer("skew", "SECONDS", "Tolerance of every time check", in: 0...31_536_000, default: 60),
        .choice("edition", ["1", "2"], "Edition of ISO/IEC 18013-5", default: "1"),
        .value(
            "trust", "home|none|PRESET",
            "Whom to trust: the home's anchors and lists, or those of a preset; none: cryptography alone",
            default: "home"),
        .choice(
            "trust-policy", ["enforce", "warning", "off"], "What an issuer that nobody vouches for does to the verdict",
            default: "enforce"),
        .value("trust-for", "TYPE=POLICY", "Another trust policy for documents of this type", isRepeatable: true),
        .choice(
            "status-policy", ["enforce", "warning", "off"], "What a status that cannot be told does to the verdict",
            default: "warning"),
        .value("status-for", "TYPE=POLICY", "Another status policy for documents of this type", isRepeatable: true),
        .value("status-source", "FOLDER", "Where status lists and CRLs are read from first", kind: .directory, isRepeatable: true),
        .flag("offline", "Fetch no status lists, CRLs and trust lists; copies of earlier runs serve, with their age"),
        .flag("allow-private", "Also fetch from private, loopback and link-local addresses"),
        .file("tls-ca", "FILE", "A root that is trusted for HTTPS besides those of the system (PEM or DER)", isRepeatable: true),
        .integer("seed", "N", "Repeat a run byte for byte; only in a home made by --test-home", in: 0...Int.max),
        .file("trace", "FILE", "Write every message of the run as JSON Lines"),
        .flag("reveal", "Show claim values and secrets in traces and listings"),
        .value("fault", "NAME[:ARG]", "Switch on a named fault, see `faults`", isRepeatable: true),
        .choice("log-level", LogLevel.allCases.map(\.rawValue), "What is logged", default: LogLevel.notice.rawValue),
        .file("log-file", "FILE", "Append the log to FILE instead of stderr"),
    ]
}
