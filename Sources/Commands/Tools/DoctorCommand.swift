import Codec

/// `walletbench doctor`
enum DoctorCommand {
    static let command = Command(
        name: "doctor", summary: "say what this machine can do, and the mend for what it cannot",
        discussion: """
            Looks at libraries, home, clock, ports, terminal, camera and Bluetooth. Ends 3 when something is broken that every use needs; what \
            is merely absent (a camera, an adapter) is said and changes nothing. With --fix the lines that bluetoothd's main.conf lacks are \
            shown and, when you say yes, written.
            """,
        examples: [
            Example("walletbench doctor --json", "for a bug report"),
            Example("sudo walletbench doctor --fix", "before presenting by Bluetooth between two Debian machines"),
        ],
        options: [.flag("fix", "Offer to write the lines that bluetoothd's main.conf lacks")]
    ) { invocation in
        if invocation.flag("fix") { return try await BluetoothMend.run(invocation.console) }
        let findings = Examination.all.map { $0(invocation.context) } + (await BluetoothExamination.findings())
        invocation.console.answer(["findings": .array(findings.map(\.json))]) {
            findings.map { $0.text(invocation.console) }.joined(separator: "\n")
        }
        return findings.contains { $0.state == .broken } ? .environment : .done
    }
}

/// What one look at the machine found.
struct Finding: Sendable {
    enum State: String, Sendable {
        /// Works.
        case ok
        /// Not there; some commands cannot do all they could.
        case absent
        /// Every use needs it and it does not work.
        case broken
        /// Not looked at, with the reason in the detail.
        case notRun
    }

    let name: String
    let state: State
    let detail: String
    var mend: String?

    var json: JSON {
        [
            "name": .string(name), "state": .string(state.rawValue), "detail": .string(detail),
            "mend": mend.map { .string($0) } ?? .null,
        ]
    }

    func text(_ console: Console) -> String {
        let colour: Console.Style =
            switch state {
            case .ok: .green
            case .absent: .yellow
            case .broken: .red
            case .notRun: .dim
            }
        let first = "\(console.style(TextLayout.pad(state.rawValue, to: 7), colour)) \(TextLayout.pad(name, to: 12)) \(detail)"
        return mend.map { "\(first)\n        \(TextLayout.pad("", to: 12)) mend: \($0)" } ?? first
    }
}
