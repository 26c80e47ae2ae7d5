/// `walletbench selfcheck`
enum SelfcheckCommands {
    static let table: [Command] = [Selfcheck.command]
}
