/// For whom the holder's own rules let elements go, before anyone is asked for consent.
public enum ReleasePolicy: Sendable, Hashable {
    /// Any reader may be answered; consent decides.
    case anyReader
    /// Only a reader whose authentication leads to a trusted anchor is offered more than an mDL's mandatory elements, which
    /// must not depend on reader authentication (ISO/IEC 18013-5:2021 §7.2.1).
    case authenticatedReader
    /// As `authenticatedReader`, for the mandatory elements of an mDL too. The standard forbids this policy: `violation` says so.
    case authenticatedReaderEvenForMandatory

    /// Whether `element` of `docType` may be offered.
    public func allows(_ element: ElementReference, of docType: DocType, readerIsTrusted: Bool) -> Bool {
        switch self {
        case .anyReader: true
        case .authenticatedReader: readerIsTrusted || Self.isMandatoryInLicence(element, docType)
        case .authenticatedReaderEvenForMandatory: readerIsTrusted
        }
    }

    /// The mandatory mDL elements of a request that this policy would ask reader authentication for (H9); empty for a policy that
    /// keeps to the standard.
    public func violations(in request: PresentationRequest) -> [ElementReference] {
        request.documents.flatMap { document in
            document.elements.map(\.reference).filter {
                Self.isMandatoryInLicence($0, document.docType) && !allows($0, of: document.docType, readerIsTrusted: false)
            }
        }
    }

    private static func isMandatoryInLicence(_ element: ElementReference, _ docType: DocType) -> Bool {
        let licence = DocumentDefinition.mobileDrivingLicence
        guard docType == licence.docType else { return false }
        return licence.element(element.identifier, in: element.nameSpace)?.isMandatory ?? false
    }
}
