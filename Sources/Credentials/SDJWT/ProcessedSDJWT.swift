public import Codec

/// The payload of an SD-JWT with its disclosures put in their places (RFC 9901 §7.1, steps 3 to 5), and everything that is wrong
/// with them. Nothing here is signed or trusted: that is the verifier's.
public struct ProcessedSDJWT: Sendable {
    /// One thing that is wrong, by the check that it violates.
    public struct Finding: Sendable, Hashable {
        /// The id in the check catalogue: `S9.clash`.
        public let check: String
        /// What is wrong, for people; says which disclosure.
        public let reason: String
    }

    /// A disclosure in its place.
    public struct Placement: Sendable, Hashable {
        /// The place among the disclosures.
        public let disclosure: Int
        /// Keys, and indices as issued.
        public let path: ClaimPath
    }

    /// The claims as issued, with what is hidden.
    public let root: ClaimNode
    /// The Processed SD-JWT Payload.
    public let claims: JSONObject
    /// Where the disclosures stand, in the order of the payload.
    public let placements: [Placement]
    public let findings: [Finding]
    /// The hash of `_sd_alg`; nil where it is not known.
    public let hash: SDHash?
    /// How many digests have no disclosure: undisclosed claims and decoys.
    public let hiddenDigests: Int

    /// - Parameter disclosures: as received.
    public init(_ payload: JSONObject, disclosures: [String]) {
        var builder = Builder(payload, disclosures)
        let root = builder.object(payload, at: [], depth: 0)
        builder.judgeUnreferenced()
        self.root = ClaimNode(.object(root))
        claims = self.root.json?.objectValue ?? JSONObject()
        placements = builder.placements
        findings = builder.findings
        hash = builder.hash
        hiddenDigests = builder.hidden
    }

    /// The disclosures that show what the path selects: its own and those around it, and with `nested` those inside.
    public func disclosures(showing path: ClaimPath, nested: Bool = true) throws(ClaimPath.Mismatch) -> Set<Int> {
        // Selecting first says what is wrong with the path.
        guard !(try path.selection(in: root)).isEmpty else { return [] }
        return Self.disclosures(root, path.components[...], around: [], nested)
    }

    private static func disclosures(_ node: ClaimNode, _ rest: ArraySlice<ClaimPath.Component>, around: Set<Int>, _ nested: Bool)
        -> Set<Int>
    {
        var around = around
        if let own = node.disclosure { around.insert(own) }
        guard let component = rest.first else { return nested ? around.union(node.allDisclosures) : around }
        let below: [ClaimNode] =
            switch component {
            case .key(let name): node.member(name).map { [$0] } ?? []
            case .index(let index): node.elements.flatMap { $0.indices.contains(index) ? [$0[index]] : nil } ?? []
            case .all: node.elements ?? []
            }
        return below.reduce(into: []) { $0.formUnion(disclosures($1, rest.dropFirst(), around: around, nested)) }
    }
}

private struct Builder {
    let hash: SDHash?
    private let encoded: [String]
    private var disclosures: [Disclosure?] = []
    private var byDigest: [String: Int] = [:]
    private var met: Set<String> = []
    private var referenced: Set<Int> = []
    private(set) var placements: [ProcessedSDJWT.Placement] = []
    private(set) var findings: [ProcessedSDJWT.Finding] = []
    private(set) var hidden = 0

    /// Objects and arrays inside each other, disclosures followed.
    private static let depthLimit = 64

    init(_ payload: JSONObject, _ encoded: [String]) {
        self.encoded = encoded
        switch payload["_sd_alg"] {
        case nil: hash = .sha256
        case .string(let name)?: hash = SDHash(rawValue: name)
        default: hash = nil
        }
        if hash == nil { violate("S6.known", "_sd_alg \(payload["_sd_alg"]?.encoded() ?? "") unknown") }
        for (place, text) in encoded.enumerated() {
            do {
                let disclosure = try Disclosure(encoded: text)
                if let salt = disclosure.items.first { judgeSalt(salt, place) }
                disclosures.append(disclosure)
            } catch {
                let isText = (try? Base64URL.decode(text)) != nil
                violate(
                    isText ? "S8.json" : "S1.base64url",
                    "disclosure \(place) \(isText ? "is not a JSON array" : "is not canonical base64url"): \(error)")
                disclosures.append(nil)
            }
            guard let hash else { continue }
            let digest = hash.text(of: text)
            if byDigest.updateValue(place, forKey: digest) != nil {
                violate("S10.duplicate", "digest \(digest) occurs twice: disclosure \(place) came before")
            }
        }
    }

    private mutating func violate(_ check: String, _ reason: String) {
        // A hostile text has as many faults as it likes; a reader needs some of them.
        guard findings.count < 256 else { return }
        findings.append(.init(check: check, reason: reason))
    }

    private mutating func judgeSalt(_ salt: JSON, _ place: Int) {
        let text = salt.stringValue ?? ""
        // 128 bits in base64url are 22 characters.
        if text.utf8.count < 22 { violate("S8.salt", "salt of disclosure \(place) below 128 bits") }
    }

