import Credentials
import Crypto
import Ports
import Proximity

/// What this side made of a message, as a trace keeps it: how many checks passed, and which did not, each with its outcome and
/// its clause. Reasons stay out, for they may hold values.
struct TracedDecision: Sendable, Equatable {
    /// `fail R14`, `warn R30.count`, sorted, each once.
    let violations: [String]
    private let annotations: [Annotation]
    /// Whom was trusted and what the other side is registered for: names and verdicts.
    private let notes: [Annotation]
    private let summary: String

    /// - Parameter checks: every check of one report.
    init(_ checks: [Check], notes: [Annotation] = []) {
        self.notes = notes
        var seen: Set<String> = []
        let found = checks.filter { $0.outcome.isViolation && !Self.ofMemory.contains($0.id) }
            .filter { seen.insert("\($0.outcome.word) \($0.id)").inserted }
            .sorted { ($0.outcome.word, $0.id) < ($1.outcome.word, $1.id) }
        violations = found.map { "\($0.outcome.word) \($0.id)" }
        annotations = found.map { Annotation($0.id, $0.outcome.word, clause: $0.clause) }
        func count(_ outcome: String) -> Int { checks.count { $0.outcome.word == outcome } }
        let counts = ["pass", "warn", "fail", "notRun"].map { "\(count($0)) \($0)" }
        summary = (violations.isEmpty ? "none failed: " : "\(violations.count) did not pass: ") + counts.joined(separator: ", ")
    }

    init(_ annotation: Annotation) {
        notes = annotation.children.filter { Self.noted.contains($0.label) }
        annotations = annotation.children.filter { !Self.noted.contains($0.label) }
        violations = annotations.map { violation in violation.value.map { "\($0) \(violation.label)" } ?? violation.label }
        summary = annotation.value ?? ""
    }

    /// Checks that depend on what came before this run.
    private static let ofMemory: Set<String> = ["R31"]

    private static let noted: Set<String> = ["trust", "registration"]

    var annotation: Annotation { Annotation("checks", summary, children: annotations + notes) }

    /// Whom documents were trusted by.
    static func trust(in report: PresentationReport) -> [Annotation] {
        report.documents.compactMap { document in
            document.trust.map { trust in
                Annotation(
                    "trust",
                    "\(document.type): \(trust.anchor?.subject ?? "no root") by \(trust.source ?? "nobody"), policy \(trust.policy)"
                )
            }
        }
    }

    /// What the other side is registered for.
    static func registration(_ report: RegistrationReport?) -> [Annotation] {
        guard let report, let summary = report.summary else { return [] }
        return [
            Annotation("registration", "\(summary), \(report.isGranted ? "accepted" : "not accepted"), policy \(report.policy)")
        ]
    }

    /// What counts is which checks did not pass.
    static func == (one: TracedDecision, other: TracedDecision) -> Bool { one.violations == other.violations }

    var text: String { violations.isEmpty ? "no check failed" : violations.joined(separator: ", ") }
}

extension SessionTrace {
    /// Keeps which checks did not pass.
    func record(decision name: String, _ checks: [Check], notes: [Annotation] = []) {
        record(.note, layer: "decision", name, annotation: TracedDecision(checks, notes: notes).annotation)
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
