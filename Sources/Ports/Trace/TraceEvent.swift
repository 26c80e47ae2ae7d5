public import Codec

/// One message on its way, as written to a trace: one line of JSON each.
public struct TraceEvent: Sendable, Hashable {
    /// Which way, seen from the process that writes the trace.
    public enum Direction: String, Sendable {
        /// To the peer, from the peer, or neither: a remark.
        case sent, received, note
    }

    /// Counts from 0 in each session; a gap shows a lost line.
    public var sequence: Int
    /// When.
    public var time: Timestamp
    /// Tells the sessions of one trace apart.
    public var session: String
    /// `holder`, `reader`, `wallet`, `verifier`, `issuer`.
    public var role: String
    /// `engagement`, `link`, `session`, `message`, `key`, `decision`, `http`.
    public var layer: String
    /// The message's name in its specification.
    public var name: String
    /// Which way.
    public var direction: Direction
    /// The bytes; empty if redacted or if there are none.
    public var bytes: [UInt8]
    /// Whether bytes were left out, so that the message cannot be replayed.
    public var isRedacted: Bool
    /// What the message says.
    public var annotation: Annotation?
    /// Named faults that were at work on it.
    public var faults: [String]

    /// An event.
    public init(
        sequence: Int, time: Timestamp, session: String, role: String, layer: String, name: String, direction: Direction,
        bytes: [UInt8] = [], isRedacted: Bool = false, annotation: Annotation? = nil, faults: [String] = []
    ) {
        self.sequence = sequence
        self.time = time
        self.session = session
        self.role = role
        self.layer = layer
        self.name = name
        self.direction = direction
        self.bytes = bytes
        self.isRedacted = isRedacted
        self.annotation = annotation
        self.faults = faults
    }

    /// The line of a trace file.
    public var json: JSON {
        var object: JSONObject = [
            "sequence": .integer(Int64(sequence)), "time": .string(time.rfc3339), "session": .string(session),
            "role": .string(role),
            "layer": .string(layer), "name": .string(name), "direction": .string(direction.rawValue),
        ]
        if isRedacted { object["redacted"] = true } else if !bytes.isEmpty { object["bytes"] = .string(Hex.encode(bytes)) }
        if let annotation { object["annotation"] = annotation.json }
        if !faults.isEmpty { object["faults"] = .array(faults.map(JSON.string)) }
        return .object(object)
    }
}

extension Annotation {
    /// The annotation as JSON: `label`, and `value`, `clause`, `offset`, `length`, `children` where there are any.
    public var json: JSON {
        var object: JSONObject = ["label": .string(label)]
        if let value { object["value"] = .string(value) }
        if let clause { object["clause"] = .string(clause) }
        if let offset { object["offset"] = .integer(Int64(offset)) }
        if let length { object["length"] = .integer(Int64(length)) }
        if !children.isEmpty { object["children"] = .array(children.map(\.json)) }
        return .object(object)
    }

    /// Reads the JSON form back, nil if it is none.
    public init?(json: JSON) {
        guard let label = json["label"]?.stringValue else { return nil }
        self.init(
            label, json["value"]?.stringValue, clause: json["clause"]?.stringValue,
            offset: json["offset"]?.intValue.flatMap(Int.init(exactly:)),
            length: json["length"]?.intValue.flatMap(Int.init(exactly:)),
            children: json["children"]?.arrayValue?.compactMap(Annotation.init(json:)) ?? [])
    }
}

extension TraceEvent {
    /// Reads a line of a trace file, nil if it is none.
    public init?(json: JSON) {
        guard let sequence = json["sequence"]?.intValue.flatMap(Int.init(exactly:)), let text = json["time"]?.stringValue,
            let time = try? Timestamp(rfc3339: text), let session = json["session"]?.stringValue,
            let role = json["role"]?.stringValue,
            let layer = json["layer"]?.stringValue, let name = json["name"]?.stringValue,
            let direction = json["direction"]?.stringValue.flatMap(Direction.init(rawValue:)),
            let bytes = try? Hex.decode(json["bytes"]?.stringValue ?? "")
        else { return nil }
        self.init(
            sequence: sequence, time: time, session: session, role: role, layer: layer, name: name, direction: direction,
            bytes: bytes,
            isRedacted: json["redacted"]?.boolValue ?? false, annotation: json["annotation"].flatMap(Annotation.init(json:)),
            faults: json["faults"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }
}
