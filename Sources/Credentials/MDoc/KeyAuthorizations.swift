public import Codec

/// Which elements the device key may sign itself (ISO/IEC 18013-5:2021 §9.1.2.4, §9.1.3.4).
///
///     KeyAuthorizations = {
///         ? "nameSpaces": [ + NameSpace ],
///         ? "dataElements": { + NameSpace => [ + DataElementIdentifier ] }
///     }
public struct KeyAuthorizations: Sendable, CBORCodable {
    /// Name spaces of which the device key may sign any element.
    public let nameSpaces: [NameSpace]
    /// Single elements that it may sign, by name space.
    public let dataElements: [(nameSpace: NameSpace, identifiers: [DataElementIdentifier])]

    /// Authorizations made here.
    public init(nameSpaces: [NameSpace] = [], dataElements: [(nameSpace: NameSpace, identifiers: [DataElementIdentifier])] = []) {
        self.nameSpaces = nameSpaces
        self.dataElements = dataElements
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        nameSpaces = try cbor.optional("nameSpaces").map { (list) throws(CBORError) in try list.texts() } ?? []
        var elements: [(nameSpace: NameSpace, identifiers: [DataElementIdentifier])] = []
        if let map = try cbor.optional("dataElements") {
            for (nameSpace, list) in try map.map() { elements.append((try nameSpace.text(), try list.texts())) }
        }
        dataElements = elements
    }

    /// Whether the device key may sign `identifier` of `nameSpace`.
    public func allows(_ identifier: DataElementIdentifier, in nameSpace: NameSpace) -> Bool {
        nameSpaces.contains(nameSpace)
            || dataElements.contains { $0.nameSpace == nameSpace && $0.identifiers.contains(identifier) }
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map((nameSpaces.isEmpty ? 0 : 1) + (dataElements.isEmpty ? 0 : 1))
        if !nameSpaces.isEmpty {
            encoder.text("nameSpaces")
            encoder.texts(nameSpaces)
        }
        if !dataElements.isEmpty {
            encoder.text("dataElements")
            encoder.map(dataElements.count)
            for (nameSpace, identifiers) in dataElements {
                encoder.text(nameSpace)
                encoder.texts(identifiers)
            }
        }
    }
}
