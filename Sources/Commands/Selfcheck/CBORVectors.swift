import Codec

/// CBOR: `cbor/*.json`.
struct CBORVectors: VectorSuite {
    func matches(_ path: String) -> Bool { Self.kinds.keys.contains { path == "cbor/\($0)" } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds[file.name] else { return [] }
        return try await kind(try file.json())
    }

    private typealias Kind = @Sendable (JSON) async throws -> [VectorCase]

    private static let kinds: [String: Kind] = [
        "rfc8949-appendix-a.json": { try await examples($0) },
        "rfc8949-appendix-f-malformed.json": { try await malformed($0) },
        "deterministic.json": { try await keyOrder($0) + preferred($0) },
        "dcbor.json": { try await cases($0, "valid", example) + cases($0, "invalid", notDeterministic) },
        "invalid-and-hostile.json": { try await cases($0, "cases", hostile) },
    ]

    private static func cases(_ json: JSON, _ list: String, _ body: (JSON) throws -> Void) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for (position, entry) in try json.list(list).enumerated() {
            let name = "\(list)[\(position)] \(entry["id"]?.stringValue ?? entry["hex"]?.stringValue ?? "")"
            results.append(await VectorCase(String(name.prefix(80))) { try body(entry) })
        }
        return results
    }

    // MARK: RFC 8949 appendix A, and dCBOR's valid items

    private static func examples(_ json: JSON) async throws -> [VectorCase] { try await cases(json, "cases", example) }

    private static func example(_ entry: JSON) throws {
        let bytes = try entry.hex("hex")
        let item = try CBOR(decoding: bytes)
        if let text = entry["diagnostic"]?.stringValue { try compare(item, diagnostic: text, isReduced: entry["notes"] != nil) }
        if let decoded = entry["decoded"], entry["skipDecode"] == nil {
            try expect(isSame(item, decoded), "decodes to \(CBORDiagnostic.format(item)), published is \(decoded.encoded())")
        }
        let again = CBORDiagnostic.format(item)
        try expect(try CBORDiagnostic.parse(again), equals: bytes, "\(again), read back,")
        if entry["roundtrip"]?.boolValue == true { try expect(item.canonical(), equals: bytes, "re-encoding") }
    }

    /// dCBOR's texts write whole floats without a point, so those are compared by value only.
    private static func compare(_ item: CBOR, diagnostic text: String, isReduced: Bool) throws {
        let published = try CBOR(decoding: try CBORDiagnostic.parse(text))
        if item.canonical() == published.canonical() { return }
        try expect(isReduced && number(item) == number(published) && number(item) != nil, "is not \(text)")
    }

    private static func number(_ item: CBOR) -> Double? {
        switch item.kind {
        case .float: try? item.double()
        case .unsigned, .negative: Double(CBORDiagnostic.format(item, options: .init(showsEncoding: false)))
        default: nil
        }
    }

    private static func isSame(_ item: CBOR, _ json: JSON) -> Bool {
        switch json {
        case .null: item.isNull
        case .bool(let value): (try? item.bool()) == value
        case .integer(let value): (try? item.int()).map(Int64.init) == value
        case .real(let value):
            number(item).map { $0 == value && ($0 != 0 || item.kind != .float || $0.sign == value.sign) } ?? false
        case .string(let value): (try? item.text()) == value || CBORDiagnostic.format(item) == value
        case .array(let values):
            (try? Array(item.array())).map { zip($0, values).allSatisfy(isSame) && $0.count == values.count } ?? false
        case .object(let members):
            item.count == members.count
                && members.allSatisfy { member in
                    guard let value = try? item[member.key] else { return false }
                    return isSame(value, member.value)
                }
        }
    }

    // MARK: what must be refused

    private static func malformed(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json, "rfc8949", refused) + cases(json, "qcbor", refused)
    }

    private static func refused(_ entry: JSON) throws { _ = try refusal(of: try entry.hex("hex")) }

    private static func refusal(of bytes: [UInt8]) throws -> CBORError {
        do {
            throw Mismatch("accepted as \(CBORDiagnostic.format(try CBOR(decoding: bytes)).prefix(80))")
        } catch let error as CBORError {
            return error
        }
    }

    private static func hostile(_ entry: JSON) throws {
        let error = try refusal(of: try bytes(entry))
        guard let expected = entry["expect"]?.stringValue else { throw Mismatch("the case has no \"expect\"") }
        try expect(isReason(error.reason, for: expected), "refused as \"\(error)\", published is \"\(expected)\"")
    }

    private static func bytes(_ entry: JSON) throws -> [UInt8] {
        guard let repeated = entry["hex_repeat"] else { return try entry.hex("hex") }
        guard let unit = repeated[0]?.stringValue, let count = repeated[1]?.intValue else { throw Mismatch("malformed hex_repeat") }
        return try Array(repeatElement(Hex.decode(unit), count: Int(count)).joined()) + entry.hex("hex_tail")
    }

    private static func isReason(_ reason: CBORError.Reason, for expected: String) -> Bool {
        switch reason {
        case .duplicateKey: expected.hasPrefix("duplicate map key")
        case .invalidUTF8: expected.hasPrefix("invalid")
        case .tooDeep: expected.contains("depth limit") || expected.contains("stack overflow")
        case .trailingBytes: expected.contains("trailing")
        case .truncated: expected == "no item" || expected.hasPrefix("not well-formed")
        case .countExceedsInput: expected.hasPrefix("not well-formed")
        default: false
        }
    }

    // MARK: deterministic encoding

    private static func keyOrder(_ json: JSON) async throws -> [VectorCase] {
        guard let order = json["key_order"] else { throw Mismatch("key_order is missing") }
        var results: [VectorCase] = []
        for (keyOrder, suffix) in [(CBOR.KeyOrder.core, "core"), (.lengthFirst, "length_first")] {
            results.append(await VectorCase("key order \(suffix)") { try sorted(order, keyOrder, suffix) })
        }
        return results
    }

    private static func sorted(_ order: JSON, _ keyOrder: CBOR.KeyOrder, _ suffix: String) throws {
        let keys = try order.list("keys_\(suffix)").map { try CBOR(decoding: $0.hex("hex")) }
        for (key, entry) in zip(keys, try order.list("keys_\(suffix)")) {
            try expect(CBORDiagnostic.format(key), equals: entry["diag"]?.stringValue ?? "", "the notation of a key")
        }
        for rotation in keys.indices {
            let map = CBOR.map((keys[rotation...] + keys[..<rotation]).reversed().map { ($0, .int(0)) })
            try expect(map.canonical(keyOrder), equals: try order.hex("map_\(suffix)_hex"), "the map")
        }
    }

    private static func preferred(_ json: JSON) async throws -> [VectorCase] {
        try await cases(json, "preferred") { entry in
            let bytes = try entry.hex("hex")
            let published = try entry.hex("preferred_hex")
            let item = try CBOR(decoding: bytes)
            try expect(item.canonical(), equals: published, "the preferred encoding")
            try expect(item.usesPreferredEncoding, equals: bytes == published, "\"uses preferred encoding\"")
        }
    }

    /// What dCBOR refuses must be refused here, or be seen as not deterministic, unless only dCBOR objects to it.
    private static func notDeterministic(_ entry: JSON) throws {
        let bytes = try entry.hex("hex")
        if let text = entry["diagnostic"]?.stringValue, !text.hasPrefix("NaN") {
            try expect(try CBORDiagnostic.parse(text), equals: bytes, text)
        }
        guard let item = try? CBOR(decoding: bytes), item.canonical() == bytes else { return }
        guard let reason = dCBORReason(item) else { throw Mismatch("counts as deterministic") }
        throw NotApplicable("refused by dCBOR only, allowed by RFC 8949: \(reason)")
    }

    private static func dCBORReason(_ item: CBOR) -> String? {
        switch item.kind {
        case .float: (try? item.double())?.isNaN == true ? "NaN with a payload" : "numeric reduction"
        case .negative: (try? item.int()) == nil ? "integers below -2^63" : nil
        case .simple, .undefined: "simple values"
        case .text:
            (try? item.text())?.unicodeScalars.contains { $0.properties.canonicalCombiningClass.rawValue > 0 } == true ? "NFC" : nil
        default: nil
        }
    }
}

extension JSON {
    /// The list under a name, for vector files.
    func list(_ name: String) throws(Mismatch) -> [JSON] {
        guard let list = self[name]?.arrayValue else { throw Mismatch("the file has no list \"\(name)\"") }
        return list
    }

    /// The bytes of a member in hexadecimal, for vector files.
    func hex(_ name: String) throws(Mismatch) -> [UInt8] {
        guard let text = self[name]?.stringValue else { throw Mismatch("the case has no \"\(name)\"") }
        do { return try Hex.decode(text) } catch { throw Mismatch("\(name): \(error)") }
    }

    /// A text member, for vector files.
    func text(_ name: String) throws(Mismatch) -> String {
        guard let text = self[name]?.stringValue else { throw Mismatch("the case has no \"\(name)\"") }
        return text
    }
}
