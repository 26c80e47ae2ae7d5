import Codec

/// Shapes that many mdoc structures share.
extension CBOR {
    /// The elements of `[ + any ]`: the standard allows no empty array here.
    func nonEmptyArray() throws(CBORError) -> CBORArray {
        let array = try array()
        guard count > 0 else { throw error(.expected("array of at least 1", found: "empty array")) }
        return array
    }

    /// The members of `{ + any => any }`: the standard allows no empty map here.
    func nonEmptyMap() throws(CBORError) -> CBORMap {
        let map = try map()
        guard count > 0 else { throw error(.expected("map of at least 1", found: "empty map")) }
        return map
    }

    /// `[ * tstr ]`.
    func texts() throws(CBORError) -> [String] {
        try array().map { (item) throws(CBORError) in try item.text() }
    }

    /// The optional member `key`, decoded.
    func decodeOptional<Value: CBORDecodable>(_ key: String) throws(CBORError) -> Value? {
        guard let item = try optional(key) else { return nil }
        return try Value(item)
    }

    /// The optional member `key`, decoded; null and undefined count as absent.
    func decodePresent<Value: CBORDecodable>(_ key: String) throws(CBORError) -> Value? {
        guard let item = try optional(key), !item.isNull, item.kind != .undefined else { return nil }
        return try Value(item)
    }

    /// The optional member `key : [ + Value ]`, decoded; empty when the member is absent.
    func decodeList<Value: CBORDecodable>(_ key: String) throws(CBORError) -> [Value] {
        guard let list = try optional(key) else { return [] }
        return try list.nonEmptyArray().map { (item) throws(CBORError) in try Value(item) }
    }
}

extension CBOREncoder {
    /// `[ * tstr ]`.
    mutating func texts(_ texts: [String]) {
        array(texts.count)
        for value in texts { text(value) }
    }
}
