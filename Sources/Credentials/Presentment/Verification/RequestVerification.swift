import Codec
import Crypto
import Ports

/// The checks of one request: its form (H4, H5, H12.shape), then each docRequest (H7, H8, H11).
struct RequestVerification {
    private static let form = ["H4.cbor", "H4.major", "H5.tag", "H5.shape", "H12.shape"]
    private static let authentication = ["H7.doc", "H7.alg", "H8", "H8.path", "H8.validity", "H8.critical", "H8.revoked"]

    private let verifier: RequestVerifier
    private let transcript: SessionTranscript?
    private let time: Timestamp
    private var signedAsWhole: RequestReport.Reader?

    var report: RequestReport

    init(_ verifier: RequestVerifier, _ transcript: SessionTranscript?, _ time: Timestamp) {
        self.verifier = verifier
        self.transcript = transcript
        self.time = time
        self.report = RequestReport(checks: CheckList(edition: verifier.edition))
    }

    mutating func run(_ bytes: [UInt8]) {
        guard let request = read(bytes) else { return }
        report.request = request
        let expected = request.expectedVersion
        report.checks.judge("H4.minor", RequestReport.subject, request.version == expected, [request.version.text])
        checkEncoding(bytes)
        checkWhole(request)
        for (position, docRequest) in request.docRequests.enumerated() { check(docRequest, "docRequest \(position)") }
        report.isRefusedByPolicy = verifier.policy == .require && !report.readers.allSatisfy { $0?.isTrusted == true }
    }

    /// H4, H5, H12.shape: the request, or the status to refuse it with.
    private mutating func read(_ bytes: [UInt8]) -> DeviceRequest? {
        do throws(DeviceRequestRefusal) {
            let request = try DeviceRequest.receive(bytes)
            _ = try PresentationRequest(request, edition: verifier.edition)
            for id in Self.form where id != "H12.shape" { report.checks.pass(id, RequestReport.subject) }
            if request.deviceRequestInfo?.value.useCases.isEmpty ?? true {
                report.checks.notRun("H12.shape", RequestReport.subject, .notPresent)
            } else {
                report.checks.pass("H12.shape", RequestReport.subject)
            }
            return request
        } catch {
            refuse(error)
            return nil
        }
    }

    private mutating func refuse(_ refusal: DeviceRequestRefusal) {
        report.responseStatus = refusal.status
        let id = refusal.check.rawValue
        let before = Self.form.prefix { $0 != id }
        for earlier in before { report.checks.pass(earlier, RequestReport.subject) }
        report.checks.fail(id, RequestReport.subject, "\(refusal.reason) (response status \(refusal.status))")
        report.checks.notRun(Self.form.dropFirst(before.count + 1) + ["H4.minor"], RequestReport.subject, .needs(id))
    }

    private mutating func checkEncoding(_ bytes: [UInt8]) {
        let offset = (try? CBOR(decoding: bytes))?.firstNonPreferredOffset
        report.checks.judge("P13", RequestReport.subject, offset == nil, ["DeviceRequest", offset.map { String($0) } ?? ""])
    }

    /// H7.all: a signature over all docRequests counts for each of them.
    private mutating func checkWhole(_ request: DeviceRequest) {
        guard !request.readerAuthAll.isEmpty else { return report.checks.notRun("H7.all", RequestReport.subject, .notPresent) }
        guard verifier.edition == .second else { return report.checks.notRun("H7.all", RequestReport.subject, .edition) }
        guard verifier.policy != .off else { return report.checks.notRun("H7.all", RequestReport.subject, .policyOff) }
        for (position, signature) in request.readerAuthAll.enumerated() {
            let reader = check(signature, "H7.all", String(position), "readerAuthAll \(position)") { transcript in
                ReaderAuthenticationAll.bytes(
                    transcript: transcript, itemsRequests: request.docRequests.map(\.itemsRequest),
                    deviceRequestInfo: request.deviceRequestInfo)
            }
            if signedAsWhole == nil || reader?.isTrusted == true { signedAsWhole = reader ?? signedAsWhole }
        }
    }

