import Codec
import Credentials
import Ports
import Proximity

/// `walletbench trace replay FILE`
enum TraceReplay {
    static let command = Command(
        name: "replay", summary: "run a recorded session through today's code",
        discussion: """
            Feeds the bytes that each recorded side received to today's code, makes what it sent again, and says where today's behaviour \
            differs from what is recorded: parts, session messages, plaintext, checks that did not pass. Session messages open only with \
            the session key, which is in a trace written with --reveal; a redacted trace can be replayed down to its framing. Checks run \
            at the recorded time with the anchors of this home and of --anchor. Ends 0 when everything is as recorded, 1 when something \
            differs, 4 when nothing differs and a part could not be replayed.
            """,
        examples: [
            Example("walletbench trace replay trace.jsonl"),
            Example("walletbench trace replay trace.jsonl --explain", "and which transcript the proofs cover"),
        ],
        options: [
            .choice("role", ["holder", "reader"], "Only the sessions of this role"),
            .flag("explain", "Try transcripts with known mistakes on what does not open or verify, and name the one that does"),
            .file("anchor", "FILE", "A root that is trusted in this run (PEM or DER)", isRepeatable: true),
        ] + HandoverOptions.options,
        arguments: [Argument("FILE", "A trace, - for stdin", kind: .file)]
    ) { invocation in
        let file = try TraceFile(invocation.argument)
        let bench = try bench(invocation)
        let role = invocation.string("role")
        let sessions = file.sessions.filter { role == nil || $0.role == role }
        guard !sessions.isEmpty else { throw CommandError.refused("\(file.origin): no session of a \(role ?? "role")") }
        let replays = sessions.map { (session: $0, steps: SessionReplay.run($0, bench)) }
        let outcomes = replays.flatMap(\.steps).map(\.outcome)
        let result: ReplayStep.Outcome =
            outcomes.contains(.differs) ? .differs : outcomes.isEmpty || outcomes.contains(.notReplayed) ? .notReplayed : .same
        show(file, replays, result, invocation.console)
        switch result {
        case .same: return .done
        case .differs: return .refused
        case .notReplayed: return .undetermined
        }
    }

    private static func bench(_ invocation: Invocation) throws -> ReplayBench {
        let context = invocation.context
        func signers(_ role: TrustRole) throws -> SignerVerifier {
            let anchors =
                context.usesTrust
                ? try context.trustStore.anchors(adding: invocation.strings("anchor"), role: role) : .none
            return SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew))
        }
        return ReplayBench(
            edition: context.edition,
            responses: PresentationVerifier(
                signers: try signers(.documents), rule: VerdictRule(trustWaived: !context.usesTrust)),
            requests: RequestVerifier(readers: try signers(.readers), policy: .warn), explains: invocation.flag("explain"),
            handovers: try HandoverOptions(invocation))
    }

    private static func show(
        _ file: TraceFile, _ replays: [(session: TracedSession, steps: [ReplayStep])], _ result: ReplayStep.Outcome,
        _ console: Console
    ) {
        let answer: JSONObject = [
            "file": .string(file.origin), "result": .string(result.rawValue),
            "sessions": .array(
                replays.map { replay in
                    [
                        "session": .string(replay.session.id), "role": .string(replay.session.role),
                        "redacted": .bool(replay.session.isRedacted),
                        "faults": .array(replay.session.faults.map(JSON.string)), "steps": .array(replay.steps.map(\.json)),
                    ]
                }),
        ]
        console.answer(answer) {
            (replays.flatMap { lines($0.session, $0.steps, console) } + [summary(replays.flatMap(\.steps))]).joined(separator: "\n")
        }
    }

    private static func lines(_ session: TracedSession, _ steps: [ReplayStep], _ console: Console) -> [String] {
        let faults = session.faults.isEmpty ? "" : ", faults at work: \(session.faults.joined(separator: ", "))"
        let title = "session \(session.id), \(session.role)\(faults)".replacingControlCharacters()
        return [console.style(title, .bold)]
            + steps.map { step in
                let (word, style): (String, Console.Style) =
                    switch step.outcome {
                    case .same: ("same        ", .green)
                    case .differs: ("differs     ", .red)
                    case .notReplayed: ("not replayed", .yellow)
                    }
                let number = step.sequence.map { "\($0)  " } ?? ""
                let detail = step.detail.map { ": \($0)" } ?? ""
                return "  " + console.style(word, style) + "  " + "\(number)\(step.what)\(detail)".replacingControlCharacters()
            }
    }

    private static func summary(_ steps: [ReplayStep]) -> String {
        func count(_ outcome: ReplayStep.Outcome) -> Int { steps.count { $0.outcome == outcome } }
        return "\(count(.same)) as recorded, \(count(.differs)) different, \(count(.notReplayed)) not replayed"
    }
}
