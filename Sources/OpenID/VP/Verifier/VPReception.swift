import Codec
import Credentials
import Crypto
import Ports

/// One answer at the response endpoint: VV1 to VV5, then the presentations. A value without I/O.
struct VPReception {
    static let subject = "response"

    let settings: VPVerifierSettings
    let time: Timestamp
    var list: CheckList
    /// The value of `vp_token`, once it is known; nil for an error or a refused answer.
    private(set) var token: JSON?
    /// The error code that the wallet sent.
    private(set) var error: String?
    private(set) var errorDescription: String?
    private var mdocNonce: String?
    /// What the encrypted response opened to, which only the key store can tell; nil where there is no key.
    var opened: Result<[UInt8], JOSEError>?
    /// The decrypted payload, once it is known to be one.
    private(set) var payload: JSONObject?

    init(_ settings: VPVerifierSettings, at time: Timestamp) {
        self.settings = settings
        self.time = time
        list = CheckList(edition: settings.tokens.mdoc.signers.edition)
    }

    /// Whether something before the presentations failed: the answer then does not count.
    var isRejected: Bool {
        list.checks.contains { $0.outcome == .fail && $0.id != "VV3.error" }
    }

    private static let order = [
        "VV1.method", "VV1.form", "VV2.known", "VV2.expired", "VV2.once", "VV3.error", "VV3.code", "VV4.plain", "VV4.form",
        "VV4.alg",
        "VV4.enc", "VV4.kid", "VV4.decrypt", "VV4.outside", "VV5",
    ]

    private mutating func skip(_ cause: String) {
        for id in Self.order where list.check(id, Self.subject) == nil { list.notRun(id, Self.subject, .needs(cause)) }
    }

    private mutating func judge(_ id: String, _ holds: Bool, _ values: [String] = [], detail: String? = nil) {
        if holds { list.pass(id, Self.subject) } else { list.fail(id, Self.subject, values: values, detail: detail) }
    }

    // MARK: VV1, VV2

    /// The form of a POST; nil when it is none.
    mutating func form(_ request: HTTPRequest) -> FormFields? {
        let isForm = request.method == "POST" && request.headers.mediaType == "application/x-www-form-urlencoded"
        judge("VV1.method", isForm, detail: "\(request.method) \(request.headers.mediaType ?? "without content type")")
        guard isForm else {
            skip("VV1.method")
            return nil
        }
        guard request.body.count <= settings.responseLimit else {
            list.fail("VV1.form", Self.subject, "the body is longer than \(settings.responseLimit) bytes")
            skip("VV1.form")
            return nil
        }
        guard let text = String(validating: request.body, as: UTF8.self), let fields = try? FormFields(text) else {
            list.fail("VV1.form", Self.subject, values: [], detail: "the form is not UTF-8, or its percent-encoding is broken")
            skip("VV1.form")
            return nil
        }
        let isWhole = ["vp_token", "response", "error"].contains { fields[$0] != nil }
        judge(
            "VV1.form", isWhole && fields.repeated == nil,
            detail: fields.repeated.map { "\($0) twice" } ?? "none of vp_token, response, error")
        guard isWhole, fields.repeated == nil else {
            skip("VV1.form")
            return nil
        }
        return fields
    }

    /// VV2; false when the answer is not for an open transaction.
    mutating func opens(_ transaction: VPTransaction?) -> Bool {
        judge("VV2.known", transaction != nil)
        guard let transaction else {
            skip("VV2.known")
            return false
        }
        judge("VV2.expired", !transaction.isExpired(at: time), [transaction.expires.rfc3339])
        judge("VV2.once", transaction.status == .waiting)
        if transaction.isExpired(at: time) { skip("VV2.expired") } else if transaction.status != .waiting { skip("VV2.once") }
        return !transaction.isExpired(at: time) && transaction.status == .waiting
    }

    // MARK: VV3 to VV5

    /// The parameters of the response, decrypted where they are encrypted; sets `token` or `error`.
    mutating func read(_ fields: FormFields, _ transaction: VPTransaction) {
        if fields["error"] != nil, fields["response"] == nil {
            // Errors may come plain where encryption was asked for (§8.3.1).
            for id in ["VV4.plain", "VV4.form", "VV4.alg", "VV4.enc", "VV4.kid", "VV4.decrypt", "VV4.outside"] {
                list.notRun(id, Self.subject, .notPresent)
            }
            checkState(fields["state"], transaction)
            return readError(fields["error"] ?? "", fields["error_description"])
        }
        guard transaction.mode.isEncrypted else { return readPlain(fields, transaction) }
        guard let text = fields["response"] else {
            list.fail("VV4.plain", Self.subject, values: [])
            return skip("VV4.plain")
        }
        list.pass("VV4.plain", Self.subject)
        let outside = ["vp_token", "state"].filter { fields[$0] != nil }
        judge("VV4.outside", outside.isEmpty, detail: outside.joined(separator: ", "))
        guard let payload = open(text, transaction) else { return }
        readPayload(payload, transaction)
    }

    private mutating func readPlain(_ fields: FormFields, _ transaction: VPTransaction) {
        for id in ["VV4.plain", "VV4.form", "VV4.alg", "VV4.enc", "VV4.kid", "VV4.decrypt", "VV4.outside"] {
            list.notRun(id, Self.subject, .notRequested)
        }
        checkState(fields["state"], transaction)
        noError()
        guard let text = fields["vp_token"] else {
            list.fail("VV1.form", Self.subject, values: [], detail: "vp_token is missing")
            return
        }
        // A text that is no JSON is a string all the same: VV6 says so.
        token = (try? JSON.decode(text)) ?? .string(text)
    }