    private mutating func check(_ docRequest: DocRequest, _ subject: String) {
        checkAges(docRequest.itemsRequest.value, subject)
        guard verifier.policy != .off else {
            report.checks.notRun(["H7.absent"] + Self.authentication, subject, .policyOff)
            return report.readers.append(nil)
        }
        guard let signature = docRequest.readerAuth else {
            report.readers.append(signedAsWhole)
            checkAbsence(subject)
            return report.checks.notRun(Self.authentication, subject, .notPresent)
        }
        report.checks.pass("H7.absent", subject)
        let number = String(subject.dropFirst("docRequest ".count))
        let reader = check(signature, "H7.doc", number, subject) { transcript in
            ReaderAuthentication.bytes(transcript: transcript, itemsRequest: docRequest.itemsRequest)
        }
        report.readers.append(reader)
    }

    private mutating func checkAbsence(_ subject: String) {
        guard signedAsWhole == nil else { return report.checks.pass("H7.absent", subject) }
        let number = subject.dropFirst("docRequest ".count)
        report.checks.violate(
            "H7.absent", subject, as: verifier.policy == .require ? .fail : .warn, "docRequest \(number) is not signed")
    }

    /// H11: more than two age statements are never answered.
    private mutating func checkAges(_ items: ItemsRequest, _ subject: String) {
        let asked = items.nameSpaces.filter { $0.nameSpace == DocumentVerification.mDLNameSpace }.flatMap(\.elements)
        let count = asked.count { AgeStatement($0.identifier) != nil }
        guard count > 0 else { return report.checks.notRun("H11", subject, .notRequested) }
        report.checks.judge("H11", subject, count <= 2, [String(count)])
    }
}

extension RequestVerification {
    /// H7, H8 for one readerAuth.
    private mutating func check(
        _ signature: COSESign1, _ id: String, _ number: String, _ subject: String, signed: (SessionTranscript) -> [UInt8]
    ) -> RequestReport.Reader? {
        let chain = ["H8", "H8.path", "H8.validity", "H8.critical"]
        report.checks.notRun("H8.revoked", subject, .policyOff)
        guard let certificates = try? signature.x5chain?.certificates else {
            report.checks.fail(id, subject, values: [number], detail: "no certificates in x5chain")
            report.checks.notRun(["H7.alg"] + chain, subject, .needs(id))
            return nil
        }
        let signer = verifier.readers.reader(x5chain: certificates, at: time)
        let first = report.checks.checks.count
        signer.recordReaderChecks(in: &report.checks, enforce: verifier.policy == .require, subject: subject)
        if verifier.policy != .require { report.checks.soften(from: first) }
        let isValid = verify(signature, signer, id, number, subject, signed)
        let name = signer.signer.map { $0.subject.commonName ?? $0.subject.description }
        let isTrusted = isValid && signer.isTrusted
        report.signers.append(
            .init(subject: subject, chain: signer, isSigned: isValid, isGenuine: isTrusted, policy: verifier.policy))
        return RequestReport.Reader(name: name ?? "unreadable certificate", isTrusted: isTrusted, chain: signer)
    }

    private mutating func verify(
        _ signature: COSESign1, _ signer: SignerChain, _ id: String, _ number: String, _ subject: String,
        _ signed: (SessionTranscript) -> [UInt8]
    ) -> Bool {
        let algorithm = signature.protected.algorithm.flatMap(COSEAlgorithm.init)
        let isAllowed = algorithm.map { !$0.isMAC && (signer.key.map { $0.curve }.map($0.allows) ?? false) } ?? false
        let text = signature.protected.algorithmText ?? signature.unprotected.algorithmText ?? "none"
        report.checks.judge("H7.alg", subject, isAllowed, [text, signer.key?.curve.rawValue ?? "the reader's key"])
        guard isAllowed, let key = signer.key else {
            report.checks.notRun(id, subject, .needs("H7.alg"))
            return false
        }
        guard let transcript else {
            report.checks.notRun(id, subject, .noTranscript)
            return false
        }
        do throws(COSEError) {
            try signature.verify(with: key, detachedPayload: signed(transcript))
            report.checks.pass(id, subject)
            return true
        } catch {
            report.checks.fail(id, subject, values: [number], detail: error == .invalidSignature ? nil : "\(error)")
            return false
        }
    }
}
