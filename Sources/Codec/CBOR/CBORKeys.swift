import Glibc

extension CBORIndex {
    /// A key of a map that occurred before, by value: encodings that differ only in the width of a head, in chunks or in
    /// the precision of a float are the same key.
    /// The content of the map must be the last of the index.
    func firstDuplicateKey(of map: Int) -> Int? {
        let count = nodes[map].argument
        guard count > 1 else { return nil }
        if isSorted(map) { return nil }
        return count <= 12 ? pairwiseDuplicate(map) : sortedDuplicate(map)
    }

    /// Whether each key sorts before the next, as deterministic encoders write them: the one pass that most maps need.
    private func isSorted(_ map: Int) -> Bool {
        var earlier = map + 1
        var key = nextKey(after: earlier)
        while key < nodes.count {
            guard compareKeys(earlier, key) < 0 else { return false }
            (earlier, key) = (key, nextKey(after: key))
        }
        return true
    }

    private func pairwiseDuplicate(_ map: Int) -> Int? {
        let end = nodes.count
        var key = nextKey(after: map + 1)
        while key < end {
            var earlier = map + 1
            while earlier < key {
                if compareKeys(earlier, key) == 0 { return key }
                earlier = nextKey(after: earlier)
            }
            key = nextKey(after: key)
        }
        return nil
    }

    /// Sorting keeps a hostile map of many keys at n log n comparisons, which no choice of keys can make worse.
    private func sortedDuplicate(_ map: Int) -> Int? {
        let end = nodes.count
        var keys: [Int] = []
        var key = map + 1
        while key < end {
            keys.append(key)
            key = nextKey(after: key)
        }
        keys.sort { (compareKeys($0, $1), $0) < (0, $1) }
        return zip(keys, keys.dropFirst()).first { compareKeys($0, $1) == 0 }?.1
    }

    /// Bytes that a key may have that is neither integer nor string: comparing such keys means to re-encode them.
    static let longestKey = 1024

    /// The first key beyond that limit.
    func firstOverlongKey(of map: Int) -> Int? {
        let end = nodes.count
        var key = map + 1
        while key < end {
            if nodes[key].major > 3 && nodes[key].end - nodes[key].start > Self.longestKey { return key }
            key = nextKey(after: key)
        }
        return nil
    }

    private func nextKey(after key: Int) -> Int { Int(nodes[Int(nodes[key].next)].next) }

    /// Below, at or above 0 as the first key's canonical encoding sorts before, like or after the second's.
    private func compareKeys(_ left: Int, _ right: Int) -> Int {
        let (a, b) = (nodes[left], nodes[right])
        if a.major < 2 && b.major < 2 || a.major != b.major && max(a.major, b.major) < 4 {
            return a.major != b.major ? Int(a.major) - Int(b.major) : a.argument < b.argument ? -1 : a.argument > b.argument ? 1 : 0
        }
        if a.major == b.major && a.major < 4 {
            if a.argument != b.argument { return a.argument < b.argument ? -1 : 1 }
            return compareContents(a, b, left, right)
        }
        return compare(canonical(left, .core)[...], canonical(right, .core)[...])
    }

    /// Two strings of the same length, bytewise.
    private func compareContents(_ a: CBORNode, _ b: CBORNode, _ left: Int, _ right: Int) -> Int {
        guard !a.isIndefinite, !b.isIndefinite else { return compare(content(of: left), content(of: right)) }
        return bytes.withUnsafeBytes { all in
            let first = all[Int(a.start) + a.headLength..<Int(a.end)]
            let second = all[Int(b.start) + b.headLength..<Int(b.end)]
            guard let x = UnsafeRawBufferPointer(rebasing: first).baseAddress,
                let y = UnsafeRawBufferPointer(rebasing: second).baseAddress
            else { return 0 }
            return Int(memcmp(x, y, min(first.count, second.count)))
        }
    }

    func canonical(_ index: Int, _ order: CBOR.KeyOrder) -> [UInt8] {
        var encoder = CBOREncoder()
        encodeCanonically(index, order, into: &encoder)
        return encoder.bytes
    }

    private func encodeCanonically(_ index: Int, _ order: CBOR.KeyOrder, into encoder: inout CBOREncoder) {
        let node = nodes[index]
        switch node.major {
        case 2: encoder.bytes(content(of: index))
        case 3: encoder.text(utf8: content(of: index))
        case 5:
            encoder.map(Int(node.argument))
            encoder.raw(sortedPairs(index, order).flatMap { $0.key + $0.value })
        case 6 where magnitude(index) != nil: encodeBignum(index, into: &encoder)
        case 7 where node.info >= 25: encoder.float(bits: node.argument, width: node.info)
        default:
            encoder.head(node.major, node.argument)
            for child in children(of: index) { encodeCanonically(child, order, into: &encoder) }
        }
    }

    private func encodeBignum(_ index: Int, into encoder: inout CBOREncoder) {
        if let number = smallBignum(index) { return encoder.head(number.major, number.argument) }
        encoder.tag(nodes[index].argument)
        encoder.bytes(magnitude(index) ?? [])
    }

    private func sortedPairs(_ map: Int, _ order: CBOR.KeyOrder) -> [(key: [UInt8], value: [UInt8])] {
        let children = children(of: map)
        let pairs = stride(from: 0, to: children.count - 1, by: 2).map {
            (key: canonical(children[$0], order), value: canonical(children[$0 + 1], order))
        }
        return pairs.sorted { order.areInOrder($0.key, $1.key) }
    }

    /// The magnitude of a bignum without leading zeros, nil for other items.
    func magnitude(_ tag: Int) -> ArraySlice<UInt8>? {
        guard nodes[tag].major == 6, nodes[tag].argument == 2 || nodes[tag].argument == 3, nodes[tag + 1].major == 2 else {
            return nil
        }
        return content(of: tag + 1).drop { $0 == 0 }
    }

    /// The integer that a bignum stands for, where it fits one (RFC 8949 §3.4.3).
    private func smallBignum(_ tag: Int) -> (major: UInt8, argument: UInt64)? {
        guard let magnitude = magnitude(tag), magnitude.count <= 8 else { return nil }
        return (UInt8(nodes[tag].argument - 2), magnitude.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Whether an item is a bignum that would fit an integer, or has leading zeros.
    func isLongBignum(_ tag: Int) -> Bool {
        magnitude(tag).map { $0.count <= 8 || UInt64($0.count) < nodes[tag + 1].argument } ?? false
    }
}

/// Bytewise order: below, at or above 0.
private func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    for (a, b) in zip(left, right) where a != b { return Int(a) - Int(b) }
    return left.count - right.count
}

extension CBOR {
    /// The order of map keys in a canonical encoding.
    public enum KeyOrder: Sendable {
        /// Bytewise by encoded key (RFC 8949 §4.2.1).
        case core
        /// Shorter encoded keys first, then bytewise (RFC 8949 §4.2.3, RFC 7049 §3.9).
        case lengthFirst

        func areInOrder(_ left: [UInt8], _ right: [UInt8]) -> Bool {
            if self == .lengthFirst && left.count != right.count { return left.count < right.count }
            return left.lexicographicallyPrecedes(right)
        }
    }
}
