/// One validating pass over received bytes (RFC 8949 §3, §5.6) that leaves a flat index. Nothing is reserved on the word
/// of the input: a declared count is compared with the bytes left first.
struct CBORIndexer {
    /// What stopped the work, and where.
    struct Failure: Error {
        var reason: CBORError.Reason
        var offset: Int
    }

    private(set) var index: CBORIndex
    private(set) var position: Int
    private var end: Int
    private let limits: CBORLimits
    private let refusesDuplicates: Bool
    private let embeds: Bool
    /// 1 in an embedded item, else 0.
    private var level: UInt8 = 0
    /// Items that count at the position.
    private var items = 0

    /// Works on a range of `bytes`; offsets stay those of `bytes`.
    /// - Parameter embeds: whether the items in tags 24 are indexed too, where they can be.
    init(_ bytes: [UInt8], _ range: Range<Int>, limits: CBORLimits, refusesDuplicates: Bool = true, embeds: Bool = false) {
        index = CBORIndex(bytes: bytes)
        position = range.lowerBound
        end = range.upperBound
        self.limits = limits
        self.refusesDuplicates = refusesDuplicates
        self.embeds = embeds
    }

    /// Indexes the item at the position.
    mutating func run() throws(Failure) {
        guard end - position <= limits.bytes else { throw Failure(reason: .tooLarge(limit: limits.bytes), offset: position) }
        index.nodes.reserveCapacity(min((end - position) / 16 + 6, 4096))
        try item(depth: 0)
    }

    private mutating func item(depth: Int) throws(Failure) {
        let start = position
        guard start < end else { throw Failure(reason: .truncated(missing: 1), offset: start) }
        guard depth < limits.depth else { throw Failure(reason: .tooDeep(limit: limits.depth), offset: start) }
        guard items < limits.items else { throw Failure(reason: .tooManyItems(limit: limits.items), offset: start) }
        items += 1
        let initial = index.bytes[start]
        let major = initial >> 5
        let info = initial & 31
        position = start + 1
        let argument = try argument(info)
        let node = index.nodes.count
        index.nodes.append(
            CBORNode(start: UInt32(start), end: 0, next: 0, major: major, info: info, level: level, argument: argument))
        if info == 31 {
            try indefinite(major, node, depth)
        } else {
            try definite(major, info, argument, node, depth)
        }
        if major == 5 && refusesDuplicates { try checkKeys(of: node) }
        index.nodes[node].end = UInt32(position)
        index.nodes[node].next = UInt32(index.nodes.count)
    }

    private mutating func argument(_ info: UInt8) throws(Failure) -> UInt64 {
        guard info >= 24 else { return UInt64(info) }
        guard info < 28 else {
            if info == 31 { return 0 }
            throw Failure(reason: .malformedHead(index.bytes[position - 1]), offset: position - 1)
        }
        let width = 1 << (Int(info) - 24)
        guard end - position >= width else {
            throw Failure(reason: .truncated(missing: width - (end - position)), offset: position)
        }
        var value: UInt64 = 0
        for offset in position..<position + width { value = value << 8 | UInt64(index.bytes[offset]) }
        position += width
        return value
    }

    private mutating func definite(_ major: UInt8, _ info: UInt8, _ argument: UInt64, _ node: Int, _ depth: Int) throws(Failure) {
        switch major {
        case 0, 1: return
        case 2, 3: try string(length: argument, isText: major == 3)
        case 4:
            guard argument <= UInt64(end - position) else { throw tooMany(argument, node) }
            for _ in 0..<Int(argument) { try item(depth: depth + 1) }
        case 5:
            guard argument <= UInt64((end - position) / 2) else { throw tooMany(argument, node) }
            for _ in 0..<Int(argument) {
                try item(depth: depth + 1)
                try item(depth: depth + 1)
            }
        case 6:
            try item(depth: depth + 1)
            if argument == 24 && embeds && level == 0 { embed(node + 1) }
        default:
            if info == 24 && argument < 32 {
                throw Failure(reason: .malformedSimple(UInt8(argument)), offset: Int(index.nodes[node].start))
            }
        }
    }

