import Codec
import Credentials
import Crypto
import Ports
import Vault

/// A document for people and scripts: by the names of its type where that is known, else as it is.
struct DocumentView {
    private let document: HeldDocument
    private let reveals: Bool

    init(_ document: HeldDocument, reveals: Bool) {
        self.document = document
        self.reveals = reveals
    }

    /// The summary of `holder list`, then `claims` (only with `--reveal`), `elements`, `signature` and `copyDetails`.
    var json: JSONObject {
        var object = document.summary
        object["elements"] = .object(
            JSONObject(document.nameSpaces.map { ($0.name, .array($0.elements.map { .object(member(for: $0)) })) }))
        if reveals { object["claims"] = claims }
        object["signature"] = document.mso.map { .object(signature($0)) } ?? .null
        object["copyDetails"] = .array(
            document.stored.copies.map { copy in
                [
                    "id": .string(copy.id), "key": copy.keyID.map { .string($0) } ?? .null, "uses": .integer(Int64(copy.uses)),
                    "lastUsed": copy.lastUsed.map { .string($0.rfc3339) } ?? .null,
                    "validUntil": copy.validUntil.map { .string($0.rfc3339) } ?? .null,
                    "party": copy.party.map { .string($0) } ?? .null,
                ]
            })
        return object
    }

    var text: String {
        let stored = document.stored
        var lines = ["\(stored.displayName)  (\(stored.type), \(stored.format))"]
        lines += row("id", stored.id) + row("state", stored.state.rawValue)
        lines += row("issuer", stored.issuer ?? "unknown")
        lines += row("copies", "\(document.copiesText), policy \(stored.policy.rawValue)")
        lines += stored.copies.map { copy in
            "    copy \(copy.id): presented \(copy.uses == 1 ? "once" : "\(copy.uses) times"), \(copy.keyID.map { "key \($0.prefix(8))" } ?? "no key")\(copy.party.map { ", kept for \($0)" } ?? "")"
        }
        if let mso = document.mso {
            for (name, value) in mso.validityInfo.members { lines += row(Self.label(name), value.text) }
            lines += row("digests", mso.digestAlgorithm)
            lines += row("device key", (try? mso.deviceKey.curve?.rawValue) ?? "unusable")
        }
        for (name, time) in document.sdJWT?.validity ?? [] { lines += row(Self.label(name), time.rfc3339) }
        lines += document.warnings.map { "  ! \($0)" }
        for nameSpace in document.nameSpaces {
            lines += ["", nameSpace.name]
            let width = nameSpace.elements.map(\.title.count).max() ?? 0
            lines += nameSpace.elements.map { "  \(TextLayout.pad($0.title, to: width))  \(shown($0))" }
        }
        if !reveals, !document.nameSpaces.isEmpty { lines += ["", "values are hidden; --reveal shows them"] }
        return lines.map { $0.replacingControlCharacters() }.joined(separator: "\n")
    }

    private func row(_ name: String, _ value: String) -> [String] { ["  \(TextLayout.pad(name, to: 16)) \(value)"] }

    private func shown(_ element: HeldDocument.Element) -> String {
        guard reveals else { return "(\(element.kind))" }
        return element.json["bytes"] == nil ? Self.plain(element.json) : "(\(element.kind))"
    }

    /// A value on one line: members by name, list elements apart by semicolons.
    private static func plain(_ value: JSON) -> String {
        switch value {
        case .string(let text): text
        case .array(let elements): elements.map(plain).joined(separator: "; ")
        case .object(let members): members.map { "\($0.key) \(plain($0.value))" }.joined(separator: ", ")
        default: value.encoded()
        }
    }

    private static func label(_ name: String) -> String {
        ["validFrom": "valid from", "validUntil": "valid until", "expectedUpdate": "next update"][name] ?? name
    }

    private func member(for element: HeldDocument.Element) -> JSONObject {
        var object: JSONObject = [
            "identifier": .string(element.identifier), "name": element.displayName.map { .string($0) } ?? .null,
            "kind": .string(element.kind), "digestID": element.digestID.map { .integer(Int64(clamping: $0)) } ?? .null,
        ]
        if reveals { object["value"] = element.json }
        return object
    }

    private var claims: JSON {
        .object(
            JSONObject(
                document.nameSpaces.map { nameSpace in
                    (nameSpace.name, .object(JSONObject(nameSpace.elements.map { ($0.identifier, $0.json) })))
                }))
    }

    private func signature(_ mso: MobileSecurityObject) -> JSONObject {
        var object: JSONObject = ["version": .string("\(mso.version)"), "digestAlgorithm": .string(mso.digestAlgorithm)]
        for (name, value) in mso.validityInfo.members { object[name] = .string(value.text) }
        let key = try? mso.deviceKey
        object["deviceKey"] = .string(key?.curve?.rawValue ?? "unusable")
        object["deviceKeyThumbprint"] = (key.flatMap { try? $0.thumbprint() }).map { .string(Hex.encode($0)) } ?? .null
        return object
    }
}

extension HeldDocument {
    /// One data element as shown.
    struct Element {
        let identifier: String
        /// The name its document type gives it.
        let displayName: String?
        let digestID: UInt64?
        /// "text", "picture, 2310 bytes", "full-date".
        let kind: String
        let json: JSON

        var title: String { displayName.map { "\($0) (\(identifier))" } ?? identifier }
    }

    /// The elements by name space, in the order of the document.
    var nameSpaces: [(name: String, elements: [Element])] {
        if let sdJWT { return [("claims", Self.elements(of: sdJWT))] }
        let definition = DocumentDefinition.of(stored.type)
        return (issuerSigned?.nameSpaces ?? []).map { nameSpace, items in
            (
                nameSpace,
                items.map { item in
                    let known = definition?.element(item.value.elementIdentifier, in: nameSpace)
                    return Element(
                        identifier: item.value.elementIdentifier, displayName: known?.displayName, digestID: item.value.digestID,
                        kind: Self.kind(of: item.value.elementValue, known?.type), json: JSON(claim: item.value.elementValue))
                }
            )
        }
    }

    private static func kind(of value: CBOR, _ type: ElementType?) -> String {
        switch value.kind {
        case .bytes: "\(type == .picture ? "picture" : "binary"), \((try? value.byteSlice().count) ?? 0) bytes"
        case .text: "text"
        case .unsigned, .negative: "number"
        case .bool: "true or false"
        case .tag where value.tagNumber == 1004: "full-date"
        case .tag where value.tagNumber == 0: "date and time"
        case .array: "list of \(value.count)"
        case .map: "record of \(value.count)"
        default: "\(value.kind.cddlName)"
        }
    }

    /// What an SD-JWT VC says of its subject: everything but the claims about the credential.
    private static func elements(of sdJWT: ProcessedSDJWT) -> [Element] {
        sdJWT.claims.filter { !SDJWTVC.neverDisclosable.contains($0.key) && $0.key != "iat" }.map { name, value in
            Element(identifier: name, displayName: nil, digestID: nil, kind: kind(of: value), json: value)
        }
    }

    private static func kind(of value: JSON) -> String {
        switch value {
        case .string(let text): text.hasPrefix("data:image/") ? "picture, \(text.utf8.count) characters" : "text"
        case .integer, .real: "number"
        case .bool: "true or false"
        case .array(let elements): "list of \(elements.count)"
        case .object(let members): "record of \(members.count)"
        case .null: "null"
        }
    }
}
