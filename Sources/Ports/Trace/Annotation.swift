/// One line of an explanation with what lies below it: what `inspect`, `qr decode --explain` and `trace show` print.
public struct Annotation: Sendable, Hashable {
    /// What this is, by the specification's name.
    public var label: String
    /// Its value for people, if it has one of its own.
    public var value: String?
    /// Where it is defined.
    public var clause: String?
    /// Where its bytes start, if known.
    public var offset: Int?
    /// How many bytes it has, if known.
    public var length: Int?
    /// Its parts.
    public var children: [Annotation]

    /// A line with its parts.
    public init(
        _ label: String, _ value: String? = nil, clause: String? = nil, offset: Int? = nil, length: Int? = nil,
        children: [Annotation] = []
    ) {
        self.label = label
        self.value = value
        self.clause = clause
        self.offset = offset
        self.length = length
        self.children = children
    }

    /// The same tree within bytes that it starts later in.
    public func shifted(by distance: Int) -> Annotation {
        var annotation = self
        annotation.offset = offset.map { $0 + distance }
        annotation.children = children.map { $0.shifted(by: distance) }
        return annotation
    }
}
