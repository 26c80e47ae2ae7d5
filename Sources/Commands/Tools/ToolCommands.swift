/// Commands about the program itself.
enum ToolCommands {
    static let table = [
        DoctorCommand.command,
        VersionCommand.command,
        ConfigCommand.command,
        HelpCommand.command,
        CompletionsCommand.command,
        ManCommand.command,
    ]
}
