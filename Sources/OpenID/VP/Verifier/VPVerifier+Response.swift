public import Codec
public import Credentials
import Crypto
public import Ports

/// What came of one request to the response endpoint.
public struct VPReceipt: Sendable {
    /// For the wallet.
    public let response: HTTPResponse
    /// For the person; every check, also where the answer does not count.
    public let report: PresentationReport
    /// Whether this answer is the one that the transaction keeps.
    public let isKept: Bool
}

extension VPVerifier {
    /// Takes what was sent to the response endpoint of a transaction.
    ///
    /// The first answer that opens and names the right state wins, whatever its presentations are worth; one that does not is
    /// answered with an error, remembered, and changes nothing.
    public func receive(_ request: HTTPRequest, for id: String) async throws(VPVerifierError) -> VPReceipt {
        let now = clock.now()
        var reception = VPReception(settings, at: now)
        let known = try await transaction(id)
        guard let fields = reception.form(request) else { return try await reject(reception, known, now) }
        guard reception.opens(known), let transaction = known else { return try await reject(reception, known, now) }
        reception.opened = await opened(fields["response"], transaction)
        reception.read(fields, transaction)
        guard !reception.isRejected else { return try await reject(reception, transaction, now) }
        return try await settle(reception, transaction, reception.report(transaction), evidence: Self.evidence(fields), now)
    }

    /// Takes an answer of the Digital Credentials API: the `data` of the credential that the page got, and the page's origin.
    public func receive(digital data: JSON, origin: String, for id: String) async throws(VPVerifierError) -> VPReceipt {
        let now = clock.now()
        var reception = VPReception(settings, at: now)
        let known = try await transaction(id)
        guard reception.opens(known), let transaction = known else { return try await reject(reception, known, now) }
        let inner = data["data"] ?? data
        if data["protocol"]?.stringValue == AnnexC.protocolName,
            let report = await annexCReport(inner, transaction, origin: origin, at: now)
        {
            if let failed = report.checks.first(where: { $0.id == "VD7.hpke" && $0.outcome == .fail }) {
                // What does not open may be anybody's: the wallet's own answer can still come.
                reception.list.fail(failed.id, failed.subject, failed.reason ?? failed.name)
                return try await reject(reception, transaction, now)
            }
            return try await settle(reception, transaction, report.adding(checks: reception.list), evidence: data, now)
        }
        reception.opened = await opened(inner["response"]?.stringValue, transaction)
        reception.read(digital: inner, transaction)
        guard !reception.isRejected else { return try await reject(reception, transaction, now) }
        return try await settle(
            reception, transaction, reception.report(transaction, origin: origin), evidence: data, now)
    }

    /// An encrypted response with the transaction's key; nil when there is none of the two.
    private func opened(_ text: String?, _ transaction: VPTransaction) async -> Result<[UInt8], JOSEError>? {
        guard let id = transaction.encryptionKeyID, let jwe = text.flatMap({ try? JWE(compact: $0) }),
            let key = try? await keys.info(id)
        else { return nil }
        do throws(JOSEError) {
            return .success(
                try await jwe.decrypt(with: key, in: keys, unlock: .automatic, inflateLimit: settings.responseLimit))
        } catch { return .failure(error) }
    }

    /// What an encrypted response to this transaction says: while it waits by its key, later by what was kept of the answer that
    /// counted; nil for anything else.
    public func payload(of response: String, for transaction: VPTransaction) async -> JSONObject? {
        if let kept = transaction.evidence,
            kept["response"]?.stringValue == response || kept["data"]?["response"]?.stringValue == response
        {
            return kept["payload"]?.objectValue
        }
        guard case .success(let plain)? = await opened(response, transaction) else { return nil }
        return (try? JSON.decode(plain))?.objectValue
    }

    private static func evidence(_ fields: FormFields) -> JSON {
        .object(
            JSONObject(
                fields.pairs.filter { ["vp_token", "response", "error", "error_description"].contains($0.name) }
                    .map { (key: $0.name, value: .string($0.value)) }))
    }

    private func settle(
        _ reception: VPReception, _ transaction: VPTransaction, _ report: PresentationReport, evidence: JSON, _ now: Timestamp
    ) async throws(VPVerifierError) -> VPReceipt {
        var report = report
        if let completion = settings.completion { report = await completion(report) }
        notice(transaction.id, .judged(report))
        // VV6: a vp_token that is none is refused, but it is the answer: nobody else will send a better one.
        let isMalformed = report.checks.contains { $0.id.hasPrefix("VV6") && $0.outcome == .fail }
        var kept = evidence.objectValue ?? JSONObject()
        kept["payload"] = reception.payload.map { .object($0) }
        var outcome = VPOutcome(report: report.json(), error: reception.error, evidence: .object(kept))
        if transaction.isSameDevice, transaction.mode.way == .post { outcome.responseCode = Base64URL.encode(random.bytes(16)) }
        let sealed = outcome
        let isKept = try await update(transaction.id) { $0.complete(sealed, at: now) } ?? false
        guard isKept else {
            // Somebody else was faster: this answer is another one.
            var late = reception
            late.list.fail("VV2.once", VPReception.subject, values: [])
            return try await reject(late, transaction, now)
        }
        if let key = transaction.encryptionKeyID { await drop(key) }
        notice(transaction.id, .completed)
        if isMalformed {
            let reason = report.checks.first { $0.id.hasPrefix("VV6") && $0.outcome == .fail }?.reason
            return VPReceipt(response: Self.refusal(reason ?? ""), report: report, isKept: true)
        }
        return VPReceipt(response: answer(transaction, outcome.responseCode), report: report, isKept: true)
    }

