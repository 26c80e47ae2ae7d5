import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// Reading, issuing and showing SD-JWTs.
@Suite struct SDJWTTests {
    private let random = SeededRandom(seed: 8)

    @Test func publishedTokensGiveTheirPayload() throws {
        let fixture = try Fixture.json("sd-jwt/rfc9901.json")
        for entry in try #require(fixture["cases"]?.arrayValue) {
            let text = try #require(entry["compact"]?.stringValue)
            let token = try SDJWT(compact: text)
            #expect(token.compact == text)
            let processed = try token.processed()
            #expect(processed.findings.isEmpty)
            #expect(.object(processed.claims) == entry["processed"])
            // The JSON serialisation and back.
            let json = try SDJWT(json: .object(token.json(flattened: false)))
            #expect(json == token)
        }
    }

    @Test(arguments: ["", "a.b.c", "~", "a.b.c~~", "a.b~", "a.b.c~x~y", "a.b.c~x"]) func refusesOtherForms(text: String) {
        #expect(throws: SDJWTError.self) { try SDJWT(compact: text) }
    }

    @Test func refusesMoreDisclosuresThanTheLimit() {
        let text = "a.b.c~" + String(repeating: "x~", count: SDJWT.disclosureLimit + 1)
        #expect(throws: SDJWTError.self) { try SDJWT(compact: text) }
    }

    private func issue(_ claims: JSONObject, _ frame: DisclosureFrame, hash: SDHash = .sha256) async throws -> SDJWT {
        let signer = try JWSSigner(PrivateKey.generate(.p256, random: random))
        return try await SDJWTIssuer(signer: signer, hash: hash, random: random).issue(claims, frame: frame)
    }

    private let claims: JSONObject = [
        "name": "Erika", "address": ["street": "Heidestraße 17", "city": "Köln"], "nationalities": ["DE", ["x"], "FR"], "n": nil,
    ]

    @Test(arguments: SDHash.allCases) func recursiveFramesAndDecoysGiveBackTheClaims(hash: SDHash) async throws {
        let frame = try DisclosureFrame([
            "_sd": ["name", "address", "n"], "_sd_decoy": 3, "address": ["_sd": ["street"]],
            "nationalities": ["_sd": [0, 2], "1": ["_sd": [0]], "_sd_decoy": 1],
        ])
        let token = try await issue(claims, frame, hash: hash)
        let processed = try token.processed()
        #expect(processed.findings.isEmpty)
        #expect(processed.claims == claims)
        #expect(processed.hiddenDigests == 4)
        #expect(token.disclosures.count == 7)
        let payload = try token.jws().claims()
        #expect(payload["name"] == nil)
        let digests = payload["_sd"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(digests.count == 6)
        #expect(digests == digests.sorted())
    }

    @Test func showsWhatIsAskedAndWhatIsAroundIt() async throws {
        let frame = try DisclosureFrame([
            "_sd": ["name", "address"], "address": ["_sd": ["street", "city"]], "nationalities": ["_sd": [0, 2]],
        ])
        let token = try await issue(claims, frame)
        let shown = try token.showing([ClaimPath("address", "city"), ClaimPath([.key("nationalities"), .index(2)])])
        #expect(try shown.processed().claims == ["address": ["city": "Köln"], "nationalities": [["x"], "FR"], "n": nil])
        #expect(try token.showing([ClaimPath("address")]).disclosures.count == 3)
        #expect(try token.showing([]).disclosures.isEmpty)
        #expect(throws: SDJWTError.self) { try token.showing([ClaimPath("height")]) }
        #expect(throws: SDJWTError.self) { try token.showing([ClaimPath("name", "first")]) }
    }

    @Test(arguments: [
        #"{"_sd": ["height"]}"#, #"{"height": {}}"#, #"{"nationalities": {"_sd": [3]}}"#, #"{"name": {"_sd": ["x"]}}"#,
        #"{"_sd": 1}"#,
        #"{"_sd_decoy": -1}"#, #"{"_sd_decoy": 1001}"#, "[]",
    ]) func refusesFramesThatDoNotFit(text: String) async throws {
        let json = try JSON.decode(text)
        await #expect(throws: SDJWTError.self) { _ = try await issue(claims, DisclosureFrame(json)) }
    }

    @Test(arguments: ["_sd", "...", "_sd_alg"]) func refusesReservedClaims(name: String) async throws {
        await #expect(throws: SDJWTError.self) { _ = try await issue(["a": [.object([name: 1])]], .open) }
    }

    @Test func neverDisclosableClaimsStandOpen() async throws {
        let signer = try JWSSigner(PrivateKey.generate(.p256, random: random))
        let issuer = SDJWTIssuer(signer: signer, random: random)
        await #expect(throws: SDJWTError.self) {
            try await issuer.issueVC(["vct": "t", "exp": 1], frame: DisclosureFrame(disclosable: ["exp"]))
        }
        await #expect(throws: SDJWTError.self) { try await issuer.issueVC(["a": 1], frame: .open) }
    }

    @Test func disclosuresInsideEachOtherEndAtTheDepthLimit() throws {
        var disclosures: [String] = []
        var inner: JSON = "x"
        for _ in 0..<100 {
            let disclosure = Disclosure(salt: random.bytes(16), name: "a", value: inner)
            disclosures.append(disclosure.encoded)
            inner = ["_sd": [.string(disclosure.digest(.sha256))]]
        }
        let processed = ProcessedSDJWT(try #require(inner.objectValue), disclosures: disclosures)
        #expect(processed.findings.contains { $0.check == "S8.json" })
    }
}
