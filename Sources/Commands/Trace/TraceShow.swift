import Codec
import Ports
import Reports

/// `walletbench trace show FILE`
enum TraceShow {
    static let command = Command(
        name: "show", summary: "show a recorded run, message by message, explained",
        discussion: """
            Prints every event of a trace that --trace wrote: number, time, direction, layer and name, the boundaries of the parts that \
            carry a message, and each message's content by the names of its specification. A trace without --reveal lacks the plaintext of \
            responses; what is redacted is marked.
            """,
        examples: [
            Example("walletbench trace show trace.jsonl"),
            Example("walletbench trace show trace.jsonl --layer message", "plaintext only"),
            Example("walletbench trace show trace.jsonl --layer link --width 100", "the parts, in lines of 100 characters"),
        ],
        options: [
            .choice(
                "layer", ["engagement", "link", "session", "message", "key", "decision"], "Only this layer", isRepeatable: true),
            .choice("role", ["holder", "reader"], "Only the sessions of this role"),
            .integer("width", "N", "Cut lines to N characters; 0 never cuts; else the terminal's width", in: 0...10_000),
        ],
        arguments: [Argument("FILE", "A trace, - for stdin", kind: .file)]
    ) { invocation in
        let file = try TraceFile(invocation.argument)
        let layers = Set(invocation.strings("layer"))
        let role = invocation.string("role")
        let sessions = file.sessions.filter { role == nil || $0.role == role }
        guard !sessions.isEmpty else { throw CommandError.refused("\(file.origin): no session of a \(role ?? "role")") }
        let view = TraceView(
            console: invocation.console, layers: layers, width: width(invocation), edition: invocation.context.edition)
        invocation.console.answer(["file": .string(file.origin), "sessions": .array(sessions.map(view.json))]) {
            sessions.map(view.text).joined(separator: "\n\n")
        }
        return .done
    }

    private static func width(_ invocation: Invocation) -> Int? {
        guard let width = invocation.integer("width") else {
            return invocation.console.isTerminal ? invocation.console.width : nil
        }
        return width == 0 ? nil : width
    }
}

/// Sessions as text and as JSON.
struct TraceView: Sendable {
    let console: Console
    /// Empty for all.
    let layers: Set<String>
    let width: Int?
    let edition: Edition

    func text(_ session: TracedSession) -> String {
        let parts = TracePart.all(in: session.events)
        var lines = heading(session)
        for (position, event) in session.events.enumerated() where shows(event) {
            lines.append(line(event, parts[position]))
            lines += content(event)
        }
        return lines.map { $0.text(width: width, console) }.joined(separator: "\n")
    }

    func json(_ session: TracedSession) -> JSON {
        let parts = TracePart.all(in: session.events)
        let events = session.events.enumerated().filter { shows($0.element) }.map { position, event -> JSON in
            var object = event.json.objectValue ?? JSONObject()
            if let part = parts[position] { object["part"] = part.json }
            if object["annotation"] == nil, let annotation = annotation(event) { object["annotation"] = annotation.json }
            return .object(object)
        }
        return [
            "session": .string(session.id), "role": .string(session.role), "redacted": .bool(session.isRedacted),
            "faults": .array(session.faults.map(JSON.string)), "missing": .array(session.gaps.map { .integer(Int64($0)) }),
            "events": .array(events),
        ]
    }

    private func shows(_ event: TraceEvent) -> Bool { layers.isEmpty || layers.contains(event.layer) }

    private func heading(_ session: TracedSession) -> [PaintedLine] {
        var title = PaintedLine("session \(session.id.replacingControlCharacters()), \(session.role)", .bold)
        title.append(", \(session.events.count) events" + (session.isRedacted ? ", partly redacted" : ""))
        var lines = [title]
        if !session.faults.isEmpty {
            lines.append(PaintedLine("faults: \(session.faults.joined(separator: ", "))".replacingControlCharacters(), .red))
        }
        if !session.gaps.isEmpty {
            lines.append(PaintedLine("events \(session.gaps.map(String.init).joined(separator: ", ")) are missing", .red))
        }
        return lines
    }

    private func line(_ event: TraceEvent, _ part: TracePart?) -> PaintedLine {
        let number = String(event.sequence)
        var line = PaintedLine(String(repeating: " ", count: max(0, 4 - number.count)) + number + "  ", .dim)
        line.append("\(event.time.rfc3339)  ", .dim)
        switch event.direction {
        case .sent: line.append("→ sent      ", .yellow)
        case .received: line.append("← received  ", .green)
        case .note: line.append("· noted     ", .dim)
        }
        line.append("\(event.layer) \(event.name)".replacingControlCharacters(), .bold)
        line.append(event.isRedacted ? ", redacted" : event.bytes.isEmpty ? "" : ", \(event.bytes.count) bytes")
        if let part { line.append(", \(part.text)") }
        return line
    }

    private func content(_ event: TraceEvent) -> [PaintedLine] {
        guard let annotation = annotation(event) else { return [] }
        return AnnotationText(annotation).lines.map { text in
            var line = PaintedLine("        ")
            line.append(text.offset.isEmpty ? "" : text.offset + "  ", .dim)
            line.append(text.label)
            line.append(text.value.map { ": \($0)" } ?? "")
            line.append(text.clause.map { "  [\($0)]" } ?? "", .dim)
            return line
        }
    }

    /// What the event itself says, else what its bytes do. Keys are not spelt out.
    private func annotation(_ event: TraceEvent) -> Annotation? {
        if let annotation = event.annotation { return annotation }
        guard !event.bytes.isEmpty, event.layer != "key" else { return nil }
        if event.layer == "link" { return link(event) }
        return (try? Inspection(edition: edition).annotate(Input(origin: event.name, encodings: [], content: .cbor(event.bytes))))
            ?? Annotation("not CBOR", Hex.encode(event.bytes))
    }

    private func link(_ event: TraceEvent) -> Annotation {
        switch (event.name, event.bytes) {
        case ("State", [0x01]): Annotation("0x01", "start", clause: "ISO/IEC 18013-5:2021 8.3.3.1.1.5")
        case ("State", [0x02]): Annotation("0x02", "end", clause: "ISO/IEC 18013-5:2021 8.3.3.1.1.5")
        default: Annotation("bytes", Hex.encode(event.bytes))
        }
    }
}
