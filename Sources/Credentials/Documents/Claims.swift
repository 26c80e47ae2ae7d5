public import Codec

/// The elements of a document before anyone signs them, by name space, in order.
public struct Claims: Sendable {
    /// The elements of a name space with their values.
    public typealias Elements = DeviceNameSpaces.Elements

    /// In the order in which they were added.
    public private(set) var nameSpaces: [Elements]

    /// Claims that have their CBOR types already.
    public init(_ nameSpaces: [Elements] = []) {
        self.nameSpaces = nameSpaces
    }

    /// Claims from JSON, each value in the type that its definition gives; values without a definition by their JSON type.
    ///
    ///     { "org.iso.18013.5.1": { "family_name": "Lindqvist", "birth_date": "1994-05-17" } }
    ///
    /// Elements that the definition knows may stand at the top level, without their name space.
    public init(_ json: JSON, definition: DocumentDefinition?) throws(ClaimError) {
        self.init()
        guard let members = json.objectValue else {
            throw ClaimError(path: FieldPath(), expected: "an object of claims", found: json.typeName)
        }
        for (name, value) in members {
            if let nameSpace = definition?.nameSpace(defining: name) {
                try add(value, name, in: nameSpace, definition)
            } else if let elements = value.objectValue {
                for (identifier, value) in elements { try add(value, identifier, in: name, definition) }
            } else {
                throw ClaimError(path: FieldPath(name), expected: "a name space with its elements", found: value.typeName)
            }
        }
    }

    /// The value of an element.
    public subscript(_ identifier: DataElementIdentifier, nameSpace: NameSpace) -> CBOR? {
        nameSpaces.first { $0.nameSpace == nameSpace }?.elements.first { $0.identifier == identifier }?.value
    }

    /// Sets the value of an element, at the end if it is new.
    public mutating func set(_ identifier: DataElementIdentifier, in nameSpace: NameSpace, to value: CBOR) {
        guard let place = nameSpaces.firstIndex(where: { $0.nameSpace == nameSpace }) else {
            nameSpaces.append((nameSpace, [(identifier, value)]))
            return
        }
        if let element = nameSpaces[place].elements.firstIndex(where: { $0.identifier == identifier }) {
            nameSpaces[place].elements[element].value = value
        } else {
            nameSpaces[place].elements.append((identifier, value))
        }
    }

    /// These claims with those of `other` set on top.
    public func merging(_ other: Claims) -> Claims {
        var merged = self
        for (nameSpace, elements) in other.nameSpaces {
            for (identifier, value) in elements { merged.set(identifier, in: nameSpace, to: value) }
        }
        return merged
    }

    private mutating func add(
        _ value: JSON, _ identifier: DataElementIdentifier, in nameSpace: NameSpace, _ definition: DocumentDefinition?
    ) throws(ClaimError) {
        let type = definition?.element(identifier, in: nameSpace)?.type ?? .any
        set(identifier, in: nameSpace, to: try type.encode(value, at: FieldPath(nameSpace, identifier)))
    }
}
