import Codec

/// Matches a request against the documents that the holder has (ISO/IEC 18013-5:2021 §8.3.2.1.2.2; WD2 §10.2.4, §10.3.7).
struct Matching {
    let documents: [IssuedDocument]
    let deviceSigned: DeviceNameSpaces
    let policy: ReleasePolicy
    let reader: Proposal.Reader?

    func proposal(for request: PresentationRequest) -> Proposal {
        let options = request.documents.map(options)
        let entries = zip(request.documents, options).map { request, options in
            Proposal.Entry(
                request: request, options: options, isHeld: documents.contains { $0.docType == request.docType },
                refusal: options.isEmpty ? refusal(of: request) : nil)
        }
        return Proposal(reader: reader, entries: entries, useCases: request.useCases, wallet: documents)
    }

    private func options(_ request: PresentationRequest.DocumentRequest) -> [Proposal.Option] {
        let candidates = documents.filter { $0.docType == request.docType && isIssuerAccepted($0, request) }
        let matches = candidates.map { document in
            (document, ElementMatching(document: document, request: request, matching: self).run())
        }
        return matches.filter { !$0.1.elements.isEmpty }.enumerated().map { position, match in
            Proposal.Option(
                number: position + 1, credential: HeldCredential(unqueried: match.0), elements: match.1.elements,
                missing: match.1.missing)
        }
    }

    private func refusal(of request: PresentationRequest.DocumentRequest) -> String {
        let ofType = documents.filter { $0.docType == request.docType }
        if ofType.isEmpty { return "no document \(request.docType)" }
        if !ofType.contains(where: { isIssuerAccepted($0, request) }) {
            return "no document \(request.docType) of an issuer that the reader accepts"
        }
        guard request.elements.contains(where: { isReleased($0.reference, of: request.docType) }) else {
            return "own policy: what is requested of \(request.docType) goes to authenticated readers only"
        }
        return "no document \(request.docType) has any of the requested elements"
    }

    func isReleased(_ element: ElementReference, of docType: DocType) -> Bool {
        policy.allows(element, of: docType, readerIsTrusted: reader?.isTrusted ?? false)
    }

    private func isIssuerAccepted(_ document: IssuedDocument, _ request: PresentationRequest.DocumentRequest) -> Bool {
        guard !request.issuerIdentifiers.isEmpty else { return true }
        return document.authorityKeyIdentifier.map(request.issuerIdentifiers.contains) ?? false
    }
}

/// Matches the elements of one request against one document.
private struct ElementMatching {
    let document: IssuedDocument
    let request: PresentationRequest.DocumentRequest
    let matching: Matching
    private(set) var elements: [Proposal.Element] = []
    private(set) var missing: [Proposal.Miss] = []

    init(document: IssuedDocument, request: PresentationRequest.DocumentRequest, matching: Matching) {
        self.document = document
        self.request = request
        self.matching = matching
    }

    func run() -> (elements: [Proposal.Element], missing: [Proposal.Miss]) {
        var copy = self
        for element in request.elements { copy.match(element) }
        return (copy.elements, copy.missing)
    }

    private mutating func match(_ element: PresentationRequest.Element) {
        let reference = element.reference
        guard matching.isReleased(reference, of: document.docType) else { return miss(reference, .readerNotTrusted) }
        if let statement = ageStatement(reference) { return matchAge(element, statement) }
        if let source = source(of: reference) { return take(reference, for: element, source) }
        if takeAlternative(for: element) { return }
        miss(reference, reason(for: reference))
    }

    /// An age question of a name space that has age statements.
    private func ageStatement(_ reference: ElementReference) -> AgeStatement? {
        guard let statement = AgeStatement(reference.identifier) else { return nil }
        let defined = DocumentDefinition.of(document.docType)?.nameSpaces.first { $0.nameSpace == reference.nameSpace }
        return defined?.hasAgeStatements ?? true ? statement : nil
    }

    private mutating func matchAge(_ element: PresentationRequest.Element, _ statement: AgeStatement) {
        let nameSpace = element.reference.nameSpace
        guard let answer = AgeStatement.nearest(to: statement.age, among: document.ageStatements(in: nameSpace)) else {
            return miss(element.reference, .noAgeStatement)
        }
        let reference = ElementReference(nameSpace: nameSpace, identifier: AgeStatement(age: answer.age).identifier)
        let isNew = !elements.contains { $0.reference == reference }
        guard !isNew || elements.count(where: { AgeStatement($0.reference.identifier) != nil }) < 2 else {
            return miss(element.reference, .tooManyAges)
        }
        if let source = source(of: reference) { take(reference, for: element, source) }
    }

    private mutating func takeAlternative(for element: PresentationRequest.Element) -> Bool {
        let sets = request.alternatives.filter { $0.requestedElement == element.reference }.flatMap(\.alternativeElementSets)
        for set in sets {
            let sources = set.compactMap { reference in source(of: reference).map { (reference, $0) } }
            guard sources.count == set.count else { continue }
            for (reference, source) in sources { take(reference, for: element, source) }
            return true
        }
        return false
    }

    /// An element goes once, however many questions it answers.
    private mutating func take(
        _ reference: ElementReference, for element: PresentationRequest.Element, _ source: Proposal.Element.Source
    ) {
        guard let place = elements.firstIndex(where: { $0.reference == reference }) else {
            elements.append(
                Proposal.Element(
                    reference: reference, requested: [element.reference], intentToRetain: element.intentToRetain, source: source))
            return
        }
        let known = elements[place]
        elements[place] = Proposal.Element(
            reference: reference, requested: known.requested + [element.reference],
            intentToRetain: known.intentToRetain || element.intentToRetain, source: source)
    }

    private mutating func miss(_ reference: ElementReference, _ reason: Proposal.Miss.Reason) {
        missing.append(Proposal.Miss(reference: reference, reason: reason))
    }

    private func source(of reference: ElementReference) -> Proposal.Element.Source? {
        let items = document.items(reference)
        if !items.isEmpty { return .issuer(items) }
        guard document.mobileSecurityObject.keyAuthorizations?.allows(reference.identifier, in: reference.nameSpace) ?? false
        else { return nil }
        return matching.deviceSigned.value(reference).map { .device($0) }
    }

    private func reason(for reference: ElementReference) -> Proposal.Miss.Reason {
        if matching.deviceSigned.value(reference) != nil { return .notAuthorised }
        let hasNameSpace = document.issuerSigned.nameSpaces.contains { $0.nameSpace == reference.nameSpace }
        return hasNameSpace ? .notInDocument : .noNameSpace
    }
}

extension IssuedDocument {
    /// The items of an element; more than one only in a document that breaks the rules.
    func items(_ reference: ElementReference) -> [Embedded<IssuerSignedItem>] {
        issuerSigned.nameSpaces.filter { $0.nameSpace == reference.nameSpace }.flatMap { _, items in
            items.filter { $0.value.elementIdentifier == reference.identifier }
        }
    }

    /// The age statements of a name space.
    func ageStatements(in nameSpace: NameSpace) -> [(age: Int, value: Bool)] {
        let items = issuerSigned.nameSpaces.first { $0.nameSpace == nameSpace }?.items ?? []
        return items.compactMap { item in
            guard let statement = AgeStatement(item.value.elementIdentifier), let value = try? item.value.elementValue.bool()
            else { return nil }
            return (statement.age, value)
        }
    }
}

extension DeviceNameSpaces {
    /// The value of an element.
    func value(_ reference: ElementReference) -> CBOR? {
        nameSpaces.first { $0.nameSpace == reference.nameSpace }?.elements.first { $0.identifier == reference.identifier }?.value
    }
}
