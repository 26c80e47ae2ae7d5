import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// What a holder records about its own answer: H6, H9, H12.satisfiable, H13, H14.
struct OwnConductTests {
    private let stage: PresentationStage
    private let mDL = PresentationStage.mDL.docType
    private let nameSpace = "org.iso.18013.5.1"

    init() throws { stage = try PresentationStage() }

    private func report(_ request: DeviceRequest, edition: Edition = .first) -> RequestReport {
        RequestVerifier(readers: SignerVerifier(anchors: .none, edition: edition), policy: .off)
            .verify(request.encodedCBOR, over: stage.transcript, at: stage.time)
    }

    private func recorded(
        _ request: DeviceRequest, _ documents: [IssuedDocument], policy: ReleasePolicy = .anyReader, edition: Edition = .first
    ) throws -> RequestReport {
        var report = report(request, edition: edition)
        let asked = try PresentationRequest(request, edition: edition)
        let proposal = Presenter(keyStore: stage.keyStore, policy: policy).propose(asked, to: nil, from: documents)
        report.record(proposal, policy: policy, request: asked)
        return report
    }

    private func element(_ identifier: String) -> ElementReference {
        ElementReference(nameSpace: nameSpace, identifier: identifier)
    }

    @Test func aDocumentThatIsNotHeldWarns() async throws {
        let request = PresentationStage.request(["family_name"])
        #expect(try recorded(request, []).violations == ["H6 warn"])
        #expect(try recorded(request, []).checks.check("H6", "docRequest 0")?.reason?.contains(mDL) == true)
        let held = try recorded(request, [try await stage.document()])
        #expect(held.violations == [])
        #expect(held.outcome("H6", "docRequest 0") == .pass)
    }

    @Test func mandatoryElementsMayNotDependOnTheReader() async throws {
        let request = PresentationStage.request(["family_name", "age_over_18"])
        let document = try await stage.document()
        #expect(try recorded(request, [document], policy: .authenticatedReader).outcome("H9") == .pass)
        let report = try recorded(request, [document], policy: .authenticatedReaderEvenForMandatory)
        #expect(report.outcome("H9") == .fail)
        #expect(report.checks.check("H9", "request")?.reason?.contains("mDL element family_name") == true)
    }

    @Test func anUnsatisfiableMandatoryUseCaseWarns() async throws {
        let items = [ReaderStage.items(), ReaderStage.items()].map { DocRequest(itemsRequest: $0) }
        let info = DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: [[0, 1]])])
        let request = DeviceRequest(docRequests: items, deviceRequestInfo: Embedded(info))
        #expect(try recorded(request, [], edition: .second).outcome("H12.satisfiable") == .warn)
        let held = try recorded(request, [try await stage.document()], edition: .second)
        #expect(held.outcome("H12.satisfiable") == .pass)
        #expect(try recorded(PresentationStage.request(["sex"]), []).outcome("H12.satisfiable") == .notRun(.edition))
    }

    @Test func nothingLeavesWithoutConsent() async throws {
        let request = PresentationStage.request(["family_name", "sex"])
        let response = try await stage.present([stage.document()], to: request).bytes
        var report = report(request)
        let mayLeave1 = report.recordAnswer(response, consented: [mDL: [element("family_name"), element("sex")]])
        #expect(mayLeave1)
        #expect(report.outcome("H14") == .pass)

        var refused = self.report(request)
        let mayLeave2 = refused.recordAnswer(response, consented: [mDL: [element("family_name")]])
        #expect(!mayLeave2)
        #expect(refused.violations == ["H14 fail"])
        #expect(refused.checks.check("H14", "request")?.reason?.hasPrefix("\(nameSpace)/sex would leave") == true)
    }

    @Test func aResponseLargerThanTheReaderTakesStaysBehind() async throws {
        let request = PresentationStage.request(["family_name"], info: DocRequestInfo(maximumResponseSize: 100))
        let plain = try await stage.present([stage.document()], to: PresentationStage.request(["family_name"])).bytes
        let consented = [mDL: [element("family_name")]]
        var second = report(request, edition: .second)
        let mayLeave3 = second.recordAnswer(plain, consented: consented)
        #expect(!mayLeave3)
        #expect(second.violations == ["H13 fail"])
        #expect(second.checks.check("H13", "request")?.reason?.contains("response of \(plain.count) bytes exceeds 100") == true)
        var first = report(request)
        let mayLeave4 = first.recordAnswer(plain, consented: consented)
        #expect(mayLeave4)
        #expect(first.outcome("H13") == .notRun(.edition))
    }
}
