import Codec
import Crypto

/// What is wrong with the items of a document, found in one pass over them: R16–R18, each violation as the values of its message.
struct ItemFindings {
    /// R16: items without a digest in the object.
    private(set) var unknown: [[String]] = []
    /// R17: items whose digest differs.
    private(set) var different: [[String]] = []
    /// R18.random: randoms that are too short.
    private(set) var short: [[String]] = []
    /// R18.random-reused.
    private(set) var isRandomReused = false
    /// R18.element: an element counts once, whoever signed it.
    private(set) var elementsTwice: [[String]] = []
    /// R18.digest-id.
    private(set) var digestIDsTwice: [[String]] = []
    /// R18.range.
    private(set) var outOfRange: [[String]] = []

    private let hash: HashAlgorithm?
    private var randoms: Set<RandomBytes>

    /// - Parameters:
    ///   - hash: of the object; nil: nothing matches.
    ///   - count: of the items, for room.
    init(hash: HashAlgorithm?, count: Int) {
        self.hash = hash
        randoms = Set(minimumCapacity: count)
    }

    /// Looks at the items of one name space.
    ///
    /// - Parameters:
    ///   - deviceSigned: what the device signed in the name space.
    ///   - visit: is told of each item, and whether its digest is in `digests` and matches.
    mutating func add(
        _ items: [Embedded<IssuerSignedItem>], in nameSpace: NameSpace, _ digests: [UInt64: [UInt8]],
        deviceSigned: [DataElementIdentifier], visit: (_ item: IssuerSignedItem, _ matches: Bool) -> Void
    ) {
        var elements = Set<DataElementIdentifier>(minimumCapacity: items.count)
        var digestIDs = Set<UInt64>(minimumCapacity: items.count)
        for embedded in items {
            let item = embedded.value
            let matches = judgeDigest(embedded, nameSpace, digests[item.digestID])
            judgeRandom(item, nameSpace)
            if !elements.insert(item.elementIdentifier).inserted { elementsTwice.append([nameSpace, item.elementIdentifier]) }
            if !digestIDs.insert(item.digestID).inserted { digestIDsTwice.append([String(item.digestID), nameSpace]) }
            if item.digestID >= 1 << 31 { outOfRange.append([String(item.digestID)]) }
            visit(item, matches)
        }
        elementsTwice += deviceSigned.filter(elements.contains).map { [nameSpace, $0] }
    }

    private mutating func judgeDigest(
        _ embedded: Embedded<IssuerSignedItem>, _ nameSpace: NameSpace, _ expected: [UInt8]?
    ) -> Bool {
        guard let expected else {
            unknown.append([nameSpace, String(embedded.value.digestID)])
            return false
        }
        let matches = hash.map { hash in embedded.item.withEncoded { hash.matches(expected, $0) } } ?? false
        if !matches { different.append([nameSpace, embedded.value.elementIdentifier]) }
        return matches
    }

    private mutating func judgeRandom(_ item: IssuerSignedItem, _ nameSpace: NameSpace) {
        if item.random.count < 16 { short.append([nameSpace, item.elementIdentifier, String(item.random.count)]) }
        if !randoms.insert(RandomBytes(bytes: item.random)).inserted { isRandomReused = true }
    }
}

/// Bytes that are hashed all at once; an array hashes them one by one.
private struct RandomBytes: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
