import Codec
import Credentials
import Crypto
import Ports

/// One run of a wallet over a request: VW1 to VW28. Checks go on after a failure where their input is there.
///
/// The steps are in extensions: link and fetch, signature and client, parameters, keys.
struct RequestResolution {
    static let subject = "request"

    let settings: VPWalletSettings
    /// The page that asks, over the Digital Credentials API.
    let origin: String?
    let time: Timestamp
    var list: CheckList
    var evidence: [(name: String, bytes: [UInt8])] = []
    /// Whether the request came over the Digital Credentials API.
    var isDigital = false
    /// The certificate that authenticated the request, and only once its signature verified.
    var access = AccessCertificate.absent
    /// The address of the response exactly as written: handovers take it so.
    var endpointText: String?

    init(_ settings: VPWalletSettings, origin: String?, at time: Timestamp) {
        self.settings = settings
        self.origin = origin
        self.time = time
        list = CheckList(edition: settings.readers.edition)
    }

    var skew: Int64 { settings.readers.skew }

    // MARK: what came

    /// Parameters by value, or a request object by value.
    mutating func resolve(_ link: LinkParameters) -> VPResolution {
        if let object = link.object { return resolve(object: object, link: link) }
        do {
            let parameters = try link.parameters()
            list.pass("VW1", Self.subject)
            return resolve(unsigned: parameters)
        } catch {
            list.fail("VW1", Self.subject, "unreadable request: \(error.description)")
            return refused()
        }
    }

    /// Parameters that nobody signed.
    mutating func resolve(unsigned parameters: JSONObject) -> VPResolution {
        evidence.append(("request.json", Array(JSON.object(parameters).encoded(pretty: true).utf8)))
        if list.check("VW1", Self.subject) == nil { list.pass("VW1", Self.subject) }
        let asked = parameters["response_mode"]?.stringValue.flatMap(ResponseMode.init)
        isDigital = isDigital || origin != nil && (asked.map { $0.way == .digitalCredentials } ?? true)
        requireSignature()
        skipObject(.notPresent)
        return finish(parameters, object: nil, client: checkUnsignedClient(parameters))
    }

    /// HAIP knows no unsigned requests by redirect.
    private mutating func requireSignature() {
        guard settings.isHAIP, !isDigital else { return }
        list.fail("VW1", Self.subject, HAIPRule.signedByReference.words)
    }

    /// A signed request object.
    mutating func resolve(object text: String, link: LinkParameters?, walletNonce: String? = nil) -> VPResolution {
        evidence.append(("request.jwt", Array(text.utf8)))
        if settings.isHAIP, link?.requestURI == nil, !isDigital {
            list.fail("VW1", Self.subject, HAIPRule.signedByReference.words)
        }
        let jws: JWS
        let parameters: JSONObject
        do throws(JOSEError) {
            jws = try JWS(compact: text)
            parameters = try jws.claims()
        } catch {
            list.fail("VW1", Self.subject, "unreadable request: the request object: \(error)")
            return refused()
        }
        if list.check("VW1", Self.subject) == nil { list.pass("VW1", Self.subject) }
        checkObject(jws, parameters, walletNonce)
        checkEqual(link?.clientID, parameters["client_id"]?.stringValue, hasLink: link != nil)
        let client = checkSignedClient(jws, parameters, parameters["client_id"]?.stringValue)
        return finish(parameters, object: text, client: client)
    }

    private mutating func checkObject(_ jws: JWS, _ parameters: JSONObject, _ walletNonce: String?) {
        let type = jws.protected.type
        list.judgeVP("VW5.typ", type == RequestObject.mediaType, [type ?? "missing"])
        let name = jws.protected["alg"]?.stringValue
        list.judgeVP("VW5.alg", name.flatMap(JWSAlgorithm.init) != nil, [name ?? "missing"])
        do throws(JOSEError) {
            try jws.protected.checkCritical()
            list.pass("VW5.crit", Self.subject)
        } catch { list.fail("VW5.crit", Self.subject, "\(error)") }
        if let walletNonce {
            list.judgeVP("VW4", parameters["wallet_nonce"]?.stringValue == walletNonce, [])
        } else {
            list.notRun("VW4", Self.subject, .notRequested)
        }
        let audience = parameters["aud"]?.stringValue
        let accepted = [RequestObject.staticAudience, settings.issuer].compactMap(\.self)
        list.judgeVP("VW7", audience.map(accepted.contains) ?? false, [audience ?? parameters["aud"]?.encoded() ?? "missing"])
        checkTimes(parameters)
    }

