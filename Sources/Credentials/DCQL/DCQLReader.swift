import Codec

/// Reads a query and collects every fault: VQ1 to VQ18.
struct DCQLReader {
    private(set) var issues: [DCQLIssue] = []
    private(set) var warnings: [DCQLIssue] = []

    /// More entries than this in one list are refused.
    private static let listLimit = 256

    mutating func query(_ json: JSON) -> (credentials: [DCQLQuery.Credential], sets: [DCQLQuery.CredentialSet]?) {
        let top = FieldPath()
        guard let object = json.objectValue else {
            fail("VQ18", top, "dcql_query is a JSON \(json.typeName), an object expected")
            return ([], nil)
        }
        warnUnknown(object, ["credentials", "credential_sets"], top)
        var credentials: [DCQLQuery.Credential] = []
        let path = top.appending("credentials")
        let entries = list(object["credentials"], "VQ1", path, isRequired: true) ?? []
        var ids: Set<String> = []
        for (place, entry) in entries.enumerated() {
            guard let credential = credential(entry, path.appending(place)) else { continue }
            if !ids.insert(credential.id).inserted {
                fail("VQ2", path.appending(place).appending("id"), "\(credential.id) occurs twice")
            }
            credentials.append(credential)
        }
        // Ids of entries that were refused for something else are known all the same.
        let known = Set(entries.compactMap { $0["id"]?.stringValue })
        return (credentials, sets(object["credential_sets"], known, top.appending("credential_sets")))
    }

    // MARK: credentials

    private static let credentialMembers: Set<String> = [
        "id", "format", "multiple", "meta", "trusted_authorities", "require_cryptographic_holder_binding", "claims", "claim_sets",
    ]

    private mutating func credential(_ json: JSON, _ path: FieldPath) -> DCQLQuery.Credential? {
        guard let object = json.objectValue else {
            fail("VQ1", path, "a JSON \(json.typeName), an object expected")
            return nil
        }
        warnUnknown(object, Self.credentialMembers, path)
        let id = identifier(object["id"], "VQ2", path.appending("id"), isRequired: true)
        let format = object["format"]?.stringValue ?? ""
        if format.isEmpty { fail("VQ3", path.appending("format"), "missing or no string") }
        let types = types(object["meta"], format, path.appending("meta"))
        let multiple = flag(object["multiple"], "VQ5", path.appending("multiple"))
        let name = "require_cryptographic_holder_binding"
        let binding = flag(object[name], "VQ5", path.appending(name))
        let authorities = authorities(object["trusted_authorities"], path.appending("trusted_authorities"))
        let claims = claims(object["claims"], format, path.appending("claims"), needsIDs: object["claim_sets"] != nil)
        let sets = claimSets(object["claim_sets"], object["claims"], path)
        return DCQLQuery.Credential(
            id: id ?? "", format: format, types: types, allowsMultiple: multiple ?? false, requiresHolderBinding: binding ?? true,
            trustedAuthorities: authorities, claims: claims, claimSets: sets)
    }

    private mutating func types(_ meta: JSON?, _ format: String, _ path: FieldPath) -> [String]? {
        guard let object = meta?.objectValue else {
            fail("VQ4", path, meta == nil ? "missing" : "no object")
            return nil
        }
        switch format {
        case "mso_mdoc":
            warnUnknown(object, ["doctype_value"], path)
            guard let type = object["doctype_value"]?.stringValue, !type.isEmpty else {
                fail("VQ4", path.appending("doctype_value"), "missing or no string")
                return nil
            }
            return [type]
        case "dc+sd-jwt", "vc+sd-jwt":
            warnUnknown(object, ["vct_values"], path)
            let path = path.appending("vct_values")
            guard let entries = list(object["vct_values"], "VQ4", path, isRequired: true) else { return nil }
            return strings(entries, "VQ4", path)
        default: return nil
        }
    }

