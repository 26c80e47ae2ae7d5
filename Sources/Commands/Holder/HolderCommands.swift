/// `walletbench holder …`
enum HolderCommands {
    static let table = [
        Command(
            name: "holder", summary: "hold documents, get them from issuers and present them",
            subcommands: [
                HolderPresent.command,
                HolderAnswer.command,
                HolderList.command,
                HolderShow.command,
                HolderAccept.command,
                HolderPoll.poll,
                HolderPoll.resume,
                HolderPoll.refresh,
                HolderIssuer.command,
                HolderImport.command,
                HolderExport.command,
                HolderEdit.command,
                HolderDelete.command,
                HolderKey.command,
                LogCommands.holder.command,
            ])
    ]
}