    private mutating func checkTimes(_ parameters: JSONObject) {
        var wrong: [String] = []
        func read(_ name: String, _ holds: (Timestamp) -> Bool, _ what: String) {
            guard let value = parameters[name] else { return }
            guard let seconds = value.doubleValue, abs(seconds) < 1e11 else { return wrong.append("\(name) is no NumericDate") }
            let moment = Timestamp(secondsSince1970: Int64(seconds))
            if !holds(moment) { wrong.append("\(what) \(moment.rfc3339)") }
        }
        read("exp", { $0 > time.adding(seconds: -skew) }, "request object expired at")
        read("nbf", { $0 <= time.adding(seconds: skew) }, "request object not valid before")
        read("iat", { $0 <= time.adding(seconds: skew) }, "request object issued in the future,")
        if wrong.isEmpty { list.pass("VW18", Self.subject) } else { list.fail("VW18", Self.subject, wrong.joined(separator: "; ")) }
    }

    private mutating func checkEqual(_ inLink: String?, _ inObject: String?, hasLink: Bool) {
        guard hasLink, let inObject else { return list.notRun("VW8.equal", Self.subject, .notPresent) }
        list.judgeVP("VW8.equal", inLink == inObject, [inLink ?? "missing", inObject])
    }

    private mutating func skipObject(_ why: NotRunReason) {
        for id in ["VW4", "VW5.typ", "VW5.alg", "VW5.crit", "VW7", "VW8.equal", "VW17", "VW18"]
        where list.check(id, Self.subject) == nil {
            list.notRun(id, Self.subject, why)
        }
    }

    // MARK: the end

    /// Nothing more can be looked at.
    func refused() -> VPResolution {
        VPResolution(checks: list, result: .failure(refusal(nil)), evidence: evidence)
    }

    /// The refusal that the first failed check decides. A code goes out only when nothing casts doubt on whose endpoint it is.
    func refusal(_ channel: VPErrorChannel?) -> VPRefusal {
        let failed = list.checks.filter { $0.outcome == .fail }
        let first = failed.first
        let isAuthentic = failed.allSatisfy { VPErrorCode.code(of: $0.id) != nil }
        let code = isAuthentic ? first.flatMap { VPErrorCode.code(of: $0.id) } : nil
        return VPRefusal(
            check: first?.id ?? "VW1", reason: first?.reason ?? "unreadable request", code: channel == nil ? nil : code,
            channel: code == nil ? nil : channel)
    }
}

extension CheckList {
    /// A pass, or a violation with the catalogue's message.
    mutating func judgeVP(_ id: String, _ holds: Bool, _ values: [String], detail: String? = nil) {
        if holds {
            pass(id, RequestResolution.subject)
        } else {
            fail(id, RequestResolution.subject, values: values, detail: detail)
        }
    }
}

/// The sentences of HAIP 1.0 that the profile refuses by, each with its section.
enum HAIPRule {
    case signedByReference, x509Hash, encryptedPost, encryptedAPI, query, anchorInChain, selfSigned, keyOnP256, bothEncryptions,
        freshKey, https

    /// "HAIP 1.0 §5.1: …"
    var words: String {
        switch self {
        case .signedByReference:
            "HAIP 1.0 §5.1: \"Signed Authorization Requests MUST be used by utilizing JWT-Secured Authorization Request (JAR) with the request_uri parameter\""
        case .x509Hash:
            "HAIP 1.0 §5: \"For signed requests, the Verifier MUST use, and the Wallet MUST accept the Client Identifier Prefix x509_hash\""
        case .encryptedPost: "HAIP 1.0 §5.1: \"Response encryption MUST be used by utilizing response mode direct_post.jwt\""
        case .encryptedAPI: "HAIP 1.0 §5.2: \"The Verifier MUST use the Response Mode dc_api.jwt\""
        case .query: "HAIP 1.0 §5: \"The DCQL query and response MUST be used\""
        case .anchorInChain:
            "HAIP 1.0 §5: \"The X.509 certificate of the trust anchor MUST NOT be included in the x5c JOSE header of the signed request\""
        case .selfSigned: "HAIP 1.0 §5: \"The X.509 certificate signing the request MUST NOT be self-signed\""
        case .keyOnP256: "HAIP 1.0 §5: \"ECDH-ES, with key agreement utilizing keys on the P-256 curve MUST be supported\""
        case .bothEncryptions:
            "HAIP 1.0 §5: \"Verifiers MUST list both A128GCM and A256GCM in encrypted_response_enc_values_supported\""
        case .freshKey:
            "HAIP 1.0 §5: \"Verifiers MUST supply ephemeral encryption public keys specific to each Authorization Request\""
        case .https: "HAIP 1.0 §5.1 with OpenID4VP 1.0 §14.3: response_uri has to be https, loopback included"
        }
    }
}
