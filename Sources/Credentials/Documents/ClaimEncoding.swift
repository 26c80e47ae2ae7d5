public import Codec
import Ports

/// Why a claim in JSON cannot become the CBOR that its definition asks for.
public struct ClaimError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which claim: `org.iso.18013.5.1.birth_date`.
    public let path: FieldPath
    /// What the definition wants, in words.
    public let expected: String
    /// What the file has.
    public let found: String

    public var description: String { "claim \(path): expected \(expected), found \(found)" }
}

extension ElementType {
    /// The CBOR of a value that is given as JSON: dates from their text, binary from `{"bytes": "<base64url>"}`.
    /// - Throws: also when the value lies deeper than readers go, 32 levels.
    public func encode(_ value: JSON, at path: FieldPath) throws(ClaimError) -> CBOR {
        guard path.components.count <= 32 else {
            throw ClaimError(path: FieldPath(Array(path.components.prefix(2))), expected: "at most 32 levels", found: "more")
        }
        return try form(of: value, at: path)
    }

    private func form(of value: JSON, at path: FieldPath) throws(ClaimError) -> CBOR {
        switch self {
        case .text: try .text(Self.require(value.stringValue, "text", value, path))
        case .unsigned: try .int(Self.require(value.intValue.flatMap { $0 < 0 ? nil : $0 }, "a number from 0", value, path))
        case .boolean: try .bool(Self.require(value.boolValue, "true or false", value, path))
        case .bytes: try .bytes(Self.require(value.claimBytes, Self.bytesForm, value, path))
        case .picture: try .bytes(Self.require(value.claimBytes, Self.bytesForm, value, path))
        case .fullDate: try Self.require(value.fullDate, "a date like 1994-05-17", value, path)
        case .tdate: try Self.require(value.tdate, "a time like 2026-11-30T12:00:00Z", value, path)
        case .date: try Self.require(value.fullDate ?? value.tdate, "a date like 1994-05-17 or a time", value, path)
        case .list(let type): try Self.encodeList(value, type, path)
        case .record(let members): try Self.encodeRecord(value, members, path)
        case .choice(let types): try Self.encodeChoice(value, types, path)
        case .any: try value.claim(at: path)
        }
    }

    private static let bytesForm = "{\"bytes\": \"<base64url>\"}"

    private static func require<Value>(
        _ value: Value?, _ expected: String, _ json: JSON, _ path: FieldPath
    ) throws(ClaimError) -> Value {
        guard let value else { throw ClaimError(path: path, expected: expected, found: json.encoded()) }
        return value
    }

    private static func encodeList(_ value: JSON, _ type: ElementType, _ path: FieldPath) throws(ClaimError) -> CBOR {
        var items: [CBOR] = []
        for (position, element) in try require(value.arrayValue, "an array", value, path).enumerated() {
            items.append(try type.encode(element, at: path.appending(position)))
        }
        return .array(items)
    }

    private static func encodeRecord(_ value: JSON, _ members: [Member], _ path: FieldPath) throws(ClaimError) -> CBOR {
        var pairs: [(CBOR, CBOR)] = []
        for (name, member) in try require(value.objectValue, "an object", value, path) {
            let type = members.first { $0.name == name }?.type ?? .any
            pairs.append((.text(name), try type.encode(member, at: path.appending(name))))
        }
        return .map(pairs)
    }

    private static func encodeChoice(_ value: JSON, _ types: [ElementType], _ path: FieldPath) throws(ClaimError) -> CBOR {
        for type in types.dropLast() {
            if let encoded = try? type.encode(value, at: path) { return encoded }
        }
        return try (types.last ?? .any).encode(value, at: path)
    }
}

extension JSON {
    fileprivate var claimBytes: [UInt8]? {
        guard let members = objectValue, members.count == 1, let text = members["bytes"]?.stringValue else { return nil }
        return try? Base64URL.decode(text)
    }

    fileprivate var fullDate: CBOR? {
        guard let text = stringValue, text.utf8.count == 10, (try? Timestamp(rfc3339: text + "T00:00:00Z")) != nil else {
            return nil
        }
        return .tag(1004, .text(text))
    }

    fileprivate var tdate: CBOR? {
        guard let text = stringValue, let time = try? Timestamp(rfc3339: text) else { return nil }
        return .tag(0, .text(time.rfc3339))
    }

    /// A value without a definition, by its JSON type.
    fileprivate func claim(at path: FieldPath) throws(ClaimError) -> CBOR {
        if let bytes = claimBytes { return .bytes(bytes) }
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int(value)
        case .real(let value): return .double(value)
        case .string(let value): return .text(value)
        case .array: return try ElementType.list(.any).encode(self, at: path)
        case .object: return try ElementType.record([]).encode(self, at: path)
        }
    }
}
