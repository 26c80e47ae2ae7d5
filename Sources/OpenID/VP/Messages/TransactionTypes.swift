public import Codec
public import Credentials

/// The types of transaction data that are known here (OpenID4VP 1.0 §8.4). Types come from configuration; one for tests is built in.
///
///     { "<type>": {"title"?: tstr, "fields": {"<name>": "string|integer|number|boolean|object|array"}, "optional"?: {…},
///                  "mdoc"?: {"namespace": tstr, "element": tstr}} }
public struct TransactionTypes: Sendable {
    /// What a type defines.
    public struct Definition: Sendable {
        public let title: String
        public let fields: [(name: String, type: String, isRequired: Bool)]
        /// The element that the device of an mdoc signs.
        public let element: ElementReference?
    }

    private var definitions: [String: Definition]

    /// The type `urn:walletbench:payment`: payee, amount and currency.
    public static let builtIn = TransactionTypes(definitions: [
        "urn:walletbench:payment": Definition(
            title: "Payment",
            fields: [
                ("payee", "string", true), ("amount", "string", true), ("currency", "string", true), ("reference", "string", false),
            ],
            element: ElementReference(nameSpace: "org.walletbench.transaction", identifier: "payment_hash"))
    ])

    private init(definitions: [String: Definition]) { self.definitions = definitions }

    /// The built-in types and those of a configuration.
    /// - Throws: says which member is missing or mistyped.
    public init(_ json: JSON) throws(Malformed) {
        guard let types = json.objectValue else { throw Malformed("transaction types: a JSON object expected") }
        self = .builtIn
        for (name, value) in types { definitions[name] = try Self.definition(name, value) }
    }

    /// Why a configuration cannot be used.
    public struct Malformed: Error, Sendable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public subscript(_ type: String) -> Definition? { definitions[type] }

    private static let kinds: Set<String> = ["string", "integer", "number", "boolean", "object", "array"]

    private static func definition(_ name: String, _ value: JSON) throws(Malformed) -> Definition {
        var fields: [(String, String, Bool)] = []
        for (member, isRequired) in [("fields", true), ("optional", false)] {
            guard let list = value[member] else { continue }
            guard let object = list.objectValue else { throw Malformed("\(name).\(member) is no object") }
            for (field, kind) in object {
                guard let kind = kind.stringValue, kinds.contains(kind) else {
                    throw Malformed("\(name).\(member).\(field) is none of \(kinds.sorted().joined(separator: ", "))")
                }
                fields.append((field, kind, isRequired))
            }
        }
        var element: ElementReference?
        if let mdoc = value["mdoc"] {
            guard let nameSpace = mdoc["namespace"]?.stringValue, let identifier = mdoc["element"]?.stringValue else {
                throw Malformed("\(name).mdoc names no namespace and element")
            }
            element = ElementReference(nameSpace: nameSpace, identifier: identifier)
        }
        return Definition(title: value["title"]?.stringValue ?? name, fields: fields, element: element)
    }
}

extension TransactionTypes {
    /// What a verifier has to find authorised of the strings that it sent; strings that are no transaction data are left out.
    public func transactions(_ texts: [String]) -> [VPTokenVerifier.Transaction] {
        texts.compactMap { text in
            guard let json = (try? Base64URL.decode(text)).flatMap({ try? JSON.decode($0) }) else { return nil }
            let ids = json["credential_ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return .init(text: text, credentialIDs: ids, element: json["type"]?.stringValue.flatMap { self[$0]?.element })
        }
    }
}

/// One entry of `transaction_data`, read.
public struct TransactionItem: Sendable {
    /// The string exactly as received: that is what is hashed.
    public let text: String
    public let type: String
    public let credentialIDs: [String]
    /// `transaction_data_hashes_alg`; nil where absent.
    public let hashAlgorithms: [String]?
    /// Everything, decoded.
    public let json: JSONObject
    public let definition: TransactionTypes.Definition

    /// What is wrong with an entry, by the check that it violates.
    struct Problem: Error {
        let check: String
        let reason: String
    }

    private static let common: Set<String> = ["type", "credential_ids", "transaction_data_hashes_alg"]

    /// Reads an entry.
    init(_ text: String, place: Int, types: TransactionTypes, query: DCQLQuery?) throws(Problem) {
        self.text = text
        guard let bytes = try? Base64URL.decode(text), let json = try? JSON.decode(bytes), let object = json.objectValue else {
            throw Problem(check: "VW27.decode", reason: "string \(place) is not base64url JSON")
        }
        self.json = object
        guard let type = object["type"]?.stringValue else {
            throw Problem(check: "VW27.shape", reason: "field type unknown, missing or mistyped (string \(place))")
        }
        guard let definition = types[type] else { throw Problem(check: "VW27.type", reason: "type \(type) unknown") }
        self.type = type
        self.definition = definition
        let ids = object["credential_ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard !ids.isEmpty, ids.count == object["credential_ids"]?.arrayValue?.count else {
            throw Problem(check: "VW27.shape", reason: "field credential_ids unknown, missing or mistyped (string \(place))")
        }
        credentialIDs = ids
        hashAlgorithms = object["transaction_data_hashes_alg"]?.arrayValue?.compactMap(\.stringValue)
        if let list = object["transaction_data_hashes_alg"], list.arrayValue?.count != hashAlgorithms?.count || hashAlgorithms == []
        {
            throw Problem(
                check: "VW27.shape", reason: "field transaction_data_hashes_alg unknown, missing or mistyped (string \(place))")
        }
        try Self.checkFields(object, definition, place)
        if let query, let stranger = ids.first(where: { query.credential($0) == nil }) {
            throw Problem(check: "VW27.ids", reason: "id \(stranger) not in the query or not held")
        }
    }

    private static func checkFields(_ object: JSONObject, _ definition: TransactionTypes.Definition, _ place: Int) throws(Problem) {
        func problem(_ name: String) -> Problem {
            Problem(check: "VW27.shape", reason: "field \(name) unknown, missing or mistyped (string \(place))")
        }
        for field in definition.fields {
            guard let value = object[field.name] else {
                if field.isRequired { throw problem(field.name) }
                continue
            }
            guard value.isOfKind(field.type) else { throw problem(field.name) }
        }
        let known = common.union(definition.fields.map(\.name))
        if let unknown = object.keys.first(where: { !known.contains($0) }) { throw problem(unknown) }
    }

    /// The hash that this wallet uses: SHA-256 where it may; nil when none of those listed is known.
    var hash: TransactionData.Hash? {
        guard let hashAlgorithms else { return .unstated }
        if hashAlgorithms.contains(SDHash.sha256.rawValue) { return .stated(.sha256) }
        return hashAlgorithms.compactMap(SDHash.init).first.map { .stated($0) }
    }
}

extension JSON {
    fileprivate func isOfKind(_ kind: String) -> Bool {
        switch kind {
        case "integer": intValue != nil
        case "number": doubleValue != nil
        default: typeName == kind
        }
    }
}
