public import Codec
public import Crypto

/// What the holder sends, and what it consists of, for the record.
public struct Presentation: Sendable {
    /// One document that goes.
    public struct Disclosure: Sendable {
        /// `IssuedDocument.id`.
        public let documentID: String
        /// The type it goes as.
        public let docType: DocType
        /// What of it goes.
        public let elements: [ElementReference]
        /// How the device authenticates it; nil for an SD-JWT VC.
        public let form: DeviceAuth.Form?
        /// The elements that a fault added, which nobody agreed to.
        let orderedByFault: Set<ElementReference>
    }

    /// The encoded DeviceResponse.
    public let bytes: [UInt8]
    /// The same, decoded.
    public let response: DeviceResponse
    /// One for each document that goes.
    public let disclosures: [Disclosure]
    /// Why documents stay behind that consent would have let go; nil when none does.
    public let withheld: String?
    /// The limit of the reader that the response exceeds (H13); nil when it keeps to it.
    public let exceededSize: UInt64?
    /// The faults in force.
    public let faults: [String]

    init(_ response: DeviceResponse, _ disclosures: [Disclosure], _ tampering: Tampering, withheld: String? = nil) {
        self.init(
            bytes: response.encodedCBOR, response: response, disclosures: disclosures, withheld: withheld, exceededSize: nil,
            faults: tampering.names)
    }

    private init(
        bytes: [UInt8], response: DeviceResponse, disclosures: [Disclosure], withheld: String?, exceededSize: UInt64?,
        faults: [String]
    ) {
        self.bytes = bytes
        self.response = response
        self.disclosures = disclosures
        self.withheld = withheld
        self.exceededSize = exceededSize
        self.faults = faults
    }

    /// The same presentation, known to exceed the reader's limit.
    func exceeding(_ limit: UInt64) -> Presentation {
        Presentation(
            bytes: bytes, response: response, disclosures: disclosures, withheld: withheld, exceededSize: limit, faults: faults)
    }
}

extension Presentation.Disclosure {
    init(_ draft: DocumentDraft, _ deviceSigned: DeviceSigned) {
        documentID = draft.document.id
        docType = draft.docType
        elements = draft.disclosures.map(\.reference)
        form = deviceSigned.deviceAuth.form
        orderedByFault = Set(draft.disclosures.filter(\.isOrderedByFault).map(\.reference))
    }
}

/// Why a consented presentation could not be made. Nothing has left the holder.
public enum PresentationError: Error, Sendable, CustomStringConvertible {
    /// An element would leave that the recorded consent does not cover (H14).
    case withoutConsent(ElementReference)
    case cannotSign(Curve)
    case macNotPossible(device: Curve, session: Curve)
    /// The transcript has no reader key, so that no MAC can be made.
    case noSessionKey
    case key(KeyStoreError)
    case cose(COSEError)
    case transcript(CBORError)
    case fault(TamperingError)
    case sdJWT(SDJWTError)
    /// The credential is bound to no key of this wallet, and the query wants proof of possession.
    case noHolderKey(String)
    /// What was agreed to does not satisfy the query: nothing may be returned (OpenID4VP 1.0 §6.4.2).
    case unsatisfied

    public var description: String {
        switch self {
        case .withoutConsent(let element): "\(element.nameSpace)/\(element.identifier) would leave without recorded consent"
        case .cannotSign(let curve): "a device key on \(curve.rawValue) cannot sign"
        case .macNotPossible(let device, let session):
            "a MAC needs device key and session on one curve: the device key is on \(device.rawValue), the session on \(session.rawValue)"
        case .noSessionKey: "a MAC needs the reader's session key, and this session has none"
        case .key(let error): "\(error)"
        case .cose(let error): "\(error)"
        case .transcript(let error): "session transcript: \(error)"
        case .fault(let error): "\(error)"
        case .sdJWT(let error): "\(error)"
        case .noHolderKey(let id): "credential \(id) has no key in this wallet to prove possession with"
        case .unsatisfied: "what was agreed to does not satisfy the query"
        }
    }
}
