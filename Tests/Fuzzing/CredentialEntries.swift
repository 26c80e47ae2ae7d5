import Codec
import Credentials
import Crypto
import Ports
import Reports

/// Requests, documents and tokens.
struct CredentialEntries {
    private let stage: FuzzStage
    private let requests: RequestVerifier
    private let responses: PresentationVerifier

    init(_ stage: FuzzStage) {
        self.stage = stage
        let signers = SignerVerifier(anchors: stage.authority.anchors, edition: .second)
        requests = RequestVerifier(readers: signers)
        responses = PresentationVerifier(signers: signers)
    }

    var all: [FuzzEntry] {
        [
            FuzzEntry("device-request") { request($0, over: stage.transcript) },
            FuzzEntry("device-response", longest: 16384) { response($0) },
            FuzzEntry("certificate", certificate),
            FuzzEntry("jws") { jws(String(decoding: $0, as: UTF8.self)) },
            FuzzEntry("jwe") { jwe(String(decoding: $0, as: UTF8.self)) },
            FuzzEntry("sd-jwt") { token(String(decoding: $0, as: UTF8.self)) },
            FuzzEntry("dcql") { query(String(decoding: $0, as: UTF8.self)) },
        ]
    }

    /// What a holder does with a request: judges it, and makes a proposal of it.
    func request(_ bytes: [UInt8], over transcript: SessionTranscript) {
        let report = requests.verify(bytes, over: transcript, at: stage.time)
        require(report.request != nil || report.responseStatus != nil, "a request that cannot be read has a status")
        for check in report.checks.checks { _ = check.reason(redacting: false) }
        guard let request = report.request else { return }
        for edition in [Edition.first, .second] {
            guard let asked = try? PresentationRequest(request, edition: edition) else { continue }
            let proposal = stage.presenter.propose(asked, to: nil, from: stage.documents)
            require((try? DeviceResponse(decoding: Presenter.refusal(of: proposal).encodedCBOR)) != nil, "a refusal can be read")
        }
    }

    /// What a reader does with a response: judges it, and shows the report in every form.
    func response(_ bytes: [UInt8]) {
        let request = try? DeviceRequest(decoding: stage.request)
        let report = responses.verify(
            bytes, over: stage.transcript, request: request, readerKey: stage.readerKey, at: stage.time)
        require(
            bytes == stage.response || report.verdict != .pass || report.documents.allSatisfy { $0.trusted == true },
            "trust is earned")
        show(report)
    }

    private func show(_ report: PresentationReport) {
        let json = report.json(redacting: false)
        require((try? JSON.decode(json.encoded())) != nil, "the report is JSON")
        _ = (TableReport(report).text, HTMLReport(report).page, JUnitReport(report).document)
    }

    private func certificate(_ bytes: [UInt8]) {
        if let list = try? CertificateRevocationList(der: bytes) {
            _ = (list.isSigned(by: stage.authority.iaca.certificate), list.number)
        }
        guard let certificate = try? Certificate(der: bytes) else { return }
        _ = (certificate.subject.description, try? certificate.publicKey())
        for profile in CertificateProfile.allCases {
            for finding in profile.lint(certificate, issuer: stage.authority.iaca.certificate) { _ = finding.description }
        }
    }

    private func jws(_ text: String) {
        if let serialization = try? JSON.decode(text) { _ = try? JWSSerialization(serialization) }
        guard let jws = try? JWS(compact: text) else { return }
        require(jws.compact == text, "a JWS stays as received")
        _ = (try? jws.algorithm(), try? jws.claims(), try? jws.verify(with: stage.authority.documentSigner.key.publicKey))
    }

    private func jwe(_ text: String) {
        let jwe: JWE
        if let json = try? JSON.decode(text) {
            guard let read = try? JWE(json) else { return }
            jwe = read
        } else {
            guard let read = try? JWE(compact: text) else { return }
            jwe = read
        }
        _ = try? jwe.decrypt(with: stage.readerKey, inflateLimit: 10_000)
    }

    private func token(_ text: String) {
        let signers = responses.signers
        let verifier = SDJWTVerifier(signers: signers, isHAIP: text.utf8.count % 2 == 0)
        show(verifier.verify(text, expecting: .presentation(types: ["urn:example:id"], binding: stage.binding), at: stage.time))
        show(verifier.verify(text, expecting: .issuance, at: stage.time))
        guard let token = try? SDJWT(text: text), let processed = try? token.processed() else { return }
        _ = JSON.object(processed.claims).encoded()
        _ = try? token.showing([ClaimPath([.key("address"), .key("list"), .index(0)])])
    }

    /// A query over what the holder has, or why it is none.
    private func query(_ text: String) {
        do throws(DCQLSyntaxError) {
            let query = try DCQLQuery(text: text)
            var candidates: [QueryableCredential] = []
            for document in stage.documents {
                if let candidate = try? QueryableCredential(document.issuerSigned) { candidates.append(candidate) }
            }
            if let candidate = try? QueryableCredential(stage.token) { candidates.append(candidate) }
            let evaluation = query.evaluate(over: candidates)
            require(evaluation.credentials.count == query.credentials.count, "every query has a result")
        } catch {
            require(!error.issues.isEmpty, "a refused query has a reason")
        }
    }
}
