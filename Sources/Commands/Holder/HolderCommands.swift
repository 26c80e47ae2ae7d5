/// `walletbench holder …`
enum HolderCommands {
    static let table = [
        Command(
            name: "holder", summary: "hold documents and present them",
            subcommands: [])
    ]
}
