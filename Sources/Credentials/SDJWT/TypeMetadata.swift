public import Codec
import Crypto

/// One SD-JWT VC Type Metadata document, as retrieved (SD-JWT VC "Type Metadata Format").
public struct TypeMetadata: Sendable {
    /// What the metadata says of one claim.
    public struct Claim: Sendable, Hashable {
        /// When a claim is to be selectively disclosable.
        public enum Disclosure: String, Sendable, Hashable { case always, allowed, never }

        public let path: ClaimPath
        public let isMandatory: Bool
        public let disclosure: Disclosure
        /// Labels by locale, as received.
        public let display: JSON?
        let statesMandatory: Bool
        let statesDisclosure: Bool
    }

    public let type: String
    public let name: String?
    /// The type that this one extends, with the integrity of its document.
    public let extends: String?
    public let extendsIntegrity: String?
    /// How to show the type, by locale, as received.
    public let display: JSON?
    public let claims: [Claim]
    /// The whole document.
    public let json: JSON

    /// Reads a document. Unknown members are ignored.
    public init(_ bytes: [UInt8]) throws(TypeMetadataError) {
        do { json = try JSON.decode(bytes) } catch { throw .malformed("\(error)") }
        guard json.objectValue != nil else { throw .malformed("a JSON \(json.typeName), an object expected") }
        guard let type = json["vct"]?.stringValue else { throw .malformed("vct is missing") }
        self.type = type
        name = try Self.text(json, "name")
        extends = try Self.text(json, "extends")
        extendsIntegrity = try Self.text(json, "extends#integrity")
        display = try Self.display(json["display"], name: "name", at: "display")
        var claims: [Claim] = []
        if let list = json["claims"] {
            guard let entries = list.arrayValue else { throw .malformed("claims is no list") }
            for (place, entry) in entries.enumerated() { claims.append(try Self.claim(entry, "claims[\(place)]")) }
        }
        self.claims = claims
    }

    private static func text(_ json: JSON, _ name: String) throws(TypeMetadataError) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.stringValue else { throw .malformed("\(name) is a JSON \(value.typeName), a string expected") }
        return text
    }

    private static func claim(_ json: JSON, _ place: String) throws(TypeMetadataError) -> Claim {
        guard let path = json["path"] else { throw .malformed("\(place).path is missing") }
        guard json["mandatory"] == nil || json["mandatory"]?.boolValue != nil else {
            throw .malformed("\(place).mandatory is no boolean")
        }
        if let id = json["svg_id"], !(id.stringValue.map(isTemplateName) ?? false) {
            throw .malformed("\(place).svg_id is no name of letters, digits and underscores that begins with no digit")
        }
        let disclosure = json["sd"].map { $0.stringValue.flatMap(Claim.Disclosure.init) }
        if case .some(nil) = disclosure { throw .malformed("\(place).sd is none of always, allowed, never") }
        do {
            return Claim(
                path: try ClaimPath(path), isMandatory: json["mandatory"]?.boolValue ?? false,
                disclosure: (disclosure ?? nil) ?? .allowed,
                display: try display(json["display"], name: "label", at: "\(place).display"),
                statesMandatory: json["mandatory"] != nil, statesDisclosure: json["sd"] != nil)
        } catch let error as ClaimPath.Malformed {
            throw .malformed("\(place).path \(error)")
        } catch { throw error as? TypeMetadataError ?? .malformed("\(place): \(error)") }
    }

    private static func isTemplateName(_ text: String) -> Bool {
        !text.isEmpty && !(text.first?.isNumber ?? true)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The members that SD-JWT VC defines.
    private static let known: KnownMembers = .members([
        "vct": .anything, "name": .anything, "description": .anything, "extends": .anything, "schema": .anything,
        "schema_uri": .anything,
        "display": .list(
            .members([
                "locale": .anything, "lang": .anything, "name": .anything, "description": .anything,
                "rendering": .members([
                    "simple": .members([
                        "logo": .object("uri", "alt_text"), "background_image": .object("uri"), "background_color": .anything,
                        "text_color": .anything,
                    ]),
                    "svg_templates": .list(
                        .members(["uri": .anything, "properties": .object("orientation", "color_scheme", "contrast")])),
                ]),
            ])),
        "claims": .list(
            .members([
                "path": .anything, "mandatory": .anything, "sd": .anything, "svg_id": .anything,
                "display": .list(.object("locale", "lang", "label", "description")),
            ])),
    ])

    /// The places of members that SD-JWT VC does not define; they are ignored, and most are misspelt.
    package static func unknownMembers(of json: JSON) -> [String] { known.unknown(in: json) }

    /// A list of objects with `locale` and a name to show.
    private static func display(_ json: JSON?, name: String, at place: String) throws(TypeMetadataError) -> JSON? {
        guard let json else { return nil }
        guard let entries = json.arrayValue else { throw .malformed("\(place) is no list") }
        for (index, entry) in entries.enumerated() {
            for member in ["locale", name] where entry[member]?.stringValue == nil {
                throw .malformed("\(place)[\(index)].\(member) is missing or no string")
            }
        }
        return json
    }
}

/// Where type metadata comes from: a folder, a cache, a server.
public protocol TypeMetadataSource: Sendable {
    /// The document of a type, its octets as retrieved; nil where there is none.
    func document(for type: String) -> [UInt8]?
}

/// Why type metadata cannot be used.
public enum TypeMetadataError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No document for this type.
    case unavailable(String)
    case malformed(String)
    /// The document is of another type than the one that was asked for.
    case otherType(String, wanted: String)
    /// The octets do not match the integrity value, or none of its algorithms is known.
    case integrity(String)
    /// The chain of extensions comes back to a type, or does not end.
    case circular([String])
    /// A child type changes what its parent fixes.
    case override(String)

    public var description: String {
        switch self {
        case .unavailable(let type): "no metadata for \(type)"
        case .malformed(let what): "type metadata: \(what)"
        case .otherType(let type, let wanted): "the metadata is of \(type), not of \(wanted)"
        case .integrity(let type): "the document of \(type) does not match its integrity value"
        case .circular(let types): "extends is circular: \(types.joined(separator: " → "))"
        case .override(let what): "\(what)"
        }
    }
}
