/// Commands about the program itself.
enum ToolCommands {
    static let table = [
        HelpCommand.command,
        CompletionsCommand.command,
        ManCommand.command,
    ]
}
