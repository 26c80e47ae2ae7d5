public import Codec

/// Data elements that the device itself signs (ISO/IEC 18013-5:2021 §8.3.2.1.2.2); usually none.
///
///     DeviceNameSpaces = { * NameSpace => { + DataElementIdentifier => any } }
public struct DeviceNameSpaces: Sendable, CBORCodable {
    /// The elements of a name space with their values.
    public typealias Elements = (nameSpace: NameSpace, elements: [(identifier: DataElementIdentifier, value: CBOR)])

    /// In the order received.
    public let nameSpaces: [Elements]

    /// Elements for the device to sign.
    public init(_ nameSpaces: [Elements] = []) {
        self.nameSpaces = nameSpaces
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        var all: [Elements] = []
        for (nameSpace, map) in try cbor.map() {
            var elements: [(identifier: DataElementIdentifier, value: CBOR)] = []
            for (identifier, value) in try map.nonEmptyMap() { elements.append((try identifier.text(), value)) }
            all.append((try nameSpace.text(), elements))
        }
        nameSpaces = all
    }

    /// Whether the device signs no element.
    public var isEmpty: Bool { nameSpaces.isEmpty }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(nameSpaces.count)
        for (nameSpace, elements) in nameSpaces {
            encoder.text(nameSpace)
            encoder.map(elements.count)
            for (identifier, value) in elements {
                encoder.text(identifier)
                encoder.item(value)
            }
        }
    }
}

/// The proof that the device key took part in this session (ISO/IEC 18013-5:2021 §9.1.3.4).
///
///     DeviceAuth = { "deviceSignature": COSE_Sign1 // "deviceMac": COSE_Mac0 }
///
/// The standard wants exactly one of the two; both and neither stay representable, because the reader owes a finding (R24.form).
public struct DeviceAuth: Sendable, CBORCodable {
    /// What a DeviceAuth carries.
    public enum Form: Sendable, Hashable { case signature, mac, both, neither }

    /// A signature by the device key, payload detached.
    public let deviceSignature: COSESign1?
    /// A MAC under EMacKey, payload detached.
    public let deviceMac: COSEMac0?

    /// A proof made here.
    public init(deviceSignature: COSESign1? = nil, deviceMac: COSEMac0? = nil) {
        self.deviceSignature = deviceSignature
        self.deviceMac = deviceMac
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        // Wallets in the field write the one that they do not use as undefined or null.
        deviceSignature = try cbor.decodePresent("deviceSignature")
        deviceMac = try cbor.decodePresent("deviceMac")
    }

    /// What is there.
    public var form: Form {
        switch (deviceSignature, deviceMac) {
        case (.some, nil): .signature
        case (nil, .some): .mac
        case (.some, .some): .both
        case (nil, nil): .neither
        }
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map((deviceSignature == nil ? 0 : 1) + (deviceMac == nil ? 0 : 1))
        if let deviceSignature {
            encoder.text("deviceSignature")
            encoder.encode(deviceSignature)
        }
        if let deviceMac {
            encoder.text("deviceMac")
            encoder.encode(deviceMac)
        }
    }
}

/// What the device adds to a document (ISO/IEC 18013-5:2021 §8.3.2.1.2.2).
///
///     DeviceSigned = { "nameSpaces": #6.24(bstr .cbor DeviceNameSpaces), "deviceAuth": DeviceAuth }
public struct DeviceSigned: Sendable, CBORCodable {
    /// With the bytes that device authentication covers.
    public let nameSpaces: Embedded<DeviceNameSpaces>
    /// The proof over them and the session.
    public let deviceAuth: DeviceAuth

    /// From its parts.
    public init(nameSpaces: Embedded<DeviceNameSpaces>, deviceAuth: DeviceAuth) {
        self.nameSpaces = nameSpaces
        self.deviceAuth = deviceAuth
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        nameSpaces = try Embedded(cbor["nameSpaces"])
        deviceAuth = try DeviceAuth(cbor["deviceAuth"])
    }

    public var encodedSizeHint: Int { 256 + nameSpaces.encodedSizeHint }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2)
        encoder.text("nameSpaces")
        encoder.encode(nameSpaces)
        encoder.text("deviceAuth")
        encoder.encode(deviceAuth)
    }
}
