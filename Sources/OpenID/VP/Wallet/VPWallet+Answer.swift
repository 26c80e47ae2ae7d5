public import Codec
public import Credentials
public import Crypto
public import Ports

/// What goes back to the verifier, and how.
public enum VPDelivery: Sendable {
    /// A POST to the response endpoint.
    case post(HTTPRequest)
    /// The browser goes to this address.
    case redirect(String)
    /// The member `data` of the credential that the Digital Credentials API returns.
    case digital(JSON)
}

/// An answer that was made and not yet sent.
public struct VPAnswer: Sendable {
    public let delivery: VPDelivery
    /// The `vp_token`; nil for an error.
    public let token: PresentedToken?
    /// Own conduct: VW32.
    public let checks: CheckList
    /// The `vp_token` as JSON, before encryption: for the evidence.
    public let plain: JSON
}

extension VPWallet {
    /// The response that the consent covers.
    ///
    /// - Throws: a refusal when more would leave than was agreed to, or too little for the query: nothing goes then but an error.
    public func answer(
        _ request: VPRequest, _ consent: Consent, presenter: Presenter, unlock: KeyUnlock = .automatic, at time: Timestamp
    ) async throws -> VPAnswer {
        var list = CheckList(edition: settings.readers.edition)
        let subject = RequestResolution.subject
        let terms = TokenTerms(
            query: request.query, binding: request.binding, transactions: authorizations(request, consent), time: time,
            unlock: unlock)
        let token: PresentedToken
        do throws(PresentationError) { token = try await presenter.vpToken(consent, terms, random: random) } catch {
            switch error {
            case .withoutConsent(let element):
                let id = request.query.credentials.contains { $0.claims == nil } ? "VW32.claims" : "VW32.minimal"
                list.fail(id, subject, values: [], detail: "\(element.nameSpace)/\(element.identifier)")
                throw VPConductFailure(checks: list, refusal: VPRefusal(check: id, reason: "\(error)", code: nil, channel: nil))
            case .unsatisfied: throw VPConductFailure(checks: list, refusal: refusal(of: request, "VW30", "\(error)"))
            default: throw error
            }
        }
        list.pass("VW32.minimal", subject)
        list.pass("VW32.claims", subject)
        let surplus = (token.json.objectValue?.keys ?? []).filter { id in
            request.query.credential(id) != nil && !token.presentations.contains { $0.id == id }
        }
        if surplus.isEmpty {
            list.pass("VW32.optional", subject)
        } else {
            list.fail("VW32.optional", subject, values: [], detail: surplus.joined(separator: ", "))
            let reason = "an entry for \(surplus.joined(separator: ", ")), which nothing answers"
            throw VPConductFailure(
                checks: list, refusal: VPRefusal(check: "VW32.optional", reason: reason, code: nil, channel: nil))
        }
        let parameters: JSONObject = ["vp_token": token.json]
        return VPAnswer(
            delivery: try delivery(
                parameters, mode: request.mode, endpoint: request.endpoint, state: request.state, request.encryption),
            token: token, checks: list, plain: token.json)
    }

    /// The strings of transaction data, each with the one credential that authorises it.
    private func authorizations(_ request: VPRequest, _ consent: Consent) -> [TransactionAuthorization] {
        let answered = consent.selection.choices.map(\.requestID)
        return request.transactions.compactMap { item in
            guard let id = item.credentialIDs.first(where: answered.contains), let hash = item.hash else { return nil }
            return TransactionAuthorization(credentialID: id, text: item.text, hash: hash, element: item.definition.element)
        }
    }

    /// The error response of a refusal; nil when nothing may be sent.
    public func answer(_ refusal: VPRefusal) throws -> VPAnswer? {
        guard let code = refusal.code, let channel = refusal.channel else { return nil }
        var parameters: JSONObject = ["error": .string(code.rawValue)]
        if channel.mode.way != .digitalCredentials {
            parameters.append("error_description", .string(ErrorDescription.allowed(String(refusal.reason.prefix(300)))))
        }
        if settings.faults.contains("wallet-error-known") { parameters["error"] = "out_of_paper" }
        // Errors go plain: the request may have had no usable key (§8.3.1).
        let plain: ResponseMode =
            switch channel.mode {
            case .directPostJWT: .directPost
            case .fragmentJWT: .fragment
            case .queryJWT: .query
            case .dcAPIJWT: .dcAPI
            case let mode: mode
            }
        return VPAnswer(
            delivery: try delivery(parameters, mode: plain, endpoint: channel.endpoint, state: channel.state, nil), token: nil,
            checks: CheckList(edition: settings.readers.edition), plain: .object(parameters))
    }

