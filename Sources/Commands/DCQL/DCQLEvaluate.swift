import Codec
import Credentials
import Ports

/// `walletbench dcql evaluate`
enum DCQLEvaluate {
    static let command = Command(
        name: "evaluate", summary: "evaluate a query over credentials, with the reason of every miss",
        discussion: """
            Checks the syntax of a DCQL query (OpenID4VP 1.0 §6) and evaluates it over credentials: which match with which claims, and why \
            others do not, in the words \
            format, type, holderBinding, authority, claimMissing, pathError, value, noClaimSet, unknownFormat, setUnsatisfied, notInSet.

            Credentials are an SD-JWT, IssuerSigned (CBOR, also as hex or base64url), or JSON: a list of such texts and of descriptions \
            {"name"?, "format", "vct" | "doctype", "claims" | "namespaces", "holderBound"?, "aki"?}. etsi_tl is decided by the lists of \
            trusted entities of the home and of --trust-list. Ends 0 when the query is satisfied, 1 \
            when it is not or cannot be read.
            """,
        examples: [
            Example("walletbench dcql evaluate --query query.json --credentials wallet.json"),
            Example("walletbench dcql evaluate --query query.json --credentials pid.sd-jwt --credentials mdl.cbor --json"),
        ],
        options: [
            .file("query", "Q", "The dcql_query: a path, - for stdin, or the text itself"),
            .file("credentials", "C", "Credentials", isRepeatable: true),
        ] + TrustSetup.options.dropFirst(),
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let input = try InputReader.read(try invocation.required("query"))
        var credentials: [NamedCredential] = []
        for path in invocation.strings("credentials") { credentials += try NamedCredential.all(in: try InputReader.read(path)) }
        let (trust, now) = (try await TrustSetup(invocation, role: .documents), invocation.context.clock.now())
        credentials = credentials.map { $0.listed(by: trust.lists, at: now) }
        let query: DCQLQuery
        do { query = try DCQLQuery(input.json(as: "a DCQL query")) } catch let error as DCQLSyntaxError {
            return refuse(error, input, invocation)
        }
        let result = query.evaluate(over: credentials)
        invocation.console.answer(json(query, result, credentials)) { text(query, result, credentials) }
        return result.isSatisfied ? .done : .refused
    }

    private static func refuse(_ error: DCQLSyntaxError, _ input: Input, _ invocation: Invocation) -> ExitCode {
        invocation.console.answer([
            "satisfied": false, "errors": .array(error.issues.map { .object(json($0)) }),
            "warnings": .array(error.warnings.map { .object(json($0)) }),
        ]) {
            (["\(input.origin): not a DCQL query"] + error.issues.map { "  \($0)" } + error.warnings.map { "  ! \($0)" })
                .map { $0.replacingControlCharacters() }.joined(separator: "\n")
        }
        return .refused
    }

    private static func json(_ issue: DCQLIssue) -> JSONObject {
        [
            "check": issue.check.map { .string($0) } ?? .null, "path": .string(issue.path.description),
            "message": .string(issue.message),
        ]
    }

    private static func json(_ query: DCQLQuery, _ result: DCQLEvaluation, _ credentials: [NamedCredential]) -> JSONObject {
        var object: JSONObject = [
            "satisfied": .bool(result.isSatisfied),
            "credentials": .array(zip(query.credentials, result.credentials).map { .object(json($0, $1, credentials)) }),
            "warnings": .array(query.warnings.map { .object(json($0)) }),
        ]
        guard let sets = query.credentialSets, let results = result.sets else { return object }
        object.append(
            "credentialSets",
            .array(
                zip(sets, results).map { set, result in
                    [
                        "required": .bool(set.isRequired), "satisfied": .bool(result.isSatisfied),
                        "options": .array(result.satisfiable.map { .array(set.options[$0].map { .string($0) }) }),
                    ]
                }))
        return object
    }

    private static func json(
        _ query: DCQLQuery.Credential, _ result: DCQLEvaluation.CredentialResult, _ credentials: [NamedCredential]
    ) -> JSONObject {
        let claims = query.claims ?? []
        return [
            "id": .string(query.id), "reason": result.reason.map { .string($0.description) } ?? .null,
            "matches": .array(
                result.matches.map { match in
                    [
                        "credential": .string(credentials[match.candidate].name),
                        "claims": .array(match.claims.map { claims[$0].path.json }),
                        "claimSet": match.claimSet.map { .integer(Int64($0)) } ?? .null,
                        "authority": match.authorityIsUndecided
                            ? "undecidable" : query.trustedAuthorities.isEmpty ? .null : "trusted",
                    ]
                }),
            "misses": .array(
                result.misses.map { miss in
                    [
                        "credential": .string(credentials[miss.candidate].name),
                        "reasons": .array(miss.reasons.map { .string($0.description) }),
                    ]
                }),
        ]
    }

    private static func text(_ query: DCQLQuery, _ result: DCQLEvaluation, _ credentials: [NamedCredential]) -> String {
        var lines = [result.isSatisfied ? "satisfied" : "not satisfied"]
        for (asked, found) in zip(query.credentials, result.credentials) {
            lines.append("\(asked.id) (\(asked.format))\(found.reason.map { ": \($0)" } ?? "")")
            for match in found.matches {
                let paths = match.claims.map { asked.claims?[$0].path.description ?? "" }
                let claims = paths.isEmpty ? "no selectively disclosable claims" : paths.joined(separator: ", ")
                let authority = match.authorityIsUndecided ? " (authority undecidable)" : ""
                lines.append("  + \(credentials[match.candidate].name): \(claims)\(authority)")
            }
            lines += found.misses.map { miss in
                "  - \(credentials[miss.candidate].name): \(miss.reasons.map(\.description).joined(separator: ", "))"
            }
        }
        for (place, set) in (result.sets ?? []).enumerated() {
            let options = set.satisfiable.map { (query.credentialSets?[place].options[$0] ?? []).joined(separator: " + ") }
            let kind = set.isRequired ? "required" : "optional"
            lines.append("set \(place) (\(kind)): \(options.isEmpty ? "not satisfied" : options.joined(separator: " or "))")
        }
        return (lines + query.warnings.map { "! \($0)" }).map { $0.replacingControlCharacters() }.joined(separator: "\n")
    }
}
