import Codec
import Credentials
import OpenID
import Ports
import TestSupport
import Testing

/// Where a request leaves a choice, the person's pick goes.
struct VPChoiceTests {
    /// One of two: the PID as SD-JWT VC, or the mDL; and optionally the PID as mdoc.
    private static let query: JSON = [
        "credentials": [
            VPStage.query(1), VPStage.query(0),
            [
                "id": "other", "format": "mso_mdoc", "meta": ["doctype_value": "eu.europa.ec.eudi.pid.1"],
                "claims": [["path": ["eu.europa.ec.eudi.pid.1", "family_name"]]],
            ],
            [
                "id": "nobody", "format": "dc+sd-jwt", "meta": ["vct_values": ["urn:nobody"]], "claims": [["path": ["a"]]],
            ],
        ],
        "credential_sets": [
            ["options": [["nobody"], ["pid"], ["mdl"]]], ["options": [["other"]], "required": false],
        ],
    ]

    private func answered(_ choices: [Proposal.Choice]) async throws -> Set<String> {
        let stage = try await VPStage()
        let verifier = try stage.verifier(try await stage.identity())
        let transaction = try await verifier.begin(VPOrder(try DCQLQuery(Self.query)))
        let transport = InProcessTransport([VPStage.origin: verifier])
        let wallet = stage.wallet()
        let presenter = Presenter(keyStore: stage.keyStore)
        let resolution = await wallet.resolve(try RequestInput(transaction.link), over: transport, at: VPStage.time)
        let request = try resolution.result.get()
        let proposal = try wallet.propose(request, from: stage.credentials, presenter: presenter, choosing: choices)
        let consent = try #require(await Consent.obtain(for: proposal.proposal, from: AutomaticConsent(), at: VPStage.time))
        let answer = try await wallet.answer(request, consent, presenter: presenter, at: VPStage.time)
        let delivered = await wallet.deliver(answer, over: transport)
        #expect(delivered.response?.status == 200)
        let report = try #require(try await verifier.transaction(transaction.id)?.report)
        #expect(report["verdict"] == "pass")
        return Set(answer.plain.objectValue?.keys ?? [])
    }

    @Test func theFirstCombinationThatCanBeHadGoesUnlessAnotherIsPicked() async throws {
        #expect(try await answered([]) == ["pid", "other"])
        #expect(try await answered([.combination(3, useCase: nil)]) == ["mdl", "other"])
        #expect(try await answered([.combination(3, useCase: 1), .combination(0, useCase: 2)]) == ["mdl"])
        #expect(try await answered([.document(1, requestID: "mdl")]) == ["mdl", "other"])
    }

    @Test(arguments: [
        (Proposal.Choice.combination(1, useCase: 1), "nothing answers nobody"), (.combination(4, useCase: 1), "1 to 3"),
        (.combination(0, useCase: 1), "required"), (.combination(1, useCase: 3), "no set 3"),
        (.document(2, requestID: "pid"), "documents 1 to 1"), (.document(1, requestID: "x"), "under the name x"),
        (.document(1, requestID: "nobody"), "nothing answers nobody"),
    ])
    func aChoiceThatThereIsNotIsRefusedWithTheReason(choice: Proposal.Choice, reason: String) async throws {
        let stage = try await VPStage()
        let proposal = Presenter(keyStore: stage.keyStore).propose(try DCQLQuery(Self.query), to: nil, from: stage.credentials)
        let error = #expect(throws: Proposal.NoSuchChoice.self) { try proposal.choosing([choice]) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func theCombinationsAreShownWithWhatTheyLack() async throws {
        let stage = try await VPStage()
        let proposal = Presenter(keyStore: stage.keyStore).propose(try DCQLQuery(Self.query), to: nil, from: stage.credentials)
        let combinations = proposal.combinations(of: 0)
        #expect(combinations.map(\.lacking) == [["nobody"], [], []])
        #expect(combinations.map(\.isChosen) == [false, true, false])
        #expect(proposal.useCasesWithChoice == [0, 1])
    }

    @Test func anotherDocumentForTheSameQueryCanBePicked() async throws {
        let stage = try await VPStage()
        // The same credential twice in the wallet, under two names.
        let twice = stage.credentials + stage.credentials.filter { $0.mdoc == nil }
        let proposal = Presenter(keyStore: stage.keyStore).propose(try DCQLQuery(VPStage.pid), to: nil, from: twice)
        #expect(Selection.everything(in: proposal).choices.map(\.option) == [1])
        let second = try proposal.choosing([.document(2, requestID: "pid")])
        #expect(Selection.everything(in: second).choices.map(\.option) == [2])
        #expect(await (try ScriptedConsent(["default": true])).decide(second)?.choices.map(\.option) == [2])
    }
}
