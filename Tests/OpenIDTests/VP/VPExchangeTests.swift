import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

@testable import OpenID

/// Role against role in memory: both formats in one query, every response mode, every way a client is known.
struct VPExchangeTests {
    @Test(arguments: ResponseMode.allCases)
    func bothFormatsPassInEveryResponseMode(_ mode: ResponseMode) async throws {
        let stage = try await VPStage()
        var order = VPOrder(try DCQLQuery(VPStage.both))
        order.mode = mode
        order.origins = mode.way == .digitalCredentials ? [VPStage.origin] : []
        let identity = try await stage.identity()
        let seen = try await stage.run(order, identity, wallet: stage.wallet(), verifier: stage.verifier(identity))
        #expect(seen.violations.isEmpty, "\(seen.violations)")
        let report = try #require(seen.receipt?.report)
        #expect(report.verdict == .pass)
        #expect(report.documents.map(\.format) == ["mso_mdoc", "dc+sd-jwt"])
        #expect(report.documents.map(\.holderBinding) == [.signature, .keyBindingJWT])
        #expect(seen.receipt?.isKept == true)
    }

    @Test(arguments: [VPStage.Client.hash, .dns, .did, .registered, .attestation], [VPOrder.Passing.value, .get, .post])
    func everyKindOfClientIsKnown(_ client: VPStage.Client, _ passing: VPOrder.Passing) async throws {
        let stage = try await VPStage()
        var order = VPOrder(try DCQLQuery(VPStage.both))
        order.passing = passing
        // A registered client's keys would be registered, too: fresh ones for each request need client_metadata.
        order.mode = client == .registered ? .directPost : .directPostJWT
        let identity = try await stage.identity(client)
        let seen = try await stage.run(order, identity, wallet: stage.wallet(), verifier: stage.verifier(identity))
        #expect(seen.violations.isEmpty, "\(seen.violations)")
        #expect(seen.receipt?.report.verdict == .pass)
    }

    @Test func anUnsignedRequestGoesByValue() async throws {
        let stage = try await VPStage()
        var order = VPOrder(try DCQLQuery(VPStage.both))
        order.passing = .value
        let seen = try await stage.run(order, .unsigned, wallet: stage.wallet(), verifier: stage.verifier(.unsigned))
        #expect(seen.violations.isEmpty, "\(seen.violations)")
        #expect(seen.receipt?.report.verdict == .pass)
        guard case .success(let request) = seen.resolution.result else { throw Mismatch() }
        #expect(request.client.isTrusted == nil)
    }

    struct Mismatch: Error {}

