import Codec
import Credentials
import Crypto
import Ports

/// A test of the conformance suite on an SD-JWT VC and its type metadata, played with a credential of our own: its claims, what of
/// them is selectively disclosable, and the metadata.
struct ConformanceCredential {
    private static let type = "https://example.com/type"

    private var claims: JSONObject
    private let frame: DisclosureFrame
    private let document: JSON

    /// - Parameters:
    ///   - family: the class of the suite's check, which says what the blocks are.
    ///   - blocks: claims and metadata; or processed claims and the payload that they came from; or the suite's record of a
    ///     credential.
    init(_ family: String, _ test: String, _ blocks: [JSON]) throws {
        var claims: JSONObject
        switch family {
        case "VCIEnsureMandatoryClaimsArePresent":
            guard blocks.count == 2, let listed = blocks[0].objectValue, var metadata = blocks[1].objectValue else {
                throw Mismatch("claims and metadata are expected")
            }
            (claims, frame) = (listed, .open)
            metadata["vct"] = .string(Self.type)
            document = .object(metadata)
        case "VCIEnsureSelectiveDisclosureConformsToTypeMetadata":
            guard blocks.count == 2, let listed = blocks[0].objectValue, let rule = Self.rules[test] else {
                throw Mismatch("claims, a payload and a known test are expected")
            }
            claims = listed
            frame = DisclosureFrame(paths: Self.disclosable(blocks[0], blocks[1], []))
            var claim: JSONObject = ["path": .array(rule.path)]
            if let disclosure = rule.disclosure { claim["sd"] = .string(disclosure) }
            document = ["vct": .string(Self.type), "claims": [.object(claim)]]
        default:
            guard let listed = blocks.first?["credential"]?["claims"]?.objectValue else { throw Mismatch("claims are expected") }
            (claims, frame) = (listed, .open)
            // The suite's record holds no metadata, or the credential no type.
            document = listed["vct"] == nil ? ["vct": .string(Self.type)] : [:]
            self.claims = claims
            return
        }
        claims["vct"] = .string(Self.type)
        self.claims = claims
    }

    /// Whether the holder's checks refuse the credential for its type or its metadata.
    func isRefused() async throws -> Bool {
        let random = SeededRandom(seed: 9)
        let signer = try JWSSigner(PrivateKey.generate(.p256, random: random))
        let token = try await SDJWTIssuer(signer: signer, random: random).issue(claims, frame: frame)
        var verifier = SDJWTVerifier(signers: SignerVerifier(anchors: .none, edition: .first))
        verifier.metadata = OneDocument(bytes: Array(document.encoded().utf8))
        verifier.requiresMetadata = true
        let report = verifier.verify(
            token.compact, expecting: .issuance, at: Timestamp(secondsSince1970: 1_700_000_000))
        let rows = ["S12.required", "S14.form", "S14.metadata", "S14.claims"]
        return report.checks.contains { rows.contains($0.id) && $0.outcome.isViolation }
    }

    /// One document, whatever type is asked for.
    private struct OneDocument: TypeMetadataSource {
        let bytes: [UInt8]
        func document(for type: String) -> [UInt8]? { bytes }
    }

    /// The paths of what stands among the claims, and as a digest in the payload.
    private static func disclosable(_ claims: JSON, _ payload: JSON, _ path: [String]) -> [[String]] {
        if let members = claims.objectValue {
            return members.flatMap { name, value -> [[String]] in
                guard let open = payload[name] else { return [path + [name]] }
                return disclosable(value, open, path + [name])
            }
        }
        let elements = claims.arrayValue ?? []
        return elements.enumerated().flatMap { place, value -> [[String]] in
            let open = payload[place] ?? .null
            return open["..."] != nil ? [path + [String(place)]] : disclosable(value, open, path + [String(place)])
        }
    }

    /// The claim metadata of the suite's tests, which are code there: path, and `sd` where it is stated.
    private static let rules: [String: (path: [JSON], disclosure: String?)] = [
        "alwaysWithMatchingDisclosure_passes": (["given_name"], "always"),
        "alwaysWithoutMatchingDisclosure_fails": (["given_name"], "always"),
        "neverWithoutMatchingDisclosure_passes": (["given_name"], "never"),
        "neverWithMatchingDisclosure_fails": (["given_name"], "never"),
        "allowedHasNoConstraint_passes": (["given_name"], "allowed"), "omittedSdHasNoConstraint_passes": (["given_name"], nil),
        "claimAbsentFromPayload_isNotApplicable": (["given_name"], "always"),
        "multiSegmentStringPath_alwaysWithDisclosure_passes": (["address", "country"], "always"),
        "multiSegmentStringPath_neverWithDisclosure_fails": (["address", "country"], "never"),
        "multiSegmentStringPath_alwaysWithoutDisclosure_fails": (["address", "country"], "always"),
        "arrayIndexAlwaysDisclosed_passes": (["nationalities", 0], "always"),
        "arrayIndexAlwaysClearElement_fails": (["nationalities", 1], "always"),
        "arrayWildcardNeverOneElementDisclosed_fails": (["nationalities", .null], "never"),
        "arrayWildcardNeverNoneDisclosed_passes": (["nationalities", .null], "never"),
        "arrayWildcardAlwaysAllDisclosed_passes": (["nationalities", .null], "always"),
        "arrayIndexOutOfRange_isNotApplicable": (["nationalities", 5], "always"),
        "twoElementDisclosuresIgnored": (["given_name"], "always"),
        "siblingNameCollision_topLevelNotDisclosed_neverPasses": (["country"], "never"),
        "siblingNameCollision_nestedDisclosed_neverFails": (["address", "country"], "never"),
        "parentObjectOnlySd_childTreatedAsNotIndependentlyDisclosed": (["address", "country"], "always"),
        "parentObjectSd_parentAlwaysPasses": (["address"], "always"),
    ]
}
