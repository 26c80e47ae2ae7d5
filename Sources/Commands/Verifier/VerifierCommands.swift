/// `walletbench verifier …`
enum VerifierCommands {
    static let table = [
        Command(
            name: "verifier", summary: "verify what wallets present over OpenID4VP", 
            subcommands: [VerifierRequest.command, VerifierReceive.command, VerifierVerify.command])
    ]
}
