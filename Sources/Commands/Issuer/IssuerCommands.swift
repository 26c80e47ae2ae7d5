/// `walletbench issuer …`
enum IssuerCommands {
    static let table = [
        Command(
            name: "issuer", summary: "make documents",
            subcommands: [])
    ]
}
