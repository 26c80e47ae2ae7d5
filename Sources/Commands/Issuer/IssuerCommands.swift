/// `walletbench issuer …`
enum IssuerCommands {
    static let table = [
        Command(
            name: "issuer", summary: "issue documents",
            discussion:
                "Documents of test issuers, over OpenID4VCI or offline. Their signers' certificates come from `trust make`.",
            subcommands: [IssuerServe.command, IssuerOffer.command, Mint.command] + IssuerStatus.commands + [
                LogCommands.issuer.command
            ])
    ]
}