    private func answer(_ transaction: VPTransaction, _ code: String?) -> HTTPResponse {
        let headers: HTTPHeaders = ["Cache-Control": "no-store"]
        if settings.faults.contains("response-answer-status") { return .json(["error": "server_error"], status: 500) }
        if settings.faults.contains("response-answer-body") { return .text("thank you") }
        if settings.faults.contains("response-answer-redirect") {
            return .redirect(to: settings.publicURL.description, status: 302)
        }
        var object = JSONObject()
        if let code, !settings.faults.contains("response-answer-redirect-uri") {
            object.append("redirect_uri", .string(returnAddress(transaction.id, code)))
        }
        return .json(.object(object), headers: headers)
    }

    /// Where the browser of the wallet goes on: `return/<id>?response_code=…`.
    func returnAddress(_ id: String, _ code: String) -> String {
        address("return", id).with(query: ["response_code": code]).description
    }

    private func reject(
        _ reception: VPReception, _ transaction: VPTransaction?, _ now: Timestamp
    ) async throws(VPVerifierError) -> VPReceipt {
        let report = PresentationReport(at: now, rule: settings.tokens.mdoc.rule, checks: reception.list)
        let failed = reception.list.checks.first { $0.outcome == .fail }
        let reason = failed.map { "\($0.id) \($0.reason ?? $0.name)" } ?? "the answer does not count"
        if let transaction, transaction.status == .waiting {
            let attempt: JSON = [
                "time": .string(now.wholeSeconds.rfc3339), "error": .string(reason),
                "checks": .array(report.checks.map { $0.json() }),
            ]
            _ = try await update(transaction.id) { $0.note(attempt) }
            notice(transaction.id, .rejected(report))
        }
        var response = Self.refusal(reason)
        if failed?.id == "VV1.method" {
            response.status = 405
            response.headers["Allow"] = "POST"
        }
        return VPReceipt(response: response, report: report, isKept: false)
    }

    /// 400 with `invalid_request`: the specification defines no code here.
    private static func refusal(_ reason: String) -> HTTPResponse {
        .json(
            [
                "error": .string(VPErrorCode.invalidRequest.rawValue),
                "error_description": .string(ErrorDescription.allowed(reason)),
            ],
            status: 400, headers: ["Cache-Control": "no-store"])
    }

    // MARK: request_uri

    /// The answer of the `request_uri` endpoint, with what was found out about the fetch (VV14).
    public func fetch(_ request: HTTPRequest, for id: String) async throws(VPVerifierError) -> VPReceipt {
        let now = clock.now()
        var list = CheckList(edition: settings.tokens.mdoc.signers.edition)
        let subject = "request_uri"
        func done(_ response: HTTPResponse) -> VPReceipt {
            VPReceipt(
                response: response, report: PresentationReport(at: now, rule: settings.tokens.mdoc.rule, checks: list),
                isKept: false)
        }
        if let conduct = conductOfFetch() { return done(conduct) }
        guard let transaction = try await transaction(id), transaction.mode.way != .digitalCredentials,
            transaction.passing != .value
        else { return done(.text("there is no such request", status: 404)) }
        guard !transaction.isExpired(at: now) else { return done(.text("this request has expired", status: 410)) }
        let type = "application/\(RequestObject.mediaType)"
        let accepts = request.headers.quality(of: type) > 0
        if accepts { list.pass("VV14.accept", subject) } else { list.fail("VV14.accept", subject, values: []) }
        var walletNonce: String?
        if request.method == "POST" {
            guard let fields = readForm(request, subject, &list) else {
                return done(Self.refusal(list.checks.first { $0.outcome == .fail }?.reason ?? ""))
            }
            walletNonce = fields["wallet_nonce"]
        } else {
            list.notRun("VV14.form", subject, .notPresent)
            list.notRun("VV14.metadata", subject, .notPresent)
        }
        let object = try await requestObject(transaction, walletNonce: walletNonce)
        _ = try await update(id) { $0.fetches = min($0.fetches + 1, 1_000_000) }
        notice(id, .fetched)
        let answerType = settings.faults.contains("request-uri-type") ? "application/json" : type
        return done(HTTPResponse(200, type: answerType, Array(object.utf8), headers: ["Cache-Control": "no-store"]))
    }

