/// `walletbench faults`
enum FaultsCommands {
    static let table: [Command] = []
}
