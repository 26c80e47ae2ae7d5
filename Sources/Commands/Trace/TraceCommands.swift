/// `walletbench trace …`
enum TraceCommands {
    static let table = [
        Command(
            name: "trace", summary: "read recorded runs",
            subcommands: [])
    ]
}
