import Codec
import Crypto

extension JSON {
    /// CBOR in the notation of the vector files: `{"$tag": n, "value": …}`, `{"$hex": …}`, `{"$hexSha256": …, "$len": n}` for byte
    /// strings over 64 bytes, `{"$tag": 24, "$embedded": …}`, map keys as strings.
    init(published item: CBOR) throws {
        switch item.kind {
        case .bytes: self = Self.published(bytes: try item.bytes())
        case .array:
            var elements: [JSON] = []
            for element in try item.array() { elements.append(try JSON(published: element)) }
            self = .array(elements)
        case .map:
            var object = JSONObject()
            for (key, value) in try item.map() {
                object.append((try? key.text()) ?? CBORDiagnostic.format(key), try JSON(published: value))
            }
            self = .object(object)
        case .tag where item.tagNumber == 24:
            self = ["$tag": 24, "$embedded": try JSON(published: item.embedded())]
        case .tag:
            self = ["$tag": .integer(Int64(item.tagNumber ?? 0)), "value": try JSON(published: item.tagContent())]
        case .text: self = .string(try item.text())
        case .bool: self = .bool(try item.bool())
        case .unsigned, .negative: self = .integer(Int64(try item.int()))
        case .float: self = .real(try item.double())
        case .null, .undefined, .simple: self = .null
        }
    }

    private static func published(bytes: [UInt8]) -> JSON {
        guard bytes.count > 64 else { return ["$hex": .string(Hex.encode(bytes))] }
        return ["$hexSha256": .string(Hex.encode(HashAlgorithm.sha256.digest(bytes))), "$len": .integer(Int64(bytes.count))]
    }

    /// Whether both say the same: the order of members does not matter, and 1 is 1.0.
    func isSame(as other: JSON) -> Bool {
        if let left = objectValue, let right = other.objectValue {
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { value.isSame(as: $0) } ?? false }
        }
        if let left = arrayValue, let right = other.arrayValue {
            return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        }
        if let left = doubleValue, let right = other.doubleValue { return left == right }
        return self == other
    }
}

/// Ends the case as failed unless `item` is what was published.
func expect(_ item: CBOR, isPublishedAs published: JSON?, _ what: String) throws {
    let value = try JSON(published: item)
    try expect(
        published.map { value.isSame(as: $0) } ?? false,
        "\(what) is \(value.encoded()), published is \(published?.encoded() ?? "nothing")")
}
