/// A data element as the definition of its document describes it.
public struct ElementDefinition: Sendable, Hashable {
    /// As in the document.
    public let identifier: DataElementIdentifier
    /// What its value has to be.
    public let type: ElementType
    /// Whether every document of the type has it.
    public let isMandatory: Bool
    /// English, for people.
    public let displayName: String

    init(_ identifier: DataElementIdentifier, _ type: ElementType, _ displayName: String, mandatory: Bool = false) {
        self.identifier = identifier
        self.type = type
        self.displayName = displayName
        isMandatory = mandatory
    }
}

/// The elements that one name space defines.
public struct NameSpaceDefinition: Sendable, Hashable {
    /// As in the document.
    public let nameSpace: NameSpace
    /// In the order of the table, age statements left out.
    public let elements: [ElementDefinition]
    /// Whether the name space has the ninety-nine elements `age_over_01` … `age_over_99`.
    public let hasAgeStatements: Bool

    init(_ nameSpace: NameSpace, hasAgeStatements: Bool = false, _ elements: [ElementDefinition]) {
        self.nameSpace = nameSpace
        self.elements = elements
        self.hasAgeStatements = hasAgeStatements
    }

    /// The definition of `identifier`, age statements included.
    public func element(_ identifier: DataElementIdentifier) -> ElementDefinition? {
        if let element = elements.first(where: { $0.identifier == identifier }) { return element }
        guard hasAgeStatements, let statement = AgeStatement(identifier) else { return nil }
        return ElementDefinition(identifier, .boolean, "Age over \(statement.age)")
    }
}

/// A document type with its element tables: what display, minting and the checks on element values go by.
public struct DocumentDefinition: Sendable, Hashable {
    /// As in the document.
    public let docType: DocType
    /// English, for people: "Driving licence".
    public let displayName: String
    /// The name that `issuer mint --type` and the reader's presets use: "mdl".
    public let shortName: String
    /// The main one first.
    public let nameSpaces: [NameSpaceDefinition]

    /// Every document type with a table here.
    public static let known: [DocumentDefinition] = [
        .mobileDrivingLicence, .personIdentificationData, .photoID, .ageVerification,
    ]

    /// The definition of `docType`; nil for types without a table, which get the generic view.
    public static func of(_ docType: DocType) -> DocumentDefinition? {
        known.first { $0.docType == docType }
    }

    /// The definition with this short name: "mdl", "pid", "photo-id", "age-verification".
    public static func named(_ shortName: String) -> DocumentDefinition? {
        known.first { $0.shortName == shortName }
    }

    /// The definition of an element.
    public func element(_ identifier: DataElementIdentifier, in nameSpace: NameSpace) -> ElementDefinition? {
        nameSpaces.first { $0.nameSpace == nameSpace }?.element(identifier)
    }

    /// The name space that defines `identifier`: the first one of the table that knows it.
    public func nameSpace(defining identifier: DataElementIdentifier) -> NameSpace? {
        nameSpaces.first { $0.element(identifier) != nil }?.nameSpace
    }
}