    /// Indexes the item in a byte string of tag 24, so that reading it needs no document of its own. Where there is no such item, its
    /// reader is told why.
    private mutating func embed(_ string: Int) {
        let node = index.nodes[string]
        guard node.major == 2, !node.isIndefinite else { return }
        let (outerEnd, outerItems) = (end, items)
        (position, end) = (Int(node.start) + node.headLength, position)
        // All that is embedded shares what the limit leaves.
        (level, items) = (1, index.nodes.count)
        do throws(Failure) {
            try item(depth: 0)
            if position == end { index.nodes[string].next = UInt32(index.nodes.count) }
        } catch {}
        index.nodes.removeLast(index.nodes.count - Int(index.nodes[string].next))
        (position, end, level, items) = (end, outerEnd, 0, outerItems)
    }

    private mutating func indefinite(_ major: UInt8, _ node: Int, _ depth: Int) throws(Failure) {
        let start = position - 1
        switch major {
        case 2, 3: index.nodes[node].argument = try chunks(major)
        case 4:
            var count: UInt64 = 0
            while try !atBreak() {
                try item(depth: depth + 1)
                count += 1
            }
            index.nodes[node].argument = count
        case 5:
            var count: UInt64 = 0
            while try !atBreak() {
                try item(depth: depth + 1)
                try item(depth: depth + 1)
                count += 1
            }
            index.nodes[node].argument = count
        case 7: throw Failure(reason: .unexpectedBreak, offset: start)
        default: throw Failure(reason: .malformedHead(index.bytes[start]), offset: start)
        }
    }

    /// Takes a break if one is next.
    private mutating func atBreak() throws(Failure) -> Bool {
        guard position < end else { throw Failure(reason: .truncated(missing: 1), offset: position) }
        guard index.bytes[position] == 0xff else { return false }
        position += 1
        return true
    }

    private mutating func chunks(_ major: UInt8) throws(Failure) -> UInt64 {
        var total: UInt64 = 0
        while try !atBreak() {
            let start = position
            let head = index.bytes[start]
            guard head >> 5 == major, head & 31 != 31 else { throw Failure(reason: .malformedChunk, offset: start) }
            position += 1
            let length = try argument(head & 31)
            try string(length: length, isText: major == 3)
            total += length
        }
        return total
    }

    private mutating func string(length: UInt64, isText: Bool) throws(Failure) {
        guard length <= UInt64(end - position) else {
            let missing = length - UInt64(end - position)
            guard missing < 1 << 32 else { throw Failure(reason: .countExceedsInput(length), offset: position) }
            throw Failure(reason: .truncated(missing: Int(missing)), offset: position)
        }
        let content = position..<position + Int(length)
        if isText && !index.bytes.isUTF8(in: content) { throw Failure(reason: .invalidUTF8, offset: position) }
        position = content.upperBound
    }

    private func tooMany(_ count: UInt64, _ node: Int) -> Failure {
        Failure(reason: .countExceedsInput(count), offset: Int(index.nodes[node].start))
    }

    private func checkKeys(of map: Int) throws(Failure) {
        if let key = index.firstOverlongKey(of: map) {
            throw Failure(reason: .tooLarge(limit: CBORIndex.longestKey), offset: Int(index.nodes[key].start))
        }
        guard let key = index.firstDuplicateKey(of: map) else { return }
        throw Failure(reason: .duplicateKey(index.diagnosticKey(key)), offset: Int(index.nodes[key].start))
    }
}

extension [UInt8] {
    /// Whether a range holds well-formed UTF-8. Eight ASCII bytes at a time, as nearly all text in messages is ASCII.
    func isUTF8(in range: Range<Int>) -> Bool {
        withUnsafeBytes { all in
            let text = UnsafeRawBufferPointer(rebasing: all[range])
            var offset = 0
            while offset + 8 <= text.count {
                guard text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
                offset += 8
            }
            while offset < text.count && text[offset] < 0x80 { offset += 1 }
            guard offset < text.count else { return true }
            let rest = UnsafeRawBufferPointer(rebasing: text[offset...])
            return rest.withMemoryRebound(to: UInt8.self) { String(validating: $0, as: UTF8.self) != nil }
        }
    }
}
