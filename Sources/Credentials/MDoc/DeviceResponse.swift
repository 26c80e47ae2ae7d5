public import Codec

/// What the mdoc answers (ISO/IEC 18013-5:2021 §8.3.2.1.2.2; WD2 §10.3).
///
///     DeviceResponse = {
///         "version": tstr, ? "documents": [ + Document ], ? "zkDocuments": [ + any ],
///         ? "documentErrors": [ + { DocType => ErrorCode } ], "status": uint
///     }
public struct DeviceResponse: Sendable, CBORCodable {
    /// Table 8: 0 OK, 10 general error, 11 CBOR decoding error, 12 CBOR validation error.
    public enum Status {
        /// Processed as asked.
        public static let ok: UInt64 = 0
        /// The request could not be processed.
        public static let generalError: UInt64 = 10
        /// The request is no CBOR.
        public static let decodingError: UInt64 = 11
        /// The request is not what its definition says.
        public static let validationError: UInt64 = 12
        /// All of them.
        public static let defined: Set<UInt64> = [ok, generalError, decodingError, validationError]
    }

    /// "1.0", or something that a reader does not support.
    public let version: ProtocolVersion
    /// The documents, in order.
    public let documents: [Document]
    /// Documents with a zero-knowledge proof, as received. Nothing here verifies such a proof, so none ever counts as verified.
    public let zkDocuments: [CBOR]
    /// Types that are not returned, each with its error code (Table 9): 0 means that the data is not returned.
    public let documentErrors: [(docType: DocType, code: Int)]
    /// One of `Status`, or a value nobody defined.
    public let status: UInt64

    /// A response made here.
    public init(
        version: ProtocolVersion = .v1_0, documents: [Document] = [], documentErrors: [(docType: DocType, code: Int)] = [],
        status: UInt64 = Status.ok
    ) {
        self.version = version
        self.documents = documents
        zkDocuments = []
        self.documentErrors = documentErrors
        self.status = status
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        version = ProtocolVersion(try cbor["version"].text())
        documents = try cbor.decodeList("documents")
        zkDocuments = try cbor.optional("zkDocuments").map { (list) throws(CBORError) in Array(try list.nonEmptyArray()) } ?? []
        documentErrors = try cbor.optional("documentErrors").map { (list) throws(CBORError) in try Self.errors(list) } ?? []
        status = try cbor["status"].uint()
    }

    public func encode(to encoder: inout CBOREncoder) {
        let optionalMembers = [!documents.isEmpty, !zkDocuments.isEmpty, !documentErrors.isEmpty]
        encoder.map(2 + optionalMembers.count { $0 })
        encoder.text("version")
        encoder.text(version.text)
        if !documents.isEmpty {
            encoder.text("documents")
            encoder.array(documents.count)
            for document in documents { encoder.encode(document) }
        }
        if !zkDocuments.isEmpty {
            encoder.text("zkDocuments")
            encoder.array(zkDocuments.count)
            for document in zkDocuments { encoder.item(document) }
        }
        if !documentErrors.isEmpty {
            encoder.text("documentErrors")
            encoder.array(documentErrors.count)
            for (docType, code) in documentErrors {
                encoder.map(1)
                encoder.text(docType)
                encoder.int(code)
            }
        }
        encoder.text("status")
        encoder.int(status)
    }

    public var encodedSizeHint: Int {
        (zkDocuments.map(\.encodedSizeHint) + documents.map(\.encodedSizeHint)).reduce(64 + 64 * documentErrors.count, +)
    }

    private static func errors(_ list: CBOR) throws(CBORError) -> [(docType: DocType, code: Int)] {
        var errors: [(docType: DocType, code: Int)] = []
        for error in try list.nonEmptyArray() {
            for (docType, code) in try error.map() { errors.append((try docType.text(), try code.int())) }
        }
        return errors
    }
}

/// One document of a response (ISO/IEC 18013-5:2021 §8.3.2.1.2.2).
///
///     Document = {
///         "docType": tstr, "issuerSigned": IssuerSigned, "deviceSigned": DeviceSigned,
///         ? "errors": { + NameSpace => { + DataElementIdentifier => ErrorCode } }
///     }
public struct Document: Sendable, CBORCodable {
    /// The elements of a name space that are not returned, with their error codes.
    public typealias Errors = (nameSpace: NameSpace, errors: [(identifier: DataElementIdentifier, code: Int)])

    /// What the document says it is; the MSO has to say the same.
    public let docType: DocType
    /// What the issuer signed.
    public let issuerSigned: IssuerSigned
    /// nil when the member is missing, which the standard does not allow: the reader then has no device authentication to check.
    public let deviceSigned: DeviceSigned?
    /// What is not returned.
    public let errors: [Errors]

    /// A document made here.
    public init(docType: DocType, issuerSigned: IssuerSigned, deviceSigned: DeviceSigned?, errors: [Errors] = []) {
        self.docType = docType
        self.issuerSigned = issuerSigned
        self.deviceSigned = deviceSigned
        self.errors = errors
    }

    public init(_ cbor: CBOR) throws(CBORError) {
        docType = try cbor["docType"].text()
        issuerSigned = try IssuerSigned(cbor["issuerSigned"])
        deviceSigned = try cbor.decodeOptional("deviceSigned")
        errors = try cbor.optional("errors").map { (map) throws(CBORError) in try Self.errors(map) } ?? []
    }

    public func encode(to encoder: inout CBOREncoder) {
        encoder.map(2 + (deviceSigned == nil ? 0 : 1) + (errors.isEmpty ? 0 : 1))
        encoder.text("docType")
        encoder.text(docType)
        encoder.text("issuerSigned")
        encoder.encode(issuerSigned)
        if let deviceSigned {
            encoder.text("deviceSigned")
            encoder.encode(deviceSigned)
        }
        if !errors.isEmpty {
            encoder.text("errors")
            encodeErrors(to: &encoder)
        }
    }

    public var encodedSizeHint: Int {
        256 + docType.utf8.count + issuerSigned.encodedSizeHint + (deviceSigned?.encodedSizeHint ?? 0)
    }

    private func encodeErrors(to encoder: inout CBOREncoder) {
        encoder.map(errors.count)
        for (nameSpace, elements) in errors {
            encoder.text(nameSpace)
            encoder.map(elements.count)
            for (identifier, code) in elements {
                encoder.text(identifier)
                encoder.int(code)
            }
        }
    }

    private static func errors(_ map: CBOR) throws(CBORError) -> [Errors] {
        var all: [Errors] = []
        for (nameSpace, elements) in try map.nonEmptyMap() {
            var errors: [(identifier: DataElementIdentifier, code: Int)] = []
            for (identifier, code) in try elements.nonEmptyMap() { errors.append((try identifier.text(), try code.int())) }
            all.append((try nameSpace.text(), errors))
        }
        return all
    }
}
