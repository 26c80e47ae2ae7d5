import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// The verifier against presentations that are wrong in one way each.
@Suite struct SDJWTVerifierTests {
    private let random = SeededRandom(seed: 12)
    private let authority: TestAuthority
    private let holder: PrivateKey
    private let binding = KeyBindingExpectation(audience: "x509_san_dns:verifier.example", nonce: "nonce-1")

    init() throws {
        authority = try TestPKI.authority()
        holder = try PrivateKey.generate(.p256, random: random)
    }

    private var claims: JSONObject {
        let now = TestPKI.time.secondsSince1970
        return [
            "vct": "urn:example:id", "iss": "https://issuer.example", "iat": .integer(now), "nbf": .integer(now),
            "exp": .integer(now + 3600), "cnf": ["jwk": .object(holder.publicKey.jwk)], "name": "Erika", "born": "1963-08-12",
        ]
    }

    private func issuer(_ change: (inout SDJWTIssuer) -> Void = { _ in }) throws -> SDJWTIssuer {
        var issuer = SDJWTIssuer(
            signer: try JWSSigner(authority.documentSigner.key), certificates: [authority.documentSigner.certificate],
            random: random)
        change(&issuer)
        return issuer
    }

    private func issued(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> SDJWT {
        var claims = claims
        change(&claims)
        return try await issuer().issue(claims, frame: DisclosureFrame(disclosable: ["name", "born"]))
    }

    private func terms(_ change: (inout KeyBindingClaims) -> Void = { _ in }) -> KeyBindingClaims {
        var terms = KeyBindingClaims(audience: binding.audience, nonce: binding.nonce, issuedAt: TestPKI.time)
        change(&terms)
        return terms
    }

    private func presented(_ token: SDJWT) async throws -> String {
        try await token.bound(to: terms(), by: JWSSigner(holder)).compact
    }

    private func verify(
        _ text: String, types: [String]? = ["urn:example:id"], binding: KeyBindingExpectation? = nil, anchored: Bool = true,
        _ change: (inout SDJWTVerifier) -> Void = { _ in }
    ) -> PresentationReport {
        let anchors = anchored ? authority.anchors : .none
        var verifier = SDJWTVerifier(signers: SignerVerifier(anchors: anchors, edition: .first))
        change(&verifier)
        return verifier.verify(text, expecting: .presentation(types: types, binding: binding ?? self.binding), at: TestPKI.time)
    }

    private func violations(_ report: PresentationReport) -> Set<String> {
        Set(report.checks.filter { $0.outcome.isViolation }.map(\.id))
    }

    @Test func aGoodPresentationPasses() async throws {
        let report = verify(try await presented(issued()))
        #expect(report.verdict == .pass)
        #expect(violations(report) == ["S4.iss"])
        let document = try #require(report.documents.first)
        #expect(document.trusted == true)
        #expect(document.holderBinding == .keyBindingJWT)
        #expect(document.json()["claims"]?["name"] == "Erika")
        #expect(document.json()["format"] == "dc+sd-jwt")
        #expect(document.json(redacting: true)["claims"]?["name"] == ["redacted": true])
    }

    @Test func everyRowOfThePartIsReportedOnce() async throws {
        let report = verify(try await presented(issued()))
        #expect(Set(report.checks.map(\.id)) == Set(CheckCatalogue.sdJWT.map(\.id)))
        #expect(report.checks.count == CheckCatalogue.sdJWT.count)
        let broken = verify("no token")
        #expect(broken.checks.count == CheckCatalogue.sdJWT.count)
        #expect(broken.verdict == .fail)
    }

    @Test func withoutAnchorsTheVerdictIsOpenUnlessTrustIsWaived() async throws {
        let text = try await presented(issued())
        #expect(verify(text, anchored: false).verdict == .undetermined)
        #expect(verify(text, anchored: false) { $0.rule.trustWaived = true }.verdict == .pass)
    }

    @Test func anotherRootIsNoPath() async throws {
        let stranger = try TestPKI.authority(seed: 2, organization: "Erewhon")
        let report = verify(try await presented(issued())) {
            $0.signers = SignerVerifier(
                anchors: stranger.anchors, edition: .first)
        }
        #expect(violations(report) == ["S4.iss", "S4.path"])
    }

    @Test(
        arguments: [
            ("exp", JSON.integer(1_796_030_000), ["S13.exp"]), ("nbf", .integer(1_796_050_000), ["S13.nbf"]),
            ("iat", .integer(1_796_050_000), ["S13.iat"]), ("exp", "soon", ["S13.exp"]), ("vct", .integer(7), ["S14.form"]),
            ("vct", nil, ["S12.required"]), ("cnf", nil, ["S12.required", "S16.cnf"]), ("cnf", ["kid": "1"], ["S16.cnf"]),
            ("aka_vcts", [], ["S14.aka"]), ("aka_vcts", ["urn:example:id"], ["S14.aka"]),
        ] as [(String, JSON?, [String])]) func claimsTripTheirChecks(name: String, value: JSON?, expected: [String]) async throws
    {
        let report = verify(try await presented(issued { $0[name] = value }))
        #expect(violations(report).subtracting(["S4.iss"]) == Set(expected))
    }

    @Test func typesMatchByNameAndByOtherNames() async throws {
        let text = try await presented(issued { $0["aka_vcts"] = ["urn:example:general"] })
        #expect(verify(text, types: ["urn:example:general"]).verdict == .pass)
        #expect(violations(verify(text, types: ["urn:other"])) == ["S4.iss", "S14.vct"])
        #expect(verify(text, types: nil).verdict == .pass)
    }

    @Test func headersTripTheirChecks() async throws {
        for (header, expected) in [
            (["typ": "JWT"], "S2.typ"), (["typ": "vc+sd-jwt"], "S2.legacy"),
            (["typ": "dc+sd-jwt", "crit": ["x"], "x": 1], "S3.crit"),
        ] as [(JSONObject, String)] {
            let x5c = try issuer().header["x5c"] ?? nil
            let token = try await issuer { issuer in
                issuer.header = header
                issuer.header["x5c"] = x5c
            }.issue(claims, frame: .open)
            #expect(violations(verify(try await presented(token))) == ["S4.iss", expected])
        }
    }

    @Test func aForgedSignatureFails() async throws {
        let token = try await issued()
        let parts = token.issuerJWT.split(separator: ".").map(String.init)
        var signature = try Base64URL.decode(parts[2])
        signature[5] ^= 1
        let forged = SDJWT(
            issuerJWT: "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))", disclosures: token.disclosures)
        let report = verify(try await presented(forged))
        #expect(violations(report) == ["S4.iss", "S5"])
        let document = try #require(report.documents.first?.json())
        #expect(document["claims"] == [:])
        #expect(document["unverifiedClaims"]?["name"] == "Erika")
    }

    @Test func withoutCertificateAKeyIsNeeded() async throws {
        let token = try await issuer { $0.header["x5c"] = nil }.issue(claims, frame: .open)
        let text = try await presented(token)
        #expect(violations(verify(text)) == ["S4.key"])
        let key = authority.documentSigner.key.publicKey
        #expect(verify(text) { $0.issuerKeys = [key] }.verdict == .pass)
        #expect(
            violations(
                verify(text) { verifier in
                    verifier.issuerKeys = [key]
                    verifier.isHAIP = true
                }) == ["S4.key"])
    }

