import Codec
import Crypto

extension DocumentVerification {
    /// R22.element, R27: what the values themselves have to be.
    mutating func checkElements(_ signer: SignerChain?) {
        checkDateForms()
        checkIssuerNames(signer)
    }

    private mutating func checkDateForms() {
        guard let dated = DatedElements.of(document.docType) else { return list.notRun("R22.element", subject, .profile) }
        let faults = presented.claims.compactMap { claim -> String? in
            guard let fault = dated.type(of: claim.element, in: claim.namespace)?.dateFault(in: claim.value) else { return nil }
            return "\(claim.element): \(fault) as its definition asks"
        }
        guard !faults.isEmpty else { return list.pass("R22.element", subject) }
        for fault in faults { list.fail("R22.element", subject, fault) }
    }

    /// R27: an mDL names the country and the jurisdiction of the authority that signed it.
    private mutating func checkIssuerNames(_ signer: SignerChain?) {
        let name = signer?.signer?.subject
        checkIssuerName("R27.country", "issuing_country", name?.country, hasSigner: name != nil)
        checkIssuerName("R27.jurisdiction", "issuing_jurisdiction", name?.stateOrProvince, hasSigner: name != nil)
    }

    private mutating func checkIssuerName(_ id: String, _ element: String, _ expected: String?, hasSigner: Bool) {
        guard document.docType == Self.mDL else { return list.notRun(id, subject, .profile) }
        let claim = presented.claims.first { $0.element == element && $0.namespace == Self.mDLNameSpace }
        guard let value = claim.flatMap({ try? $0.value.text() }) else { return list.notRun(id, subject, .notPresent) }
        guard hasSigner else { return list.notRun(id, subject, .needs(signerCause)) }
        guard let expected else {
            // A certificate without a state leaves the jurisdiction open; one without a country breaks its profile.
            return list.notRun(id, subject, .notPresent)
        }
        list.judge(id, subject, value == expected, [value, expected])
    }
}

/// The elements of a document type that are dates or hold some, looked up at once.
private struct DatedElements: Sendable {
    /// By identifier first: most elements are in none.
    private var types: [DataElementIdentifier: [(nameSpace: NameSpace, type: ElementType)]] = [:]

    private init(_ definition: DocumentDefinition) {
        for nameSpace in definition.nameSpaces {
            for element in nameSpace.elements where element.type.holdsDates {
                types[element.identifier, default: []].append((nameSpace.nameSpace, element.type))
            }
        }
    }

    func type(of identifier: DataElementIdentifier, in nameSpace: NameSpace) -> ElementType? {
        types[identifier]?.first { $0.nameSpace == nameSpace }?.type
    }

    /// nil for types without a table.
    static func of(_ docType: DocType) -> DatedElements? { known[docType] }

    private static let known = Dictionary(
        DocumentDefinition.known.map { ($0.docType, DatedElements($0)) }, uniquingKeysWith: { first, _ in first })
}

extension ElementType {
    /// Whether a value of this type is a date or holds one.
    fileprivate var holdsDates: Bool {
        switch self {
        case .fullDate, .tdate, .date: true
        case .list(let type): type.holdsDates
        case .record(let members): members.contains { $0.type.holdsDates }
        case .choice(let types): types.contains { $0.holdsDates }
        case .text, .unsigned, .boolean, .bytes, .picture, .any: false
        }
    }
}
