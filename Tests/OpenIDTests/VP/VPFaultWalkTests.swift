import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

@testable import OpenID

/// Every fault of OpenID4VP and of SD-JWT VC, switched on in the role that makes it and seen by the other, in memory: with the fault
/// its checks fail or warn, and none that is not allowed to.
struct VPFaultWalkTests {
    /// What a fault needs to show, beside being switched on.
    struct Scene: Sendable {
        var client = VPStage.Client.hash
        var query = VPStage.both
        var mode = ResponseMode.directPostJWT
        var passing = VPOrder.Passing.get
        var isHAIP = false
        var transaction: String?
        var isSameDevice = false
        var seen: String?
        var formats: JSON?
        var minutesLater: Int64 = 0
    }

    private static func query(_ change: (inout JSONObject) -> Void, format: Int = 1) -> JSON {
        var query = VPStage.both["credentials"]?[format]?.objectValue ?? JSONObject()
        change(&query)
        return ["credentials": [.object(query)]]
    }

    private static let scenes: [String: Scene] = {
        var scenes: [String: Scene] = [
            "wallet-nonce": Scene(passing: .post), "fetch-accept": Scene(passing: .post), "fetch-form": Scene(passing: .post),
            "wallet-metadata": Scene(passing: .post), "redirect-uri-value": Scene(client: .unsigned, passing: .value),
            "san-dns-match": Scene(client: .dns), "san-dns-host": Scene(client: .dns),
            "did-kid": Scene(client: .did), "did-resolve": Scene(client: .did),
            "pre-registered-metadata": Scene(client: .registered, mode: .directPost),
            "request-leaf-self-signed": Scene(isHAIP: true), "request-anchor-in-x5c": Scene(isHAIP: true),
            "enc-key-p256": Scene(isHAIP: true), "enc-values-both": Scene(isHAIP: true),
            "enc-key-reused": Scene(isHAIP: true, seen: "key "), "nonce-reused": Scene(seen: "nonce the-same"),
            "response-answer-redirect-uri": Scene(isHAIP: true, isSameDevice: true),
            "state-required": Scene(query: query { $0["require_cryptographic_holder_binding"] = false }),
            "response-late": Scene(minutesLater: 10), "tx-hashes-present": Scene(transaction: "pid"),
            "tx-hashes-equal": Scene(transaction: "pid"), "tx-hashes-alg": Scene(transaction: "pid"),
            "tx-mdoc-element": Scene(transaction: "mdl"), "tx-hashes-unasked": Scene(query: VPStage.pid),
            "own-response-no-claims": Scene(query: query { $0["claims"] = nil }),
            "empty-entry": Scene(
                query: [
                    "credentials": [
                        VPStage.query(0),
                        ["id": "other", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:nobody:has"]]],
                    ],
                    "credential_sets": [["options": [["mdl"]]], ["options": [["other"]], "required": false]],
                ]),
            "query-values": Scene(query: query { $0["claims"] = [["path": ["family_name"], "values": ["Nobody"]]] }),
            "query-authority": Scene(query: query { $0["trusted_authorities"] = [["type": "aki", "values": ["AAAA"]]] }),
            "formats-alg": Scene(query: VPStage.pid, formats: ["dc+sd-jwt": ["kb-jwt_alg_values": ["ES384"]]]),
            "query-type": Scene(query: ["credentials": [VPStage.query(0)]]),
            "claim-sets-reference": Scene(query: VPStage.pid), "claim-id": Scene(query: VPStage.pid),
        ]
        for name in ["dc-protocol", "dc-response-mode", "expected-origins", "origin-wrong", "dc-aud", "dc-transcript"] {
            scenes[name] = Scene(mode: .dcAPI)
        }
        for name in ["va-jwt", "va-sub", "va-exp", "va-cnf", "va-redirect-uris", "va-trust"] {
            scenes[name] = Scene(client: .attestation)
        }
        for fault in VPRequestFault.all where fault.trips.contains(where: { $0.hasPrefix("VQ") }) {
            scenes[fault.name] = scenes[fault.name] ?? Scene(query: VPStage.pid)
        }
        return scenes
    }()

    private func order(_ scene: Scene) throws -> VPOrder {
        var order = VPOrder(try DCQLQuery(scene.query))
        order.mode = scene.mode
        order.passing = scene.passing
        order.isSameDevice = scene.isSameDevice
        order.origins = scene.mode.way == .digitalCredentials ? [VPStage.origin] : []
        if let formats = scene.formats { order.formats = try VPFormats(formats) }
        if let id = scene.transaction {
            order.transactionData = [
                [
                    "type": "urn:walletbench:payment", "credential_ids": [.string(id)], "payee": "Shop", "amount": "1",
                    "currency": "EUR",
                ]
            ]
        }
        return order
    }

    private func run(
        _ scene: Scene, verifier verifierFaults: [String] = [], wallet walletFaults: [String] = [], content: [String] = []
    )
        async throws -> VPStage.Seen
    {
        let element = ElementReference(nameSpace: "org.walletbench.transaction", identifier: "payment_hash")
        let stage = try await VPStage(
            keyAuthorizations: scene.transaction == nil
                ? nil : KeyAuthorizations(dataElements: [(element.nameSpace, [element.identifier])]))
        let identity = try await stage.identity(scene.client)
        let seen = scene.seen
        let wallet = stage.wallet(faults: walletFaults, isHAIP: scene.isHAIP) { settings in
            settings.wasSeen = { text in seen.map { text.hasPrefix($0) } ?? false }
        }
        let verifier = try stage.verifier(identity, faults: verifierFaults, isHAIP: scene.isHAIP)
        let late =
            scene.minutesLater == 0
            ? nil : try stage.verifier(identity, at: VPStage.time.adding(seconds: 60 * scene.minutesLater))
        return try await stage.run(
            try order(scene), identity, wallet: wallet, verifier: verifier, holderFaults: content, receiver: late)
    }

    private func holds(_ pattern: String, _ id: String) -> Bool {
        pattern.hasSuffix(".*") ? id.hasPrefix(String(pattern.dropLast(1))) : id == pattern
    }

    private func judge(_ name: String, _ trips: [String], _ also: [String], _ violations: Set<String>, _ always: [String]) {
        let wanted = trips.filter(Self.isHere)
        let missing = wanted.filter { check in !violations.contains { holds(check, $0) } }
        let surplus = violations.filter { id in !(trips + also + always).contains { holds($0, id) } }
        #expect(!wanted.isEmpty, "\(name) names no check")
        #expect(missing.isEmpty && surplus.isEmpty, "\(name): not tripped \(missing), not allowed \(surplus.sorted())")
    }

    private static func isHere(_ id: String) -> Bool { id.hasPrefix("V") || id.hasPrefix("S") }

    /// Faults that need another stage than one request and its answer; each has a test of its own.
    private static let elsewhere: Set<String> = [
        "multisigned-header", "multisigned-one-invalid", "annex-c-encryption-info", "annex-c-hpke", "annex-c-transcript",
        "redirect-followed", "redirect-session", "response-code",
    ]

    @Test(arguments: VPRequestFault.all.map(\.name).filter { !elsewhere.contains($0) })
    func everyFaultOfAVerifierTripsItsChecksAndNoOthers(_ name: String) async throws {
        let fault = try #require(VPRequestFault.all.first { $0.name == name })
        let seen = try await run(Self.scenes[name] ?? Scene(), verifier: [name])
        // A wallet that refuses says so to the verifier where it may.
        judge(name, fault.trips, fault.also, seen.violations, ["VV3.error"])
    }

    @Test(arguments: VPResponseFault.all.map(\.name).filter { !elsewhere.contains($0) })
    func everyFaultOfAWalletTripsItsChecksAndNoOthers(_ name: String) async throws {
        let fault = try #require(VPResponseFault.all.first { $0.name == name })
        let seen = try await run(Self.scenes[name] ?? Scene(), wallet: [name])
        judge(name, fault.trips, fault.also, seen.violations, [])
    }

    @Test(arguments: ContentFault.all.filter { $0.senders == [.holder] && $0.trips.contains(where: isHere) }.map(\.name))
    func everyFaultOfAPresentationTripsItsChecksAndNoOthers(_ name: String) async throws {
        let fault = try #require(ContentFault.named(name))
        let seen = try await run(Self.scenes[name] ?? Scene(), wallet: [name], content: [name])
        // VV6: the answer is refused with 400, which the wallet sees.
        let always = fault.trips.contains { $0.hasPrefix("VV6") } ? ["VW31.status"] : []
        judge(name, fault.trips.filter { !$0.hasPrefix("R") }, fault.also + fault.trips, seen.violations, always)
    }

    // MARK: issuers

    private struct Types: TypeMetadataSource {
        func document(for type: String) -> [UInt8]? {
            guard type == "urn:eudi:pid:1" else { return nil }
            return Array(#"{"vct": "urn:eudi:pid:1", "claims": [{"path": ["family_name"], "mandatory": true}]}"#.utf8)
        }
    }

    @Test(arguments: ContentFault.all.filter { $0.senders == [.issuer] && $0.trips.contains { $0.hasPrefix("S") } }.map(\.name))
    func everyFaultOfAnIssuerTripsItsChecksAndNoOthers(_ name: String) async throws {
        let fault = try #require(ContentFault.named(name))
        let stage = try await VPStage(mintFaults: [name])
        guard case .sdJWT(let held) = stage.credentials[2].form else { throw VPExchangeTests.Mismatch() }
        var verifier = SDJWTVerifier(
            signers: SignerVerifier(anchors: stage.authority.anchors, edition: .first), isHAIP: name == "sd-jwt-status-member")
        verifier.metadata = ["vct-integrity", "type-metadata", "type-metadata-claims"].contains(name) ? Types() : nil
        var text = stage.minted
        var expectation = SDJWTVerifier.Expectation.issuance
        if ["vct-asked", "kb-cnf"].contains(name) {
            let key = try #require(held.keyID)
            let signer = try JWSSigner(try await stage.keyStore.info(key), in: stage.keyStore, unlock: .automatic)
            text = try await held.token.bound(
                to: KeyBindingClaims(audience: "a", nonce: "n", issuedAt: VPStage.time), by: signer
            ).compact
            expectation = .presentation(types: ["urn:eudi:pid:1"], binding: KeyBindingExpectation(audience: "a", nonce: "n"))
        }
        let report = verifier.verify(text, expecting: expectation, at: VPStage.time)
        judge(
            name, fault.trips.filter { $0.hasPrefix("S") }, fault.also, Set(report.checks.filter(\.outcome.isViolation).map(\.id)),
            [])
    }

    // MARK: the catalogue

    /// Rows that no fault of this build can trip, each with its reason.
    private static let withoutFault: [String: String] = [
        "S15.status": "status lists", "S15.format": "status lists", "VW30": "a person's refusal is no fault: --consent deny",
    ]

    @Test func everyActiveRowHasAFault() {
        let all = VPRequestFault.all.flatMap(\.trips) + VPResponseFault.all.flatMap(\.trips) + ContentFault.all.flatMap(\.trips)
        let covered = Set(all)
        let active = CheckCatalogue.rows.filter { CheckCatalogue.isReached($0.activeFrom) && $0.activeFrom == .vp }.map(\.id)
        let bare = active.filter { !covered.contains($0) && Self.withoutFault[$0] == nil }
        #expect(bare.isEmpty, "no fault trips \(bare)")
        let names = VPRequestFault.all.map(\.name) + VPResponseFault.all.map(\.name) + ContentFault.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
