import Codec
import Credentials
import Testing

/// The query engine: what is refused, what matches, and the reason of every miss.
@Suite struct DCQLTests {
    private let pid = QueryableCredential(
        format: "dc+sd-jwt", types: ["urn:pid", "urn:person"], isHolderBound: true,
        content: [
            "name": "Erika", "age": 40, "adult": true, "ratio": 40.5, "address": ["city": "Köln"], "nationalities": ["DE", "FR"],
            "degrees": [["type": "BSc"], ["type": "MSc", "year": 2001]],
        ], authorityKeyIdentifiers: [[1, 2, 3]])
    private let licence = QueryableCredential(
        format: "mso_mdoc", types: ["org.iso.18013.5.1.mDL"], isHolderBound: true,
        content: ["org.iso.18013.5.1": ["family_name": "Roe", "sex": 1]])

    private func evaluate(_ text: String) throws -> DCQLEvaluation { try DCQLQuery(text: text).evaluate(over: [pid, licence]) }

    private func query(_ members: String) -> String {
        #"{"credentials": [{"id": "a", "format": "dc+sd-jwt", "meta": {"vct_values": ["urn:pid"]}\#(members)}]}"#
    }

    private func reasons(_ members: String) throws -> [DCQLMiss] {
        try evaluate(query(members)).credentials[0].misses.first { $0.candidate == 0 }?.reasons ?? []
    }

    @Test func queriesWithoutClaimsMatchByFormatAndType() throws {
        let result = try evaluate(query(""))
        #expect(result.isSatisfied)
        #expect(result.credentials[0].matches.map(\.candidate) == [0])
        #expect(result.credentials[0].matches[0].claims.isEmpty)
        #expect(result.credentials[0].misses.map(\.candidate) == [1])
        #expect(result.credentials[0].misses.map(\.reasons) == [[.format]])
    }

