import Codec

/// The checks of a DeviceResponse as a whole, and of each document in it.
struct ResponseVerification {
    static let subject = "response"

    let session: VerificationSession
    var list: CheckList
    var documents: [PresentedDocument] = []
    var missing: [String] = []
    var unrequested: [String] = []

    init(_ session: VerificationSession) {
        self.session = session
        self.list = CheckList(edition: session.edition, capacity: 64)
    }

    mutating func run(_ response: [UInt8]) {
        do throws(CBORError) {
            let item = try CBOR(decoding: response)
            checkEncoding(item)
            let documents = try item.optional("documents").map { (list) throws(CBORError) in Array(try list.nonEmptyArray()) } ?? []
            checkVersion(item)
            checkStatus(item, hasDocuments: !documents.isEmpty)
            for (position, document) in documents.enumerated() { verify(document, position) }
            try checkZeroKnowledge(item)
            try checkErrors(item)
            checkWhatIsMissing()
        } catch {
            refuse(error)
        }
    }

    private mutating func checkEncoding(_ item: CBOR) {
        if let offset = item.firstNonPreferredOffset {
            list.fail("P13", Self.subject, values: ["DeviceResponse", String(offset)])
        } else {
            list.pass("P13", Self.subject)
        }
    }

    private mutating func checkVersion(_ item: CBOR) {
        do throws(CBORError) {
            let version = ProtocolVersion(try item["version"].text())
            list.judge("R5", Self.subject, version.isSupported, [version.text])
        } catch {
            list.fail("R1.shape", Self.subject, "DeviceResponse: \(error)")
            list.notRun("R5", Self.subject, .needs("R1.shape"))
        }
    }

    private mutating func checkStatus(_ item: CBOR, hasDocuments: Bool) {
        do throws(CBORError) {
            let status = try item["status"].uint()
            let isOK = status == DeviceResponse.Status.ok
            list.judge("R6.status", Self.subject, isOK, [String(status)])
            list.judge("R6.value", Self.subject, DeviceResponse.Status.defined.contains(status), [String(status)])
            list.judge("R6.documents", Self.subject, isOK || !hasDocuments, [String(status)])
        } catch {
            list.fail("R1.shape", Self.subject, "DeviceResponse: \(error)")
            for id in ["R6.status", "R6.value", "R6.documents"] { list.notRun(id, Self.subject, .needs("R1.shape")) }
        }
    }

    private mutating func verify(_ item: CBOR, _ position: Int) {
        let type = (try? item["docType"].text()) ?? "document \(position)"
        let earlier = documents.count { $0.type == type }
        let subject = earlier == 0 ? type : "\(type) #\(earlier + 1)"
        var presented = PresentedDocument(format: "mso_mdoc", type: type)
        do throws(CBORError) {
            var verification = DocumentVerification(session, try Document(item), subject: subject, presented: presented)
            // The rows go on in the same list, moved in and out.
            swap(&list, &verification.list)
            verification.run()
            swap(&list, &verification.list)
            missing += verification.missing
            unrequested += verification.unrequested
            presented = verification.presented
        } catch {
            list.fail("R1.shape", subject, "Document: \(error)")
            for id in DocumentVerification.ids { list.notRun(id, subject, .needs("R1.shape")) }
        }
        documents.append(presented)
    }

    /// A proof that nobody here can check never counts as verified: it leaves the verdict open.
    private mutating func checkZeroKnowledge(_ item: CBOR) throws(CBORError) {
        guard let proofs = try item.optional("zkDocuments") else { return }
        for position in 1...max(1, try proofs.nonEmptyArray().count) {
            list.notRun("R14", "zkDocument \(position)", .undetermined("zero-knowledge proofs are not verified"))
        }
    }

    /// `documentErrors` says nothing that a check goes by, but it has a shape.
    private func checkErrors(_ item: CBOR) throws(CBORError) {
        guard let errors = try item.optional("documentErrors") else { return }
        for error in try errors.nonEmptyArray() {
            for (docType, code) in try error.nonEmptyMap() { _ = (try docType.text(), try code.int()) }
        }
    }

    private mutating func checkWhatIsMissing() {
        for docType in session.request?.docTypes ?? [] where !documents.contains(where: { $0.type == docType }) {
            missing.append(docType)
            // A refusal says already that nothing comes.
            if list.check("R6.status", Self.subject)?.outcome == .fail {
                list.notRun("R26.missing", docType, .needs("R6.status"))
            } else {
                list.fail("R26.missing", docType, values: ["document \(docType)"])
            }
        }
    }

    private mutating func refuse(_ error: CBORError) {
        switch error.reason {
        case .expected, .missing, .outOfRange, .invalid:
            list.fail("R1.shape", Self.subject, "DeviceResponse: \(error)")
        case .duplicateKey(let key):
            list.fail("P14", Self.subject, values: ["DeviceResponse", key], detail: "at \(error.path)")
            list.fail("R1.cbor", Self.subject, "DeviceResponse is not valid CBOR: \(error)")
        default:
            list.fail("R1.cbor", Self.subject, "DeviceResponse is not valid CBOR: \(error)")
        }
    }
}
