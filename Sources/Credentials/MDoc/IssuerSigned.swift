public import Codec

/// One data element as the issuer signed it (ISO/IEC 18013-5:2021 §8.3.2.1.2.2). Its digest covers the tag-24 item that carries
/// it, so it always travels as `Embedded<IssuerSignedItem>`.
///
///     IssuerSignedItem = {
///         "digestID": uint, "random": bstr, "elementIdentifier": tstr, "elementValue": any
///     }
public struct IssuerSignedItem: Sendable, CBORCodable {
    /// Unique within the name space; below 2^31 (§9.1.2.4), which a reader checks.
    public let digestID: UInt64
    /// At least 16 bytes, fresh for every item (§9.1.2.5), which a reader checks.
    public let random: [UInt8]
    /// Which element it is.
    public let elementIdentifier: DataElementIdentifier
    /// Its value, of the type that the definition of the document gives.
    public let elementValue: CBOR

    /// An item made here.
    public init(digestID: UInt64, random: [UInt8], elementIdentifier: DataElementIdentifier, elementValue: CBOR) {
        self.digestID = digestID
        self.random = random
        self.elementIdentifier = elementIdentifier
        self.elementValue = elementValue
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        digestID = try cbor["digestID"].uint()
        random = try cbor["random"].bytes()
        elementIdentifier = try cbor["elementIdentifier"].text()
        elementValue = try cbor["elementValue"]
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(4)
        encoder.text("digestID")
        encoder.int(digestID)
        encoder.text("random")
        encoder.bytes(random)
        encoder.text("elementIdentifier")
        encoder.text(elementIdentifier)
        encoder.text("elementValue")
        encoder.item(elementValue)
    }
}

/// The data elements of a document with the issuer's signature over their digests (ISO/IEC 18013-5:2021 §8.3.2.1.2.2).
///
///     IssuerSigned = {
///         ? "nameSpaces": { * NameSpace => [ + IssuerSignedItemBytes ] },      ; "+" in the standard, empty in the field
///         "issuerAuth": COSE_Sign1        ; payload: MobileSecurityObjectBytes
///     }
public struct IssuerSigned: Sendable, CBORCodable {
    /// The items of a name space, in the order received, each with the bytes that were hashed.
    public typealias Items = (nameSpace: NameSpace, items: [Embedded<IssuerSignedItem>])

    /// In the order received.
    public let nameSpaces: [Items]
    /// The signature; its payload is the MSO.
    public let issuerAuth: COSESign1

    /// A selection of another document's items under the same signature.
    public init(nameSpaces: [Items], issuerAuth: COSESign1) {
        self.nameSpaces = nameSpaces
        self.issuerAuth = issuerAuth
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        nameSpaces = try cbor.optional("nameSpaces").map { (item) throws(CBORError) in try Self.nameSpaces(item) } ?? []
        issuerAuth = try COSESign1(cbor["issuerAuth"])
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(nameSpaces.isEmpty ? 1 : 2)
        if !nameSpaces.isEmpty {
            encoder.text("nameSpaces")
            encoder.map(nameSpaces.count)
            for (nameSpace, items) in nameSpaces {
                encoder.text(nameSpace)
                encoder.array(items.count)
                for item in items { encoder.encode(item) }
            }
        }
        encoder.text("issuerAuth")
        encoder.encode(issuerAuth)
    }

    public var encodedSizeHint: Int {
        nameSpaces.reduce(64 + issuerAuth.encodedSizeHint) { size, nameSpace in
            nameSpace.items.reduce(size + nameSpace.nameSpace.utf8.count + 16) { $0 + $1.encodedSizeHint }
        }
    }

    /// The item of `identifier`, the first if there are several.
    public func item(_ identifier: DataElementIdentifier, in nameSpace: NameSpace) -> Embedded<IssuerSignedItem>? {
        nameSpaces.first { $0.nameSpace == nameSpace }?.items.first { $0.value.elementIdentifier == identifier }
    }

    /// The MSO that `issuerAuth` signs; not yet verified.
    /// - Throws: when the payload is absent, not tag 24, or lacks a member.
    public func mobileSecurityObject() throws(CBORError) -> MobileSecurityObject {
        guard let payload = try issuerAuth.payloadContent() else {
            throw CBORError(.expected("MobileSecurityObjectBytes", found: "null"), path: FieldPath("issuerAuth", "payload"))
        }
        return try MobileSecurityObject(payload.embedded())
    }

    private static func nameSpaces(_ cbor: CBOR) throws(CBORError) -> [Items] {
        var nameSpaces: [Items] = []
        for (key, list) in try cbor.map() {
            let items = try list.nonEmptyArray().map { (item) throws(CBORError) in try Embedded<IssuerSignedItem>(item) }
            nameSpaces.append((try key.text(), items))
        }
        return nameSpaces
    }
}
