import Glibc

/// One data item of a flat index: 24 bytes, in the order of the bytes, containers before their content. The string in a tag 24 is
/// followed by the item in it, if that could be indexed too.
struct CBORNode: Sendable {
    /// Offset of the head.
    var start: UInt32
    /// Offset after the item, break included.
    var end: UInt32
    /// Index of the first node after this item and its content; 0 while the item is open.
    var next: UInt32
    /// Major type, 0 to 7.
    var major: UInt8
    /// Additional information of the head; 31 marks an indefinite length.
    var info: UInt8
    /// 1 inside of an embedded item that is indexed with what surrounds it, else 0.
    var level: UInt8
    /// The head's argument; for indefinite lengths the elements, pairs or bytes that were counted.
    var argument: UInt64

    var isIndefinite: Bool { info == 31 }

    /// Bytes of the head: 1, 2, 3, 5 or 9.
    var headLength: Int { info < 24 || info == 31 ? 1 : 1 + 1 << (Int(info) - 24) }
}

/// Received bytes with the index of the items in them. Offsets are positions in `bytes`, so that an embedded item
/// indexes a part of the outer bytes without a copy.
struct CBORIndex: Sendable {
    let bytes: [UInt8]
    var nodes: [CBORNode] = []

    /// Indices of the direct content of a node: elements, keys and values in turn, or the tagged item.
    func children(of index: Int) -> [Int] {
        let end = nodes[index].next == 0 ? nodes.count : Int(nodes[index].next)
        var children: [Int] = []
        var child = index + 1
        while child < end {
            children.append(child)
            guard nodes[child].next != 0 else { break }
            child = Int(nodes[child].next)
        }
        return children
    }

    /// The value of the first key in a map that matches.
    private func value(in map: Int, where matches: (Int) -> Bool) -> Int? {
        let end = Int(nodes[map].next)
        var key = map + 1
        while key < end {
            let value = Int(nodes[key].next)
            if matches(key) { return value }
            key = Int(nodes[value].next)
        }
        return nil
    }

    /// The value of an integer key, whatever the encoding of the key.
    func value(in map: Int, key: Int) -> Int? {
        let (major, argument): (UInt8, UInt64) = key < 0 ? (1, UInt64(~key)) : (0, UInt64(key))
        return value(in: map) { nodes[$0].major == major && nodes[$0].argument == argument }
    }

    /// The content of a string, chunks joined.
    func content(of index: Int) -> ArraySlice<UInt8> {
        let node = nodes[index]
        let start = Int(node.start) + node.headLength
        guard node.isIndefinite else { return bytes[start..<Int(node.end)] }
        return chunks(of: index).reduce(into: []) { $0 += bytes[$1.content] }
    }

    /// The value of a map's member with this text as its key.
    func value(of map: Int, named name: UnsafeBufferPointer<UInt8>) -> Int? {
        value(in: map) { nodes[$0].major == 3 && isContent(of: $0, name) }
    }

    private func isContent(of index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let node = nodes[index]
        guard node.argument == UInt64(name.count) else { return false }
        guard !node.isIndefinite else { return content(of: index).elementsEqual(name) }
        let start = Int(node.start) + node.headLength
        return bytes.withUnsafeBytes { all in
            let own = UnsafeRawBufferPointer(rebasing: all[start..<start + name.count])
            guard let own = own.baseAddress, let name = name.baseAddress else { return true }
            return memcmp(own, name, Int(node.argument)) == 0
        }
    }

    /// One chunk of an indefinite-length string.
    struct Chunk {
        /// Additional information of its head.
        let info: UInt8
        let content: Range<Int>

        var isPreferred: Bool { CBORNode.isPreferred(info, UInt64(content.count)) }
    }

    /// The chunks of an indefinite-length string.
    func chunks(of index: Int) -> [Chunk] {
        var chunks: [Chunk] = []
        var position = Int(nodes[index].start) + 1
        while bytes[position] != 0xff {
            let info = bytes[position] & 31
            let width = info < 24 ? 0 : 1 << (Int(info) - 24)
            let start = position + 1 + width
            let length = width == 0 ? Int(info) : bytes[position + 1..<start].reduce(0) { $0 << 8 | Int($1) }
            chunks.append(Chunk(info: info, content: start..<start + length))
            position = start + length
        }
        return chunks
    }

    /// The path of a node from the first one. It works on an unfinished index too: `target` may be the node that was
    /// about to be made when an error stopped the work.
    func path(to target: Int) -> FieldPath {
        var path = FieldPath()
        var parent = 0
        while parent < min(target, nodes.count) {
            let children = children(of: parent)
            guard let place = children.lastIndex(where: { $0 <= target }) else { return path }
            let finished = children[place] < nodes.count && nodes[children[place]].next != 0
            let isNext = finished && Int(nodes[children[place]].next) <= target
            let position = place + (isNext ? 1 : 0)
            if let component = component(of: parent, children, position) { path.components.append(component) }
            guard !isNext else { return path }
            parent = children[place]
        }
        if parent == target || target == 0 { return path }
        return path
    }

    private func component(of parent: Int, _ children: [Int], _ position: Int) -> FieldPath.Component? {
        switch nodes[parent].major {
        case 4: return .index(String(position))
        case 5 where position.isMultiple(of: 2): return nil
        case 5:
            let key = children[position - 1]
            if nodes[key].major == 3 { return .key(String(decoding: content(of: key), as: UTF8.self)) }
            return .index(diagnosticKey(key))
        default: return nil
        }
    }

    /// A key for a message: integers and texts as they are, others as bytes.
    func diagnosticKey(_ index: Int) -> String {
        let node = nodes[index]
        switch node.major {
        case 0: return String(node.argument)
        case 1: return node.argument == .max ? "-18446744073709551616" : "-\(node.argument + 1)"
        case 3: return JSON.string(String(decoding: content(of: index), as: UTF8.self)).encoded()
        default: return "h'\(Hex.encode(bytes[Int(node.start)..<Int(node.end)]))'"
        }
    }
}
