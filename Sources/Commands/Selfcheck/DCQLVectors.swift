import Codec
import Credentials

/// Queries of OpenID4VP: `openid4vp/dcql-*.json`.
struct DCQLVectors: VectorSuite {
    func matches(_ path: String) -> Bool { Self.kinds.contains { path == "openid4vp/\($0.name).json" } }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        guard let kind = Self.kinds.first(where: { file.path == "openid4vp/\($0.name).json" }) else { return [] }
        return try await kind.run(try file.json())
    }

    private static let kinds: [(name: String, run: @Sendable (JSON) async throws -> [VectorCase])] = [
        ("dcql-query-validation", { try await cases($0, "cases", validate) }),
        ("dcql-claims-path", { try await cases($0, "cases", select) }),
        ("dcql-evaluation", { try await cases($0, "cases", evaluate) }),
        (
            "dcql-meta-and-presentation",
            { try await cases($0, "presentation", presentation) + cases($0, "meta", meta) }
        ),
    ]

    private static func cases(_ json: JSON, _ list: String, _ body: (JSON) throws -> Void) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list(list) { results.append(await VectorCase(try entry.text("id")) { try body(entry) }) }
        return results
    }

    // MARK: syntax

    private static func validate(_ entry: JSON) throws {
        var (issues, warnings): ([DCQLIssue], [DCQLIssue]) = ([], [])
        do { warnings = try DCQLQuery(entry.member("query")).warnings } catch let error as DCQLSyntaxError {
            (issues, warnings) = (error.issues, error.warnings)
        }
        let expected = try entry.text("expected")
        try judge(issues, expected, checked: entry["checked_here"]?.stringValue ?? "")
        if expected.contains("claim is in no claim_set") {
            try expect(warnings.contains { $0.message.contains("no claim_set") }, "no warning of the unused claim")
        }
        if expected.contains("unknown member") {
            try expect(warnings.contains { $0.message.contains("unknown member") }, "no warning of the unknown member")
        }
        for path in entry["error_paths"]?.arrayValue?.compactMap(\.stringValue) ?? [] where !issues.isEmpty {
            let places = issues.map { "$.\($0.path)" }
            try expect(places.contains(path), "\(path) is not named, but \(places.joined(separator: ", "))")
        }
    }

    /// Where the file says that its source is stricter than the specification, or its query is a fragment, the specification counts.
    private static func judge(_ issues: [DCQLIssue], _ expected: String, checked: String) throws {
        let found = issues.map(\.description).joined(separator: "; ")
        if checked.hasPrefix("own simple validator says valid") {
            return try expect(issues.isEmpty, "refused: \(found)")
        }
        if checked.hasPrefix("own simple validator says invalid") {
            // Besides what the fragments leave out, one has a claim without id next to claim_sets.
            let isFragment = issues.allSatisfy { ["VQ1", "VQ4", "VQ10"].contains($0.check) }
            return try expect(!issues.isEmpty && isFragment, "a fragment, refused for \(found)")
        }
        try expect(issues.isEmpty, equals: expected.hasPrefix("valid"), issues.isEmpty ? "accepted" : "\"\(found)\"")
    }

    // MARK: paths

    private static func select(_ entry: JSON) throws {
        let claim = try entry.member("claim")
        let path = try ClaimPath(claim.member("path"))
        var selected: [JSON]?
        do { selected = try path.select(in: entry.member("data")) } catch is ClaimPath.Mismatch { selected = nil }
        let published = try entry.member("selected_here")
        try expect(selected?.isEmpty == false ? JSON.array(selected ?? []) : .null, equals: published, "the selection")
    }

    // MARK: evaluation

    private static func evaluate(_ entry: JSON) throws {
        let expected = try entry.member("expected")
        let candidates = try entry.list("credentials").map(VectorCredential.init)
        let query: DCQLQuery
        do { query = try Self.query(entry.member("query"), candidates) } catch let error as DCQLSyntaxError {
            // Queries of older drafts (namespace and claim_name) are refused, at the place of the missing path.
            let isOlder = try entry.member("query").list("credentials").contains { credential in
                credential["claims"]?.arrayValue?.contains { $0["namespace"] != nil } ?? false
            }
            return try expect(
                isOlder && error.issues.allSatisfy { $0.check == "VQ8" && "\($0.path)".hasSuffix(".path") }, "refused: \(error)")
        }
        let result = query.evaluate(over: candidates)
        if let isSatisfied = expected["satisfied"]?.boolValue { try expect(result.isSatisfied, equals: isSatisfied, "satisfied") }
        for credential in result.credentials where credential.matches.isEmpty {
            try expect(
                credential.misses.count == candidates.count && credential.misses.allSatisfy { !$0.reasons.isEmpty },
                "a miss without a reason")
        }
        guard let published = expected["credential_sets"] else { return }
        try expect(sets(query, result, candidates).withSortedMatches, equals: published.withSortedMatches, "the matches")
    }

    /// The result in the form of the file: every option that can be satisfied, with its matches.
    private static func sets(_ query: DCQLQuery, _ result: DCQLEvaluation, _ candidates: [VectorCredential]) -> JSON {
        func matches(_ id: String) -> JSON {
            let claims = query.credential(id)?.claims ?? []
            let matches = result.result(id)?.matches ?? []
            return [
                "matches": .array(
                    matches.map { match in
                        [
                            "credential": .string(candidates[match.candidate].name),
                            "claims": .array(match.claims.map { claims[$0].path.json }),
                        ]
                    })
            ]
        }
        guard let sets = query.credentialSets, let results = result.sets else {
            return .array(query.credentials.map { ["optional": false, "options": [.array([matches($0.id)])]] })
        }
        return .array(
            zip(sets, results).filter { $1.isSatisfied }.map { set, result in
                [
                    "optional": .bool(!set.isRequired),
                    "options": .array(result.satisfiable.map { .array(set.options[$0].map(matches)) }),
                ]
            })
    }

    // MARK: results of dcql-ts

    private static func presentation(_ entry: JSON) throws {
        for (place, call) in try entry.list("calls").enumerated() {
            let arguments = try call.list("args")
            let result: DCQLEvaluation
            switch try call.text("fn") {
            case "DcqlQuery.query":
                let candidates = try (arguments[1].arrayValue ?? []).map(VectorCredential.init)
                result = try query(arguments[0], candidates).evaluate(over: candidates)
            case "DcqlPresentationResult.fromDcqlPresentation":
                var presented: [String: [VectorCredential]] = [:]
                for (id, list) in arguments[0].objectValue ?? [:] {
                    presented[id] = try (list.arrayValue ?? [list]).map(VectorCredential.init)
                }
                let all = presented.values.flatMap { $0 }
                result = try query(arguments[1].member("dcqlQuery"), all).evaluate(presented: presented)
            default: continue
            }
            for check in try entry.list("checks") where check["call"]?.intValue == Int64(place) { try compare(result, with: check) }
        }
    }

    /// What the library's test says of a result: satisfied or not, and which credentials match.
    private static func compare(_ result: DCQLEvaluation, with check: JSON) throws {
        let (path, value) = (try check.text("path"), check["value"])
        if path.hasPrefix("can_be_satisfied") {
            let isSatisfied = try path.contains("negated") ? false : value?.boolValue ?? (check.text("matcher") == "truthy")
            return try expect(result.isSatisfied, equals: isSatisfied, "satisfied")
        }
        if path.contains("failed_credentials") {
            let id = String(path.split(separator: ".")[1])
            return try expect(result.result(id)?.misses.first?.reasons, equals: [.holderBinding], "the reason")
        }
        // That library takes any presentation that does not match for a failure of the whole; here it is discarded (§8.6) and its
        // miss reported.
        let isClean = result.isSatisfied && result.credentials.allSatisfy(\.misses.isEmpty)
        try expect(isClean, equals: value?["can_be_satisfied"]?.boolValue == true, "satisfied without a miss")
        for (id, match) in value?["credential_matches"]?.objectValue ?? [:] {
            try expect(
                result.result(id)?.matches.isEmpty == false, equals: match["success"]?.boolValue == true, "\(id) matches")
            guard let sets = match["valid_credentials"]?[0]?["claims"]?["valid_claim_sets"], let set = sets[0] else { continue }
            let claims = result.result(id)?.matches.first?.claims.map { Int64($0) } ?? []
            let published = set["valid_claim_indexes"]?.arrayValue?.compactMap(\.intValue) ?? []
            try expect(claims, equals: published, "the claims of \(id)")
        }
    }

    private static func meta(_ entry: JSON) throws {
        let call = try entry.list("calls")[0]
        guard let check = try entry.list("checks").first else { throw Mismatch("no check") }
        let arguments = try call.list("args")
        let succeeds = try check.text("path").isEmpty && check["value"]?["success"] != false
        if arguments[0]["parser"] == "getTrustedAuthorityParser" {
            let asked = try arguments[0].list("args")[0]
            let authority = DCQLQuery.TrustedAuthority(
                type: try asked.text("type"), values: try asked.list("values").compactMap(\.stringValue))
            let candidate = try VectorCredential(["credential_format": "dc+sd-jwt", "vct": "t", "authority": arguments[1]])
            return try expect(candidate.isTrusted(by: authority) == true, equals: succeeds, "trusted")
        }
        let asked = arguments[0]["args"]?[0] ?? arguments[0]
        if asked["meta"]?["type_values"] != nil { throw NotApplicable("W3C credentials are refused here") }
        let candidate = try VectorCredential(arguments[1]["credential"] ?? arguments[1])
        let result = try query(["credentials": [asked]], [candidate]).evaluate(over: [candidate])
        try expect(result.isSatisfied, equals: succeeds, "matches")
        guard let published = check["value"]?["valid_claim_sets"]?[0]?["valid_claim_indexes"]?.arrayValue else { return }
        let claims = result.credentials[0].matches.first?.claims.map { Int64($0) } ?? []
        try expect(claims, equals: published.compactMap(\.intValue), "the claims")
    }

    /// Some fragments leave out `meta`, which the final text requires: the type of the credential stands in.
    private static func query(_ json: JSON, _ candidates: [VectorCredential]) throws -> DCQLQuery {
        var object = json.objectValue ?? [:]
        let credentials = try json.list("credentials").map { credential -> JSON in
            if try !DCQLQuery.knownFormats.contains(credential.text("format")) || credential["meta"]?["type_values"] != nil {
                throw NotApplicable("W3C credentials are refused here")
            }
            guard credential["meta"] == nil, var members = credential.objectValue, let type = candidates.first?.types.first else {
                return credential
            }
            members["meta"] =
                credential["format"] == "mso_mdoc" ? ["doctype_value": .string(type)] : ["vct_values": [.string(type)]]
            return .object(members)
        }
        object["credentials"] = .array(credentials)
        return try DCQLQuery(.object(object))
    }
}

extension JSON {
    /// The same with every list of matches sorted: their order means nothing.
    fileprivate var withSortedMatches: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.withSortedMatches))
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, value in
                        guard name == "matches", let list = value.arrayValue else {
                            return (key: name, value: value.withSortedMatches)
                        }
                        return (key: name, value: .array(list.sorted { $0.encoded() < $1.encoded() }))
                    }))
        default: return self
        }
    }
}
