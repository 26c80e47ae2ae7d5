import Codec
public import Crypto

/// The holder's side of a presentation: proposes what could be answered, and answers what was consented to.
public struct Presenter: Sendable {
    /// How the device key proves itself.
    public enum DeviceAuthMethod: String, Sendable, Hashable, CaseIterable {
        case signature, mac
        /// A signature, unless the key can only agree or has made a MAC before: one key never makes both
        /// (ISO/IEC 18013-5:2021 §9.1.3.4).
        case automatic = "auto"
    }

    /// Where the device keys are.
    public let keyStore: any KeyStore
    /// How they prove themselves.
    public let deviceAuth: DeviceAuthMethod
    /// Values that the device can sign itself, as far as an issuer allows it.
    public let deviceSigned: DeviceNameSpaces
    /// For whom elements may go at all.
    public let policy: ReleasePolicy
    /// What is made wrong on purpose.
    public let tampering: Tampering

    /// A presenter that makes nothing wrong unless told so.
    public init(
        keyStore: any KeyStore, deviceAuth: DeviceAuthMethod = .automatic, deviceSigned: DeviceNameSpaces = DeviceNameSpaces(),
        policy: ReleasePolicy = .anyReader, tampering: Tampering = .none
    ) {
        self.keyStore = keyStore
        self.deviceAuth = deviceAuth
        self.deviceSigned = deviceSigned
        self.policy = tampering.contains("mandatory-behind-reader-auth") ? .authenticatedReaderEvenForMandatory : policy
        self.tampering = tampering
    }

    /// What could be answered, with the reason of every miss.
    /// - Parameter documents: one copy of each document that may be presented.
    public func propose(
        _ request: PresentationRequest, to reader: Proposal.Reader?, from documents: [IssuedDocument]
    ) -> Proposal {
        Matching(documents: documents, deviceSigned: deviceSigned, policy: policy, reader: reader).proposal(for: request)
    }

    /// The response that the consent covers, authenticated for this session.
    /// - Throws: `.withoutConsent` when an element would leave that the consent does not cover; nothing has left then.
    public func deviceResponse(
        _ consent: Consent, over transcript: SessionTranscript, unlock: KeyUnlock
    ) async throws(PresentationError) -> Presentation {
        let drafts = try drafts(consent, transcript)
        var draft = ResponseDraft()
        var disclosures: [Presentation.Disclosure] = []
        for document in drafts {
            let deviceSigned = try await DeviceAuthenticator(presenter: self, draft: document, unlock: unlock).deviceSigned()
            draft.documents.append(Document(document, deviceSigned))
            disclosures.append(Presentation.Disclosure(document, deviceSigned))
        }
        let answered = Set(drafts.map(\.request.id))
        draft.documentErrors = consent.proposal.entries.filter { !answered.contains($0.request.id) }.map { ($0.request.docType, 0) }
        do { try tampering.spoil(&draft) } catch { throw .fault(error) }
        return try sized(Presentation(draft.response, disclosures, tampering), consent.proposal)
    }

    /// The answer when nothing may go: code 0 for each document asked for, which does not tell whether the holder has it.
    public static func refusal(of proposal: Proposal) -> DeviceResponse {
        DeviceResponse(documentErrors: proposal.entries.map { ($0.request.docType, 0) })
    }

    /// The answer to a request that cannot be read.
    public static func refusal(_ refusal: DeviceRequestRefusal) -> DeviceResponse {
        DeviceResponse(status: refusal.status)
    }

    private func drafts(_ consent: Consent, _ transcript: SessionTranscript) throws(PresentationError) -> [DocumentDraft] {
        guard consent.proposal.unsatisfiedUseCases.isEmpty else { return [] }
        var drafts: [DocumentDraft] = []
        for entry in consent.proposal.entries {
            guard var draft = DocumentDraft(entry, consent, transcript) else { continue }
            do { try tampering.spoil(&draft) } catch { throw .fault(error) }
            for disclosure in draft.disclosures where !disclosure.isOrderedByFault {
                guard consent.covers(disclosure.reference, requestID: entry.request.id) else {
                    throw .withoutConsent(disclosure.reference)
                }
            }
            if !draft.disclosures.isEmpty { drafts.append(draft) }
        }
        return drafts
    }

    /// A response beyond the reader's limit goes without documents (WD2 §10.2.4).
    private func sized(_ presentation: Presentation, _ proposal: Proposal) throws(PresentationError) -> Presentation {
        let limit = proposal.entries.compactMap(\.request.maximumResponseSize).min()
        guard let limit, UInt64(presentation.bytes.count) > limit else { return presentation }
        if tampering.contains("ignore-maximum-size") { return presentation.exceeding(limit) }
        return Presentation(Self.refusal(of: proposal), [], tampering, withheld: "the response would exceed \(limit) bytes")
    }
}

extension DocumentDraft {
    /// nil when the consent gives nothing to this request, or less than the standard lets go: with a portrait asked for, an mDL
    /// goes with the portrait or not at all (ISO/IEC 18013-5:2021 §7.2.1).
    init?(_ entry: Proposal.Entry, _ consent: Consent, _ transcript: SessionTranscript) {
        guard let choice = consent.selection.choices.first(where: { $0.requestID == entry.request.id }),
            let option = entry.options.first(where: { $0.number == choice.option })
        else { return nil }
        self.init(entry, option, choice, consent.proposal.wallet, transcript)
    }

    init?(
        _ entry: Proposal.Entry, _ option: Proposal.Option, _ choice: Selection.Choice, _ wallet: [IssuedDocument],
        _ transcript: SessionTranscript
    ) {
        guard let document = option.credential.mdoc else { return nil }
        let approved = option.elements.filter { choice.approved.contains($0.reference) }
        guard option.allows(Set(approved.map(\.reference))), !option.keepsPortraitBack(approved) else { return nil }
        docType = entry.request.docType
        self.document = document
        self.option = option
        request = entry.request
        others = wallet
        disclosures = approved.map { Disclosure(reference: $0.reference, source: $0.source) }
        issuerAuth = document.issuerSigned.issuerAuth
        self.transcript = transcript
    }
}

extension Proposal.Option {
    /// Whether the portrait of an mDL is asked for, there, and not among the elements that go.
    func keepsPortraitBack(_ approved: [Proposal.Element]) -> Bool {
        guard credential.mdoc?.docType == DocumentDefinition.mobileDrivingLicence.docType else { return false }
        let portraits = elements.filter { $0.reference.identifier == "portrait" }.map(\.reference)
        return portraits.contains { portrait in !approved.contains { $0.reference == portrait } }
    }
}

extension Document {
    init(_ draft: DocumentDraft, _ deviceSigned: DeviceSigned) {
        self.init(
            docType: draft.docType,
            issuerSigned: IssuerSigned(nameSpaces: draft.issuerNameSpaces, issuerAuth: draft.issuerAuth),
            deviceSigned: deviceSigned, errors: draft.errors)
    }
}
