/// Where a value stands in a message: `issuerSigned.nameSpaces["org.iso.18013.5.1"][3]`.
public struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// One step down.
    public enum Component: Hashable, Sendable {
        /// A member with a text name.
        case key(String)
        /// A member with another key, in diagnostic notation, or the position of an array element.
        case index(String)
    }

    /// The steps from the top.
    public var components: [Component]

    /// A path; empty means the whole message.
    public init(_ components: [Component] = []) { self.components = components }

    /// A path of names.
    public init(_ names: String...) { components = names.map(Component.key) }

    /// The same path one named member deeper.
    public func appending(_ name: String) -> FieldPath { FieldPath(components + [.key(name)]) }

    /// The same path one array element or integer key deeper.
    public func appending(_ index: Int) -> FieldPath { FieldPath(components + [.index(String(index))]) }

    /// This path followed by another.
    public func appending(_ path: FieldPath) -> FieldPath { FieldPath(components + path.components) }

    /// Whether this is the top of the message.
    public var isEmpty: Bool { components.isEmpty }

    /// Dotted where names allow it, quoted in brackets elsewhere; "(top)" for the whole message.
    public var description: String {
        guard !components.isEmpty else { return "(top)" }
        return components.reduce(into: "") { text, component in
            switch component {
            case .index(let index): text += "[\(index)]"
            case .key(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
            case .key(let name): text += "[\(JSON.string(name).encoded())]"
            }
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy {
                $0 < 0x80
                    && ($0 == UInt8(ascii: "_") || Character(Unicode.Scalar($0)).isLetter || Character(Unicode.Scalar($0)).isNumber)
            }
    }
}