    @Test func theProfileHAIPPassesOnBothSides() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let seen = try await stage.run(
            VPOrder(try DCQLQuery(VPStage.both)), identity, wallet: stage.wallet(isHAIP: true),
            verifier: stage.verifier(identity, isHAIP: true))
        #expect(seen.violations.isEmpty, "\(seen.violations)")
        #expect(seen.receipt?.report.verdict == .pass)
    }

    @Test func haipRefusesAnUnsignedRequestBySentence() async throws {
        let stage = try await VPStage()
        var order = VPOrder(try DCQLQuery(VPStage.pid))
        order.passing = .value
        let seen = try await stage.run(order, .unsigned, wallet: stage.wallet(isHAIP: true), verifier: stage.verifier(.unsigned))
        guard case .failure(let refusal) = seen.resolution.result else { throw Mismatch() }
        #expect(refusal.check == "VW1")
        #expect(refusal.reason.contains("HAIP 1.0 §5.1"))
        #expect(seen.receipt == nil || seen.receipt?.report.checks.contains { $0.id == "VV3.error" } == true)
    }

    @Test func aSecondAnswerLosesAndChangesNothing() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let verifier = try stage.verifier(identity)
        let transaction = try await verifier.begin(VPOrder(try DCQLQuery(VPStage.pid)))
        let transport = InProcessTransport([VPStage.origin: verifier])
        let wallet = stage.wallet()
        let presenter = Presenter(keyStore: stage.keyStore)
        var kept: JSON?
        for turn in 0..<2 {
            let resolution = await wallet.resolve(try RequestInput(transaction.link), over: transport, at: VPStage.time)
            guard case .success(let request) = resolution.result else { throw Mismatch() }
            let proposal = try wallet.propose(request, from: stage.credentials, presenter: presenter)
            let consent = try #require(await Consent.obtain(for: proposal.proposal, from: AutomaticConsent(), at: VPStage.time))
            let answer = try await wallet.answer(request, consent, presenter: presenter, at: VPStage.time)
            let delivered = await wallet.deliver(answer, over: transport)
            #expect((delivered.response?.status == 200) == (turn == 0))
            let now = try #require(try await verifier.transaction(transaction.id))
            #expect(now.fetches == turn + 1)
            if turn == 0 { kept = now.evidence } else { #expect(now.evidence == kept) }
        }
    }

    @Test func transactionDataIsAuthorisedInBothFormats() async throws {
        let element = ElementReference(nameSpace: "org.walletbench.transaction", identifier: "payment_hash")
        let stage = try await VPStage(
            keyAuthorizations: KeyAuthorizations(dataElements: [(element.nameSpace, [element.identifier])]))
        let identity = try await stage.identity()
        for id in ["mdl", "pid"] {
            var order = VPOrder(try DCQLQuery(VPStage.both))
            order.transactionData = [
                [
                    "type": "urn:walletbench:payment", "credential_ids": [.string(id)], "payee": "Shop", "amount": "12.00",
                    "currency": "EUR",
                ]
            ]
            let seen = try await stage.run(order, identity, wallet: stage.wallet(), verifier: stage.verifier(identity))
            #expect(seen.violations.isEmpty, "\(id): \(seen.violations)")
            let passed = Set(seen.receipt?.report.checks.filter { $0.outcome == .pass }.map(\.id) ?? [])
            #expect(passed.contains(id == "mdl" ? "VV12" : "S17.hashes"))
        }
    }

    @Test func aRestartInTheMiddleLosesNothing() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let order = VPOrder(try DCQLQuery(VPStage.pid))
        // The one that takes the answer shares nothing but the store.
        let seen = try await stage.run(
            order, identity, wallet: stage.wallet(), verifier: stage.verifier(identity), receiver: stage.verifier(identity))
        #expect(seen.receipt?.report.verdict == .pass)
    }

    @Test func theBrowserComesBackOnceInItsOwnSession() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let verifier = try stage.verifier(identity)
        var order = VPOrder(try DCQLQuery(VPStage.pid))
        order.isSameDevice = true
        let transaction = try await verifier.begin(order, session: "browser")
        let transport = InProcessTransport([VPStage.origin: verifier])
        let wallet = stage.wallet()
        let presenter = Presenter(keyStore: stage.keyStore)
        guard
            case .success(let request) = await wallet.resolve(try RequestInput(transaction.link), over: transport, at: VPStage.time)
                .result
        else { throw Mismatch() }
        let proposal = try wallet.propose(request, from: stage.credentials, presenter: presenter)
        let consent = try #require(await Consent.obtain(for: proposal.proposal, from: AutomaticConsent(), at: VPStage.time))
        let delivered = await wallet.deliver(
            try await wallet.answer(request, consent, presenter: presenter, at: VPStage.time), over: transport)
        let place = try #require(delivered.redirectURI)
        let fields = try WebURL(place).fields()
        let code = try #require(fields["response_code"])
        func ids(_ code: String, _ session: String?) async throws -> [String] {
            try await verifier.redeem(code, for: transaction.id, session: session).checks.checks.filter { $0.outcome == .fail }.map(
                \.id)
        }
        #expect(try await ids(code, "somebody else's") == ["VV13.session"])
        #expect(try await ids("another", "browser") == ["VV13.code"])
        #expect(try await ids(code, "browser") == [])
        #expect(try await ids(code, "browser") == ["VV13.code"])
    }

    @Test func aRequestOfADraftIsNamed() async throws {
        let stage = try await VPStage()
        let link =
            "openid4vp://?client_id=redirect_uri%3Ahttps%3A%2F%2Fverifier.example%2Fcb&response_type=vp_token&nonce=abcdefghijklmnopqrstuv"
            + "&response_mode=direct_post&response_uri=https%3A%2F%2Fverifier.example%2Fcb&presentation_definition=%7B%22id%22%3A%221%22%7D"
        guard case .resolved(let resolution) = stage.wallet().open(try RequestInput(link), at: VPStage.time) else {
            throw Mismatch()
        }
        let row = resolution.checks.checks.first { $0.id == "VW24.none" }
        #expect(row?.outcome == .fail)
        #expect(row?.reason?.contains("before OpenID4VP 1.0") == true)
    }

    @Test func aHostileRequestAddressIsRefusedWithinLimits() async throws {
        let stage = try await VPStage()
        let wallet = stage.wallet()
        let input = try RequestInput("openid4vp://?client_id=x509_hash%3Aa&request_uri=https%3A%2F%2Fverifier.example%2Fr")
        struct Answering: HTTPHandler {
            let response: HTTPResponse
            func respond(to request: HTTPRequest) async -> HTTPResponse { response }
        }
        let cases: [(HTTPResponse, String)] = [
            (HTTPResponse(200, type: "application/oauth-authz-req+jwt", Array(repeating: 0x61, count: 2 << 20)), "VW3.limit"),
            (.redirect(to: "https://verifier.example/r", status: 302), "VW3.redirect"),
            (HTTPResponse(200, type: "text/html", Array("<html>".utf8)), "VW3.type"), (.text("no", status: 404), "VW3.http"),
            (HTTPResponse(200, type: "application/oauth-authz-req+jwt", Array("a.b".utf8)), "VW1"),
        ]
        for (response, check) in cases {
            let transport = InProcessTransport([VPStage.origin: Answering(response: response)])
            let resolution = await wallet.resolve(input, over: transport, at: VPStage.time)
            #expect(resolution.checks.checks.contains { $0.id == check && $0.outcome == .fail }, "\(check)")
            guard case .failure(let refusal) = resolution.result else { throw Mismatch() }
            #expect(refusal.code == nil)
        }
    }

    @Test func aBombIsRefusedAndTheTransactionStaysOpen() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let verifier = try stage.verifier(identity)
        let transaction = try await verifier.begin(VPOrder(try DCQLQuery(VPStage.pid)))
        let key = try #require(transaction.encryptionKey)
        let jwe = try JWE.encrypt(
            Array(repeating: 0x20, count: 64 << 20), to: key, .a128GCM, ephemeral: .generate(.p256, random: stage.random),
            iv: stage.random.bytes(12), options: .init(header: ["kid": .string(transaction.keyID)], compresses: true))
        let url = try WebURL(transaction.responseURI)
        let receipt = try await verifier.receive(.form(url, ["response": jwe.compact]), for: transaction.id)
        #expect(receipt.response.status == 400)
        #expect(receipt.report.checks.contains { $0.id == "VV4.decrypt" && $0.outcome == .fail })
        let after = try #require(try await verifier.transaction(transaction.id))
        #expect(after.status == .waiting)
        #expect(after.attempts.count == 1)
    }

    @Test func theKeyOfATransactionIsInTheKeyStoreUntilTheAnswerCame() async throws {
        let stage = try await VPStage()
        let identity = try await stage.identity()
        let keys = RecordKeyStore(
            records: stage.store, partition: "openid4vp-keys", lifetime: 86_400, clock: FixedClock(VPStage.time),
            random: stage.random)
        let verifier = try stage.verifier(identity)
        let forgotten = try await verifier.begin(VPOrder(try DCQLQuery(VPStage.pid)))
        #expect(try await keys.keys().map(\.publicKey) == [forgotten.encryptionKey])
        let record = try #require(try await stage.store.read(forgotten.id, in: VPVerifier.partition))
        #expect(try JSON.decode(record)["key"]?["d"] == nil)
        try await verifier.forget(forgotten.id)
        #expect(try await keys.keys().isEmpty)
        let seen = try await stage.run(VPOrder(try DCQLQuery(VPStage.pid)), identity, wallet: stage.wallet(), verifier: verifier)
        #expect(seen.receipt?.report.verdict == .pass)
        #expect(try await keys.keys().isEmpty)
        // What the answer said is still there for the page.
        let id = try #require(try await verifier.transactions().last)
        let transaction = try #require(try await verifier.transaction(id))
        let response = try #require(transaction.evidence?["response"]?.stringValue)
        #expect(await verifier.payload(of: response, for: transaction)?["vp_token"] != nil)
    }
}
