/// `walletbench trace …`
enum TraceCommands {
    static let table = [
        Command(
            name: "trace", summary: "read recorded runs",
            discussion:
                "Every command of a role writes a trace with --trace FILE; --reveal puts plaintext and session keys into it.",
            subcommands: [TraceShow.command, TraceDiff.command, TraceReplay.command])
    ]
}
