/// The command table: one line for each area.
enum Root {
    static let command = Command(
        name: "walletbench",
        summary: "a workbench for digital wallets: mobile documents, held, read and examined",
        discussion: """
            Plays holder, reader and issuer of ISO/IEC 18013-5 mobile documents on one machine, and shows what each side sees: every \
            message, every check, every reason. `walletbench demo` shows everything once.
            """,
        examples: [Example("walletbench demo", "a presentation from a QR code to a report, in a throw-away home")],
        subcommands: areas.flatMap { $0 })

    private static let areas: [[Command]] = [
        DemoCommands.table,
        HolderCommands.table,
        ReaderCommands.table,
        IssuerCommands.table,
        VerifierCommands.table,
        DCQLCommands.table,
        QRCommands.table,
        InspectCommands.table,
        TrustCommands.table,
        TraceCommands.table,
        FaultsCommands.table,
        SelfcheckCommands.table,
        ToolCommands.table,
    ]
}
