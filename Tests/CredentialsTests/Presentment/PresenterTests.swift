import Codec
import Credentials
import Crypto
import Ports
import Testing

/// The holder's side against the reader's, in memory.
struct PresenterTests {
    private static let asked = ["family_name", "portrait", "driving_privileges", "age_over_18"]

    @Test(arguments: [Presenter.DeviceAuthMethod.signature, .mac, .automatic])
    func aConsentedPresentationPassesEveryCheck(method: Presenter.DeviceAuthMethod) async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(Self.asked)
        let presenter = Presenter(keyStore: stage.keyStore, deviceAuth: method)
        let sent = try await stage.present([try await stage.document()], to: request, presenter: presenter)
        let report = stage.verify(sent.bytes, request: request)
        #expect(report.checks.filter { $0.outcome.isViolation }.map { "\($0.id): \($0.reason ?? "")" } == [])
        #expect(report.verdict == .pass)
        #expect(report.documents.first?.holderBinding == (method == .mac ? .mac : .signature))
        #expect(report.documents.first?.claims.map(\.element) == Self.asked)
        #expect(report.missing == [] && report.unrequested == [])
    }

    @Test(arguments: [Curve.p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1, .brainpoolP512r1, .ed25519, .ed448])
    func everyCurveSignsAndAuthenticates(curve: Curve) async throws {
        let stage = try PresentationStage(curve: curve, sessionCurve: curve.canAgree ? curve : .x25519)
        let request = PresentationStage.request(["family_name"])
        let sent = try await stage.present([try await stage.document(deviceCurve: curve)], to: request)
        let report = stage.verify(sent.bytes, request: request)
        #expect(report.checks.filter { $0.outcome.isViolation }.map { "\($0.id): \($0.reason ?? "")" } == [])
        #expect(report.verdict == .pass)
    }

    @Test(arguments: [Curve.x25519, .x448])
    func keysThatOnlyAgreeMakeAMAC(curve: Curve) async throws {
        let stage = try PresentationStage(sessionCurve: curve)
        let request = PresentationStage.request(["family_name"])
        let sent = try await stage.present([try await stage.document(deviceCurve: curve)], to: request)
        #expect(sent.disclosures.map(\.form) == [.mac])
        #expect(stage.verify(sent.bytes, request: request).verdict == .pass)
    }

    @Test func aMACNeedsTheCurveOfTheSession() async throws {
        let stage = try PresentationStage(sessionCurve: .p384)
        let presenter = Presenter(keyStore: stage.keyStore, deviceAuth: .mac)
        let document = try await stage.document()
        await #expect(throws: PresentationError.self) {
            try await stage.present([document], to: PresentationStage.request(["family_name"]), presenter: presenter)
        }
    }

    @Test func aKeyThatMadeAMACNeverSigns() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["family_name"])
        let document = try await stage.document()
        _ = try await stage.present([document], to: request, presenter: Presenter(keyStore: stage.keyStore, deviceAuth: .mac))
        let second = try await stage.present([document], to: request)
        #expect(second.disclosures.map(\.form) == [.mac])
        await #expect(throws: PresentationError.self) {
            try await stage.present(
                [document], to: request, presenter: Presenter(keyStore: stage.keyStore, deviceAuth: .signature))
        }
    }

    @Test func itemsLeaveAsTheIssuerMadeThem() async throws {
        let stage = try PresentationStage()
        let document = try await stage.document()
        let sent = try await stage.present([document], to: PresentationStage.request(["portrait", "family_name"]))
        let received = try DeviceResponse(decoding: sent.bytes).documents[0].issuerSigned
        for identifier in ["portrait", "family_name"] {
            let original = try #require(document.issuerSigned.item(identifier, in: "org.iso.18013.5.1"))
            #expect(received.item(identifier, in: "org.iso.18013.5.1")?.encoded == original.encoded)
        }
        #expect(received.issuerAuth.encodedCBOR == document.issuerSigned.issuerAuth.encodedCBOR)
    }

    @Test func onlyConsentedElementsLeave() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["family_name", "given_name", "birth_date"])
        let script = try ScriptedConsent([
            "org.iso.18013.5.1.mDL": ["org.iso.18013.5.1": ["family_name": true, "given_name": false]]
        ])
        let sent = try await stage.present([try await stage.document()], to: request, consent: script)
        #expect(sent.disclosures.flatMap(\.elements).map(\.identifier) == ["family_name"])
        let report = stage.verify(sent.bytes, request: request)
        #expect(report.documents.first?.claims.map(\.element) == ["family_name"])
        #expect(report.missing.count == 2)
        #expect(report.verdict == .pass)
    }

    @Test func refusalAndLackLookTheSame() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["family_name", "no_such_element"])
        let script = try ScriptedConsent(["default": true])
        let sent = try await stage.present([try await stage.document()], to: request, consent: script)
        let errors = try DeviceResponse(decoding: sent.bytes).documents[0].errors
        #expect(errors.map(\.nameSpace) == ["org.iso.18013.5.1"])
        #expect(errors[0].errors.map(\.identifier) == ["no_such_element"] && errors[0].errors.map(\.code) == [0])
        let proposal = Presenter(keyStore: stage.keyStore)
            .propose(try PresentationRequest(request, edition: .first), to: nil, from: [])
        #expect(proposal.entries.map(\.refusal) == ["no document org.iso.18013.5.1.mDL"])
        let refusal = try DeviceResponse(decoding: Presenter.refusal(of: proposal).encodedCBOR)
        #expect(refusal.documents.isEmpty && refusal.documentErrors.map(\.code) == [0] && refusal.status == 0)
    }

    @Test func aLicenceGoesWithItsPortraitOrNotAtAll() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["family_name", "portrait"])
        let script = try ScriptedConsent([
            "default": true, "org.iso.18013.5.1.mDL": ["org.iso.18013.5.1": ["portrait": false]],
        ])
        let sent = try await stage.present([try await stage.document()], to: request, consent: script)
        #expect(sent.response.documents.isEmpty && sent.disclosures.isEmpty)
        #expect(sent.response.documentErrors.map(\.docType) == ["org.iso.18013.5.1.mDL"])
    }

    @Test func twoOfThreeAgesAreAnswered() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["age_over_18", "age_over_25", "age_over_65"])
        let sent = try await stage.present([try await stage.document()], to: request)
        #expect(sent.disclosures.flatMap(\.elements).map(\.identifier) == ["age_over_18", "age_over_25"])
        #expect(stage.verify(sent.bytes, request: request).checks.filter { $0.outcome == .fail }.map(\.id) == [])
    }

    @Test func theNearestAgeStatementAnswers() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["age_over_17", "age_over_70"])
        let sent = try await stage.present([try await stage.document()], to: request)
        #expect(sent.disclosures.flatMap(\.elements).map(\.identifier) == ["age_over_18", "age_over_65"])
        let report = stage.verify(sent.bytes, request: request)
        #expect(report.checks.filter { $0.outcome.isViolation }.map(\.id) == [])
    }

    @Test func severalDocumentsOfATypeAreOptions() async throws {
        let stage = try PresentationStage()
        let documents = [
            try await stage.document(id: "first"), try await stage.document(of: .jonas, id: "second"),
        ]
        let request = PresentationStage.request(["family_name"])
        let script = try ScriptedConsent(["default": true, "org.iso.18013.5.1.mDL": ["option": 2]])
        let sent = try await stage.present(documents, to: request, consent: script)
        #expect(sent.disclosures.map(\.documentID) == ["second"])
    }

    @Test func theDeviceSignsWhatTheIssuerAllows() async throws {
        let stage = try PresentationStage()
        let reference = ElementReference(nameSpace: "org.iso.18013.5.1", identifier: "eye_sight")
        let claims = DeviceNameSpaces([(reference.nameSpace, [(reference.identifier, .text("fine")), ("mood", .text("good"))])])
        let presenter = Presenter(keyStore: stage.keyStore, deviceSigned: claims)
        let allowed = KeyAuthorizations(dataElements: [(reference.nameSpace, [reference.identifier])])
        let request = PresentationStage.request(["eye_sight", "mood"])
        let sent = try await stage.present(
            [try await stage.document(keyAuthorizations: allowed)], to: request, presenter: presenter)
        #expect(sent.disclosures.flatMap(\.elements) == [reference])
        let report = stage.verify(sent.bytes, request: request)
        #expect(report.checks.first { $0.id == "R25.authorised" }?.outcome == .pass)
        #expect(report.verdict == .pass)
    }

    @Test func nothingLeavesWithoutConsent() async throws {
        let stage = try PresentationStage()
        let presenter = Presenter(keyStore: stage.keyStore, tampering: try Tampering(named: ["skip-consent"]))
        let document = try await stage.document()
        do {
            _ = try await stage.present([document], to: PresentationStage.request(["family_name"]), presenter: presenter)
            Issue.record("an element left without consent")
        } catch PresentationError.withoutConsent(let element) {
            #expect(element.nameSpace == "org.iso.18013.5.1")
        }
    }

    @Test func aResponseKeepsToTheReadersLimit() async throws {
        let stage = try PresentationStage()
        let request = PresentationStage.request(["portrait"], info: DocRequestInfo(maximumResponseSize: 4000))
        let document = try await stage.document()
        let sent = try await stage.present([document], to: request, edition: .second)
        #expect(sent.response.documents.isEmpty && sent.withheld != nil && sent.bytes.count < 4000)
        let careless = Presenter(keyStore: stage.keyStore, tampering: try Tampering(named: ["ignore-maximum-size"]))
        let large = try await stage.present([document], to: request, presenter: careless, edition: .second)
        #expect(large.exceededSize == 4000 && large.bytes.count > 4000)
        #expect(try await stage.present([document], to: request, edition: .first).response.documents.count == 1)
    }
}
