extension CheckCatalogue {
    /// The syntax of queries: VQ1–VQ18. A wallet answers `invalid_request`, a verifier refuses to make the query.
    static let query: [CheckDefinition] = [
        row("VQ1", "credentials-present", "6", "credentials missing or empty"),
        row("VQ2", "query-id", "6.1", "id missing, not `[A-Za-z0-9_-]+`, or twice"),
        row("VQ3", "format-present", "6.1", "format missing (unknown format: no match, no error)"),
        row("VQ4", "meta-required", "6.1, B.2.3, B.3.5", "meta missing, or without doctype_value / vct_values"),
        row("VQ5", "flag-type", "6.1", "multiple or require_cryptographic_holder_binding not boolean"),
        row("VQ6", "trusted-authorities-shape", "6.1.1", "type or values missing or empty (unknown type: no match)"),
        row("VQ7", "claims-shape", "6.3", "claims empty or no array"),
        row("VQ8", "claim-path", "7", "path empty or with a component other than string, null, integer from 0"),
        row("VQ9", "mdoc-path", "7.2", "mdoc path is not two strings"),
        row("VQ10", "claim-id", "6.3", "claim id missing with claim_sets, ill-formed, or twice"),
        row("VQ11", "claim-duplicate", .warn, "6.1", "same claim asked twice"),
        row("VQ12", "claim-values", "6.3", "values empty or not string / integer / boolean"),
        row("VQ13", "claim-sets-alone", "6.4.1", "claim_sets without claims"),
        row("VQ14", "claim-sets-reference", "6.1", "claim_sets names <id>, which is not there, or is empty"),
        row("VQ15", "credential-sets-shape", "6.2", "options missing or empty, required not boolean"),
        row("VQ16", "credential-sets-reference", "6.2", "option names unknown query <id>"),
        row("VQ17", "intent-to-retain", "B.2.4", "intent_to_retain not boolean"),
        row("VQ18", "dcql-json", "6", "dcql_query is not a JSON object"),
    ]

    private static func row(
        _ id: String, _ name: String, _ level: CheckDefinition.Level, _ clause: String, _ message: String
    ) -> CheckDefinition {
        .init(id, name, level, .both, nil, nil, other: "OpenID4VP 1.0 \(clause)", .vp, message, [name])
    }

    private static func row(_ id: String, _ name: String, _ clause: String, _ message: String) -> CheckDefinition {
        row(id, name, .fail, clause, message)
    }
}
