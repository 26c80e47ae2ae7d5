/// `walletbench reader …`
enum ReaderCommands {
    static let table = [
        Command(
            name: "reader", summary: "request documents and verify what comes back",
            subcommands: [
                ReaderVerify.command, LogCommands.reader.command,
            ])
    ]
}
