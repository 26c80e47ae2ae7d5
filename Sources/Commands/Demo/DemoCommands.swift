/// `walletbench demo`
enum DemoCommands {
    static let table: [Command] = [Demo.command]
}
