public import Codec

/// One data element by name space and identifier (WD2 §10.2.4).
///
///     ElementReference = [ NameSpace, DataElementIdentifier ]
public struct ElementReference: Sendable, Hashable, CBORCodable {
    /// The name space.
    public let nameSpace: NameSpace
    /// The element in it.
    public let identifier: DataElementIdentifier

    /// From its parts.
    public init(nameSpace: NameSpace, identifier: DataElementIdentifier) {
        self.nameSpace = nameSpace
        self.identifier = identifier
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        let parts = try cbor.texts()
        guard parts.count == 2 else { throw cbor.error(.expected("array of 2", found: "array of \(parts.count)")) }
        nameSpace = parts[0]
        identifier = parts[1]
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.texts([nameSpace, identifier])
    }
}

/// Elements that may come instead of one that the document lacks (WD2 §10.2.4).
///
///     AlternativeDataElementsSet = {
///         "requestedElement": ElementReference, "alternativeElementSets": [ + [ + ElementReference ] ]
///     }
public struct AlternativeDataElements: Sendable, Hashable, CBORCodable {
    /// The element that may be replaced.
    public let requestedElement: ElementReference
    /// In order of preference; one whole set replaces the element.
    public let alternativeElementSets: [[ElementReference]]

    /// From its parts.
    public init(requestedElement: ElementReference, alternativeElementSets: [[ElementReference]]) {
        self.requestedElement = requestedElement
        self.alternativeElementSets = alternativeElementSets
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        requestedElement = try ElementReference(cbor["requestedElement"])
        var sets: [[ElementReference]] = []
        for set in try cbor["alternativeElementSets"].nonEmptyArray() {
            sets.append(try set.nonEmptyArray().map { (item) throws(CBORError) in try ElementReference(item) })
        }
        alternativeElementSets = sets
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2)
        encoder.text("requestedElement")
        encoder.encode(requestedElement)
        encoder.text("alternativeElementSets")
        encoder.array(alternativeElementSets.count)
        for set in alternativeElementSets {
            encoder.array(set.count)
            for element in set { encoder.encode(element) }
        }
    }
}

/// The members of `requestInfo` that the second edition defines (WD2 §10.2.4); others are ignored.
///
///     DocRequestInfo = {
///         ? "alternativeDataElements": [ + AlternativeDataElementsSet ], ? "issuerIdentifiers": [ + bstr ],
///         ? "uniqueDocSetRequired": bool, ? "maximumResponseSize": uint,
///         ? "zkRequest": any, ? "docResponseEncryption": #6.24(bstr .cbor EncryptionParameters), * tstr => any
///     }
public struct DocRequestInfo: Sendable, CBORCodable {
    /// What may come instead of elements that are not there.
    public let alternativeDataElements: [AlternativeDataElements]
    /// Authority key identifiers of the issuers that the reader accepts; empty accepts any.
    public let issuerIdentifiers: [[UInt8]]
    /// Whether only one set of documents may answer; the holder here never sends more.
    public let uniqueDocSetRequired: Bool
    /// The size in bytes that the response must not exceed.
    public let maximumResponseSize: UInt64?
    /// A request for a zero-knowledge proof, as received: none can be made here, so the plain document is offered.
    public let zkRequest: CBOR?
    /// Key and algorithm that the document should be encrypted to, as received.
    public let docResponseEncryption: CBOR?

    /// Members for a request made here.
    public init(
        alternativeDataElements: [AlternativeDataElements] = [], issuerIdentifiers: [[UInt8]] = [],
        uniqueDocSetRequired: Bool = false, maximumResponseSize: UInt64? = nil
    ) {
        self.alternativeDataElements = alternativeDataElements
        self.issuerIdentifiers = issuerIdentifiers
        self.uniqueDocSetRequired = uniqueDocSetRequired
        self.maximumResponseSize = maximumResponseSize
        zkRequest = nil
        docResponseEncryption = nil
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        alternativeDataElements = try cbor.decodeList("alternativeDataElements")
        issuerIdentifiers =
            try cbor.optional("issuerIdentifiers").map { (list) throws(CBORError) in
                try list.array().map { (item) throws(CBORError) in try item.bytes() }
            } ?? []
        uniqueDocSetRequired = try cbor.optional("uniqueDocSetRequired")?.bool() ?? false
        maximumResponseSize = try cbor.optional("maximumResponseSize")?.uint()
        zkRequest = try cbor.optional("zkRequest")
        docResponseEncryption = try cbor.optional("docResponseEncryption")
    }

