import Codec
import Ports

/// `walletbench trace diff A B`
enum TraceDiff {
    static let command = Command(
        name: "diff", summary: "say where two recorded runs differ",
        discussion: """
            Pairs the sessions of one role by their order, and in each the messages of one layer and direction by theirs, and names what \
            differs down to the path in the CBOR, embedded CBOR included, with its offset in both. Times, session marks and the parts on \
            the link are left aside (--layer link compares parts). Ends 0 when nothing differs, 1 when something does. What is redacted in \
            either trace cannot be compared, which is said.
            """,
        examples: [
            Example("walletbench trace diff yesterday.jsonl today.jsonl"),
            Example("walletbench trace diff a.jsonl b.jsonl --layer message", "plaintext only"),
        ],
        options: [
            .choice(
                "layer", ["engagement", "link", "session", "message", "key", "decision"],
                "Only this layer; else all but link", isRepeatable: true)
        ],
        arguments: [Argument("A", "A trace", kind: .file), Argument("B", "Another trace", kind: .file)]
    ) { invocation in
        let files = try invocation.arguments.map { path throws(CommandError) in try TraceFile(path) }
        let layers = Set(invocation.strings("layer"))
        let comparison = TraceComparison(files[0], files[1]) { layers.isEmpty ? $0 != "link" : layers.contains($0) }
        invocation.console.answer(comparison.json) { comparison.text }
        return comparison.isSame ? .done : .refused
    }
}

/// Two traces side by side.
struct TraceComparison: Sendable {
    /// Something that differs, of a message or of the whole.
    struct Finding: Sendable {
        let place: String
        /// Nil where nothing is wrong with the bytes but with their being there.
        let what: String?
        let differences: [MessageDifference]
    }

    private(set) var findings: [Finding] = []
    private(set) var compared = 0
    private(set) var notCompared: [String] = []

    /// - Parameter layers: whether a layer is compared.
    init(_ a: TraceFile, _ b: TraceFile, layers: (String) -> Bool) {
        var roles: [String] = []
        for session in a.sessions + b.sessions where !roles.contains(session.role) { roles.append(session.role) }
        for role in roles {
            let pair = (a.sessions.filter { $0.role == role }, b.sessions.filter { $0.role == role })
            for index in 0..<max(pair.0.count, pair.1.count) {
                let name = pair.0.count > 1 || pair.1.count > 1 ? "\(role) session \(index + 1)" : role
                guard index < pair.0.count, index < pair.1.count else {
                    note(name, "only in \(index < pair.0.count ? "A" : "B")")
                    continue
                }
                compare(pair.0[index], pair.1[index], name, layers)
            }
        }
    }

    /// Whether nothing that was compared differs.
    var isSame: Bool { findings.isEmpty }

    var json: JSONObject {
        [
            "same": .bool(isSame), "compared": .integer(Int64(compared)), "notCompared": .array(notCompared.map(JSON.string)),
            "findings": .array(
                findings.map { finding in
                    [
                        "place": .string(finding.place), "what": finding.what.map(JSON.string) ?? .null,
                        "differences": .array(finding.differences.map(\.json)),
                    ]
                }),
        ]
    }

    var text: String {
        var lines = findings.flatMap { finding -> [String] in
            let shown = finding.differences.prefix(40).map { "    \($0.text)" }
            let rest = finding.differences.count - shown.count
            return ["\(finding.place): \(finding.what ?? "differs")"] + shown + (rest > 0 ? ["    and \(rest) more"] : [])
        }
        lines += notCompared.map { "\($0): redacted, not compared" }
        lines.append("\(compared) messages compared, \(findings.count) finding\(findings.count == 1 ? "" : "s")")
        return lines.joined(separator: "\n").split(separator: "\n").map { String($0).replacingControlCharacters() }
            .joined(separator: "\n")
    }

    private mutating func note(_ place: String, _ what: String?, _ differences: [MessageDifference] = []) {
        findings.append(Finding(place: place, what: what, differences: differences))
    }

    private mutating func compare(_ a: TracedSession, _ b: TracedSession, _ name: String, _ layers: (String) -> Bool) {
        if a.faults != b.faults {
            func list(_ faults: [String]) -> String { faults.isEmpty ? "none" : faults.joined(separator: ", ") }
            note(name, "faults at work: A \(list(a.faults)), B \(list(b.faults))")
        }
        let (first, second) = (a.events.filter { layers($0.layer) }, b.events.filter { layers($0.layer) })
        let streams = Self.streams(first + second)
        let before = findings.count
        for stream in streams { compare(first.filter(stream.holds), second.filter(stream.holds), "\(name) \(stream.name)") }
        // Interleaving shows only where each stream is whole.
        if findings.count == before, first.map(Stream.init).map(\.name) != second.map(Stream.init).map(\.name) {
            note(name, "the same messages in another order")
        }
    }

    /// Messages that come in one row.
    private struct Stream: Hashable {
        let layer: String
        let direction: TraceEvent.Direction

        init(_ event: TraceEvent) { (layer, direction) = (event.layer, event.direction) }
        func holds(_ event: TraceEvent) -> Bool { Stream(event) == self }
        var name: String { "\(layer) \(direction.rawValue)" }
    }

    private static func streams(_ events: [TraceEvent]) -> [Stream] {
        var streams: [Stream] = []
        for event in events where !streams.contains(Stream(event)) { streams.append(Stream(event)) }
        return streams
    }

    private mutating func compare(_ a: [TraceEvent], _ b: [TraceEvent], _ stream: String) {
        for index in 0..<max(a.count, b.count) {
            guard index < a.count, index < b.count else {
                let event = index < a.count ? a[index] : b[index]
                note("\(stream) #\(index + 1) \(event.name)", "only in \(index < a.count ? "A" : "B")")
                continue
            }
            compare(a[index], b[index], "\(stream) #\(index + 1) \(a[index].name)")
        }
    }

    private mutating func compare(_ a: TraceEvent, _ b: TraceEvent, _ place: String) {
        if a.name != b.name { return note(place, "is \(b.name) in B") }
        if a.isRedacted || b.isRedacted { return notCompared.append(place) }
        compared += 1
        if a.annotation != b.annotation {
            note(place, "A \(Self.words(a.annotation)), B \(Self.words(b.annotation))")
        }
        // Keys are told apart, and not spelt out.
        if a.layer == "key" {
            if a.bytes != b.bytes { note(place, "another key") }
            return
        }
        let differences = MessageComparison.differences(a.bytes, b.bytes)
        if !differences.isEmpty { note(place, nil, differences) }
    }

    private static func words(_ annotation: Annotation?) -> String {
        guard let annotation else { return "says nothing" }
        let children = annotation.children.map { "\($0.label) \($0.value ?? "")" }.joined(separator: ", ")
        return "\(annotation.label) \(annotation.value ?? "")" + (children.isEmpty ? "" : " (\(children))")
    }
}