    @Test func keyBindingTripsItsChecks() async throws {
        let token = try await issued()
        let other = try PrivateKey.generate(.p256, random: random)
        let cases: [(String, String)] = [
            (token.compact, "S16.present"),
            (try await token.bound(to: terms(), by: JWSSigner(other)).compact, "S16.signature"),
            (try await token.bound(to: terms { $0.audience = "verifier.example" }, by: JWSSigner(holder)).compact, "S16.aud"),
            (try await token.bound(to: terms { $0.nonce = "other" }, by: JWSSigner(holder)).compact, "S16.nonce"),
            (
                try await token.bound(to: terms { $0.issuedAt = TestPKI.time.adding(seconds: -400) }, by: JWSSigner(holder))
                    .compact,
                "S16.past"
            ),
            (
                try await token.bound(to: terms { $0.issuedAt = TestPKI.time.adding(seconds: 400) }, by: JWSSigner(holder)).compact,
                "S16.future"
            ),
        ]
        for (text, check) in cases {
            #expect(violations(verify(text)) == ["S4.iss", check])
            #expect(verify(text).verdict == .fail)
        }
        #expect(verify(token.compact) { $0.rule.holderBindingRequired = false }.verdict == .pass)
    }

    @Test func aDisclosureTakenAwayBreaksTheBinding() async throws {
        let token = try await issued().bound(to: terms(), by: JWSSigner(holder))
        let fewer = SDJWT(issuerJWT: token.issuerJWT, disclosures: [token.disclosures[0]], keyBinding: token.keyBinding)
        #expect(violations(verify(fewer.compact)) == ["S4.iss", "S16.sd-hash"])
    }

