import Credentials
import Crypto
import Ports
import Proximity

/// What this side made of a message, as a trace keeps it: the checks that did not pass. Reasons stay out, for they may hold values.
struct TracedDecision: Sendable, Hashable {
    /// `fail R14`, `warn R30.count`, sorted, each once.
    let violations: [String]

    /// - Parameter checks: every check of one report.
    init(_ checks: [Check]) {
        violations = Array(
            Set(checks.filter { $0.outcome.isViolation && !Self.ofMemory.contains($0.id) }.map { "\($0.outcome.word) \($0.id)" })
        ).sorted()
    }

    init(_ annotation: Annotation) { violations = annotation.children.map(\.label) }

    /// Checks that depend on what came before this run.
    private static let ofMemory: Set<String> = ["R31"]

    var annotation: Annotation {
        Annotation(
            "checks", violations.isEmpty ? "none failed" : "\(violations.count) did not pass",
            children: violations.map { Annotation($0) })
    }

    var text: String { violations.isEmpty ? "no check failed" : violations.joined(separator: ", ") }
}

extension SessionTrace {
    /// Keeps which checks did not pass.
    func record(decision name: String, _ checks: [Check]) {
        record(.note, layer: "decision", name, annotation: TracedDecision(checks).annotation)
    }

    /// Keeps this side's ephemeral key, with which the session can be replayed; without `revealing`, only that there was one.
    func record(key: PrivateKey, _ name: String, revealing: Bool) {
        let bytes = revealing ? (try? key.pkcs8()) : nil
        record(.note, layer: "key", name, bytes ?? [], isRedacted: bytes == nil)
    }
}

extension TracedSession {
    /// The ephemeral key of the side that wrote the trace, where it was revealed.
    var key: PrivateKey? {
        events.first { $0.layer == "key" && !$0.isRedacted }.flatMap { try? PrivateKey(der: $0.bytes) }
    }
}
