/// `walletbench issuer …`
enum IssuerCommands {
    static let table = [
        Command(
            name: "issuer", summary: "make documents",
            discussion: "Documents of test issuers. Their signers' certificates come from `trust make`.",
            subcommands: [Mint.command] + IssuerStatus.commands)
    ]
}
