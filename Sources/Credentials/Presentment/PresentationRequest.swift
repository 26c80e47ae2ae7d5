import Codec
public import Ports

/// What a verifier asks, whichever protocol carried it: the holder matches, shows and answers this.
public struct PresentationRequest: Sendable {
    /// One element asked for.
    public struct Element: Sendable, Hashable {
        /// Which element.
        public let reference: ElementReference
        /// Whether the verifier says that it will keep the value.
        public let intentToRetain: Bool

        /// From its parts.
        public init(_ reference: ElementReference, intentToRetain: Bool) {
            self.reference = reference
            self.intentToRetain = intentToRetain
        }
    }

    /// One document asked for.
    public struct DocumentRequest: Sendable, Identifiable {
        /// Unique within the request: the position of a docRequest, the id of a query.
        public let id: String
        /// The type wanted.
        public let docType: DocType
        /// In the order asked.
        public let elements: [Element]
        /// What may come instead of elements that the document lacks.
        public let alternatives: [AlternativeDataElements]
        /// Authority key identifiers of accepted issuers; empty accepts any.
        public let issuerIdentifiers: [[UInt8]]
        /// The size in bytes that the whole response must not exceed.
        public let maximumResponseSize: UInt64?

        /// From its parts.
        public init(
            id: String, docType: DocType, elements: [Element], alternatives: [AlternativeDataElements] = [],
            issuerIdentifiers: [[UInt8]] = [], maximumResponseSize: UInt64? = nil
        ) {
            self.id = id
            self.docType = docType
            self.elements = elements
            self.alternatives = alternatives
            self.issuerIdentifiers = issuerIdentifiers
            self.maximumResponseSize = maximumResponseSize
        }
    }

    /// A purpose and the sets of documents that serve it.
    public struct UseCase: Sendable {
        /// Whether nothing may be answered when no set is there.
        public let isMandatory: Bool
        /// Each set names document requests by id; the first one that can be answered whole counts.
        public let documentSets: [[String]]
        /// What the verifier says it is for, such as "org.iso.jtc1.sc17: 3".
        public let purposes: [String]

        /// From its parts.
        public init(isMandatory: Bool, documentSets: [[String]], purposes: [String] = []) {
            self.isMandatory = isMandatory
            self.documentSets = documentSets
            self.purposes = purposes
        }
    }

    /// In the order asked.
    public let documents: [DocumentRequest]
    /// Empty when every document is simply wanted.
    public let useCases: [UseCase]

    /// From its parts.
    public init(documents: [DocumentRequest], useCases: [UseCase] = []) {
        self.documents = documents
        self.useCases = useCases
    }
}

extension PresentationRequest {
    /// A DeviceRequest as a request of any protocol. The first edition ignores what the second one adds (ISO/IEC 18013-5:2021 §8.1).
    /// - Throws: H5.shape when requestInfo breaks its definition, H12.shape when a use case names a docRequest that is not there.
    public init(_ request: DeviceRequest, edition: Edition) throws(DeviceRequestRefusal) {
        var documents: [DocumentRequest] = []
        for (position, docRequest) in request.docRequests.enumerated() {
            let info = edition == .second ? try Self.requestInfo(docRequest.itemsRequest.value) : nil
            documents.append(DocumentRequest(docRequest.itemsRequest.value, info: info, position: position))
        }
        let useCases = edition == .second ? request.deviceRequestInfo?.value.useCases ?? [] : []
        for position in useCases.flatMap({ $0.documentSets.joined() }) where position >= UInt64(documents.count) {
            throw DeviceRequestRefusal(
                check: .useCases, status: DeviceResponse.Status.validationError,
                reason: "useCases refers to docRequest \(position) that is not there")
        }
        self.init(documents: documents, useCases: useCases.map(UseCase.init))
    }

    private static func requestInfo(_ request: ItemsRequest) throws(DeviceRequestRefusal) -> DocRequestInfo? {
        do { return try request.requestInfo.map { (info) throws(CBORError) in try DocRequestInfo(info) } } catch {
            throw DeviceRequestRefusal(check: .shape, status: DeviceResponse.Status.validationError, reason: "\(error)")
        }
    }
}

extension PresentationRequest.DocumentRequest {
    fileprivate init(_ request: ItemsRequest, info: DocRequestInfo?, position: Int) {
        let elements = request.nameSpaces.flatMap { nameSpace, elements in
            elements.map {
                PresentationRequest.Element(
                    ElementReference(nameSpace: nameSpace, identifier: $0.identifier), intentToRetain: $0.intentToRetain)
            }
        }
        self.init(
            id: String(position), docType: request.docType, elements: elements,
            alternatives: info?.alternativeDataElements ?? [], issuerIdentifiers: info?.issuerIdentifiers ?? [],
            maximumResponseSize: info?.maximumResponseSize)
    }
}

extension PresentationRequest.UseCase {
    fileprivate init(_ useCase: DeviceRequestInfo.UseCase) {
        self.init(
            isMandatory: useCase.mandatory, documentSets: useCase.documentSets.map { $0.map { String($0) } },
            purposes: useCase.purposeHints.map { "\($0.controller): \($0.code)" })
    }
}