    private mutating func authorities(_ json: JSON?, _ path: FieldPath) -> [DCQLQuery.TrustedAuthority] {
        (list(json, "VQ6", path) ?? []).enumerated().compactMap { place, entry in
            let path = path.appending(place)
            guard let object = entry.objectValue else {
                fail("VQ6", path, "a JSON \(entry.typeName), an object expected")
                return nil
            }
            warnUnknown(object, ["type", "values"], path)
            let type = object["type"]?.stringValue ?? ""
            if type.isEmpty { fail("VQ6", path.appending("type"), "missing or no string") }
            let values = list(object["values"], "VQ6", path.appending("values"), isRequired: true) ?? []
            return .init(type: type, values: strings(values, "VQ6", path.appending("values")))
        }
    }

    // MARK: claims

    private mutating func claims(_ json: JSON?, _ format: String, _ path: FieldPath, needsIDs: Bool) -> [DCQLQuery.Claim]? {
        guard let entries = list(json, "VQ7", path) else { return nil }
        var (ids, paths): (Set<String>, Set<ClaimPath>) = ([], [])
        var claims: [DCQLQuery.Claim] = []
        for (place, entry) in entries.enumerated() {
            let path = path.appending(place)
            guard let object = entry.objectValue else {
                fail("VQ7", path, "a JSON \(entry.typeName), an object expected")
                continue
            }
            warnUnknown(object, ["id", "path", "values", "intent_to_retain"], path)
            let id = identifier(object["id"], "VQ10", path.appending("id"), isRequired: needsIDs)
            if let id, !ids.insert(id).inserted { fail("VQ10", path.appending("id"), "\(id) occurs twice") }
            let values = values(object["values"], path.appending("values"))
            let retain = flag(object["intent_to_retain"], "VQ17", path.appending("intent_to_retain"))
            if retain != nil, format != "mso_mdoc" {
                warn(nil, path.appending("intent_to_retain"), "means something for mso_mdoc only")
            }
            guard let claimPath = claimPath(object["path"], format, path.appending("path")) else { continue }
            if !paths.insert(claimPath).inserted { warn("VQ11", path.appending("path"), "\(claimPath) is asked for twice") }
            claims.append(.init(id: id, path: claimPath, values: values, intentToRetain: retain))
        }
        return claims
    }

    private mutating func claimPath(_ json: JSON?, _ format: String, _ path: FieldPath) -> ClaimPath? {
        guard let json else {
            fail("VQ8", path, "missing")
            return nil
        }
        do {
            let claimPath = try ClaimPath(json)
            if format == "mso_mdoc", claimPath.names?.count != 2 {
                fail("VQ9", path, "\(claimPath) is not two strings: name space and element")
                return nil
            }
            if claimPath.names?.contains("") == true { warn(nil, path, "a component is empty") }
            return claimPath
        } catch {
            fail("VQ8", error.place.map { path.appending($0) } ?? path, "\(error)")
            return nil
        }
    }

    private mutating func values(_ json: JSON?, _ path: FieldPath) -> [JSON]? {
        guard let entries = list(json, "VQ12", path) else { return nil }
        for (place, entry) in entries.enumerated() {
            switch entry {
            case .string, .integer, .bool: continue
            default: fail("VQ12", path.appending(place), "\(entry.encoded()) is no string, integer or boolean")
            }
        }
        return entries
    }

    private mutating func claimSets(_ json: JSON?, _ claims: JSON?, _ path: FieldPath) -> [[String]]? {
        guard let json else { return nil }
        if claims == nil { fail("VQ13", path.appending("claims"), "missing, though there are claim_sets") }
        let path = path.appending("claim_sets")
        guard let entries = list(json, "VQ14", path) else { return nil }
        let known = Set((claims?.arrayValue ?? []).compactMap { $0["id"]?.stringValue })
        let sets = entries.enumerated().map { place, entry in references(entry, known, "VQ14", path.appending(place)) }
        let used = Set(sets.joined())
        for (place, claim) in (claims?.arrayValue ?? []).enumerated() {
            guard let id = claim["id"]?.stringValue, !used.contains(id) else { continue }
            let claims = FieldPath(Array(path.components.dropLast())).appending("claims")
            warn(nil, claims.appending(place), "claim \(id) is in no claim_set")
        }
        return sets
    }

