import Codec
import Credentials
import Glibc
import Ports
import Proximity

/// `--consent ask|auto|deny|FILE`
enum PresentConsent {
    /// - Throws: exit code 2 when there is nobody to ask, 1 or 3 for a script that cannot be used.
    static func provider(_ choice: String, _ console: Console) throws(CommandError) -> any ConsentProvider {
        switch choice {
        case "auto": return AutomaticConsent()
        case "deny": return DenyingConsent()
        case "ask":
            guard isatty(STDIN_FILENO) == 1 else {
                throw .usage("--consent ask needs a terminal", hint: "decide beforehand with --consent auto, deny or FILE")
            }
            return AskingConsent(console: console)
        default:
            let json = try InputReader.read(choice).json(as: "a consent script")
            do { return try ScriptedConsent(json) } catch { throw .refused("\(choice): \(error)") }
        }
    }
}

/// Asks the person at the terminal, document by document.
struct AskingConsent: ConsentProvider {
    let console: Console

    var name: String { "asked" }

    func decide(_ proposal: Proposal) async -> Selection? {
        var choices: [Selection.Choice] = []
        for entry in await combined(proposal).entries where entry.isWanted {
            guard let option = await option(of: entry) else { continue }
            let approved = await approved(option)
            if let approved, !approved.isEmpty || option.elements.isEmpty {
                choices.append(Selection.Choice(requestID: entry.request.id, option: option.number, approved: approved))
            }
        }
        return choices.isEmpty ? nil : Selection(choices: choices)
    }

    /// The proposal with the combination that the person picks of each set; an empty line takes the one shown as going.
    private func combined(_ proposal: Proposal) async -> Proposal {
        var proposal = proposal
        for place in proposal.useCasesWithChoice {
            let isOptional = !proposal.useCases[place].isMandatory
            let numbers = proposal.combinations(of: place).filter(\.lacking.isEmpty).map { String($0.number) }
            let answers = (numbers + (isOptional ? ["0 for none"] : [])).joined(separator: ", ")
            let going = proposal.combinations(of: place).first(where: \.isChosen).map { String($0.number) } ?? "0"
            guard let answer = await ask("which combination of set \(place + 1)? [\(answers)] (\(going)) "),
                let number = Int(answer),
                let picked = try? proposal.choosing([.combination(number, useCase: place + 1)])
            else { continue }
            proposal = picked
        }
        return proposal
    }

    private func option(of entry: Proposal.Entry) async -> Proposal.Option? {
        guard entry.options.count > 1 else { return entry.options.first }
        let answer = await ask("which document for \(entry.request.id)? [1-\(entry.options.count), none] (\(entry.preferred)) ")
        guard let answer else { return nil }
        let number = answer.isEmpty ? entry.preferred : Int(answer)
        return entry.options.first { $0.number == number }
    }

    /// nil when the document does not go at all.
    private func approved(_ option: Proposal.Option) async -> Set<ElementReference>? {
        let all = option.elements.map(\.reference)
        let name = option.credential.name
        switch await ask("release \(all.count) elements of \(name)? [y]es, [N]o, [e]ach: ")?.lowercased() {
        case "y", "yes": return Set(all)
        case "e", "each":
            var approved: Set<ElementReference> = []
            for reference in all {
                if let answer = await ask("  \(reference.identifier)? [y/N] "), answer.lowercased().hasPrefix("y") {
                    approved.insert(reference)
                }
            }
            return approved
        default: return nil
        }
    }

    /// A line typed, or nil when there is none to come or the run is interrupted.
    private func ask(_ question: String) async -> String? {
        if Task.isCancelled { return nil }
        console.ask(question)
        defer { if Task.isCancelled { console.talk("") } }
        guard let cancel = try? WakePipe() else { return nil }
        return try? await Threads.run(cancel: cancel) { () -> Result<String?, LinkError> in
            var watched = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancel.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&watched, 2, -1) < 0, errno == EINTR {}
            return watched[1].revents != 0 ? .failure(.cancelled) : .success(readLine())
        }
    }
}
