import Codec
import Credentials
import Ports

/// `walletbench issuer status`, `revoke`, `suspend`, `restore`
enum IssuerStatus {
    static let commands = [status, change("revoke", 1), change("suspend", 2), change("restore", 0)]

    private static let status = Command(
        name: "status", summary: "list what was issued with a status; sign the lists again",
        discussion: """
            Lists the documents that `issuer mint --status` made and what the status lists say of each, and writes the lists anew: \
            <home>/issuer/status/<list>.jwt and .cwt, valid for a week. A verifier reads them from there with --status-source FOLDER.
            """,
        examples: [Example("walletbench issuer status"), Example("walletbench issuer status --json")]
    ) { invocation in
        let publisher = try StatusPublisher(invocation.context)
        let statuses = try IssuedStatuses(of: invocation.context.home)
        let written = try await publisher.publish(statuses)
        invocation.console.answer([
            "entries": .array(statuses.entries.map(\.json)), "written": .array(written.map(JSON.string)),
            "lists": .array(
                statuses.lists.map { ["id": .string($0.id), "uri": .string($0.uri), "kind": .string($0.kind.rawValue)] }),
        ]) {
            let lines = statuses.entries.map { "\($0.id)  \($0.word)  \($0.type)  issued \($0.issued)  list \($0.list)" }
            return lines.isEmpty ? "nothing was issued with a status here" : lines.joined(separator: "\n")
        }
        return .done
    }

    private static func change(_ verb: String, _ value: UInt8) -> Command {
        let meaning = ["revoke": "for good", "suspend": "until it is restored", "restore": "after it was suspended"][verb] ?? ""
        return Command(
            name: verb, summary: "\(verb) an issued document (\(meaning))",
            discussion: """
                Changes the status of a document that `issuer serve` issued or `issuer mint --status` made, with all its copies, and signs its \
                list again. Verifiers see it once they read the list: a new run reads it anew, a lasting one when its copy's time is over.
                """,
            examples: [Example("walletbench issuer \(verb) 5f1c02aa"), Example("walletbench issuer status", "the ids")],
            arguments: [Argument("ID", "The id that mint printed, or its beginning")]
        ) { invocation in
            let context = invocation.context
            let fault = try context.faults.first.map { name throws(CommandError) -> ListFault in
                guard let known = ListFault.named(name.name), context.faults.count == 1 else {
                    throw .usage("--fault \(name.text): the issuer has no such fault here", hint: "walletbench faults lists them")
                }
                return known
            }
            let publisher = try StatusPublisher(context, fault: fault)
            let entry = try await IssuedStatuses.changing(context.home) { statuses in
                let entry = try statuses.set(value, of: invocation.argument, force: fault?.kind == .unrevoke)
                _ = try await publisher.publish(statuses) { $0.id == entry.list }
                return entry
            }
            var answer = entry.json.objectValue ?? JSONObject()
            answer.append("changed", .string(context.clock.now().rfc3339))
            invocation.console.answer(answer) { "\(entry.id) \(entry.type): \(entry.word)" }
            return .done
        }
    }
}
