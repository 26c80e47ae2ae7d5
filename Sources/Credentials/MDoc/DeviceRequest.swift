public import Codec

/// What a reader asks (ISO/IEC 18013-5:2021 §8.3.2.1.2.1; WD2 §10.2).
///
///     DeviceRequest = {
///         "version": tstr, "docRequests": [ + DocRequest ],
///         ? "deviceRequestInfo": #6.24(bstr .cbor DeviceRequestInfo), ? "readerAuthAll": [ + COSE_Sign1 ]     ; version 1.1
///     }
public struct DeviceRequest: Sendable, CBORCodable {
    /// "1.0", or "1.1" with members of the second edition.
    public let version: ProtocolVersion
    /// At least one.
    public let docRequests: [DocRequest]
    /// What holds for all of them.
    public let deviceRequestInfo: Embedded<DeviceRequestInfo>?
    /// Signatures over all of them; empty when there is none.
    public let readerAuthAll: [COSESign1]

    /// A request whose version is the one its members ask for: "1.1" exactly when a member of the second edition is there.
    public init(
        docRequests: [DocRequest], deviceRequestInfo: Embedded<DeviceRequestInfo>? = nil, readerAuthAll: [COSESign1] = []
    ) {
        version = deviceRequestInfo == nil && readerAuthAll.isEmpty ? .v1_0 : .v1_1
        self.docRequests = docRequests
        self.deviceRequestInfo = deviceRequestInfo
        self.readerAuthAll = readerAuthAll
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        version = ProtocolVersion(try cbor["version"].text())
        docRequests = try cbor["docRequests"].nonEmptyArray().map { (item) throws(CBORError) in try DocRequest(item) }
        deviceRequestInfo = try cbor.optional("deviceRequestInfo")
            .map { (item) throws(CBORError) in try Embedded<DeviceRequestInfo>(item) }
        readerAuthAll = try cbor.decodeList("readerAuthAll")
    }

    /// The version that fits the members; another one is worth a warning (H4.minor).
    public var expectedVersion: ProtocolVersion {
        deviceRequestInfo == nil && readerAuthAll.isEmpty ? .v1_0 : .v1_1
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2 + (deviceRequestInfo == nil ? 0 : 1) + (readerAuthAll.isEmpty ? 0 : 1))
        encoder.text("version")
        encoder.text(version.text)
        encoder.text("docRequests")
        encoder.array(docRequests.count)
        for request in docRequests { encoder.encode(request) }
        if let deviceRequestInfo {
            encoder.text("deviceRequestInfo")
            encoder.encode(deviceRequestInfo)
        }
        if !readerAuthAll.isEmpty {
            encoder.text("readerAuthAll")
            encoder.array(readerAuthAll.count)
            for signature in readerAuthAll { encoder.encode(signature) }
        }
    }
}

/// The request for one document.
///
///     DocRequest = { "itemsRequest": #6.24(bstr .cbor ItemsRequest), ? "readerAuth": COSE_Sign1 }
public struct DocRequest: Sendable, CBORCodable {
    /// With the bytes that readerAuth signs.
    public let itemsRequest: Embedded<ItemsRequest>
    /// The signature over this one; nil when it is not signed.
    public let readerAuth: COSESign1?

    /// A request made here.
    public init(itemsRequest: Embedded<ItemsRequest>, readerAuth: COSESign1? = nil) {
        self.itemsRequest = itemsRequest
        self.readerAuth = readerAuth
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        itemsRequest = try Embedded(cbor["itemsRequest"])
        readerAuth = try cbor.decodeOptional("readerAuth")
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(readerAuth == nil ? 1 : 2)
        encoder.text("itemsRequest")
        encoder.encode(itemsRequest)
        if let readerAuth {
            encoder.text("readerAuth")
            encoder.encode(readerAuth)
        }
    }
}

/// The elements asked of one document type.
///
///     ItemsRequest = {
///         "docType": tstr, "nameSpaces": { + NameSpace => { + DataElementIdentifier => IntentToRetain } },
///         ? "requestInfo": { * tstr => any }
///     }
public struct ItemsRequest: Sendable, CBORCodable {
    /// The elements asked of a name space, each with whether the reader says that it will keep it.
    public typealias Elements = (nameSpace: NameSpace, elements: [(identifier: DataElementIdentifier, intentToRetain: Bool)])

    /// The type wanted.
    public let docType: DocType
    /// In the order received.
    public let nameSpaces: [Elements]
    /// As received; `DocRequestInfo` reads the members that the second edition defines.
    public let requestInfo: CBOR?

    /// A request made here.
    public init(docType: DocType, nameSpaces: [Elements], requestInfo: CBOR? = nil) {
        self.docType = docType
        self.nameSpaces = nameSpaces
        self.requestInfo = requestInfo
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        docType = try cbor["docType"].text()
        var all: [Elements] = []
        for (nameSpace, map) in try cbor["nameSpaces"].nonEmptyMap() {
            var elements: [(identifier: DataElementIdentifier, intentToRetain: Bool)] = []
            for (identifier, retain) in try map.nonEmptyMap() { elements.append((try identifier.text(), try retain.bool())) }
            all.append((try nameSpace.text(), elements))
        }
        nameSpaces = all
        requestInfo = try cbor.optional("requestInfo")
        if let requestInfo { _ = try requestInfo.map() }
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(requestInfo == nil ? 2 : 3)
        encoder.text("docType")
        encoder.text(docType)
        encoder.text("nameSpaces")
        encoder.map(nameSpaces.count)
        for (nameSpace, elements) in nameSpaces {
            encoder.text(nameSpace)
            encoder.map(elements.count)
            for (identifier, intentToRetain) in elements {
                encoder.text(identifier)
                encoder.bool(intentToRetain)
            }
        }
        if let requestInfo {
            encoder.text("requestInfo")
            encoder.item(requestInfo)
        }
    }
}
