public import Codec
public import Crypto
public import Ports

/// Transaction data that one of the presentations is to authorise (OpenID4VP 1.0 §8.4).
public struct TransactionAuthorization: Sendable {
    /// The credential query whose presentation authorises it.
    public let credentialID: String
    /// The string of `transaction_data`, exactly as received.
    public let text: String
    /// How an SD-JWT VC hashes it.
    public let hash: TransactionData.Hash
    /// The element by which an mdoc authorises it: the device signs the SHA-256 of the string in it.
    public let element: ElementReference?

    public init(credentialID: String, text: String, hash: TransactionData.Hash = .unstated, element: ElementReference? = nil) {
        self.credentialID = credentialID
        self.text = text
        self.hash = hash
        self.element = element
    }

    /// What an mdoc's element holds.
    package var elementValue: CBOR { .bytes(HashAlgorithm.sha256.digest(Array(text.utf8))) }
}

/// A `vp_token` that the holder made, and what it consists of, for the record.
public struct PresentedToken: Sendable {
    /// By credential query: base64url of a DeviceResponse, or an SD-JWT with or without key binding.
    public let presentations: [(id: String, texts: [String])]
    /// One for each presentation, in order.
    public let disclosures: [Presentation.Disclosure]
    /// The value of `vp_token`; faults may have made it something else than an object.
    public let json: JSON
    /// The faults in force.
    public let faults: [String]
}

/// What a `vp_token` is to be made for.
public struct TokenTerms: Sendable {
    public var query: DCQLQuery
    public var binding: PresentationBinding
    /// In the order of the request.
    public var transactions: [TransactionAuthorization]
    /// `iat` of key binding JWTs.
    public var time: Timestamp
    public var unlock: KeyUnlock

    public init(
        query: DCQLQuery, binding: PresentationBinding, transactions: [TransactionAuthorization] = [], time: Timestamp,
        unlock: KeyUnlock = .automatic
    ) {
        self.query = query
        self.binding = binding
        self.transactions = transactions
        self.time = time
        self.unlock = unlock
    }
}

extension Presenter {
    /// The `vp_token` that the consent covers: one DeviceResponse for each mdoc, one SD-JWT for each SD-JWT VC.
    ///
    /// - Throws: `.unsatisfied` when what was agreed to is not enough; `.withoutConsent` when more would leave. Nothing has left then.
    public func vpToken(
        _ consent: Consent, _ terms: TokenTerms, random: any RandomSource
    ) async throws(PresentationError) -> PresentedToken {
        var answers: [TokenAnswerDraft] = []
        for (choice, entry) in satisfied(consent) {
            guard let option = entry.options.first(where: { $0.number == choice.option }) else { continue }
            let elements = option.elements.filter { choice.approved.contains($0.reference) }
            let answer = try await answer(entry, option, choice, elements, consent, terms, random)
            if let place = answers.firstIndex(where: { $0.id == entry.request.id }) {
                answers[place].texts += answer.texts
                answers[place].disclosures += answer.disclosures
            } else {
                answers.append(answer)
            }
        }
        guard !answers.isEmpty else { throw .unsatisfied }
        var draft = TokenSetDraft(answers: answers, query: terms.query)
        do { try tampering.spoil(&draft) } catch { throw .fault(error) }
        return PresentedToken(
            presentations: draft.answers.map { ($0.id, $0.texts) }, disclosures: draft.answers.flatMap(\.disclosures),
            json: draft.json, faults: tampering.names)
    }

    /// The choices that belong to satisfied sets; none when a required set is not satisfied.
    private func satisfied(_ consent: Consent) -> [(Selection.Choice, Proposal.Entry)] {
        let given = consent.selection.choices.compactMap { choice -> (Selection.Choice, Proposal.Entry)? in
            guard let entry = consent.proposal.entries.first(where: { $0.request.id == choice.requestID }),
                let option = entry.options.first(where: { $0.number == choice.option }), option.allows(choice.approved)
            else { return nil }
            return (choice, entry)
        }
        let answered = Set(given.map(\.0.requestID))
        let sets = consent.proposal.useCases.map { useCase in
            useCase.documentSets.filter { $0.allSatisfy(answered.contains) }
        }
        guard zip(consent.proposal.useCases, sets).allSatisfy({ !$0.isMandatory || !$1.isEmpty }) else { return [] }
        let wanted = Set(sets.joined().joined())
        return given.filter { wanted.contains($0.0.requestID) }
    }