    @Test func everyMissHasItsWord() throws {
        #expect(try reasons(#","claims": [{"path": ["height"]}]"#) == [.claimMissing(ClaimPath("height"))])
        #expect(try reasons(#","claims": [{"path": ["name", "first"]}]"#) == [.pathError(ClaimPath("name", "first"))])
        #expect(try reasons(#","claims": [{"path": ["address", null]}]"#).first?.description == #"pathError ["address",null]"#)
        #expect(
            try reasons(#","claims": [{"path": ["nationalities", 2]}]"#).first?.description == #"claimMissing ["nationalities",2]"#)
        #expect(try reasons(#","claims": [{"path": ["age"], "values": ["40"]}]"#) == [.value(ClaimPath("age"))])
        #expect(try reasons(#","claims": [{"path": ["adult"], "values": [1]}]"#) == [.value(ClaimPath("adult"))])
        #expect(try reasons(#","claims": [{"path": ["age"], "values": [true, 40]}]"#).isEmpty)
        #expect(try reasons(#","trusted_authorities": [{"type": "aki", "values": ["AAAA"]}]"#) == [.authority])
        #expect(
            try reasons(#","claims": [{"id": "x", "path": ["height"]}, {"id": "y", "path": ["name"]}], "claim_sets": [["x", "y"]]"#)
                == [.noClaimSet, .claimMissing(ClaimPath("height"))])
        let unbound = QueryableCredential(format: "dc+sd-jwt", types: ["urn:pid"], isHolderBound: false, content: [:])
        #expect(try DCQLQuery(text: query("")).evaluate(over: [unbound]).credentials[0].misses[0].reasons == [.holderBinding])
        #expect(
            try DCQLQuery(text: query(#","require_cryptographic_holder_binding": false"#)).evaluate(over: [unbound]).isSatisfied)
        let other = query("").replacing("urn:pid", with: "urn:other")
        #expect(try evaluate(other).credentials[0].misses[0].reasons == [.type])
        #expect(try evaluate(query("").replacing("urn:pid", with: "urn:person")).isSatisfied)
    }

    @Test func pathsWithNullSelectAnyElement() throws {
        #expect(try reasons(#","claims": [{"path": ["degrees", null, "type"], "values": ["MSc"]}]"#).isEmpty)
        #expect(try reasons(#","claims": [{"path": ["degrees", null, "year"]}]"#).isEmpty)
        #expect(try reasons(#","claims": [{"path": ["nationalities", 1], "values": ["FR"]}]"#).isEmpty)
        #expect(try reasons(#","claims": [{"path": ["nationalities", 0], "values": ["FR"]}]"#).count == 1)
    }

    @Test func theFirstClaimSetThatCanBeHadIsTaken() throws {
        let members = #"""
            ,"claims": [{"id": "h", "path": ["height"]}, {"id": "n", "path": ["name"]}, {"id": "a", "path": ["age"]}],
            "claim_sets": [["h"], ["n", "a"], ["n"]]
            """#
        let match = try #require(try evaluate(query(members)).credentials[0].matches.first)
        #expect(match.claimSet == 1)
        #expect(match.claims == [1, 2])
    }

    @Test func authoritiesOfUnknownKindsAreUndecided() throws {
        let list = #"{"type": "etsi_tl", "values": ["https://lotl.example"]}"#
        let undecided = try evaluate(query(#","trusted_authorities": [\#(list)]"#))
        #expect(undecided.credentials[0].matches.map(\.authorityIsUndecided) == [true])
        let known = try evaluate(query(#","trusted_authorities": [\#(list), {"type": "aki", "values": ["AQID"]}]"#))
        #expect(known.credentials[0].matches.map(\.authorityIsUndecided) == [false])
    }

    @Test func setsDecideWhatIsRequested() throws {
        let credentials = #"""
            {"id": "a", "format": "dc+sd-jwt", "meta": {"vct_values": ["urn:pid"]}},
            {"id": "b", "format": "mso_mdoc", "meta": {"doctype_value": "x"}}, {"id": "c", "format": "ldp_vc", "meta": {}}
            """#
        func evaluate(_ sets: String) throws -> DCQLEvaluation {
            try self.evaluate(#"{"credentials": [\#(credentials)], "credential_sets": [\#(sets)]}"#)
        }
        let either = try evaluate(#"{"options": [["b"], ["a"]]}"#)
        #expect(either.isSatisfied)
        #expect(either.sets?[0].satisfiable == [1])
        #expect(either.result("c")?.reason == .unknownFormat)
        #expect(either.result("b")?.reason == nil)
        let both = try evaluate(#"{"options": [["a", "b"]]}"#)
        #expect(!both.isSatisfied)
        #expect(both.result("a")?.reason == .setUnsatisfied)
        let optional = try evaluate(#"{"options": [["b"]], "required": false}"#)
        #expect(optional.isSatisfied)
        #expect(optional.result("a")?.reason == .notInSet)
    }

    @Test func presentationsAreJudgedUnderTheirIdOnly() throws {
        let query = try DCQLQuery(text: query(#","claims": [{"path": ["nationalities", 1], "values": ["FR"]}]"#))
        let shown = QueryableCredential(
            format: "dc+sd-jwt", types: ["urn:pid"], isHolderBound: true, content: ["nationalities": ["FR"]])
        #expect(query.evaluate(presented: ["a": [shown]]).isSatisfied)
        #expect(!query.evaluate(presented: ["b": [shown]]).isSatisfied)
        #expect(!query.evaluate(over: [shown]).isSatisfied)
    }

    @Test(arguments: [
        ("[]", "VQ18", "(top)"), ("{}", "VQ1", "credentials"), (#"{"credentials": []}"#, "VQ1", "credentials"),
        (#"{"credentials": [{"id": "a b", "format": "f", "meta": {}}]}"#, "VQ2", "credentials[0].id"),
        (#"{"credentials": [{"id": "a", "meta": {}}]}"#, "VQ3", "credentials[0].format"),
        (#"{"credentials": [{"id": "a", "format": "mso_mdoc", "meta": {}}]}"#, "VQ4", "credentials[0].meta.doctype_value"),
        (#"{"credentials": [{"id": "a", "format": "f", "meta": {}, "multiple": 1}]}"#, "VQ5", "credentials[0].multiple"),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "trusted_authorities": [{"type": "aki"}]}]}"#, "VQ6",
            "credentials[0].trusted_authorities[0].values"
        ),
        (#"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": []}]}"#, "VQ7", "credentials[0].claims"),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": [{"path": ["x", -1]}]}]}"#, "VQ8",
            "credentials[0].claims[0].path[1]"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": [{"path": ["x", 1.5]}]}]}"#, "VQ8",
            "credentials[0].claims[0].path[1]"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "mso_mdoc", "meta": {"doctype_value": "d"}, "claims": [{"path": ["x"]}]}]}"#,
            "VQ9", "credentials[0].claims[0].path"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": [{"id": "", "path": ["x"]}]}]}"#, "VQ10",
            "credentials[0].claims[0].id"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": [{"path": ["x"], "values": [null]}]}]}"#, "VQ12",
            "credentials[0].claims[0].values[0]"
        ),
        (#"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claim_sets": [["x"]]}]}"#, "VQ13", "credentials[0].claims"),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}, "claims": [{"id": "x", "path": ["x"]}], "claim_sets": [["y"]]}]}"#,
            "VQ14", "credentials[0].claim_sets[0][0]"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}}], "credential_sets": [{"options": []}]}"#, "VQ15",
            "credential_sets[0].options"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "f", "meta": {}}], "credential_sets": [{"options": [["b"]]}]}"#, "VQ16",
            "credential_sets[0].options[0][0]"
        ),
        (
            #"{"credentials": [{"id": "a", "format": "mso_mdoc", "meta": {"doctype_value": "d"}, "claims": [{"path": ["n", "e"], "intent_to_retain": 1}]}]}"#,
            "VQ17", "credentials[0].claims[0].intent_to_retain"
        ),
        ("{", "VQ18", "(top)"),
    ]) func faultsOfSyntaxAreNamedWithTheirPlace(text: String, check: String, path: String) throws {
        let error = #expect(throws: DCQLSyntaxError.self) { try DCQLQuery(text: text) }
        let issues = try #require(error).issues
        #expect(issues.contains { $0.check == check && $0.path.description == path }, "\(issues)")
        #expect(CheckCatalogue.row(check)?.id == check)
    }

    @Test func oddQueriesAreEvaluatedAndWarnedOf() throws {
        let query = try DCQLQuery(
            text: query(
                #","extra": 1, "claims": [{"id": "x", "path": ["name"]}, {"id": "y", "path": ["name"]}], "claim_sets": [["x"]]"#))
        #expect(query.warnings.map(\.check) == [nil, "VQ11", nil])
        #expect(query.evaluate(over: [pid]).isSatisfied)
    }
}
