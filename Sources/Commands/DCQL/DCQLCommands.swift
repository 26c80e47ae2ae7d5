/// `walletbench dcql …`
enum DCQLCommands {
    static let table = [
        Command(name: "dcql", summary: "the query language of OpenID4VP on its own", subcommands: [DCQLEvaluate.command])
    ]
}
