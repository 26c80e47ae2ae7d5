import Ports
import Proximity

/// Puts the received parts of a session together again, and compares the messages with those recorded. Needs no key.
struct FramingReplay {
    private let session: TracedSession
    private let role: MdocRole
    private var steps: [ReplayStep] = []

    /// - Returns: what came of it; nothing when the trace has no parts.
    static func run(_ session: TracedSession, role: MdocRole) -> [ReplayStep] {
        var replay = FramingReplay(session: session, role: role)
        replay.run()
        return replay.steps
    }

    private init(session: TracedSession, role: MdocRole) { (self.session, self.role) = (session, role) }

    private var values: [TraceEvent] { session.events.filter { $0.layer == "link" && $0.name != GATTCharacteristic.ident.name } }

    private mutating func run() {
        guard !values.isEmpty else { return }
        guard let mode else {
            return steps.append(
                ReplayStep(sequence: nil, what: "parts of the link", outcome: .notReplayed, detail: "no part of a message came"))
        }
        // The trace does not tell the MTU: parts of any allowed size are taken.
        var channel = GATTChannel(mode: mode, role: role, mtu: 515)
        var whole: [(sequence: Int, message: [UInt8])] = []
        var isUntouched = true
        for event in values {
            guard let characteristic = GATTCharacteristic.allCases.first(where: { $0.name == event.name }) else { continue }
            if event.direction == .sent {
                // A file may say anything: only a channel that nothing has happened to can start.
                if channel.isClient, characteristic == .state, event.bytes == [0x01], isUntouched {
                    _ = channel.start()
                    isUntouched = false
                }
                continue
            }
            isUntouched = false
            do {
                if case .message(let message)? = try channel.receive(GATTValue(characteristic, event.bytes)) {
                    whole.append((event.sequence, message))
                }
            } catch {
                steps.append(refusal(error, event))
                break
            }
        }
        compare(whole)
    }

    /// Where this side receives tells who is the GATT server.
    private var mode: GATTMode? {
        guard let data = values.first(where: \.isData) else { return nil }
        let isFromClient = data.name == GATTCharacteristic.client2Server.name
        let receives = data.direction == .received
        let server = isFromClient == receives ? role : role.peer
        return GATTMode.allCases.first { $0.server == server }
    }

    /// A part that is refused: as recorded, when nothing was received after it.
    private func refusal(_ error: LinkError, _ event: TraceEvent) -> ReplayStep {
        let wentOn = session.events.contains {
            $0.layer == "session" && $0.direction == .received && $0.sequence > event.sequence
        }
        return ReplayStep(
            sequence: event.sequence, what: "part on \(event.name)", outcome: wentOn ? .differs : .same,
            detail: wentOn ? "refused today, and messages came after it then: \(error)" : "refused: \(error)")
    }

    private mutating func compare(_ whole: [(sequence: Int, message: [UInt8])]) {
        let recorded = session.events.filter { $0.layer == "session" && $0.direction == .received }
        for index in 0..<max(whole.count, recorded.count) {
            guard index < whole.count else {
                steps.append(
                    ReplayStep(
                        sequence: recorded[index].sequence, what: "parts of \(recorded[index].name)", outcome: .differs,
                        detail: "recorded, but the parts give no such message today"))
                continue
            }
            guard index < recorded.count else {
                steps.append(
                    ReplayStep(
                        sequence: whole[index].sequence, what: "parts of a message of \(whole[index].message.count) bytes",
                        outcome: .notReplayed, detail: "whole on the link, but the recorded run took no notice of it"))
                continue
            }
            let differences = MessageComparison.differences(recorded[index].bytes, whole[index].message)
            steps.append(
                ReplayStep(
                    sequence: recorded[index].sequence, what: "parts of \(recorded[index].name)",
                    outcome: differences.isEmpty ? .same : .differs, detail: differences.first?.text))
        }
    }
}
