import Codec

/// Where two messages differ.
struct MessageDifference: Sendable {
    /// In the message, by names; "(top)" for the whole.
    let path: String
    /// Where it starts in either message, nil where it is not there.
    let offsets: (first: Int?, second: Int?)
    /// What stands there, shortened; nil where it is not there.
    let values: (first: String?, second: String?)

    var text: String {
        func side(_ name: String, _ value: String?, _ offset: Int?) -> String {
            value.map { "\(name) \($0)" + (offset.map { " at 0x\(String($0, radix: 16))" } ?? "") } ?? "not in \(name)"
        }
        return "\(path): \(side("A", values.first, offsets.first)), \(side("B", values.second, offsets.second))"
    }

    var json: JSON {
        func side(_ value: String?, _ offset: Int?) -> JSON {
            guard let value else { return .null }
            return ["value": .string(value), "offset": offset.map { .integer(Int64($0)) } ?? .null]
        }
        return ["path": .string(path), "a": side(values.first, offsets.first), "b": side(values.second, offsets.second)]
    }
}

/// Compares two messages, item by item where both are CBOR, into embedded CBOR and COSE payloads too.
enum MessageComparison {
    static func differences(_ a: [UInt8], _ b: [UInt8]) -> [MessageDifference] {
        guard a != b else { return [] }
        guard let first = try? CBOR(decoding: a), let second = try? CBOR(decoding: b) else { return [bytes(a, b)] }
        return compare(first, second)
    }

    /// Where bytes that are no CBOR part ways.
    private static func bytes(_ a: [UInt8], _ b: [UInt8]) -> MessageDifference {
        let offset = zip(a, b).prefix { $0 == $1 }.count
        func rest(_ bytes: [UInt8]) -> String {
            offset < bytes.count ? shortened("h'\(Hex.encode(bytes[offset...].prefix(24)))'") : "(end)"
        }
        return MessageDifference(path: "(bytes)", offsets: (offset, offset), values: (rest(a), rest(b)))
    }

    private static func compare(_ a: CBOR, _ b: CBOR) -> [MessageDifference] {
        guard a != b else { return [] }
        var found: [MessageDifference]
        switch (a.kind, b.kind) {
        case (.map, .map): found = maps(a, b)
        case (.array, .array): found = arrays(a, b)
        case (.tag, .tag), (.bytes, .bytes):
            guard let (first, second) = contents(a, b) else { return [leaf(a, b)] }
            found = compare(first, second)
        default: return [leaf(a, b)]
        }
        // Same values, and yet other bytes: members in another order, or longer heads.
        if found.isEmpty {
            found = [
                MessageDifference(
                    path: "\(a.path)", offsets: (a.offset, b.offset), values: ("the same values encoded in one way", "in another"))
            ]
        }
        return found
    }

    /// What tags of one number, or byte strings that hold CBOR, contain.
    private static func contents(_ a: CBOR, _ b: CBOR) -> (CBOR, CBOR)? {
        if a.kind == .tag {
            guard let number = a.tagNumber, number == b.tagNumber, let first = try? a.tagContent(), let second = try? b.tagContent()
            else { return nil }
            return (first, second)
        }
        let structures: Set<CBOR.Kind> = [.map, .array, .tag]
        guard let first = try? a.embeddedContent(), let second = try? b.embeddedContent(), structures.contains(first.kind),
            structures.contains(second.kind)
        else { return nil }
        return (first, second)
    }

    private static func maps(_ a: CBOR, _ b: CBOR) -> [MessageDifference] {
        guard let first = try? Array(a.map()), let second = try? Array(b.map()) else { return [leaf(a, b)] }
        let others = Dictionary(second.map { ($0.key, $0.value) }, uniquingKeysWith: { value, _ in value })
        let keys = Set(first.map(\.key))
        let inFirst = first.flatMap { member in
            others[member.key].map { compare(member.value, $0) } ?? [only(member.value, inFirst: true)]
        }
        return inFirst + second.filter { !keys.contains($0.key) }.map { only($0.value, inFirst: false) }
    }

    private static func arrays(_ a: CBOR, _ b: CBOR) -> [MessageDifference] {
        guard let first = try? Array(a.array()), let second = try? Array(b.array()) else { return [leaf(a, b)] }
        return zip(first, second).flatMap { compare($0, $1) } + first.dropFirst(second.count).map { only($0, inFirst: true) }
            + second.dropFirst(first.count).map { only($0, inFirst: false) }
    }

    private static func leaf(_ a: CBOR, _ b: CBOR) -> MessageDifference {
        if let first = try? a.bytes(), let second = try? b.bytes(), !a.isIndefinite, !b.isIndefinite {
            return strings(a, first, b, second)
        }
        return MessageDifference(path: "\(a.path)", offsets: (a.offset, b.offset), values: (value(a), value(b)))
    }

    /// Byte strings from where they part ways.
    private static func strings(_ a: CBOR, _ first: [UInt8], _ b: CBOR, _ second: [UInt8]) -> MessageDifference {
        let common = zip(first, second).prefix { $0 == $1 }.count
        func offset(_ item: CBOR, _ bytes: [UInt8]) -> Int { item.offset + item.encodedRange.count - bytes.count + common }
        func rest(_ bytes: [UInt8]) -> String {
            "\(bytes.count) bytes, from byte \(common) on " + shortened("h'\(Hex.encode(bytes[common...].prefix(24)))'")
        }
        return MessageDifference(
            path: "\(a.path)", offsets: (offset(a, first), offset(b, second)), values: (rest(first), rest(second)))
    }

    private static func only(_ item: CBOR, inFirst: Bool) -> MessageDifference {
        MessageDifference(
            path: "\(item.path)", offsets: inFirst ? (item.offset, nil) : (nil, item.offset),
            values: inFirst ? (value(item), nil) : (nil, value(item)))
    }

    private static func value(_ item: CBOR) -> String { shortened(CBORDiagnostic.format(item)) }

    private static func shortened(_ text: String) -> String { text.count > 48 ? text.prefix(47) + "…" : text }
}
