/// `walletbench verifier …`
enum VerifierCommands {
    static let table = [
        Command(
            name: "verifier", summary: "verify what wallets present over OpenID4VP",
            subcommands: [
                VerifierServe.command, VerifierRequest.command, VerifierReceive.command, VerifierVerify.command,
                LogCommands.verifier.command,
            ])
    ]
}