    private func answer(
        _ entry: Proposal.Entry, _ option: Proposal.Option, _ choice: Selection.Choice, _ elements: [Proposal.Element],
        _ consent: Consent, _ terms: TokenTerms, _ random: any RandomSource
    ) async throws(PresentationError) -> TokenAnswerDraft {
        let transactions = terms.transactions.filter { $0.credentialID == entry.request.id }
        switch option.credential.form {
        case .mdoc: return try await mdoc(entry, option, choice, consent, terms, transactions)
        case .sdJWT(let held): return try await sdJWT(held, entry, elements, terms, transactions, random)
        }
    }

    // MARK: mdoc

    private func mdoc(
        _ entry: Proposal.Entry, _ option: Proposal.Option, _ choice: Selection.Choice, _ consent: Consent, _ terms: TokenTerms,
        _ transactions: [TransactionAuthorization]
    ) async throws(PresentationError) -> TokenAnswerDraft {
        let transcript: SessionTranscript
        do { transcript = try terms.binding.transcript() } catch { throw .transcript(error) }
        guard var document = DocumentDraft(entry, option, choice, consent.proposal.wallet, transcript) else { throw .unsatisfied }
        // There is no session key that a MAC could be made with.
        document.form = .signature
        document.docType = option.credential.type
        for transaction in transactions {
            guard let element = transaction.element else { continue }
            document.disclosures.append(
                .init(reference: element, source: .device(transaction.elementValue), isTransaction: true))
        }
        do { try tampering.spoil(&document) } catch { throw .fault(error) }
        for disclosure in document.disclosures where !disclosure.isOrderedByFault && !disclosure.isTransaction {
            guard choice.approved.contains(disclosure.reference) else { throw .withoutConsent(disclosure.reference) }
        }
        let deviceSigned = try await DeviceAuthenticator(presenter: self, draft: document, unlock: terms.unlock).deviceSigned()
        var response = ResponseDraft()
        response.documents = [Document(document, deviceSigned)]
        do { try tampering.spoil(&response) } catch { throw .fault(error) }
        return TokenAnswerDraft(
            id: entry.request.id, texts: [Base64URL.encode(response.response.encodedCBOR)],
            disclosures: [Presentation.Disclosure(document, deviceSigned)])
    }

    // MARK: SD-JWT VC

    private func sdJWT(
        _ held: HeldSDJWT, _ entry: Proposal.Entry, _ elements: [Proposal.Element], _ terms: TokenTerms,
        _ transactions: [TransactionAuthorization], _ random: any RandomSource
    ) async throws(PresentationError) -> TokenAnswerDraft {
        let paths = elements.compactMap { element -> ClaimPath? in
            if case .claim(let path, _) = element.source { path } else { nil }
        }
        let shown: SDJWT
        do { shown = try held.token.showing(paths, isLenient: true) } catch { throw .sdJWT(error) }
        var draft = TokenDraft(
            credential: held, elements: elements, issuerJWT: shown.issuerJWT, disclosures: shown.disclosures, random: random)
        if terms.query.credential(entry.request.id)?.requiresHolderBinding ?? true {
            draft.binding = KeyBindingClaims(
                audience: terms.binding.audience, nonce: terms.binding.nonce, issuedAt: terms.time,
                transactionData: transactions.map(\.text), transactionHash: transactions.first?.hash ?? .unstated)
        }
        do { try tampering.spoil(&draft) } catch { throw .fault(error) }
        for text in draft.disclosures where !shown.disclosures.contains(text) && !draft.orderedByFault.contains(text) {
            let name = (try? Disclosure(encoded: text))?.name ?? "an array element"
            throw .withoutConsent(ElementReference(nameSpace: "", identifier: name))
        }
        let text = try await draft.text(keyStore: keyStore, unlock: terms.unlock)
        return TokenAnswerDraft(
            id: entry.request.id, texts: [text],
            disclosures: [
                .init(
                    documentID: held.id, docType: held.type, elements: elements.map(\.reference), form: nil, orderedByFault: [])
            ])
    }
}

/// What goes under one id of a `vp_token`.
struct TokenAnswerDraft: Sendable {
    var id: String
    var texts: [String]
    var disclosures: [Presentation.Disclosure]
}

/// A `vp_token` on its way out, still changeable, so that faults can spoil it.
struct TokenSetDraft: Sendable {
    var answers: [TokenAnswerDraft]
    let query: DCQLQuery
    /// What goes in place of the object.
    var replacement: JSON?
    /// What goes in place of the array of an id.
    var replacedMembers: [String: JSON] = [:]
    /// Entries that no presentation stands for.
    var additions: [(id: String, value: JSON)] = []

    var json: JSON {
        if let replacement { return replacement }
        var object = JSONObject()
        for answer in answers {
            object.append(answer.id, replacedMembers[answer.id] ?? .array(answer.texts.map { .string($0) }))
        }
        for (id, value) in additions { object.append(id, value) }
        return .object(object)
    }
}
