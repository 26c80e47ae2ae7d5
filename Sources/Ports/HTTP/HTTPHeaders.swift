/// The header fields of a message (RFC 9110 5): in their order, names without regard to case, repeats kept.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    /// No fields.
    public init() {}

    /// These fields, in their order.
    public init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { add(name, value) }
    }

    /// The first value of a field, nil when it is absent. Setting replaces every value it had; nil removes it.
    public subscript(_ name: String) -> String? {
        get { fields.first { Self.areSame($0.name, name) }?.value }
        set {
            guard let newValue else { return fields.removeAll { Self.areSame($0.name, name) } }
            guard let place = fields.firstIndex(where: { Self.areSame($0.name, name) }) else { return add(name, newValue) }
            fields[place].value = newValue
            fields = fields.enumerated().filter { $0.offset <= place || !Self.areSame($0.element.name, name) }.map(\.element)
        }
    }

    /// Every value of a field, in order.
    public func all(_ name: String) -> [String] { fields.filter { Self.areSame($0.name, name) }.map(\.value) }

    /// One more field.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    /// All fields in order.
    public var pairs: [(name: String, value: String)] { fields }

    /// Bytes of all names and values together.
    public var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The media type of `Content-Type` without its parameters, in lower case; nil when there is none or it is sent twice.
    public var mediaType: String? {
        let types = all("Content-Type")
        guard types.count == 1, let type = types[0].split(separator: ";", omittingEmptySubsequences: false).first else {
            return nil
        }
        let trimmed = type.trimmed.lowercased()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The token of `Authorization: <scheme> <token>` (RFC 9110 11.6.2); nil when the field is absent, repeated or of another scheme.
    public func credentials(_ scheme: String) -> String? {
        let values = all("Authorization")
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, Self.areSame(String(parts[0]), scheme) else { return nil }
        let token = parts[1].trimmed
        return token.isEmpty ? nil : token
    }

    /// How much a client wants a media type by its `Accept` (RFC 9110 12.5.1): 0 is "not at all", 1000 the most. Without the
    /// field everything is wanted.
    public func quality(of mediaType: String) -> Int {
        let ranges = all("Accept").flatMap { $0.split(separator: ",") }
        guard !ranges.isEmpty else { return 1000 }
        let kind = mediaType.lowercased().prefix { $0 != "/" } + "/*"
        var best: (precision: Int, quality: Int) = (-1, 0)
        for range in ranges {
            let parts = range.split(separator: ";").map(\.trimmed)
            guard let name = parts.first?.lowercased() else { continue }
            let precision = name == mediaType.lowercased() ? 2 : name == kind ? 1 : name == "*/*" ? 0 : -1
            guard precision > best.precision else { continue }
            best = (precision, Self.quality(parts.dropFirst()))
        }
        return best.quality
    }

    private static func quality(_ parameters: ArraySlice<String>) -> Int {
        guard let text = parameters.first(where: { $0.lowercased().hasPrefix("q=") })?.dropFirst(2) else { return 1000 }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" else { return 1000 }
        let digits = (parts.count > 1 ? String(parts[1].prefix(3)) : "").padded(to: 3)
        return Int(digits) ?? 0
    }

    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.count == right.fields.count
            && zip(left.fields, right.fields).allSatisfy { areSame($0.name, $1.name) && $0.value == $1.value }
    }

    private static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    /// The letter in lower case, any other byte as it is.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmed: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: blank)
        guard let last = start.lastIndex(where: { !blank($0) }) else { return "" }
        return String(start[...last])
    }

    /// Filled with zeros at the end.
    fileprivate func padded(to length: Int) -> String { self + String(repeating: "0", count: Swift.max(0, length - count)) }
}
