public import Codec

/// A claims path pointer (OpenID4VP 1.0 §7, SD-JWT VC "Claim Path"): `["degrees", null, "type"]`.
public struct ClaimPath: Sendable, Hashable, CustomStringConvertible {
    public enum Component: Sendable, Hashable {
        /// A member of an object.
        case key(String)
        /// An element of an array, from 0.
        case index(Int)
        /// Every element of an array.
        case all
    }

    public let components: [Component]

    /// - Precondition: not empty.
    public init(_ components: [Component]) {
        precondition(!components.isEmpty, "a claims path has a component")
        self.components = components
    }

    /// A path of names.
    ///
    /// - Precondition: not empty.
    public init(_ names: String...) { self.init(names.map(Component.key)) }

    /// Why JSON is no path: which component is of no use.
    public struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        /// The place of the component; nil where the path itself is wrong.
        public let place: Int?
        public let description: String
    }

    /// Reads a path; strings, nulls and non-negative integers only.
    public init(_ json: JSON) throws(Malformed) {
        guard let list = json.arrayValue else { throw Malformed(place: nil, description: "is no array") }
        guard !list.isEmpty else { throw Malformed(place: nil, description: "is empty") }
        var components: [Component] = []
        for (place, entry) in list.enumerated() {
            switch entry {
            case .string(let name): components.append(.key(name))
            case .null: components.append(.all)
            case .integer(let number) where number >= 0 && number <= Int64(Int32.max): components.append(.index(Int(number)))
            default: throw Malformed(place: place, description: "is \(entry.encoded()), no string, null or integer from 0")
            }
        }
        self.components = components
    }

    /// The path as messages carry it.
    public var json: JSON {
        .array(
            components.map { component in
                switch component {
                case .key(let name): .string(name)
                case .index(let place): .integer(Int64(place))
                case .all: .null
                }
            })
    }

    /// The JSON text.
    public var description: String { json.encoded() }

    /// The names, where the path consists of nothing else.
    public var names: [String]? {
        var names: [String] = []
        for component in components {
            guard case .key(let name) = component else { return nil }
            names.append(name)
        }
        return names
    }

    /// A component met a value of the wrong kind: processing ends there (OpenID4VP 1.0 §7.1.1).
    public struct Mismatch: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What the path selects; empty when nothing is there.
    public func select(in json: JSON) throws(Mismatch) -> [JSON] { try selection(in: json) }

    func selection<Tree: ClaimTree>(in root: Tree) throws(Mismatch) -> [Tree] {
        var selected = [root]
        for (place, component) in components.enumerated() {
            var next: [Tree] = []
            // What is hidden is of no known kind: deeper components select nothing of it.
            for value in selected where !value.isHidden { next += try step(component, place, from: value) }
            selected = next
        }
        return selected
    }

    /// Whether what comes after a `null` is there in every element that is shown.
    func isInEveryElement<Tree: ClaimTree>(of root: Tree) throws(Mismatch) -> Bool {
        var selected = [root]
        var isSpread = false
        for (place, component) in components.enumerated() {
            var next: [Tree] = []
            for value in selected where !value.isHidden {
                let found = try step(component, place, from: value)
                if isSpread, found.isEmpty { return false }
                next += found
            }
            selected = next
            if component == .all { isSpread = true }
        }
        return true
    }

    private func step<Tree: ClaimTree>(_ component: Component, _ place: Int, from value: Tree) throws(Mismatch) -> [Tree] {
        if case .key(let name) = component {
            guard value.isObject else { throw Mismatch(description: "component \(place) (\(name)) meets no object") }
            return value.member(name).map { [$0] } ?? []
        }
        guard let elements = value.elements else { throw Mismatch(description: "component \(place) meets no array") }
        guard case .index(let index) = component else { return elements }
        return elements.indices.contains(index) ? [elements[index]] : []
    }
}

/// What a claims path can be applied to.
protocol ClaimTree {
    var isObject: Bool { get }
    func member(_ name: String) -> Self?
    var elements: [Self]? { get }
    var isHidden: Bool { get }
}

extension JSON: ClaimTree {
    var isObject: Bool { objectValue != nil }
    func member(_ name: String) -> JSON? { self[name] }
    var elements: [JSON]? { arrayValue }
    var isHidden: Bool { false }
}
