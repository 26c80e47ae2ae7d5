import Codec
import Crypto
import Ports
import Proximity

/// A trace file: its events, session by session.
struct TraceFile: Sendable {
    /// Its path, `-` for stdin.
    let origin: String
    /// In the order of their first events.
    let sessions: [TracedSession]

    /// - Throws: exit code 3 when the file cannot be read, 1 with the line that is no event.
    init(_ path: String) throws(CommandError) {
        origin = path
        var sessions: [TracedSession] = []
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let event = try Self.event(line, "\(path):\(index + 1)")
            let place = sessions.firstIndex { $0.id == event.session && $0.role == event.role }
            if let place { sessions[place].events.append(event) } else { sessions.append(TracedSession(first: event)) }
        }
        guard !sessions.isEmpty else { throw .refused("\(path): no event in it", hint: "--trace FILE writes traces") }
        self.sessions = sessions
    }

    private static func event(_ line: Substring, _ place: String) throws(CommandError) -> TraceEvent {
        let json: JSON
        do { json = try JSON.decode(String(line)) } catch { throw .refused("\(place): not a line of a trace: \(error)") }
        guard let event = TraceEvent(json: json) else {
            throw .refused("\(place): JSON, but not an event of a trace", hint: "--trace FILE writes traces")
        }
        return event
    }
}

/// The events of one session as one side saw them.
struct TracedSession: Sendable {
    /// The session's mark in the trace.
    let id: String
    let role: String
    fileprivate(set) var events: [TraceEvent]

    fileprivate init(first: TraceEvent) { (id, role, events) = (first.session, first.role, [first]) }

    /// Events of one session; nil when there are none.
    init?(_ events: [TraceEvent]) {
        guard let first = events.first else { return nil }
        (id, role, self.events) = (first.session, first.role, events)
    }

    /// Names of the faults that were at work, each once.
    var faults: [String] { Array(Set(events.flatMap(\.faults))).sorted() }
    /// Whether bytes were left out somewhere.
    var isRedacted: Bool { events.contains(where: \.isRedacted) }
    /// Sequence numbers that are not there.
    var gaps: [Int] {
        let present = Set(events.map(\.sequence))
        guard let last = present.max(), last >= 0, last < present.count + 10_000 else { return [] }
        return (0...last).filter { !present.contains($0) }
    }

    /// The side that wrote the trace; nil for roles without a session of ISO/IEC 18013-5.
    var mdocRole: MdocRole? {
        switch role {
        case "holder": .mdoc
        case "reader": .reader
        default: nil
        }
    }
}

/// Which part of which message a characteristic value is (ISO/IEC 18013-5:2021 §8.3.3.1.1.6).
struct TracePart: Sendable, Hashable {
    /// From 1.
    let number: Int
    /// Nil when the last part never came.
    let count: Int?

    /// The parts among a session's events, by position.
    static func all(in events: [TraceEvent]) -> [Int: TracePart] {
        var parts: [Int: TracePart] = [:]
        var pending: [TraceEvent.Direction: [Int]] = [:]
        for (position, event) in events.enumerated() where event.layer == "link" && event.isData {
            pending[event.direction, default: []].append(position)
            guard event.bytes.first == 0x00 else { continue }
            let whole = pending.removeValue(forKey: event.direction) ?? []
            for (index, place) in whole.enumerated() { parts[place] = TracePart(number: index + 1, count: whole.count) }
        }
        for places in pending.values {
            for (index, place) in places.enumerated() { parts[place] = TracePart(number: index + 1, count: nil) }
        }
        return parts
    }

    var text: String {
        guard let count else { return "part \(number) of a message that never became whole" }
        return "part \(number) of \(count)" + (number == count ? ", the last" : "")
    }

    var json: JSON {
        ["part": .integer(Int64(number)), "of": count.map { .integer(Int64($0)) } ?? .null]
    }
}

extension TraceEvent {
    /// Whether the value carries a part of a message.
    var isData: Bool { [GATTCharacteristic.client2Server.name, GATTCharacteristic.server2Client.name].contains(name) }
}
