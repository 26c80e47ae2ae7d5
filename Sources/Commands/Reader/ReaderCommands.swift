/// `walletbench reader …`
enum ReaderCommands {
    static let table = [
        Command(
            name: "reader", summary: "request documents and verify what comes back",
            subcommands: [
                ReaderRead.command, ReaderVerify.command, LogCommands.reader.command,
            ])
    ]
}
