import Codec
import Credentials

/// What a case of `response-vs-dcql.json` presents: the blocks give it in part, the case's name says the rest.
struct PresentedAnswer {
    /// With `credentials`, as far as the case has some.
    let query: JSON
    /// The type of the credential that is presented.
    let type: String
    private let content: Content

    private enum Content {
        /// Given as it is; nothing in it has to be a credential.
        case token(JSON)
        case sdJWT(id: String, claims: JSONObject)
        case mdoc(id: String, elements: [(nameSpace: String, identifier: String)], hasType: Bool)
    }

    init(rule: String, test: String, blocks: [JSON]) throws {
        let id = Self.ids[test] ?? "my_credential"
        let first = blocks.first ?? nil
        switch rule {
        case "ValidateVpTokenPresentationCountMatchesDcqlQuery":
            (query, type) = (["credentials": [first]], Self.vct)
            content = .token(blocks.count > 1 ? blocks[1] : nil)
        case "ExtractVP1FinalVpTokenDCQL":
            // Only the token is given: every id in it is asked for, and one if there is none.
            let ids = first.objectValue.map { Array($0.keys) } ?? []
            let asked = (ids.isEmpty ? [id] : ids).map { id -> JSON in ["id": .string(id), "format": "dc+sd-jwt"] }
            (query, type, content) = (["credentials": .array(asked)], Self.vct, .token(first))
        case let rule where rule.contains("Mdoc"):
            let presented = Self.docTypes[test] ?? Self.licence
            (query, type) = (first, presented)
            content = .mdoc(
                id: id, elements: Self.elements[test] ?? [(Self.nameSpace, "given_name")],
                hasType: test != "missingDocTypeThrowsError")
        default:
            (query, type) = (first, Self.vcts[test] ?? Self.vct)
            if test == "missingDecodedSdJwtFails" {
                content = .token([id: ["eyJhbGci...QMA~"]])
                return
            }
            var claims = blocks.count > 1 ? blocks[1].objectValue ?? [:] : ["given_name": "John"]
            if test != "missingVctClaimInCredentialFails" { claims["vct"] = .string(type) }
            content = .sdJWT(id: id, claims: claims)
        }
    }

    /// The value of `vp_token`.
    func token(_ stage: AnswerStage) async throws -> JSON {
        switch content {
        case .token(let json): json
        case .sdJWT(let id, let claims): [id: [.string(try await stage.sdJWT(claims))]]
        case .mdoc(let id, let elements, let hasType):
            [id: [.string(try await stage.mdoc(type, elements, hasType: hasType))]]
        }
    }

    private static let vct = "https://example.com/identity_credential"
    private static let licence = "org.iso.18013.5.1.mDL"
    private static let nameSpace = "org.iso.18013.5.1"

    /// Under which id the answer comes, where it is not `my_credential`.
    private static let ids = [
        "nonMatchingCredentialIdFails": "wrong_credential", "matchesAmongMultipleCredentials": "second_credential",
        "multipleCredentialsMatchesCorrectOne": "second_credential",
    ]
    private static let vcts = [
        "matchingVctSecondValuePasses": "https://example.com/other_credential",
        "nonMatchingVctFails": "https://example.com/wrong_credential",
        "multipleCredentialsMatchesCorrectOne": "https://example.com/second_type",
        "matchesAmongMultipleCredentials": "https://example.com/second_type",
    ]
    private static let docTypes = ["docTypeMismatchThrowsError": "org.iso.23220.photoid.1"]
    private static let elements: [String: [(nameSpace: String, identifier: String)]] = [
        "allRequestedClaimsDisclosedPasses": [(nameSpace, "given_name"), (nameSpace, "family_name")],
        "onlyRequestedElementsDisclosedPasses": [(nameSpace, "given_name"), (nameSpace, "family_name")],
        "unrequestedElementDisclosedThrowsError": [(nameSpace, "given_name"), (nameSpace, "family_name")],
        "extraDisclosedElementStillPassesAgainstRequested": [
            (nameSpace, "given_name"), (nameSpace, "family_name"), (nameSpace, "birth_date"),
        ],
        "elementInUnrequestedNamespaceThrowsError": [(nameSpace, "given_name"), ("org.iso.18013.5.1.aamva", "organ_donor")],
        "noClaimsInDcqlWithoutDisclosuresPasses": [],
    ]
}
