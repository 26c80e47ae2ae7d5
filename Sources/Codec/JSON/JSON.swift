/// A JSON value (RFC 8259). Objects keep the order of their members.
public indirect enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// The member of an object, nil if there is none or this is no object.
    public subscript(_ key: String) -> JSON? { objectValue?[key] }

    /// The element of an array, nil if there is none or this is no array.
    public subscript(_ index: Int) -> JSON? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text of a string.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The value of an integer.
    public var intValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The value of any number.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
    /// The value of a boolean.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var arrayValue: [JSON]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object.
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// What kind of value this is, for messages.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .real: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// The members of a JSON object in order; a name occurs once.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// A name with its value.
    public typealias Member = (key: String, value: JSON)

    /// The members in order.
    public private(set) var members: [Member] = []
    private var positions: [String: Int] = [:]

    /// No members.
    public init() {}

    /// Members in order; a later one replaces an earlier of the same name.
    public init(_ members: some Sequence<Member>) {
        for (key, value) in members { self[key] = value }
    }

    /// Members in order.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members.map { (key: $0.0, value: $0.1) })
    }

    /// The value of a member. Setting replaces in place or appends; setting nil removes.
    public subscript(_ key: String) -> JSON? {
        get { positions[key].map { members[$0].value } }
        set {
            switch (positions[key], newValue) {
            case (let position?, let value?): members[position].value = value
            case (nil, let value?): add(key, value)
            case (_?, nil): self = JSONObject(members.filter { $0.key != key })
            case (nil, nil): break
            }
        }
    }

    /// Appends a member, or replaces the one of the same name.
    public mutating func append(_ key: String, _ value: JSON) { self[key] = value }

    private mutating func add(_ key: String, _ value: JSON) {
        positions[key] = members.count
        members.append((key, value))
    }

    /// How many members.
    public var count: Int { members.count }
    /// Whether there are none.
    public var isEmpty: Bool { members.isEmpty }
    /// The names in order.
    public var keys: [String] { members.map(\.key) }

    /// The members in order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: Hashable {
    /// Same members; the order means nothing (RFC 8259 §4).
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Independent of the order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(
            members.reduce(0) { sum, member in
                var inner = Hasher()
                inner.combine(member.key)
                inner.combine(member.value)
                return sum ^ inner.finalize()
            })
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(JSONObject(members.map { (key: $0.0, value: $0.1) }))
    }
}
