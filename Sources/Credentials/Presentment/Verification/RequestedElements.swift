import Codec

/// What a request asks, by document type.
struct RequestedElements: Sendable {
    /// One element asked for.
    struct Element: Sendable, Hashable {
        let nameSpace: NameSpace
        let identifier: DataElementIdentifier
    }

    private let documents: [(docType: DocType, elements: [Element])]

    init(_ request: DeviceRequest) {
        documents = request.docRequests.map { docRequest in
            let items = docRequest.itemsRequest.value
            let elements = items.nameSpaces.flatMap { nameSpace, elements in
                elements.map { Element(nameSpace: nameSpace, identifier: $0.identifier) }
            }
            return (items.docType, elements)
        }
    }

    /// The document types in the order asked, each once.
    var docTypes: [DocType] { documents.reduce(into: []) { if !$0.contains($1.docType) { $0.append($1.docType) } } }

    /// Everything asked of a type; nil when the type was not asked for.
    func elements(of docType: DocType) -> [Element]? {
        let matching = documents.filter { $0.docType == docType }
        return matching.isEmpty ? nil : matching.flatMap(\.elements)
    }
}

extension AgeStatement {
    /// Whether this statement with `value` answers "is the holder at least `asked`?" (ISO/IEC 18013-5:2021 §7.2.5): older and
    /// true, or younger and false.
    func answers(_ asked: AgeStatement, value: Bool) -> Bool {
        value ? age >= asked.age : age <= asked.age
    }
}
