/// `walletbench holder …`
enum HolderCommands {
    static let table = [
        Command(
            name: "holder", summary: "hold documents and present them",
            subcommands: [
                HolderPresent.command,
                HolderAnswer.command,
                HolderList.command,
                HolderShow.command,
                HolderImport.command,
                HolderExport.command,
                HolderEdit.command,
                HolderDelete.command,
                HolderKey.command,
                LogCommands.holder.command,
            ])
    ]
}
