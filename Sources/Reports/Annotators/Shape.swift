import Codec

/// What an item of a message means: names for its members, and how to go on below them. Shapes only name what is there; an
/// item that does not fit its shape is shown as plain CBOR, with a remark.
indirect enum Shape: Sendable {
    /// Whatever it is, recognised if it can be.
    case any
    /// A value with a remark about what it means; the remark may be nil.
    case value(@Sendable (CBOR) -> String?)
    /// A map or array with named members.
    case structure(Structure)
    /// An array of like elements: `[* element]`.
    case list(Shape)
    /// A map from keys that are data to like values: `{* key => value}`.
    case dictionary(String, Shape)
    /// Tag 24 around a byte string that holds an item: `#6.24(bstr .cbor inner)`.
    case embedded(Shape)
    /// A byte string that holds an item: `bstr .cbor inner`. An empty one is fine.
    case wrapped(Shape)
    /// A byte string that holds a certificate in DER, or an array of such.
    case certificates
    /// A byte string that holds a distinguished name in DER.
    case name
    /// A byte string that holds an NFC handover message.
    case handoverMessage
    /// A byte string that nobody should see.
    case secret
    /// Depends on the item.
    case choice(@Sendable (CBOR) -> Shape)

    static let plain = Shape.value { _ in nil }
}

/// A named map or array of a specification.
struct Structure: Sendable {
    /// A place in it.
    struct Member: Sendable {
        enum Key: Sendable, Hashable {
            case text(String)
            /// An integer key of a map, or the position in an array.
            case number(Int)
        }

        let key: Key
        let name: String
        let shape: Shape
    }

    let name: String
    let clause: String?
    let members: [Member]
    /// For members that have no name here: they are shown as unknown unless the specification leaves them open.
    let isOpen: Bool
    /// Says in a few words what the whole is about, from the item.
    let summary: @Sendable (CBOR) -> String?

    init(
        _ name: String, _ clause: String? = nil, _ members: [Member], isOpen: Bool = false,
        summary: @escaping @Sendable (CBOR) -> String? = { _ in nil }
    ) {
        self.name = name
        self.clause = clause
        self.members = members
        self.isOpen = isOpen
        self.summary = summary
    }

    func member(_ key: CBOR) -> Member? {
        guard let key = Member.Key(key) else { return nil }
        return members.first { $0.key == key }
    }

    func member(at position: Int) -> Member? { members.first { $0.key == .number(position) } }
}

extension Structure.Member.Key {
    fileprivate init?(_ item: CBOR) {
        switch item.kind {
        case .text: if let text = try? item.text() { self = .text(text) } else { return nil }
        case .unsigned, .negative: if let number = try? item.int() { self = .number(number) } else { return nil }
        default: return nil
        }
    }
}

extension Structure.Member {
    /// A member with a text key, whose name is the key.
    static func text(_ key: String, _ shape: Shape = .plain) -> Self { Self(key: .text(key), name: key, shape: shape) }

    /// A member with an integer key, or the element at a position.
    static func number(_ key: Int, _ name: String, _ shape: Shape = .plain) -> Self {
        Self(key: .number(key), name: name, shape: shape)
    }

    /// Members of an array, in order.
    static func positions(_ members: [(String, Shape)]) -> [Self] {
        members.enumerated().map { .number($0.offset, $0.element.0, $0.element.1) }
    }
}
