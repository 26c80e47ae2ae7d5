import Codec
import Credentials
import Crypto
import Ports
import Testing

/// What a holder proposes, with the reason of every miss.
struct MatchingTests {
    /// ISO/IEC 18013-5:2021 Table D.1: what a holder with statements for 21 and 60 answers.
    @Test(
        arguments: [
            (21, false, false, [nil, nil, nil, false, false, false, false, false, false, false, false]),
            (21, true, false, [true, true, true, true, nil, nil, nil, false, false, false, false]),
            (60, true, true, [true, true, true, true, true, true, true, true, nil, nil, nil]),
        ] as [(Int, Bool, Bool, [Bool?])])
    func ageQuestionsAreAnsweredAsInTableD1(age: Int, over21: Bool, over60: Bool, expected: [Bool?]) {
        let statements = [(age: 21, value: over21), (age: 60, value: over60)]
        let answers = [18, 19, 20, 21, 25, 30, 50, 60, 63, 64, 65].map { AgeStatement.nearest(to: $0, among: statements)?.value }
        #expect(answers == expected)
    }

    @Test(arguments: ["age_over_1", "age_over_100", "age_over_1x", "age_over_", "age_in_years", "age_over_-1"])
    func otherIdentifiersAreNoAgeStatements(identifier: String) {
        #expect(AgeStatement(identifier) == nil)
    }

    @Test func everyMissHasItsReason() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["age_over_18", "age_over_21", "age_over_65", "age_over_66", "weight"])
        let proposal = Presenter(keyStore: stage.keyStore)
            .propose(try PresentationRequest(request, edition: .first), to: nil, from: [try await stage.document()])
        let option = try #require(proposal.entries[0].options.first)
        #expect(option.elements.map(\.reference.identifier) == ["age_over_18", "age_over_21"])
        #expect(option.missing.map(\.reference.identifier) == ["age_over_65", "age_over_66", "weight"])
        #expect(option.missing.map(\.reason) == [.tooManyAges, .tooManyAges, .notInDocument])
    }

    @Test func alternativesComeInPlaceOfWhatIsMissing() async throws {
        let stage = try PresentationStage()
        let nameSpace = "org.iso.18013.5.1"
        let alternative = AlternativeDataElements(
            requestedElement: ElementReference(nameSpace: nameSpace, identifier: "weight"),
            alternativeElementSets: [
                [ElementReference(nameSpace: nameSpace, identifier: "shoe_size")],
                [ElementReference(nameSpace: nameSpace, identifier: "height")],
            ])
        let request = PresentationStage.request(["weight"], info: DocRequestInfo(alternativeDataElements: [alternative]))
        let sent = try await stage.present([try await stage.document()], to: request, edition: .second)
        #expect(sent.disclosures.flatMap(\.elements).map(\.identifier) == ["height"])
        #expect(sent.response.documents[0].errors.isEmpty)
    }

    @Test func onlyAcceptedIssuersAnswer() async throws {
        let stage = try PresentationStage()
        let document = try await stage.document()
        let presenter = Presenter(keyStore: stage.keyStore)
        let known = try #require(stage.authority.iaca.certificate.subjectKeyIdentifier)
        for (identifier, isAnswered) in [(known, true), ([0, 1, 2], false)] {
            let request = PresentationStage.request(["family_name"], info: DocRequestInfo(issuerIdentifiers: [identifier]))
            let proposal = presenter.propose(try PresentationRequest(request, edition: .second), to: nil, from: [document])
            #expect(proposal.entries[0].options.isEmpty != isAnswered)
        }
    }

    @Test func aMandatoryUseCaseWithoutDocumentsYieldsNothing() async throws {
        let stage = try PresentationStage()
        let licence = ItemsRequest(
            docType: PresentationStage.mDL.docType, nameSpaces: [("org.iso.18013.5.1", [("family_name", false)])])
        let other = ItemsRequest(docType: "org.example.other", nameSpaces: [("n", [("e", false)])])
        let requests = [licence, other].map { DocRequest(itemsRequest: Embedded($0)) }
        for (sets, answered) in [([[0]], 1), ([[1], [0]], 1), ([[0, 1]], 0)] as [([[UInt64]], Int)] {
            let info = DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: sets)])
            let request = DeviceRequest(docRequests: requests, deviceRequestInfo: Embedded(info))
            let sent = try await stage.present([try await stage.document()], to: request, edition: .second)
            #expect(sent.response.documents.count == answered)
        }
    }

    @Test func mandatoryElementsOfALicenceNeverWaitForReaderAuthentication() async throws {
        let stage = try PresentationStage()
        let document = try await stage.document()
        let request = try PresentationRequest(PresentationStage.request(["family_name", "resident_city"]), edition: .first)
        let careful = Presenter(keyStore: stage.keyStore, policy: .authenticatedReader)
        let option = try #require(careful.propose(request, to: nil, from: [document]).entries[0].options.first)
        #expect(option.elements.map(\.reference.identifier) == ["family_name"])
        #expect(option.missing.map(\.reason) == [.readerNotTrusted])
        #expect(ReleasePolicy.authenticatedReader.violations(in: request) == [])
        let trusted = careful.propose(request, to: .init(name: "CN=Reader", isTrusted: true), from: [document])
        #expect(trusted.entries[0].options.first?.elements.count == 2)
        let wrong = Presenter(keyStore: stage.keyStore, tampering: try Tampering(named: ["mandatory-behind-reader-auth"]))
        #expect(wrong.policy.violations(in: request).map(\.identifier) == ["family_name"])
        let refused = wrong.propose(request, to: nil, from: [document]).entries[0]
        #expect(refused.options.isEmpty && refused.isHeld)
        #expect(refused.refusal?.hasPrefix("own policy") == true)
    }
}
