import Codec
import Credentials

/// Whether a response answers its query: `openid4vp/response-vs-dcql.json`.
///
/// The file gives the queries and what its source's rule makes of an answer, which its name tells; `PresentedAnswer` makes that answer,
/// signed by issuer and holder, and the verifier judges it whole. Of the report count the rows of the rule that the case is about.
struct ResponseQueryVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "openid4vp/response-vs-dcql.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let stage = try AnswerStage()
        var results: [VectorCase] = []
        for entry in try file.json().list("cases") {
            let id = try entry.text("id")
            results.append(await VectorCase(id) { try await judge(id, entry, stage) })
        }
        return results
    }

    /// The rows that are a rule of the source; the first has to pass where the rule is obeyed.
    private static let rules = [
        "ValidateVpTokenPresentationCountMatchesDcqlQuery": ["VV6.one"],
        "ValidateVpTokenCredentialIdMatchesDcqlQuery": ["VV6.id"],
        "ValidateDisclosedClaimsMatchDcqlQuery": ["VV8.claims", "VV6.id", "VV7.format", "S1.form", "S1.base64url"],
        "ValidateDisclosedMdocClaimsMatchDcqlQuery": ["VV8.claims", "VV6.id"],
        "ValidateCredentialVctMatchesDcqlQuery": ["VV8.type", "VV6.id", "S12.required"],
        "ValidateMdocDocTypeMatchesDcqlQuery": ["VV8.type", "VV6.id", "VV7.mdoc"],
        "CheckOnlyRequestedMdocElementsDisclosed": ["VV8.extra"],
        "ExtractVP1FinalVpTokenDCQL": ["VV6.array", "VV6.object", "VV6.empty", "VV11"],
    ]

    private func judge(_ id: String, _ entry: JSON, _ stage: AnswerStage) async throws {
        let parts = id.split(separator: "/").map(String.init)
        guard parts.count == 2, let rows = Self.rules[parts[0]] else { throw Mismatch("no rule of this name is known") }
        let isGood = try entry.text("expected") == "pass"
        let answer = try PresentedAnswer(rule: parts[0], test: parts[1], blocks: entry.list("json_blocks"))
        let query: DCQLQuery
        do { query = try Self.query(answer) } catch let error as DCQLSyntaxError {
            return try expect(!isGood, "the query is refused: \(error)")
        }
        let checks = stage.verdict(on: try await answer.token(stage), query).checks
        let broken = checks.filter { rows.contains($0.id) && $0.outcome.isViolation }
        try expect(broken.isEmpty, equals: isGood, "whether \(rows.joined(separator: ", ")) hold")
        // A rule that the source skips has no row here either.
        guard isGood, !parts[1].lowercased().hasSuffix("skipped") else { return }
        try expect(checks.contains { $0.id == rows[0] && $0.outcome == .pass }, "\(rows[0]) did not pass")
    }

    /// The query, whole. Most of the file leave out `meta`, one has an empty list of claims: neither is a query of the final text and
    /// has to be refused as it stands, then the type that is presented stands in.
    private static func query(_ answer: PresentedAnswer) throws -> DCQLQuery {
        guard let credentials = answer.query["credentials"]?.arrayValue else { return try DCQLQuery(answer.query) }
        let whole = credentials.map { credential -> JSON in
            guard var members = credential.objectValue else { return credential }
            if members["claims"]?.arrayValue?.isEmpty == true { members["claims"] = nil }
            let (name, type) = credential["format"] == "mso_mdoc" ? ("doctype_value", answer.type) : ("vct_values", answer.type)
            if members["meta"]?[name] == nil { members["meta"] = [name: name == "vct_values" ? [.string(type)] : .string(type)] }
            return .object(members)
        }
        if whole != credentials {
            try expect((try? DCQLQuery(answer.query)) == nil, "the query is accepted though meta or claims are not complete")
        }
        return try DCQLQuery(["credentials": .array(whole)])
    }

    /// A case of each rule, as published.
    let builtIn = [
        VectorFile(
            path: "openid4vp/response-vs-dcql.json",
            text: #"""
                {"cases": [{"id": "ValidateVpTokenPresentationCountMatchesDcqlQuery/multipleOmittedTwoPresentations", "json_blocks":
                [{"id": "my_credential", "format": "dc+sd-jwt"}, {"my_credential": ["eyJhbGci...QMA", "eyJhbGci...QMB"]}],
                "expected": "fail"}, {"id": "ValidateVpTokenCredentialIdMatchesDcqlQuery/nonMatchingCredentialIdFails", "json_blocks":
                [{"credentials": [{"id": "expected_credential", "format": "dc+sd-jwt", "meta": {"vct_values":
                ["https://example.com/identity_credential"]}}]}], "expected": "fail"},
                {"id": "ValidateDisclosedClaimsMatchDcqlQuery/nestedRequestedClaimPresentPasses", "json_blocks": [{"credentials":
                [{"id": "my_credential", "format": "dc+sd-jwt", "claims": [{"path": ["address", "street_address"]}]}]}, {"address":
                {"street_address": "123 Main St", "locality": "London"}}], "expected": "pass"},
                {"id": "ValidateDisclosedMdocClaimsMatchDcqlQuery/missingRequestedClaimThrowsError", "json_blocks": [{"credentials":
                [{"id": "my_credential", "format": "mso_mdoc", "claims": [{"path": ["org.iso.18013.5.1", "given_name"]}, {"path":
                ["org.iso.18013.5.1", "birth_date"]}]}]}], "expected": "fail"},
                {"id": "ValidateCredentialVctMatchesDcqlQuery/nonMatchingVctFails", "json_blocks": [{"credentials": [{"id":
                "my_credential", "format": "dc+sd-jwt", "meta": {"vct_values": ["https://example.com/identity_credential"]}}]}],
                "expected": "fail"}, {"id": "ValidateMdocDocTypeMatchesDcqlQuery/docTypeMatchesPasses", "json_blocks": [{"credentials":
                [{"id": "my_credential", "format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"}}]}],
                "expected": "pass"}, {"id": "CheckOnlyRequestedMdocElementsDisclosed/unrequestedElementDisclosedThrowsError",
                "json_blocks": [{"credentials": [{"id": "my_credential", "format": "mso_mdoc", "claims": [{"path":
                ["org.iso.18013.5.1", "given_name"]}]}]}], "expected": "fail"},
                {"id": "ExtractVP1FinalVpTokenDCQL/credentialIsBareString", "json_blocks": [{"my_credential": "eyJhbGci...QMA"}],
                "expected": "fail"}]}
                """#)
    ]
}
