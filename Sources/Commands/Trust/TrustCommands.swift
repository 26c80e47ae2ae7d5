/// `walletbench trust …`
enum TrustCommands {
    static let table = [
        Command(
            name: "trust", summary: "make, check and keep certificates and trust anchors",
            subcommands: [
                TrustMake.command, TrustLint.command, TrustShow.command, TrustAdd.command, TrustRemove.command,
                TrustExport.command,
            ])
    ]
}
