import Glibc
import Ports
import Vault

/// From the words of the command line to the exit code.
package enum Entry {
    /// - Parameter arguments: with the program's name first.
    package static func run(_ arguments: [String]) async -> Int32 {
        Interrupt.install()
        return await run(Array(arguments.dropFirst()), root: Root.command).rawValue
    }

    /// - Parameters:
    ///   - output: where the answer goes.
    ///   - errors: where the talk goes.
    static func run(
        _ words: [String], root: Command, output: FileDescriptor = .standardOutput, errors: FileDescriptor = .standardError
    ) async -> ExitCode {
        let isJSON = words.prefix { $0 != "--" }.contains("--json")
        var console = Console(isJSON: isJSON, clock: SystemClock(), output: output, errors: errors)
        do {
            var parsed = try Parser.parse(words, root: root)
            if parsed.wantsHelp { return Help.show(parsed, on: console) }
            let home = try Home.resolve(option: parsed.values["home"]?.last?.first)
            parsed.add(try Settings(home: home))
            let context = try Context(parsed, home: home, root: root, output: output, errors: errors)
            console = context.console
            context.announce()
            guard let run = parsed.command.run else { return .usage }
            return try await run(Invocation(parsed: parsed, context: context))
        } catch let error as CommandError {
            console.report(error)
            return error.exit
        } catch let error as VaultError {
            let error = CommandError(error)
            console.report(error)
            return error.exit
        } catch is CancellationError {
            console.report(.interrupted)
            return .interrupted
        } catch {
            console.report(CommandError("\(error)"))
            return .refused
        }
    }
}