    private func readForm(_ request: HTTPRequest, _ subject: String, _ list: inout CheckList) -> FormFields? {
        let text = String(validating: request.body, as: UTF8.self)
        guard request.headers.mediaType == "application/x-www-form-urlencoded", let fields = text.flatMap({ try? FormFields($0) }),
            fields.repeated == nil
        else {
            list.fail("VV14.form", subject, values: [])
            list.notRun("VV14.metadata", subject, .needs("VV14.form"))
            return nil
        }
        list.pass("VV14.form", subject)
        guard let metadata = fields["wallet_metadata"] else {
            list.notRun("VV14.metadata", subject, .notPresent)
            return fields
        }
        guard (try? JSON.decode(metadata))?.objectValue != nil else {
            list.fail("VV14.metadata", subject, values: [])
            return nil
        }
        list.pass("VV14.metadata", subject)
        return fields
    }

    private func conductOfFetch() -> HTTPResponse? {
        if settings.faults.contains("request-uri-http") { return .text("out of order", status: 500) }
        if settings.faults.contains("request-uri-redirect") { return .redirect(to: settings.publicURL.description, status: 302) }
        if settings.faults.contains("request-uri-limit") {
            return HTTPResponse(200, type: "application/\(RequestObject.mediaType)", Array(repeating: 0x61, count: 2 << 20))
        }
        return nil
    }

    // MARK: the return of the browser

    /// What came of a browser that came back: VV13.
    public struct Return: Sendable {
        public let checks: CheckList
        /// The transaction, when everything is right: only then may its result be shown.
        public let transaction: VPTransaction?
    }

    /// Redeems a response code, once, in the session that made the transaction (§13.3, §14.2).
    public func redeem(_ code: String, for id: String, session: String?) async throws(VPVerifierError) -> Return {
        var list = CheckList(edition: settings.tokens.mdoc.signers.edition)
        let subject = "return"
        guard let known = try await transaction(id) else {
            list.fail("VV13.code", subject, values: [])
            list.notRun("VV13.session", subject, .needs("VV13.code"))
            return Return(checks: list, transaction: nil)
        }
        guard known.belongs(to: session) else {
            list.fail("VV13.session", subject, values: [])
            list.notRun("VV13.code", subject, .needs("VV13.session"))
            return Return(checks: list, transaction: nil)
        }
        list.pass("VV13.session", subject)
        let isRedeemed = try await update(id) { $0.redeem(code) } ?? false
        guard isRedeemed else {
            list.fail("VV13.code", subject, values: [])
            return Return(checks: list, transaction: nil)
        }
        list.pass("VV13.code", subject)
        if settings.isHAIP { list.pass("VV13.followed", subject) } else { list.notRun("VV13.followed", subject, .profile) }
        notice(id, .returned)
        return Return(checks: list, transaction: try await transaction(id))
    }

    /// VV13.followed: under HAIP an answer in the same-device flow counts only when the browser came back in time.
    public func followed(_ transaction: VPTransaction) -> CheckList {
        var list = CheckList(edition: settings.tokens.mdoc.signers.edition)
        let subject = "return"
        if !settings.isHAIP {
            list.notRun("VV13.followed", subject, .profile)
        } else if transaction.responseCode == nil {
            list.notRun("VV13.followed", subject, .notRequested)
        } else if transaction.isReturned {
            list.pass("VV13.followed", subject)
        } else if transaction.isExpired(at: clock.now()) {
            list.fail(
                "VV13.followed", subject,
                "wallet did not follow redirect_uri; HAIP 1.0 §5.1: \"Verifiers MUST reject presentations if Wallets do not follow the redirect back\""
            )
        } else {
            list.notRun("VV13.followed", subject, .undetermined("the browser has not come back yet"))
        }
        return list
    }
}

extension VPVerifier: HTTPHandler {
    /// The protocol's own endpoints below the public URL: `GET|POST request/<id>` and `POST response/<id>`. Everything else is 404:
    /// pages and their API are the server's.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let steps = request.url.path.split(separator: "/").suffix(2).map(String.init)
        guard steps.count == 2, Self.isIdentifier(steps[1]),
            request.url.path == settings.publicURL.appending(steps[0]).appending(steps[1]).path
        else { return .text("there is nothing here", status: 404) }
        do {
            switch (steps[0], request.method) {
            case ("request", "GET"), ("request", "POST"): return try await fetch(request, for: steps[1]).response
            case ("request", _):
                return .text("\(request.method) is not for this place", status: 405, headers: ["Allow": "GET, POST"])
            case ("response", _): return try await receive(request, for: steps[1]).response
            default: return .text("there is nothing here", status: 404)
            }
        } catch {
            return .json(["error": "server_error", "error_description": "the verifier cannot serve this now"], status: 500)
        }
    }
}