    mutating func object(_ object: JSONObject, at path: [ClaimPath.Component], depth: Int) -> [ClaimNode.Member] {
        var members: [ClaimNode.Member] = []
        for (name, value) in object {
            switch name {
            case "_sd": continue
            case "_sd_alg" where path.isEmpty: continue
            case "_sd_alg": violate("S6.place", "_sd_alg inside an object (\(described(path)))")
            case "...": violate("S11.placeholder", "`...` stands outside an array (\(described(path)))")
            default: break
            }
            members.append(.init(name: name, node: node(value, at: path + [.key(name)], depth: depth + 1)))
        }
        guard let list = object["_sd"] else { return members }
        guard let entries = list.arrayValue, entries.allSatisfy({ $0.stringValue != nil }) else {
            violate("S11.sd", "`_sd` is not an array of strings (\(described(path)))")
            return members
        }
        var names = Set(object.keys)
        for digest in entries.compactMap(\.stringValue) {
            if let member = member(digest, at: path, depth: depth, taken: &names) { members.append(member) }
        }
        return members
    }

    private mutating func member(
        _ digest: String, at path: [ClaimPath.Component], depth: Int, taken: inout Set<String>
    ) -> ClaimNode.Member? {
        guard let (place, disclosure) = disclosure(of: digest) else { return nil }
        guard disclosure.items.count == 3, let name = disclosure.name else {
            violate(
                "S8.object",
                "object disclosure \(place) has \(disclosure.items.count) items\(disclosure.items.count == 3 ? ", the second no string" : "")"
            )
            return nil
        }
        guard name != "_sd", name != "..." else {
            violate("S9.reserved", "disclosure \(place): claim name `\(name)`")
            return nil
        }
        guard taken.insert(name).inserted else {
            violate("S9.clash", "disclosure \(place): claim \(name) exists already at that level")
            return nil
        }
        let path = path + [.key(name)]
        placements.append(.init(disclosure: place, path: ClaimPath(path)))
        return .init(name: name, node: node(disclosure.items[2], at: path, depth: depth + 1, disclosure: place))
    }

    private mutating func node(_ value: JSON, at path: [ClaimPath.Component], depth: Int, disclosure: Int? = nil) -> ClaimNode {
        guard depth < Self.depthLimit else {
            violate("S8.json", "\(described(path)) is nested deeper than \(Self.depthLimit) levels")
            return ClaimNode(.hidden)
        }
        switch value {
        case .object(let members): return ClaimNode(.object(object(members, at: path, depth: depth)), disclosure: disclosure)
        case .array(let elements):
            var nodes: [ClaimNode] = []
            for element in elements {
                if let node = self.element(element, at: path + [.index(nodes.count)], depth: depth) { nodes.append(node) }
            }
            return ClaimNode(.array(nodes), disclosure: disclosure)
        default: return ClaimNode(.value(value), disclosure: disclosure)
        }
    }

    private mutating func element(_ value: JSON, at path: [ClaimPath.Component], depth: Int) -> ClaimNode? {
        guard let placeholder = value["..."] else { return node(value, at: path, depth: depth + 1) }
        guard value.objectValue?.count == 1, let digest = placeholder.stringValue else {
            violate("S11.placeholder", "`...` object has other keys or no string (\(described(path)))")
            return nil
        }
        guard let (place, disclosure) = disclosure(of: digest) else { return ClaimNode(.hidden) }
        guard disclosure.items.count == 2 else {
            violate("S8.array", "array disclosure \(place) has \(disclosure.items.count) items")
            return nil
        }
        placements.append(.init(disclosure: place, path: ClaimPath(path)))
        return node(disclosure.items[1], at: path, depth: depth + 1, disclosure: place)
    }

    /// The disclosure of a digest that is met for the first time.
    private mutating func disclosure(of digest: String) -> (Int, Disclosure)? {
        guard met.insert(digest).inserted else {
            violate("S10.duplicate", "digest \(digest) occurs twice")
            return nil
        }
        guard let place = byDigest[digest] else {
            hidden += 1
            return nil
        }
        referenced.insert(place)
        return disclosures[place].map { (place, $0) }
    }

    mutating func judgeUnreferenced() {
        guard let hash else { return }
        for (place, disclosure) in disclosures.enumerated() where !referenced.contains(place) {
            guard let disclosure, byDigest[hash.text(of: encoded[place])] == place else { continue }
            let name = disclosure.name.map { " (\($0))" } ?? ""
            violate("S10.unreferenced", "disclosure \(place)\(name) is referenced by no digest")
            if otherEncodings(disclosure).contains(where: { met.contains(hash.text(of: $0)) }) {
                violate("S7", "disclosure \(place) matches only after re-encoding")
            }
        }
    }

    /// The same array as other libraries would write it.
    private func otherEncodings(_ disclosure: Disclosure) -> [String] {
        let compact = JSON.array(disclosure.items).encoded()
        return [compact, JSONSpacing.spaced(compact)].map { Base64URL.encode($0.utf8) }
    }

    private func described(_ path: [ClaimPath.Component]) -> String {
        path.isEmpty ? "top level" : ClaimPath(path).description
    }
}

/// JSON with a space after each comma and colon, as Python writes it.
private enum JSONSpacing {
    static func spaced(_ compact: String) -> String {
        var text: [UInt8] = []
        var (inString, escaped) = (false, false)
        for byte in compact.utf8 {
            text.append(byte)
            if escaped {
                escaped = false
            } else if byte == UInt8(ascii: "\\") {
                escaped = inString
            } else if byte == UInt8(ascii: "\"") {
                inString.toggle()
            } else if !inString, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") {
                text.append(UInt8(ascii: " "))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
