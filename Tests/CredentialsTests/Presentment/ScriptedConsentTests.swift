import Codec
import Credentials
import Ports
import Testing

/// Consent that a file gives.
struct ScriptedConsentTests {
    @Test(arguments: [
        ("[]", "the file"), ("{\"default\": 1}", "default"), ("{\"org.iso.18013.5.1.mDL\": \"yes\"}", "org.iso.18013.5.1.mDL"),
        ("{\"t\": {\"n\": 5}}", "t.n"), ("{\"t\": {\"n\": {\"e\": \"yes\"}}}", "t.n.e"),
    ])
    func scriptsThatDecideNothingAreRefusedByName(text: String, path: String) throws {
        let json = try JSON.decode(text)
        let error = #expect(throws: ScriptedConsent.Malformed.self) { try ScriptedConsent(json) }
        #expect(error?.path == path)
    }

    @Test func whatIsNotNamedFollowsTheDefaultWhichIsNo() async throws {
        let stage = try PresentationStage()
        let document = try await stage.document()
        let request = PresentationStage.request(["family_name", "given_name"])
        let proposal = Presenter(keyStore: stage.keyStore)
            .propose(try PresentationRequest(request, edition: .first), to: nil, from: [document])
        #expect(await (try ScriptedConsent([:])).decide(proposal) == nil)
        #expect(await (try ScriptedConsent(["org.example.other": true])).decide(proposal) == nil)
        let all = await (try ScriptedConsent(["default": true])).decide(proposal)
        #expect(all == Selection.everything(in: proposal))
        let none = try ScriptedConsent(["default": true, "org.iso.18013.5.1.mDL": false])
        #expect(await none.decide(proposal) == nil)
        let second = try ScriptedConsent(["default": true, "org.iso.18013.5.1.mDL": ["option": 2]])
        #expect(await second.decide(proposal) == nil)
    }

    @Test func anElementIsMeantWithoutItsNameSpaceToo() async throws {
        let stage = try PresentationStage()
        let proposal = Presenter(keyStore: stage.keyStore)
            .propose(
                try PresentationRequest(PresentationStage.request(["family_name", "given_name"]), edition: .first), to: nil,
                from: [try await stage.document()])
        let script = try ScriptedConsent(["default": true, "org.iso.18013.5.1.mDL": ["given_name": false]])
        let approved = await script.decide(proposal)?.choices.first?.approved.map(\.identifier)
        #expect(approved == ["family_name"])
    }

    @Test func refusingProvidersYieldNoConsent() async throws {
        let stage = try PresentationStage()
        let proposal = Presenter(keyStore: stage.keyStore)
            .propose(
                try PresentationRequest(PresentationStage.request(["family_name"]), edition: .first), to: nil,
                from: [try await stage.document()])
        let refused = await Consent.obtain(for: proposal, from: DenyingConsent(), at: stage.time)
        #expect(refused == nil)
        let consent = await Consent.obtain(for: proposal, from: AutomaticConsent(), at: stage.time)
        #expect(consent?.by == "automatic" && consent?.at == stage.time)
    }
}
