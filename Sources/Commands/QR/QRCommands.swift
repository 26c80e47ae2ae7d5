/// `walletbench qr …`
enum QRCommands {
    static let table = [
        Command(
            name: "qr", summary: "draw and read QR codes",
            subcommands: [QREncode.command, QRDecode.command])
    ]
}
