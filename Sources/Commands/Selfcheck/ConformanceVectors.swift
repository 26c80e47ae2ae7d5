import Codec
import Credentials
import Crypto
import OpenID
import Ports

/// The unit tests of the conformance suite's OpenID4VCI checks: what the suite's check would find, ours has to find.
enum ConformanceVectors {
    static func cases(_ json: JSON) async -> [VectorCase] {
        var cases: [VectorCase] = []
        for item in json["cases"]?.arrayValue ?? [] {
            let name = item["id"]?.stringValue ?? ""
            let isRefusal = (item["expected"]?.stringValue == "fail") != stricter.contains(name)
            cases.append(
                await VectorCase(name) {
                    let parts = name.split(separator: "/").map(String.init)
                    guard parts.count == 2 else { throw Mismatch("the name \(name) has no test") }
                    if let reason = ownConduct[parts[1]] { throw NotApplicable(reason) }
                    let finds = try await finds(parts[0], parts[1], item["json_blocks"]?.arrayValue ?? [])
                    try expect(finds, equals: isRefusal, "whether something is found wrong")
                })
        }
        return cases
    }

    /// What the suite lets pass and a specification does not: identifiers are compared byte by byte (RFC 8414 §3.3).
    private static let stricter: Set<String> = ["VCIEnsureAuthorizationServerIssuerMatchesExpected/ignoresTrailingSlashDifference"]

    private static let stateOnly = "the suite's own memory between two credentials: nothing of it stands in the file"
    private static let withoutMetadata =
        "inconclusive for the suite, and the claim metadata that it depends on do not stand in the file"

    /// Tests of what the suite does, not of a message.
    private static let ownConduct: [String: String] = [
        "missingVct_doesNotStoreUrl": stateOnly, "staleStateFromPriorCredentialIsCleared": stateOnly,
        "staleStateIsClearedEvenWhenNewVctIsAlsoHttps": stateOnly,
        "pathDescendingPastDisclosedArrayElement_isInconclusiveAndSkipped": withoutMetadata,
        "duplicateClaimNameDescent_isInconclusiveAndSkipped": withoutMetadata,
        "missingRawCredentialClaims_isSkippedNotFailed": withoutMetadata,
    ]

    /// Whether the check of this class has something to say.
    private static func finds(_ family: String, _ test: String, _ blocks: [JSON]) async throws -> Bool {
        if let topics = topics[family] { return try reads(test, topics, blocks) }
        guard let first = blocks.first else { throw NotApplicable("no JSON stands in the test") }
        switch family {
        case "CheckForUnexpectedParametersInCredentialIssuerMetadata": return unknownMembers(blocks)
        case "CheckForUnexpectedParametersInCredentialOffer": return !KnownMembers.unknown(inOffer: first).isEmpty
        case "CheckForUnexpectedParametersInSdJwtVcTypeMetadata": return !TypeMetadata.unknownMembers(of: first).isEmpty
        case "VCIExtractCredentialResponseTest":
            let json = first["$text"]?.stringValue.flatMap { try? JSON.decode($0) } ?? first
            return !CredentialResponse.read(json, status: 200, keys: json["credentials"]?.arrayValue?.count).findings.isEmpty
        case "VCIEnsureCredentialResponseIsEncryptedJwe": return (try? JWE(compact: first.encoded())) == nil
        case "VCIDecodeSignedCredentialIssuerMetadata": return try await signedMetadata(first)
        case "VCIEnsureAuthorizationServerIssuerMatchesExpected": return server(test, blocks)
        case "VCIValidateSdJwtVcTypeMetadataStructure", "VCIFetchSdJwtVcTypeMetadata":
            return (try? TypeMetadata(Array(first.encoded().utf8))) == nil
        case "VCIDetectTypeMetadataExtends": return try TypeMetadata(Array(first.encoded().utf8)).extends != nil
        case "VCIEnsureMandatoryClaimsArePresent", "VCIEnsureSelectiveDisclosureConformsToTypeMetadata",
            "VCIEnsureSdJwtVcVctMatchesTypeMetadataVct":
            return try await ConformanceCredential(family, test, blocks).isRefused()
        default: throw Mismatch("a check of a class that nothing here knows")
        }
    }

    // MARK: Issuer metadata

