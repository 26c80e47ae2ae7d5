import Codec
import Glibc

/// `walletbench man [COMMAND...] [-o DIR]`
enum ManCommand {
    static let command = Command(
        name: "man", summary: "print the manual page of a command, or write all of them",
        examples: [
            Example("walletbench man qr decode | man -l -", "read one page"),
            Example("walletbench man --out man1", "write every page into the folder man1"),
        ],
        options: [.value("out", short: "o", "DIR", "Write the pages of all commands into DIR", kind: .directory)],
        arguments: [Argument("COMMAND", "Words of a command", isRequired: false, isRepeatable: true)]
    ) { invocation in
        let root = invocation.context.root
        if let folder = invocation.string("out") { return try write(ManPages.all(root: root), into: folder, invocation.console) }
        let page = ManPages.page(path: try CommandPath.find(invocation.arguments, root: root))
        invocation.console.answer(["page": .string(page)]) { page }
        return .done
    }

    private static func write(
        _ pages: [(name: String, text: String)], into folder: String, _ console: Console
    ) throws(CommandError) -> ExitCode {
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw .environment("\(folder): \(Errno.last)") }
        for page in pages { try Files.write(Array(page.text.utf8), to: "\(folder)/\(page.name)") }
        console.answer(["pages": .array(pages.map { .string("\(folder)/\($0.name)") })]) { "\(pages.count) pages in \(folder)" }
        return .done
    }
}