    /// The members of a response over the Digital Credentials API: `{"vp_token"}` or `{"response"}` or `{"error"}`.
    mutating func read(digital response: JSON, _ transaction: VPTransaction) {
        for id in ["VV1.method", "VV1.form"] { list.notRun(id, Self.subject, .notRequested) }
        if let code = response["error"]?.stringValue {
            for id in ["VV4.plain", "VV4.form", "VV4.alg", "VV4.enc", "VV4.kid", "VV4.decrypt", "VV4.outside", "VV5"] {
                list.notRun(id, Self.subject, .notPresent)
            }
            return readError(code, response["error_description"]?.stringValue)
        }
        guard transaction.mode.isEncrypted else {
            for id in ["VV4.plain", "VV4.form", "VV4.alg", "VV4.enc", "VV4.kid", "VV4.decrypt", "VV4.outside", "VV5"] {
                list.notRun(id, Self.subject, .notRequested)
            }
            noError()
            return token = response["vp_token"] ?? .null
        }
        guard let text = response["response"]?.stringValue else {
            list.fail("VV4.plain", Self.subject, values: [])
            return skip("VV4.plain")
        }
        list.pass("VV4.plain", Self.subject)
        judge("VV4.outside", response["vp_token"] == nil, detail: "vp_token")
        guard let payload = open(text, transaction) else { return }
        readPayload(payload, transaction)
    }

    private mutating func readPayload(_ payload: JSONObject, _ transaction: VPTransaction) {
        if transaction.mode.way == .digitalCredentials {
            list.notRun("VV5", Self.subject, .notRequested)
        } else {
            checkState(payload["state"]?.stringValue, transaction)
        }
        if let code = payload["error"]?.stringValue { return readError(code, payload["error_description"]?.stringValue) }
        noError()
        token = payload["vp_token"] ?? .null
    }

    private mutating func noError() {
        list.notRun("VV3.error", Self.subject, .notPresent)
        list.notRun("VV3.code", Self.subject, .notPresent)
    }

    private mutating func readError(_ code: String, _ description: String?) {
        error = code
        errorDescription = description.map { String($0.prefix(400)) }
        let known = VPErrorCode(rawValue: code)
        list.fail(
            "VV3.error", Self.subject,
            values: [String(code.prefix(100)), known?.meaning ?? "a code that OpenID4VP does not define"],
            detail: errorDescription)
        judge("VV3.code", known != nil, [String(code.prefix(100))])
    }

    private mutating func checkState(_ state: String?, _ transaction: VPTransaction) {
        judge("VV5", state == transaction.state, [state.map { String($0.prefix(100)) } ?? "missing", transaction.state])
    }

    // MARK: the JWE

    private mutating func open(_ text: String, _ transaction: VPTransaction) -> JSONObject? {
        let jwe: JWE
        do { jwe = try JWE(compact: text) } catch {
            list.fail("VV4.form", Self.subject, values: [], detail: "\(error)")
            skip("VV4.form")
            return nil
        }
        let algorithm = jwe.protected["alg"]?.stringValue
        judge("VV4.alg", algorithm == JWE.keyManagement, [algorithm ?? "missing", JWE.keyManagement])
        let encryption = jwe.protected["enc"]?.stringValue
        judge("VV4.enc", transaction.encryptions.contains { $0.rawValue == encryption }, [encryption ?? "missing"])
        judge("VV4.kid", jwe.protected.keyID == transaction.keyID, detail: jwe.protected.keyID ?? "missing")
        guard let opened, algorithm == JWE.keyManagement else {
            if algorithm == JWE.keyManagement { list.notRun("VV4.decrypt", Self.subject, .noKey) }
            skip("VV4.alg")
            return nil
        }
        let plain: [UInt8]
        do { plain = try opened.get() } catch {
            list.fail("VV4.decrypt", Self.subject, values: [], detail: "\(error)")
            skip("VV4.decrypt")
            return nil
        }
        list.pass("VV4.decrypt", Self.subject)
        mdocNonce = jwe.protected["apu"]?.stringValue.flatMap { try? Base64URL.decode($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let payload = try? JSON.decode(plain).objectValue else {
            let isNested = plain.count { $0 == UInt8(ascii: ".") } == 2
            list.fail(
                "VV4.form", Self.subject, values: [],
                detail: isNested ? "a signed JWT is nested in it" : "its content is no JSON object")
            skip("VV4.form")
            return nil
        }
        list.pass("VV4.form", Self.subject)
        self.payload = payload
        return payload
    }

    // MARK: the presentations

    /// The report of the whole answer.
    func report(_ transaction: VPTransaction, origin: String? = nil) -> PresentationReport {
        guard let token else {
            return PresentationReport(at: time, rule: settings.tokens.mdoc.rule, checks: list)
        }
        let terms = VPTokenVerifier.Terms(
            query: transaction.query, binding: transaction.binding(origin: origin),
            transactions: settings.transactionTypes.transactions(transaction.transactionData), formats: transaction.formats,
            window: settings.window, mdocNonce: mdocNonce)
        return settings.tokens.verify(token, terms, at: time).adding(checks: list)
    }
}
