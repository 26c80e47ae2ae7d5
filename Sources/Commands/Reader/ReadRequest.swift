import Codec
import Credentials

/// What `reader read` asks in one request: a preset or a file.
struct ReadRequest: Sendable {
    /// As named on the command line.
    let name: String
    let items: [ItemsRequest]
    /// What holds for all documents together (second edition).
    let deviceRequestInfo: DeviceRequestInfo?

    /// Whether only the second edition can say this.
    var needsSecondEdition: Bool { deviceRequestInfo != nil || items.contains { $0.requestInfo != nil } }

    static let presets = ["mdl", "mdl-age-over-18", "mdl-age-over-21", "pid", "photo-id", "age-verification"]

    /// - Throws: exit code 1 for a file that is no request, with the reason.
    init(_ argument: String) throws(CommandError) {
        name = argument
        if Self.presets.contains(argument) {
            items = Self.preset(argument)
            deviceRequestInfo = nil
        } else if !Files.exists(argument), !argument.hasPrefix("{"), !argument.contains("/"), !argument.contains(".") {
            throw .usage("--request \(argument): no such preset or file", hint: "presets: \(Self.presets.joined(separator: ", "))")
        } else {
            let json = try InputReader.read(argument).json(as: "a request")
            guard let members = json.objectValue, !members.isEmpty else {
                throw .refused("\(argument): no document is asked for", hint: Self.form)
            }
            if members["credentials"] != nil {
                items = try Self.query(members, argument)
                deviceRequestInfo = nil
            } else {
                items = try Self.elements(members, argument)
                deviceRequestInfo = try Self.useCases(members["useCases"], argument)
            }
        }
    }

    private static let form = "write {\"DOCTYPE\": {\"NAMESPACE\": {\"ELEMENT\": intentToRetain}}}, or a DCQL query"

    private static func preset(_ name: String) -> [ItemsRequest] {
        switch name {
        case "mdl-age-over-18", "mdl-age-over-21":
            let age = AgeStatement(age: name.hasSuffix("18") ? 18 : 21).identifier
            return [items(.mobileDrivingLicence) { ["portrait", age].contains($0) }]
        case "age-verification":
            return [items(.ageVerification) { _ in true }]
        default:
            return DocumentDefinition.named(name).map { definition in [mandatory(definition)] } ?? []
        }
    }

    /// The mandatory elements, none to be kept.
    private static func mandatory(_ definition: DocumentDefinition) -> ItemsRequest {
        items(definition) { identifier in
            definition.nameSpaces.contains { $0.element(identifier)?.isMandatory ?? false }
        }
    }

    private static func items(
        _ definition: DocumentDefinition, _ wanted: (DataElementIdentifier) -> Bool
    ) -> ItemsRequest {
        let nameSpaces = definition.nameSpaces.compactMap { nameSpace -> ItemsRequest.Elements? in
            let ages = nameSpace.hasAgeStatements ? [18, 21].map { AgeStatement(age: $0).identifier } : []
            let known = nameSpace.elements.map(\.identifier)
            let elements =
                (known + ages.filter { !known.contains($0) && definition.docType != DocumentDefinition.ageVerification.docType })
                .filter(wanted).map { (identifier: $0, intentToRetain: false) }
            return elements.isEmpty ? nil : (nameSpace.nameSpace, elements)
        }
        return ItemsRequest(docType: definition.docType, nameSpaces: nameSpaces)
    }