    /// What our findings say where a check of issuer metadata does, by its class. The empty word: anything.
    private static let topics: [String: [String]] = [
        "VCICredentialIssuerMetadataValidationTest": [""],
        "VCIValidateAuthorizationServersAreHttps": ["authorization_servers"],
        "VCIValidateCredentialConfigurationScopeSyntax": ["scope", "credential_configurations_supported"],
        "VCIValidateCredentialIssuerUri": ["credential_issuer"],
        "VCIValidateEncryptionAlgorithms": ["alg_values_supported", "enc_values_supported"],
        "VCIValidateEncryptionZipValues": ["zip_values_supported"],
        "VCIValidateProofSigningAlgValuesSupported": ["proof_signing_alg_values_supported", "credential_configurations_supported"],
        "VCIValidateProofTypesCoPresence": ["not both or neither", "credential_configurations_supported missing"],
        "VCIValidateCredentialSigningAlgValuesSupported": [
            "credential_signing_alg_values_supported", "credential_configurations_supported missing",
        ],
        "VCIValidateDisplayLocales": ["locale "], "VCIWarnOnNonCanonicalDisplayLocales": ["is written"],
    ]

    private static func reads(_ test: String, _ topics: [String], _ blocks: [JSON]) throws -> Bool {
        guard let first = blocks.first else { throw NotApplicable("no JSON stands in the test") }
        let json = first["$text"]?.stringValue.flatMap { try? JSON.decode($0) } ?? first
        let isCompared = test.contains("NotMatching") || test.contains("TrailingSlashMismatch")
        let reader = IssuerMetadataReader(json, expected: isCompared ? "https://issuer.example.com" : nil, isHAIP: false)
        let found = reader.findings.map(\.what) + reader.advice
        return found.contains { what in topics.contains { $0.isEmpty || what.contains($0) } }
    }

    /// Members that nobody has defined; a second block lists those that the tester lets pass.
    private static func unknownMembers(_ blocks: [JSON]) -> Bool {
        let allowed = blocks.dropFirst().flatMap {
            ($0["vci"]?["allow_unexpected_credential_issuer_metadata_fields"]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        let reader = IssuerMetadataReader(blocks.first ?? .null, expected: nil, isHAIP: false)
        return reader.advice.contains { what in
            what.contains("is a member that neither") && !allowed.contains { what.hasPrefix("\($0) ") }
        }
    }

    /// The payload is a template: the suite fills in the issuer and the time, and signs.
    private static func signedMetadata(_ block: JSON) async throws -> Bool {
        let issuer = "https://issuer.example.com"
        let now = Timestamp(secondsSince1970: 1_747_000_000)
        let text = (block["$text"]?.stringValue ?? block.encoded()).replacing("%s", with: issuer)
            .replacing("%d", with: String(now.secondsSince1970))
        guard let claims = try JSON.decode(text).objectValue else { throw Mismatch("the payload is no object") }
        let random = SeededRandom(seed: 7)
        let key = try PrivateKey.generate(.p256, random: random)
        let draft = JWTDraft(
            header: ["typ": .string(SignedMetadata.type), "jwk": .object(key.publicKey.jwk)], claims: claims)
        let compact = try await draft.signed(by: JWSSigner(key), random: random)
        return !SignedMetadata.read(compact, issuer: issuer, anchors: [], isHAIP: false, skew: 60, at: now).findings.isEmpty
    }

    // MARK: Authorization servers

    /// The server that a test's code asks for, where it is not the first; the file holds the messages alone.
    private static let servers = [
        "acceptsMatchingIssuerForSecondAuthorizationServer": 1, "rejectsIssuerNotMatchingAuthorizationServersEntry": 1,
        "rejectsIndexOutOfRange": 2,
    ]

    /// Whether the server's `issuer` is not that of the metadata that lead there.
    private static func server(_ test: String, _ blocks: [JSON]) -> Bool {
        let listed = blocks.first?["authorization_servers"]?.arrayValue ?? [blocks.first?["credential_issuer"] ?? .null]
        let place = servers[test] ?? 0
        guard listed.indices.contains(place), let expected = listed[place].stringValue, blocks.count > 1 else { return true }
        return ServerMetadata.read(blocks[1], expected: expected, grant: nil, isHAIP: false).findings.contains {
            $0.check == "IW4.issuer"
        }
    }
}
