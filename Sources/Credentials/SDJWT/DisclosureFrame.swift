public import Codec

/// Which claims an issuer makes selectively disclosable, level by level.
///
/// As JSON: `{"_sd": ["given_name", "address"], "_sd_decoy": 2, "address": {"_sd": ["street"]}, "nationalities": {"_sd": [0, 1]}}`.
/// A claim in `_sd` that has a frame of its own is disclosed recursively.
public struct DisclosureFrame: Sendable, Hashable {
    /// Members of an object (by name), or elements of an array (by index as text).
    public var disclosable: Set<String>
    /// The frames of what lies below.
    public var children: [String: DisclosureFrame]
    /// How many digests without a claim are added at this level.
    public var decoys: Int

    /// More than this many decoys at one level help nobody.
    static let decoyLimit = 1000

    public init(disclosable: Set<String> = [], children: [String: DisclosureFrame] = [:], decoys: Int = 0) {
        self.disclosable = disclosable
        self.children = children
        self.decoys = decoys
    }

    /// Everything stands open.
    public static let open = DisclosureFrame()

    /// Every member of the object as a whole, except the named ones.
    public static func everyMember(of claims: JSONObject, except open: Set<String>) -> DisclosureFrame {
        DisclosureFrame(disclosable: Set(claims.keys).subtracting(open))
    }

    /// Reads the JSON form.
    public init(_ json: JSON) throws(SDJWTError) {
        try self.init(json, depth: 0)
    }

    private init(_ json: JSON, depth: Int) throws(SDJWTError) {
        guard let object = json.objectValue else { throw .frame("a JSON \(json.typeName), an object expected") }
        guard depth < 32 else { throw .frame("deeper than 32 levels") }
        self.init()
        for (name, value) in object {
            switch name {
            case "_sd":
                guard let list = value.arrayValue else { throw .frame("_sd is no list") }
                for entry in list {
                    guard let key = entry.stringValue ?? entry.intValue.map(String.init) else {
                        throw .frame("_sd lists \(entry.encoded()), neither name nor index")
                    }
                    disclosable.insert(key)
                }
            case "_sd_decoy":
                guard let number = value.intValue, (0...Int64(Self.decoyLimit)).contains(number) else {
                    throw .frame("_sd_decoy is no number from 0 to \(Self.decoyLimit)")
                }
                decoys = Int(number)
            default: children[name] = try DisclosureFrame(value, depth: depth + 1)
            }
        }
    }

    /// The frame that makes exactly the named places disclosable.
    /// - Parameter paths: names and indices from the top.
    public init(paths: [[String]]) {
        self.init()
        for path in paths { insert(path[...]) }
    }

    private mutating func insert(_ path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else { return _ = disclosable.insert(first) }
        children[first, default: .open].insert(path.dropFirst())
    }
}
