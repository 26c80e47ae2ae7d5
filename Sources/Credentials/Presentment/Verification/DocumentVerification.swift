import Codec
import Crypto

/// The checks of one document of a response.
///
/// The steps are in extensions: issuer (R9–R14, R19), mobile security object (R15, R20–R23), items (R16–R18, R22, R27), device
/// (R24, R25), request (R7, R26, R29, R30).
struct DocumentVerification {
    /// Every check that a document has a row for.
    static let ids: [String] = CheckCatalogue.response.map { $0.isFamily ? String($0.id.dropLast(2)) : $0.id }
        .drop { $0 != "R7" }.map { $0 }

    static let mDL = "org.iso.18013.5.1.mDL"
    static let mDLNameSpace = "org.iso.18013.5.1"

    let session: VerificationSession
    let document: Document
    let subject: String
    /// The mobile security object, as far as it can be read; signed or not.
    let object: MobileSecurityObject?
    private let objectError: CBORError?

    var list: CheckList
    var presented: PresentedDocument
    var missing: [String] = []
    var unrequested: [String] = []

    init(_ session: VerificationSession, _ document: Document, subject: String, presented: PresentedDocument) {
        self.session = session
        self.document = document
        self.subject = subject
        self.presented = presented
        list = CheckList(edition: session.edition)
        do throws(CBORError) {
            object = try document.issuerSigned.mobileSecurityObject()
            objectError = nil
        } catch {
            object = nil
            objectError = error
        }
    }

    mutating func run() {
        checkDocType()
        let signer = checkIssuer()
        let deviceKey = checkObject(signer)
        checkItems()
        checkDevice(deviceKey)
        checkElements(signer)
        checkRequest()
        checkStatus(signer)
        checkReuse()
    }

    /// R8: the type that the issuer signed is the type that the document claims.
    private mutating func checkDocType() {
        if let request = session.request {
            list.judge("R7", subject, request.elements(of: document.docType) != nil, [document.docType])
        } else {
            list.notRun("R7", subject, .notPresent)
        }
        guard let object else { return list.notRun("R8", subject, .needs("R15.payload")) }
        list.judge(
            "R8", subject, document.docType.utf8.elementsEqual(object.docType.utf8), [document.docType, object.docType])
    }

    /// What is wrong with the object when it cannot be read.
    var objectFault: String { objectError.map(String.init(describing:)) ?? "unreadable" }

    /// R11.revoked, R28: what there is to find out; `StatusChecker` does, and until then the rows say that nobody asked.
    private mutating func checkStatus(_ signer: SignerChain?) {
        let claim = StatusClaim(mso: object?.status)
        let isSigned = list.check("R14", subject)?.outcome == .pass
        presented.statusQuery = StatusQuery(
            subject: subject, type: document.docType, claim: claim, form: .cwt, signer: signer,
            isGenuine: isSigned && signer?.isTrusted == true, cause: isSigned ? "R11.path" : "R14")
        presented.status = claim == .absent ? "none" : "undetermined"
        let why: NotRunReason = object == nil ? .needs("R15.payload") : claim == .absent ? .notPresent : .policyOff
        list.notRun(["R28.status", "R28.mdl-values"], subject, why)
    }

    /// R31: an object seen before lets readers link presentations.
    private mutating func checkReuse() {
        guard let payload = document.issuerSigned.issuerAuth.payload else {
            return list.notRun("R31", subject, .needs("R15.payload"))
        }
        guard let wasSeen = session.verifier.wasSeen else { return list.notRun("R31", subject, .policyOff) }
        let hash = HashAlgorithm.sha256.digest(payload)
        list.judge("R31", subject, !wasSeen(hash), [Hex.encode(hash)])
    }
}

extension CheckList {
    /// A pass, or a violation with the catalogue's message; the values are only made for a violation.
    mutating func judge(_ id: String, _ subject: String, _ holds: Bool, _ values: @autoclosure () -> [String] = []) {
        if holds { pass(id, subject) } else { fail(id, subject, values: values()) }
    }

    /// A pass when there are no violations, else one row that says them all.
    mutating func judge(_ id: String, _ subject: String, violations: [[String]]) {
        if violations.isEmpty { pass(id, subject) }
        for values in violations { fail(id, subject, values: values) }
    }

    mutating func notRun(_ ids: [String], _ subject: String, _ why: NotRunReason) {
        for id in ids { notRun(id, subject, why) }
    }
}