    // MARK: credential sets

    private mutating func sets(_ json: JSON?, _ ids: Set<String>, _ path: FieldPath) -> [DCQLQuery.CredentialSet]? {
        guard let entries = list(json, "VQ15", path) else { return nil }
        return entries.enumerated().compactMap { place, entry in
            let path = path.appending(place)
            guard let object = entry.objectValue else {
                fail("VQ15", path, "a JSON \(entry.typeName), an object expected")
                return nil
            }
            warnUnknown(object, ["options", "required"], path)
            let isRequired = flag(object["required"], "VQ15", path.appending("required"))
            let options = list(object["options"], "VQ15", path.appending("options"), isRequired: true) ?? []
            return .init(
                options: options.enumerated().map { references($1, ids, "VQ16", path.appending("options").appending($0)) },
                isRequired: isRequired ?? true)
        }
    }

    // MARK: parts

    private mutating func references(_ json: JSON, _ known: Set<String>, _ check: String, _ path: FieldPath) -> [String] {
        guard let entries = list(json, check, path) else { return [] }
        return entries.enumerated().compactMap { place, entry in
            guard let id = entry.stringValue, known.contains(id) else {
                fail(check, path.appending(place), "names \(entry.encoded()), which is not there")
                return nil
            }
            return id
        }
    }

    /// A list that is not empty, where it is present.
    private mutating func list(_ json: JSON?, _ check: String, _ path: FieldPath, isRequired: Bool = false) -> [JSON]? {
        guard let json else {
            if isRequired { fail(check, path, "missing") }
            return nil
        }
        guard let entries = json.arrayValue else {
            fail(check, path, "a JSON \(json.typeName), an array expected")
            return nil
        }
        if entries.isEmpty { fail(check, path, "empty") }
        guard entries.count <= Self.listLimit else {
            fail(check, path, "\(entries.count) entries, at most \(Self.listLimit) are read")
            return nil
        }
        return entries
    }

    private mutating func strings(_ entries: [JSON], _ check: String, _ path: FieldPath) -> [String] {
        entries.enumerated().compactMap { place, entry in
            guard let text = entry.stringValue, !text.isEmpty else {
                fail(check, path.appending(place), "\(entry.encoded()) is no string with content")
                return nil
            }
            return text
        }
    }

    private mutating func identifier(_ json: JSON?, _ check: String, _ path: FieldPath, isRequired: Bool) -> String? {
        guard let json else {
            if isRequired { fail(check, path, "missing") }
            return nil
        }
        let isPlain = { (byte: UInt8) in
            byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a || byte == 0x5f
                || byte == 0x2d
        }
        guard let text = json.stringValue, !text.isEmpty, text.utf8.allSatisfy(isPlain) else {
            fail(check, path, "\(json.encoded()) is not of letters, digits, _ and -")
            return nil
        }
        return text
    }

    private mutating func flag(_ json: JSON?, _ check: String, _ path: FieldPath) -> Bool? {
        guard let json else { return nil }
        if json.boolValue == nil { fail(check, path, "a JSON \(json.typeName), a boolean expected") }
        return json.boolValue
    }

    private mutating func warnUnknown(_ object: JSONObject, _ known: Set<String>, _ path: FieldPath) {
        for name in object.keys where !known.contains(name) { warn(nil, path.appending(name), "unknown member, ignored") }
    }

    private mutating func fail(_ check: String, _ path: FieldPath, _ message: String) {
        guard issues.count < 256 else { return }
        issues.append(DCQLIssue(check: check, path: path, message: message))
    }

    private mutating func warn(_ check: String?, _ path: FieldPath, _ message: String) {
        guard warnings.count < 256 else { return }
        warnings.append(DCQLIssue(check: check, path: path, message: message))
    }
}
