/// The members that a message may have by its specification, and those of the objects in it. Others are no error, but worth a word:
/// most are misspelt.
package indirect enum KnownMembers: Sendable {
    /// Whatever it is, it is not looked into.
    case anything
    /// An object with these members; each may have `…#integrity` beside it.
    case members([String: KnownMembers])
    /// An object whose names are free.
    case names(KnownMembers)
    /// A list of such things.
    case list(KnownMembers)

    /// An object with these members, not looked into any further.
    package static func object(_ names: String...) -> KnownMembers {
        .members(Dictionary(uniqueKeysWithValues: names.map { ($0, .anything) }))
    }

    /// The places of members that are not known: `display[0].nmae`. What is of the wrong kind is passed over.
    package func unknown(in json: JSON, at place: String = "") -> [String] {
        switch self {
        case .anything: []
        case .members(let known):
            (json.objectValue ?? [:]).flatMap { name, value -> [String] in
                let path = place.isEmpty ? name : "\(place).\(name)"
                let base = name.hasSuffix("#integrity") ? String(name.dropLast("#integrity".count)) : name
                return known[base].map { base == name ? $0.unknown(in: value, at: path) : [] } ?? [path]
            }
        case .names(let inner):
            (json.objectValue ?? [:]).flatMap { inner.unknown(in: $1, at: place.isEmpty ? $0 : "\(place).\($0)") }
        case .list(let inner): (json.arrayValue ?? []).enumerated().flatMap { inner.unknown(in: $1, at: "\(place)[\($0)]") }
        }
    }
}
