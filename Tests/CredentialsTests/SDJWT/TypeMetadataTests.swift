import Codec
import Crypto
import Testing

@testable import Credentials

/// Type metadata: chains of extensions, integrity, and what it demands of a credential.
@Suite struct TypeMetadataTests {
    private struct Documents: TypeMetadataSource {
        var all: [String: String]
        func document(for type: String) -> [UInt8]? { all[type].map { Array($0.utf8) } }
    }

    private func integrity(_ text: String) -> String { "sha256-" + Base64.encode(HashAlgorithm.sha256.digest(Array(text.utf8))) }

    @Test func childrenInheritAndMayOnlyNarrow() throws {
        let parent =
            #"{"vct": "p", "display": [{"locale": "en", "name": "P"}], "claims": [{"path": ["a"], "sd": "always"}, {"path": ["b"]}]}"#
        var source = Documents(all: ["p": parent])
        source.all["c"] = #"{"vct": "c", "extends": "p", "claims": [{"path": ["b"], "mandatory": true, "sd": "never"}]}"#
        let metadata = try ResolvedTypeMetadata("c", integrity: nil, from: source)
        #expect(metadata.types == ["c", "p"])
        #expect(metadata.claims.map(\.disclosure) == [.always, .never])
        #expect(metadata.claims.map(\.isMandatory) == [false, true])
        #expect(metadata.display?[0]?["name"] == "P")
        source.all["c"] = #"{"vct": "c", "extends": "p", "claims": [{"path": ["a"], "sd": "never"}]}"#
        #expect(throws: TypeMetadataError.self) { try ResolvedTypeMetadata("c", integrity: nil, from: source) }
    }

    @Test func circlesMissingDocumentsAndOtherTypesAreRefused() {
        let source = Documents(all: [
            "a": #"{"vct": "a", "extends": "b"}"#, "b": #"{"vct": "b", "extends": "a"}"#, "c": #"{"vct": "d"}"#,
            "e": #"{"vct": "e", "extends": "f"}"#,
        ])
        #expect(throws: TypeMetadataError.circular(["a", "b", "a"])) { try ResolvedTypeMetadata("a", integrity: nil, from: source) }
        #expect(throws: TypeMetadataError.otherType("d", wanted: "c")) {
            try ResolvedTypeMetadata("c", integrity: nil, from: source)
        }
        #expect(throws: TypeMetadataError.unavailable("f")) { try ResolvedTypeMetadata("e", integrity: nil, from: source) }
    }

    @Test func integrityIsOverTheOctetsAndTheStrongestHashCounts() throws {
        let text = #"{"vct": "a"}"#
        let source = Documents(all: ["a": text])
        _ = try ResolvedTypeMetadata("a", integrity: integrity(text), from: source)
        #expect(throws: TypeMetadataError.integrity("a")) {
            try ResolvedTypeMetadata("a", integrity: integrity(text + " "), from: source)
        }
        let strong = "sha512-" + Base64.encode(HashAlgorithm.sha512.digest(Array(text.utf8)))
        #expect(SubresourceIntegrity.matches("\(integrity("other")) \(strong)", Array(text.utf8)))
        #expect(!SubresourceIntegrity.matches("\(integrity(text)) sha512-AAAA", Array(text.utf8)))
        #expect(!SubresourceIntegrity.matches("md5-AAAA", Array(text.utf8)))
    }

    @Test func credentialsAreJudgedAsIssued() throws {
        let source = Documents(all: [
            "t": """
            {"vct": "t", "claims": [{"path": ["a"], "sd": "always"}, {"path": ["b"], "sd": "never", "mandatory": true},
            {"path": ["list", null], "sd": "always"}]}
            """
        ])
        let metadata = try ResolvedTypeMetadata("t", integrity: nil, from: source)
        let hidden: JSONObject = ["b": 1, "list": [["...": "AAAA"]]]
        #expect(metadata.violations(in: ProcessedSDJWT(hidden, disclosures: []).root, isComplete: false).isEmpty)
        let open: JSONObject = ["a": 1, "list": ["x"]]
        #expect(metadata.violations(in: ProcessedSDJWT(open, disclosures: []).root, isComplete: true).count == 3)
        let wrong: JSONObject = ["b": 1, "list": "x"]
        #expect(metadata.violations(in: ProcessedSDJWT(wrong, disclosures: []).root, isComplete: true).count == 1)
    }

    @Test(arguments: [
        "[]", "{}", #"{"vct": 1}"#, #"{"vct": "a", "claims": {}}"#, #"{"vct": "a", "claims": [{}]}"#,
        #"{"vct": "a", "claims": [{"path": []}]}"#, #"{"vct": "a", "claims": [{"path": ["a"], "sd": "maybe"}]}"#,
        #"{"vct": "a", "claims": [{"path": ["a"], "mandatory": 1}]}"#, #"{"vct": "a", "display": [{"name": "x"}]}"#,
        #"{"vct": "a", "extends": 1}"#, #"{"vct": "a", "vct": "b"}"#,
    ]) func refusesMistypedDocuments(text: String) {
        #expect(throws: TypeMetadataError.self) { try TypeMetadata(Array(text.utf8)) }
    }
}