    public func encode(to encoder: inout CBOREncoder) {
        let optionalMembers = [
            !alternativeDataElements.isEmpty, !issuerIdentifiers.isEmpty, uniqueDocSetRequired, maximumResponseSize != nil,
            zkRequest != nil, docResponseEncryption != nil,
        ]
        encoder.map(optionalMembers.count { $0 })
        if !alternativeDataElements.isEmpty {
            encoder.text("alternativeDataElements")
            encoder.array(alternativeDataElements.count)
            for set in alternativeDataElements { encoder.encode(set) }
        }
        if !issuerIdentifiers.isEmpty {
            encoder.text("issuerIdentifiers")
            encoder.array(issuerIdentifiers.count)
            for identifier in issuerIdentifiers { encoder.bytes(identifier) }
        }
        if uniqueDocSetRequired {
            encoder.text("uniqueDocSetRequired")
            encoder.bool(true)
        }
        if let maximumResponseSize {
            encoder.text("maximumResponseSize")
            encoder.int(maximumResponseSize)
        }
        for (name, item) in [("zkRequest", zkRequest), ("docResponseEncryption", docResponseEncryption)] {
            guard let item else { continue }
            encoder.text(name)
            encoder.item(item)
        }
    }
}

/// What holds for a request as a whole (WD2 §10.2.5).
///
///     DeviceRequestInfo = { ? "useCases": [ + UseCase ], * tstr => any }
public struct DeviceRequestInfo: Sendable, CBORCodable {
    /// One purpose and the document sets that serve it.
    ///
    ///     UseCase = {
    ///         "mandatory": bool, "documentSets": [ + [ + uint ] ], ? "purposeHints": { + tstr => int }
    ///     }
    public struct UseCase: Sendable, CBORCodable {
        /// Whether nothing may be answered when no set is there.
        public let mandatory: Bool
        /// Each set lists positions in docRequests; one whole set serves the purpose. In order of preference.
        public let documentSets: [[UInt64]]
        /// Purpose codes by controller: "org.iso.jtc1.sc17" defines 1 identity, 2 driving, 3 age.
        public let purposeHints: [(controller: String, code: Int)]

        /// From its members.
        public init(mandatory: Bool, documentSets: [[UInt64]], purposeHints: [(controller: String, code: Int)] = []) {
            self.mandatory = mandatory
            self.documentSets = documentSets
            self.purposeHints = purposeHints
        }

        public init(_ cbor: CBOR) throws(CBORError) {
            mandatory = try cbor["mandatory"].bool()
            documentSets = try cbor["documentSets"].nonEmptyArray().map { (set) throws(CBORError) in
                try set.nonEmptyArray().map { (position) throws(CBORError) in try position.uint() }
            }
            var hints: [(controller: String, code: Int)] = []
            if let map = try cbor.optional("purposeHints") {
                for (controller, code) in try map.map() { hints.append((try controller.text(), try code.int())) }
            }
            purposeHints = hints
        }

        public func encode(to encoder: inout CBOREncoder) {
            encoder.map(purposeHints.isEmpty ? 2 : 3)
            encoder.text("mandatory")
            encoder.bool(mandatory)
            encoder.text("documentSets")
            encoder.array(documentSets.count)
            for set in documentSets {
                encoder.array(set.count)
                for position in set { encoder.int(position) }
            }
            if !purposeHints.isEmpty {
                encoder.text("purposeHints")
                encoder.map(purposeHints.count)
                for (controller, code) in purposeHints {
                    encoder.text(controller)
                    encoder.int(code)
                }
            }
        }
    }

    /// Empty when every docRequest is simply wanted.
    public let useCases: [UseCase]

    /// From its member.
    public init(useCases: [UseCase] = []) {
        self.useCases = useCases
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        _ = try cbor.map()
        useCases = try cbor.decodeList("useCases")
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(useCases.isEmpty ? 0 : 1)
        if !useCases.isEmpty {
            encoder.text("useCases")
            encoder.array(useCases.count)
            for useCase in useCases { encoder.encode(useCase) }
        }
    }
}
