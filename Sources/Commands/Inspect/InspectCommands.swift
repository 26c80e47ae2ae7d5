/// `walletbench inspect`
enum InspectCommands {
    static let table: [Command] = [Inspect.command]
}
