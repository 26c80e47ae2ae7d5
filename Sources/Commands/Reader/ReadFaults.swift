import Codec
import Credentials
import Crypto

/// What a reader makes wrong in its requests on purpose (`--fault`).
struct RequestFaults: Sendable {
    /// By the names of the check catalogue.
    enum Fault: String, Sendable, CaseIterable {
        case cbor = "request-cbor"
        case major = "request-major"
        case minor = "request-minor"
        case tag = "items-request-tag24"
        case shape = "items-request-shape"
        case unknownDocType = "request-unknown-doctype"
        case noAuthentication = "reader-auth-none"
        case wrongSignature = "reader-signature-wrong"
        case unprotectedAlgorithm = "reader-auth-alg"
        case threeAges = "request-three-ages"
        case wrongSignatureOverAll = "reader-auth-all-wrong"
        case useCasesShape = "use-cases-shape"
        case useCasesUnsatisfiable = "use-cases-satisfiable"

        var summary: String {
            switch self {
            case .cbor: "the request lacks its last byte"
            case .major: "DeviceRequest version 2.0"
            case .minor: "DeviceRequest version 1.1 without a member of the second edition"
            case .tag: "itemsRequest in a plain byte string"
            case .shape: "itemsRequest without docType"
            case .unknownDocType: "asks for a document type that nobody has"
            case .noAuthentication: "the request is not signed"
            case .wrongSignature: "one bit of each reader signature is flipped"
            case .unprotectedAlgorithm: "the algorithm of reader authentication is not protected"
            case .threeAges: "asks three age questions of the first document"
            case .wrongSignatureOverAll: "one bit of the signature over all docRequests is flipped (edition 2)"
            case .useCasesShape: "a use case refers to a docRequest that is not there (edition 2)"
            case .useCasesUnsatisfiable: "a mandatory use case needs an element that no document has (edition 2)"
            }
        }

        /// Checks of the reader itself that may fail or warn, for the holder answers with a status, or with less.
        var also: [String] {
            switch self {
            case .cbor, .major, .tag, .shape, .useCasesShape: ["R6.status"]
            case .unknownDocType, .threeAges, .useCasesUnsatisfiable: ["R26.missing"]
            default: []
            }
        }

        /// The checks that see it.
        var trips: [String] { CheckCatalogue.rows.filter { $0.faults.contains(rawValue) }.map(\.id) }
    }

    private let faults: Set<Fault>

    init(_ faults: Set<Fault>) { self.faults = faults }

    func contains(_ fault: Fault) -> Bool { faults.contains(fault) }

    /// What is asked, before anything is signed.
    func spoil(_ requests: [ItemsRequest]) -> [ItemsRequest] {
        (requests + unanswerable(like: requests.first)).enumerated().map { position, request in
            if contains(.unknownDocType) {
                return ItemsRequest(docType: "org.example.unknown", nameSpaces: request.nameSpaces)
            }
            guard contains(.threeAges), position == 0, let first = request.nameSpaces.first else { return request }
            let ages = [16, 18, 21].map { (identifier: AgeStatement(age: $0).identifier, intentToRetain: false) }
            return ItemsRequest(
                docType: request.docType,
                nameSpaces: [(first.nameSpace, first.elements.filter { AgeStatement($0.identifier) == nil } + ages)]
                    + request.nameSpaces.dropFirst())
        }
    }

    /// A request for a document that the holder has, and for an element that no document has.
    private func unanswerable(like request: ItemsRequest?) -> [ItemsRequest] {
        guard contains(.useCasesUnsatisfiable), let request else { return [] }
        return [ItemsRequest(docType: request.docType, nameSpaces: [("org.example", [("no_such_element", false)])])]
    }

    /// What is said of all documents together, of which there are `count`.
    func spoil(_ info: DeviceRequestInfo?, count: Int) -> DeviceRequestInfo? {
        let last = UInt64(max(count, 1) - 1)
        if contains(.useCasesShape) { return DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: [[last + 1]])]) }
        if contains(.useCasesUnsatisfiable) { return DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: [[last]])]) }
        return info
    }

    /// The bytes that go out instead of an encoded DeviceRequest.
    func spoil(_ request: DeviceRequest) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(2 + (request.deviceRequestInfo == nil ? 0 : 1) + (request.readerAuthAll.isEmpty ? 0 : 1))
        encoder.text("version")
        encoder.text(contains(.major) ? "2.0" : contains(.minor) ? "1.1" : request.version.text)
        encoder.text("docRequests")
        encoder.array(request.docRequests.count)
        for docRequest in request.docRequests { encode(docRequest, to: &encoder) }
        if let info = request.deviceRequestInfo {
            encoder.text("deviceRequestInfo")
            encoder.raw(info.encoded)
        }
        if !request.readerAuthAll.isEmpty {
            encoder.text("readerAuthAll")
            encoder.array(request.readerAuthAll.count)
            for signature in request.readerAuthAll { encoder.encode(signature) }
        }
        return contains(.cbor) ? Array(encoder.bytes.dropLast()) : encoder.bytes
    }

    private func encode(_ request: DocRequest, to encoder: inout CBOREncoder) {
        encoder.map(request.readerAuth == nil ? 1 : 2)
        encoder.text("itemsRequest")
        if contains(.tag) {
            encoder.bytes(request.itemsRequest.content)
        } else if contains(.shape) {
            var items = CBOREncoder()
            items.map(1)
            items.text("nameSpaces")
            items.map(0)
            encoder.embedded(items.bytes)
        } else {
            encoder.raw(request.itemsRequest.encoded)
        }
        guard let readerAuth = request.readerAuth else { return }
        encoder.text("readerAuth")
        encoder.encode(readerAuth)
    }
}
