public import Codec

/// Element values as JSON: what reports, listings and claims files show.
extension JSON {
    /// The value of a data element: binary as `{"bytes": "<base64url>"}`, dates as their text, other tags as their content, map keys
    /// as text. Numbers that JSON cannot hold exactly become text.
    public init(claim value: CBOR) {
        self = Self.claim(value) ?? .null
    }

    private static func claim(_ value: CBOR) -> JSON? {
        switch value.kind {
        case .unsigned, .negative: (try? value.int()).map { .integer(Int64($0)) } ?? .string(claimText(value))
        case .bytes: (try? value.bytes()).map { ["bytes": .string(Base64URL.encode($0))] }
        case .text: (try? value.text()).map { .string($0) }
        case .bool: (try? value.bool()).map { .bool($0) }
        case .float: (try? value.double()).map { $0.isFinite ? .real($0) : .string(claimText(value)) }
        case .array: (try? value.array()).map { .array($0.map { JSON(claim: $0) }) }
        case .map: (try? value.map()).map { .object(JSONObject(claim: $0)) }
        case .tag: tagged(value)
        case .null, .undefined: .null
        case .simple: .string(claimText(value))
        }
    }

    private static func tagged(_ value: CBOR) -> JSON? {
        guard let number = value.tagNumber, let content = try? value.tagged(number) else { return nil }
        return claim(content)
    }
}

extension JSONObject {
    fileprivate init(claim map: CBORMap) {
        self.init()
        for (key, value) in map { append(Self.name(key), JSON(claim: value)) }
    }

    private static func name(_ key: CBOR) -> String {
        (try? key.text()) ?? claimText(key)
    }
}

/// A value that JSON has no form for.
private func claimText(_ value: CBOR) -> String { (try? value.uint()).map { String($0) } ?? "h'\(Hex.encode(value.encoded))'" }

extension CBOR {
    /// A JSON value in the types of CBOR that correspond to it (RFC 8949 §6.2).
    init(json: JSON) {
        self.init(encoding: { encoder in encoder.json(json) })
    }
}

extension CBOREncoder {
    fileprivate mutating func json(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): int(value)
        case .real(let value): double(value)
        case .string(let value): text(value)
        case .array(let elements):
            array(elements.count)
            for element in elements { self.json(element) }
        case .object(let members):
            map(members.count)
            for (name, value) in members {
                text(name)
                self.json(value)
            }
        }
    }
}