    private static func elements(_ members: JSONObject, _ origin: String) throws(CommandError) -> [ItemsRequest] {
        var requests: [ItemsRequest] = []
        for (docType, value) in members where docType != "useCases" {
            guard let nameSpaces = value.objectValue, !nameSpaces.isEmpty else {
                throw .refused("\(origin): \(docType) has no name spaces", hint: form)
            }
            var all: [ItemsRequest.Elements] = []
            for (nameSpace, value) in nameSpaces where nameSpace != "requestInfo" {
                guard let elements = value.objectValue, !elements.isEmpty else {
                    throw .refused("\(origin): \(docType), \(nameSpace) has no elements", hint: form)
                }
                var list: [(identifier: DataElementIdentifier, intentToRetain: Bool)] = []
                for (element, retain) in elements {
                    guard let retain = retain.boolValue else {
                        throw .refused("\(origin): \(docType), \(nameSpace), \(element) is neither true nor false", hint: form)
                    }
                    list.append((element, retain))
                }
                all.append((nameSpace, list))
            }
            guard !all.isEmpty else { throw .refused("\(origin): \(docType) has no name spaces", hint: form) }
            let info: DocRequestInfo? = try nameSpaces["requestInfo"].map { json throws(CommandError) in
                try structure(json, "\(docType).requestInfo", origin)
            }
            let item = info.map { info in CBOR(encoding: { $0.encode(info) }) }
            requests.append(ItemsRequest(docType: docType, nameSpaces: all, requestInfo: item))
        }
        guard !requests.isEmpty else { throw .refused("\(origin): no document is asked for", hint: form) }
        return requests
    }

    private static func useCases(_ json: JSON?, _ origin: String) throws(CommandError) -> DeviceRequestInfo? {
        guard let json else { return nil }
        return try structure(["useCases": json], "useCases", origin)
    }

    /// A structure whose members are given as JSON, `{"bytes": "<base64url>"}` for byte strings.
    private static func structure<Structure: CBORDecodable>(
        _ json: JSON, _ name: String, _ origin: String
    ) throws(CommandError) -> Structure {
        do { return try Structure(try ElementType.any.encode(json, at: FieldPath(name))) } catch {
            throw .refused("\(origin): \(name): \(error)")
        }
    }

    /// A DCQL query as far as a DeviceRequest can say the same: one mdoc of one type each, claims by name space and element.
    private static func query(_ members: JSONObject, _ origin: String) throws(CommandError) -> [ItemsRequest] {
        guard members["credential_sets"] == nil else {
            throw .refused(
                "\(origin): credential_sets cannot be said in a DeviceRequest of the first edition", hint: "ask for one document")
        }
        var requests: [ItemsRequest] = []
        for credential in members["credentials"]?.arrayValue ?? [] {
            guard credential["format"]?.stringValue == "mso_mdoc", let docType = credential["meta"]?["doctype_value"]?.stringValue
            else {
                throw .refused("\(origin): a proximity reader asks for mso_mdoc with meta.doctype_value only", hint: form)
            }
            guard credential["claim_sets"] == nil, let claims = credential["claims"]?.arrayValue, !claims.isEmpty else {
                throw .refused("\(origin): \(docType) needs claims, and claim_sets cannot be said in a DeviceRequest", hint: form)
            }
            var nameSpaces: [ItemsRequest.Elements] = []
            for claim in claims {
                let path = (claim["path"]?.arrayValue ?? []).compactMap(\.stringValue)
                guard path.count == 2, claim["values"] == nil else {
                    throw .refused("\(origin): a claim of \(docType) is more than a name space and an element", hint: form)
                }
                let element = (identifier: path[1], intentToRetain: claim["intent_to_retain"]?.boolValue ?? false)
                if let place = nameSpaces.firstIndex(where: { $0.nameSpace == path[0] }) {
                    nameSpaces[place].elements.append(element)
                } else {
                    nameSpaces.append((path[0], [element]))
                }
            }
            requests.append(ItemsRequest(docType: docType, nameSpaces: nameSpaces))
        }
        guard !requests.isEmpty else { throw .refused("\(origin): the query asks for nothing", hint: form) }
        return requests
    }
}

extension ReadRequest {
    /// `{"docType": {"namespace": {"element": intentToRetain}}}`
    var json: JSONObject {
        JSONObject(
            items.map { request in
                let nameSpaces = request.nameSpaces.map { nameSpace, elements in
                    (
                        key: nameSpace,
                        value: JSON.object(JSONObject(elements.map { (key: $0.identifier, value: JSON.bool($0.intentToRetain)) }))
                    )
                }
                return (key: request.docType, value: JSON.object(JSONObject(nameSpaces)))
            })
    }
}
