import Codec
import Crypto

/// A response on its way to being encoded, still changeable, so that faults can spoil each part.
struct ResponseDraft: Sendable {
    var version = "1.0"
    var documents: [Document] = []
    var documentErrors: [(docType: DocType, code: Int)] = []
    var status = DeviceResponse.Status.ok

    var response: DeviceResponse {
        DeviceResponse(
            version: ProtocolVersion(version), documents: documents, documentErrors: documentErrors, status: status)
    }
}

/// One document of a response before the device authenticates it.
struct DocumentDraft: Sendable {
    /// An element that goes, with its source.
    struct Disclosure: Sendable {
        let reference: ElementReference
        var source: Proposal.Element.Source
        /// Added by a fault that a tester ordered: goes without consent.
        var isOrderedByFault = false
        /// Stands for transaction data, which the person agreed to as such.
        var isTransaction = false
    }

    var docType: DocType
    var document: IssuedDocument
    let option: Proposal.Option
    let request: PresentationRequest.DocumentRequest
    /// Everything the holder has, for faults that need another document.
    let others: [IssuedDocument]
    var disclosures: [Disclosure]
    var issuerAuth: COSESign1
    var transcript: SessionTranscript
    /// The form that a fault wants; nil leaves it to the presenter.
    var form: DeviceAuth.Form?
    var algorithmIsProtected = true
    var payloadIsDetached = true
    var spoilsProof = false
    /// Whether a MAC is made although the curves do not allow one.
    var ignoresCurves = false

    /// The items that go, by name space, in the order of the document.
    var issuerNameSpaces: [IssuerSigned.Items] {
        var nameSpaces: [IssuerSigned.Items] = []
        for disclosure in disclosures {
            guard case .issuer(let items) = disclosure.source else { continue }
            if let place = nameSpaces.firstIndex(where: { $0.nameSpace == disclosure.reference.nameSpace }) {
                nameSpaces[place].items += items
            } else {
                nameSpaces.append((disclosure.reference.nameSpace, items))
            }
        }
        return nameSpaces
    }

    /// The elements that the device signs itself.
    var deviceNameSpaces: DeviceNameSpaces {
        var claims = Claims()
        for disclosure in disclosures {
            guard case .device(let value) = disclosure.source else { continue }
            claims.set(disclosure.reference.identifier, in: disclosure.reference.nameSpace, to: value)
        }
        return DeviceNameSpaces(claims.nameSpaces)
    }

    /// What was asked and does not go: code 0 for each, whether the holder lacks it or keeps it back, so that the reader cannot
    /// tell the two apart.
    var errors: [Document.Errors] {
        let answered = Set(disclosures.map(\.reference))
        var errors: [Document.Errors] = []
        for element in request.elements.map(\.reference) {
            let answers = option.elements.filter { $0.requested.contains(element) }.map(\.reference)
            guard answers.isEmpty || !answers.allSatisfy(answered.contains) else { continue }
            if let place = errors.firstIndex(where: { $0.nameSpace == element.nameSpace }) {
                errors[place].errors.append((element.identifier, 0))
            } else {
                errors.append((element.nameSpace, [(element.identifier, 0)]))
            }
        }
        return errors
    }
}
