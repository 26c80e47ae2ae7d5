extension CBOR {
    /// An item made by writing it. The closure must write exactly one well-formed item; `capacity` in bytes is a hint.
    public init(capacity: Int = 64, encoding body: (inout CBOREncoder) -> Void) {
        var encoder = CBOREncoder(capacity: capacity)
        body(&encoder)
        self.init(made: encoder.bytes)
    }

    /// Bytes that this program encoded itself. Keys are not compared again, and limits for peers do not apply.
    init(made bytes: [UInt8]) {
        do {
            document = try CBORDocument(bytes, 0..<bytes.count, limits: .own, refusesDuplicates: false)
        } catch {
            preconditionFailure("the encoder was not given exactly one item: \(error)")
        }
        node = 0
    }

    /// An integer.
    public static func int(_ value: some BinaryInteger) -> CBOR { CBOR(encoding: { $0.int(value) }) }
    /// A text string.
    public static func text(_ value: some StringProtocol) -> CBOR { CBOR(encoding: { $0.text(value) }) }
    /// A byte string.
    public static func bytes(_ value: some Collection<UInt8>) -> CBOR { CBOR(encoding: { $0.bytes(value) }) }
    /// A boolean.
    public static func bool(_ value: Bool) -> CBOR { CBOR(encoding: { $0.bool(value) }) }
    /// `null`.
    public static var null: CBOR { CBOR(encoding: { $0.null() }) }
    /// A float.
    public static func double(_ value: Double) -> CBOR { CBOR(encoding: { $0.double(value) }) }

    /// An array of items.
    public static func array(_ elements: [CBOR]) -> CBOR {
        CBOR(encoding: { encoder in
            encoder.array(elements.count)
            for element in elements { encoder.item(element) }
        })
    }

    /// A map with its pairs in the order given.
    public static func map(_ pairs: [(CBOR, CBOR)]) -> CBOR {
        CBOR(encoding: { encoder in
            encoder.map(pairs.count)
            for (key, value) in pairs {
                encoder.item(key)
                encoder.item(value)
            }
        })
    }

    /// A tagged item.
    public static func tag(_ number: UInt64, _ content: CBOR) -> CBOR {
        CBOR(encoding: { encoder in
            encoder.tag(number)
            encoder.item(content)
        })
    }

    /// The item re-encoded deterministically: preferred heads and floats, definite lengths, bignums that fit as integers,
    /// sorted keys. The content of byte strings, embedded CBOR too, stays as it is.
    public func canonical(_ order: KeyOrder = .core) -> [UInt8] { document.index.canonical(Int(node), order) }

    /// Whether everything in the item has the shortest heads, definite lengths, shortest floats and no bignum where an integer
    /// would do (RFC 8949 §3.4.3, §4.1).
    public var usesPreferredEncoding: Bool { firstNonPreferredOffset == nil }

    /// The offset of the first item that is not in preferred encoding.
    public var firstNonPreferredOffset: Int? {
        let index = document.index
        var next = Int(node)
        while next < Int(raw.next) {
            let item = index.nodes[next]
            guard item.isPreferred, !index.isLongBignum(next) else { return Int(item.start) + document.base }
            // What a string embeds is part of the string.
            next = item.major == 2 ? Int(item.next) : next + 1
        }
        return nil
    }
}

extension CBORNode {
    /// Whether the head is the shortest, and a float the narrowest that keeps its value.
    var isPreferred: Bool {
        if major == 7 && info > 24 { return CBORFloat(bits: argument, width: info).shortest.width == info }
        return Self.isPreferred(info, argument)
    }

    /// Whether an argument has its shortest form with this additional information.
    static func isPreferred(_ info: UInt8, _ argument: UInt64) -> Bool {
        switch info {
        case 31: false
        case 24: argument >= 24
        case 25: argument > 0xff
        case 26: argument > 0xffff
        case 27: argument > 0xffff_ffff
        default: true
        }
    }
}
