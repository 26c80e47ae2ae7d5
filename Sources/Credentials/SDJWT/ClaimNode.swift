public import Codec

/// A claim of an SD-JWT as issued: which parts are selectively disclosable, which of those are disclosed, and where elements stand
/// that are not.
public struct ClaimNode: Sendable {
    public enum Content: Sendable {
        /// Neither object nor array.
        case value(JSON)
        case object([Member])
        /// Elements as issued, the hidden ones included.
        case array([ClaimNode])
        /// There is an array element, and it is not disclosed.
        case hidden
    }

    /// A named claim.
    public struct Member: Sendable {
        public let name: String
        public let node: ClaimNode
    }

    public let content: Content
    /// The place of its own disclosure; nil where it stands open, or is hidden.
    public let disclosure: Int?

    init(_ content: Content, disclosure: Int? = nil) {
        self.content = content
        self.disclosure = disclosure
    }

    /// JSON in which everything stands open.
    public init(open json: JSON) {
        switch json {
        case .object(let object):
            self.init(.object(object.map { Member(name: $0.key, node: ClaimNode(open: $0.value)) }))
        case .array(let elements): self.init(.array(elements.map { ClaimNode(open: $0) }))
        default: self.init(.value(json))
        }
    }

    /// Whether it is itself a disclosure, shown or hidden; below one that is does not count.
    public var isSelectivelyDisclosable: Bool {
        if case .hidden = content { return true }
        return disclosure != nil
    }

    /// The value without what is not disclosed; nil for a hidden element.
    public var json: JSON? {
        switch content {
        case .value(let json): json
        case .object(let members):
            .object(JSONObject(members.compactMap { member in member.node.json.map { (key: member.name, value: $0) } }))
        case .array(let elements): .array(elements.compactMap(\.json))
        case .hidden: nil
        }
    }

    /// The disclosures here and below.
    var allDisclosures: Set<Int> {
        let below: [ClaimNode] =
            switch content {
            case .object(let members): members.map(\.node)
            case .array(let elements): elements
            case .value, .hidden: []
            }
        return below.reduce(into: disclosure.map { [$0] } ?? []) { $0.formUnion($1.allDisclosures) }
    }
}

extension ClaimNode: ClaimTree {
    var isObject: Bool { if case .object = content { true } else { false } }

    func member(_ name: String) -> ClaimNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name == name }?.node
    }

    var elements: [ClaimNode]? { if case .array(let elements) = content { elements } else { nil } }

    var isHidden: Bool { if case .hidden = content { true } else { false } }
}