    // MARK: the response modes

    private func delivery(
        _ parameters: JSONObject, mode: ResponseMode, endpoint: WebURL?, state: String?, _ encryption: ResponseEncryption?
    ) throws -> VPDelivery {
        var parameters = parameters
        let state = settings.faults.contains("state-returned") ? "another-state" : state
        if let state, mode.way != .digitalCredentials { parameters.append("state", .string(state)) }
        if mode.isEncrypted, !settings.faults.contains("response-encrypted") {
            guard let encryption else { throw VPAnswerError.noKey }
            let jwe = try encrypted(parameters, encryption)
            if mode.way == .digitalCredentials { return .digital(["response": .string(jwe)]) }
            var fields: FormFields = ["response": jwe]
            if settings.faults.contains("jwe-parameters-outside"), let state { fields["state"] = state }
            return try send(fields, mode, endpoint)
        }
        if mode.way == .digitalCredentials { return .digital(.object(parameters)) }
        var fields = FormFields()
        for (name, value) in parameters { fields.add(name, value.stringValue ?? value.encoded()) }
        return try send(fields, mode, endpoint)
    }

    private func send(_ fields: FormFields, _ mode: ResponseMode, _ endpoint: WebURL?) throws -> VPDelivery {
        guard var endpoint else { throw VPAnswerError.noEndpoint }
        switch mode {
        case .directPost, .directPostJWT:
            if settings.faults.contains("response-foreign-state") {
                endpoint = endpoint.with(path: String(endpoint.path.prefix { _ in true }.dropLast(8)) + "AAAAAAAA")
            }
            var fields = fields
            if settings.faults.contains("response-form") { fields.add(fields.names.first ?? "vp_token", "again") }
            var request = HTTPRequest.form(endpoint, fields, headers: ["Accept": "application/json"])
            request.limits = HTTPLimits(body: 1 << 18, seconds: settings.limits.seconds, redirects: 0)
            if settings.faults.contains("response-method") { request.headers["Content-Type"] = "application/json" }
            return .post(request)
        case .fragment, .fragmentJWT: return .redirect(endpoint.with(fragment: fields.encoded).description)
        case .query, .queryJWT: return .redirect(endpoint.adding(fields).description)
        case .dcAPI, .dcAPIJWT: throw VPAnswerError.noEndpoint
        }
    }

    private func encrypted(_ parameters: JSONObject, _ encryption: ResponseEncryption) throws -> String {
        if settings.faults.contains("jwe-form") { return Base64URL.encode(Array(JSON.object(parameters).encoded().utf8)) }
        var options = JWE.Options()
        if let keyID = encryption.keyID { options.header.append("kid", .string(keyID)) }
        if settings.faults.contains("jwe-kid") { options.header["kid"] = "another" }
        if settings.faults.contains("jwe-alg") { options.header["alg"] = "ECDH-ES+A256KW" }
        let content = settings.faults.contains("jwe-enc") ? JWEEncryption.a128CBCHS256 : encryption.encryption
        var key = encryption.key
        if settings.faults.contains("jwe-wrong-key") { key = try PrivateKey.generate(key.curve, random: random).publicKey }
        let plaintext = Array(JSON.object(parameters).encoded().utf8)
        let ephemeral = try PrivateKey.generate(key.curve, random: random)
        return try JWE.encrypt(
            plaintext, to: key, content, ephemeral: ephemeral, iv: random.bytes(content.ivLength), options: options
        ).compact
    }
}

/// The wallet stopped itself, or what was agreed to is not enough.
public struct VPConductFailure: Error, Sendable, CustomStringConvertible {
    public let checks: CheckList
    public let refusal: VPRefusal

    public var description: String { refusal.reason }
}

/// Why an answer cannot be made.
public enum VPAnswerError: Error, Sendable, CustomStringConvertible {
    case noKey
    case noEndpoint

    public var description: String {
        switch self {
        case .noKey: "the request names no key to encrypt the response to"
        case .noEndpoint: "the request names no address for the response"
        }
    }
}