    @Test func disclosuresTripTheirChecks() async throws {
        let token = try await issued()
        let foreign = Disclosure(salt: random.bytes(16), name: "height", value: 180)
        let respelt = try Disclosure(encoded: token.disclosures[0])
        let spaced = respelt.encoded
        #expect(!spaced.isEmpty)
        for (disclosures, expected) in [
            (token.disclosures + [foreign.encoded], ["S10.unreferenced"]),
            (token.disclosures + [token.disclosures[0]], ["S10.duplicate"]),
            (token.disclosures + ["bm90IGpzb24"], ["S8.json", "S10.unreferenced"]), (token.disclosures + ["A"], ["S1.base64url"]),
        ] {
            let text = try await SDJWT(issuerJWT: token.issuerJWT, disclosures: disclosures)
                .bound(to: terms(), by: JWSSigner(holder)).compact
            let found = violations(verify(text)).subtracting(["S4.iss"])
            #expect(found.isSubset(of: expected) && !found.isEmpty, "\(found)")
        }
    }

    @Test func transactionDataIsHashedAsReceived() async throws {
        let listed = Base64URL.encode(#"{"type":"pay","credential_ids":["a"],"transaction_data_hashes_alg":["sha-384"]}"#.utf8)
        let plain = Base64URL.encode(#"{"type":"pay","credential_ids":["a"]}"#.utf8)
        let token = try await issued()
        func judge(_ sent: [String], _ hash: TransactionData.Hash, _ expected: [String]) async throws -> Set<String> {
            var binding = binding
            binding.transactionData = expected
            let bound = try await token.bound(
                to: terms {
                    $0.transactionData = sent
                    $0.transactionHash = hash
                }, by: JWSSigner(holder))
            return violations(verify(bound.compact, binding: binding)).subtracting(["S4.iss"])
        }
        #expect(try await judge([plain], .unstated, [plain]).isEmpty)
        #expect(try await judge([listed], .stated(.sha384), [listed]).isEmpty)
        #expect(try await judge([listed], .unstated, [listed]) == ["S17.alg"])
        #expect(try await judge([plain], .stated(.sha512), [plain]) == ["S17.alg"])
        #expect(try await judge([plain], .unstated, [plain, plain]) == ["S17.hashes"])
        #expect(try await judge([], .unstated, [plain]) == ["S17.present"])
        #expect(try await judge([plain], .unstated, []) == ["S17.unasked"])
    }

    @Test func issuanceAllowsNoKeyBinding() async throws {
        let verifier = SDJWTVerifier(signers: SignerVerifier(anchors: .none, edition: .first))
        let token = try await issued()
        #expect(violations(verifier.verify(token.compact, expecting: .issuance, at: TestPKI.time)) == ["S4.iss"])
        let text = try await presented(token)
        #expect(violations(verifier.verify(text, expecting: .issuance, at: TestPKI.time)) == ["S4.iss", "S16.at-issuance"])
    }

    @Test func neverDisclosableClaimsAreFound() async throws {
        let token = try await issuer().issue(
            claims, frame: DisclosureFrame(disclosable: ["exp"], children: ["cnf": .init(disclosable: ["jwk"])]))
        #expect(violations(verify(try await presented(token))).contains("S12.disclosed"))
    }
}
