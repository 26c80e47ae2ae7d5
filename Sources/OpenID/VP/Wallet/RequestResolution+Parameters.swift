import Codec
import Credentials
import Ports

extension RequestResolution {
    /// VW19 to VW28, and the end: the request, or the refusal.
    mutating func finish(_ parameters: JSONObject, object: String?, client: IdentifiedClient?) -> VPResolution {
        checkResponseType(parameters)
        let mode = checkMode(parameters)
        let endpoint = checkEndpoint(parameters, mode, client)
        let nonce = checkNonce(parameters)
        let metadata = checkMetadata(parameters, client)
        let query = checkQuery(parameters)
        let state = checkState(parameters, query)
        let formats = checkFormats(metadata, query, client)
        let used = settings.responseMode ?? mode
        let encryption = chooseEncryption(metadata, mode, used)
        let transactions = checkTransactions(parameters, query)
        let verifierInfo = checkVerifierInfo(parameters)
        let registration = VPResolution.RegistrationClaim(
            attestations: verifierInfo.compactMap(RegistrationAttestation.init), access: access,
            subjects: query?.credentials.map(RegistrationSubject.init) ?? [])
        var channel: VPErrorChannel?
        if let mode, client != nil, mode.way == .digitalCredentials || endpoint != nil {
            channel = VPErrorChannel(mode: mode, endpoint: endpoint, state: parameters["state"]?.stringValue)
        }
        guard !list.checks.contains(where: { $0.outcome == .fail }), let client, let mode, let used, let nonce, let query,
            let binding = binding(client, endpoint, nonce, encryption)
        else {
            return VPResolution(
                checks: list, result: .failure(refusal(channel)), evidence: evidence, registration: registration)
        }
        let request = VPRequest(
            client: client.client, parameters: parameters, object: object, askedMode: mode, mode: used, endpoint: endpoint,
            nonce: nonce, state: state, query: query, metadata: metadata, formats: formats, encryption: encryption,
            transactions: transactions, verifierInfo: verifierInfo, binding: binding)
        return VPResolution(checks: list, result: .success(request), evidence: evidence, registration: registration)
    }

    private func binding(
        _ client: IdentifiedClient, _ endpoint: WebURL?, _ nonce: String, _ encryption: ResponseEncryption?
    ) -> PresentationBinding? {
        if isDigital {
            return PresentationBinding(
                .digitalCredentials(origin: origin ?? ""), nonce: nonce, keyThumbprint: encryption?.thumbprint)
        }
        guard let text = endpointText ?? endpoint?.description else { return nil }
        return PresentationBinding(
            .redirect(clientID: client.client.identifier.text, responseURI: text), nonce: nonce,
            keyThumbprint: encryption?.thumbprint)
    }

    // MARK: response

    private mutating func checkResponseType(_ parameters: JSONObject) {
        let type = parameters["response_type"]?.stringValue
        list.judgeVP("VW19", type == "vp_token", [type ?? "missing"])
    }

    private mutating func checkMode(_ parameters: JSONObject) -> ResponseMode? {
        let text = parameters["response_mode"]?.stringValue
        // The default of this response type is fragment (§5.6), which only makes sense with a redirect_uri.
        let mode = text == nil && parameters["redirect_uri"] != nil ? ResponseMode.fragment : text.flatMap(ResponseMode.init)
        let fits = mode.map { ($0.way == .digitalCredentials) == isDigital } ?? false
        if isDigital {
            list.notRun("VW20", Self.subject, .notRequested)
            list.judgeVP("VD2", fits, [], detail: text ?? "missing")
        } else {
            list.judgeVP("VW20", fits, [text ?? ""], detail: nil)
        }
        guard settings.isHAIP, fits, let mode else { return fits ? mode : nil }
        if isDigital, mode != .dcAPIJWT { list.fail("VD2", Self.subject, HAIPRule.encryptedAPI.words) }
        if !isDigital, mode != .directPostJWT { list.fail("VW20", Self.subject, HAIPRule.encryptedPost.words) }
        return mode
    }

    private mutating func checkEndpoint(
        _ parameters: JSONObject, _ mode: ResponseMode?, _ client: IdentifiedClient?
    ) -> WebURL? {
        let ids = ["VW21.missing", "VW21.redirect-uri", "VW21.https"]
        guard let mode, mode.way != .digitalCredentials else {
            for id in ids { list.notRun(id, Self.subject, mode == nil ? .needs(isDigital ? "VD2" : "VW20") : .notPresent) }
            return nil
        }
        let isPost = mode.way == .post
        let name = isPost ? "response_uri" : "redirect_uri"
        // With the prefix redirect_uri the client identifier says it already (§5.9.3).
        let text =
            parameters[name]?.stringValue
            ?? (client?.client.identifier.prefix == .redirectURI ? client?.client.identifier.name : nil)
        endpointText = text
        if isPost {
            list.judgeVP("VW21.redirect-uri", parameters["redirect_uri"] == nil, [])
        } else {
            list.notRun("VW21.redirect-uri", Self.subject, .notRequested)
        }
        guard let text, let url = try? WebURL(text) else {
            list.fail(
                "VW21.missing", Self.subject, isPost ? "no response_uri with direct_post" : "no redirect_uri with \(mode.rawValue)")
            list.notRun("VW21.https", Self.subject, .needs("VW21.missing"))
            return nil
        }
        list.pass("VW21.missing", Self.subject)
        let isSafe = url.scheme == "https" || url.isLoopback && url.scheme == "http" && !settings.isHAIP || !isPost && !url.isWeb
        list.judgeVP(
            "VW21.https", isSafe, [], detail: !isSafe && settings.isHAIP && url.isLoopback ? HAIPRule.https.words : nil)
        return url
    }

    // MARK: nonce and state

    private static func isURLSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
        }
    }

    private mutating func checkNonce(_ parameters: JSONObject) -> String? {
        guard let nonce = parameters["nonce"]?.stringValue, !nonce.isEmpty else {
            list.fail("VW22.missing", Self.subject, values: [])
            for id in ["VW22.chars", "VW22.short", "VW22.reused"] { list.notRun(id, Self.subject, .needs("VW22.missing")) }
            return nil
        }
        list.pass("VW22.missing", Self.subject)
        list.judgeVP("VW22.chars", Self.isURLSafe(nonce), [])
        // 128 bits in base64url are 22 characters.
        list.judgeVP("VW22.short", nonce.utf8.count >= 22, [])
        if let wasSeen = settings.wasSeen {
            list.judgeVP("VW22.reused", !wasSeen("nonce \(nonce)"), [])
        } else {
            list.notRun("VW22.reused", Self.subject, .policyOff)
        }
        return nonce
    }

    private mutating func checkState(_ parameters: JSONObject, _ query: DCQLQuery?) -> String? {
        guard !isDigital else {
            list.notRun("VW23.required", Self.subject, .notRequested)
            list.notRun("VW23.chars", Self.subject, .notRequested)
            return nil
        }
        let state = parameters["state"]?.stringValue
        let isNeeded = query?.credentials.contains { !$0.requiresHolderBinding } ?? false
        if isNeeded {
            list.judgeVP("VW23.required", state != nil, [])
        } else {
            list.notRun("VW23.required", Self.subject, .notRequested)
        }
        if let state {
            list.judgeVP("VW23.chars", Self.isURLSafe(state), [])
        } else {
            list.notRun("VW23.chars", Self.subject, .notPresent)
        }
        return state
    }

    // MARK: query

    private mutating func checkQuery(_ parameters: JSONObject) -> DCQLQuery? {
        let scope = parameters["scope"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        let asked = parameters["dcql_query"]
        if asked == nil, scope == nil {
            let isOld = ["presentation_definition", "presentation_definition_uri"].contains { parameters[$0] != nil }
            list.fail(
                "VW24.none", Self.subject, values: [],
                detail: isOld ? "presentation_definition is of drafts before OpenID4VP 1.0 (Presentation Exchange)" : nil)
            list.notRun("VW24.both", Self.subject, .notPresent)
            list.notRun("VW24.scope", Self.subject, .notPresent)
            skipQuery(.needs("VW24.none"))
            return nil
        }
        list.pass("VW24.none", Self.subject)
        list.judgeVP("VW24.both", asked == nil || scope == nil, [])
        if settings.isHAIP, asked == nil { list.fail("VW24.none", Self.subject, HAIPRule.query.words) }
        guard let asked else {
            let known = scope.flatMap { settings.scopes[$0] }
            list.judgeVP("VW24.scope", known != nil, [scope ?? ""])
            skipQuery(.notPresent)
            return known
        }
        list.notRun("VW24.scope", Self.subject, .notPresent)
        do {
            let query = try DCQLQuery(asked)
            record([], query.warnings)
            return query
        } catch {
            record(error.issues, error.warnings)
            return nil
        }
    }

    private static let queryChecks = (1...18).map { "VQ\($0)" }

    private mutating func skipQuery(_ why: NotRunReason) {
        for id in Self.queryChecks { list.notRun(id, "dcql_query", why) }
    }

    private mutating func record(_ issues: [DCQLIssue], _ warnings: [DCQLIssue]) {
        for id in Self.queryChecks {
            let found = (issues + warnings).filter { $0.check == id }
            if found.isEmpty { list.pass(id, "dcql_query") }
            for issue in found.prefix(8) { list.fail(id, "dcql_query", "\(issue.path): \(issue.message)") }
        }
    }

    // MARK: transaction data, verifier_info

    private mutating func checkTransactions(_ parameters: JSONObject, _ query: DCQLQuery?) -> [TransactionItem] {
        let ids = ["VW27.decode", "VW27.type", "VW27.shape", "VW27.ids", "VW27.binding"]
        guard let entries = parameters["transaction_data"] else {
            for id in ids + ["VW27.mdoc"] { list.notRun(id, Self.subject, .notPresent) }
            return []
        }
        guard let texts = entries.arrayValue, !texts.isEmpty, texts.count <= 64 else {
            list.fail("VW27.decode", Self.subject, "transaction_data is no list of strings, or too long")
            for id in ids.dropFirst() + ["VW27.mdoc"] { list.notRun(id, Self.subject, .needs("VW27.decode")) }
            return []
        }
        var items: [TransactionItem] = []
        for (place, entry) in texts.enumerated() {
            do throws(TransactionItem.Problem) {
                let item = try TransactionItem(
                    entry.stringValue ?? "", place: place, types: settings.transactionTypes, query: query)
                items.append(item)
                if item.hash == nil {
                    list.fail(
                        "VW27.shape", Self.subject,
                        "field transaction_data_hashes_alg lists no algorithm known here (string \(place))")
                }
                let isUnbound = item.credentialIDs.contains { query?.credential($0)?.requiresHolderBinding == false }
                if isUnbound { list.fail("VW27.binding", Self.subject, values: []) }
            } catch { list.fail(error.check, Self.subject, error.reason) }
        }
        for id in ids where list.check(id, Self.subject) == nil { list.pass(id, Self.subject) }
        return items
    }

    private mutating func checkVerifierInfo(_ parameters: JSONObject) -> [JSON] {
        guard let info = parameters["verifier_info"] else {
            list.notRun("VW28", Self.subject, .notPresent)
            return []
        }
        guard let entries = info.arrayValue, !entries.isEmpty, entries.count <= 64 else {
            list.fail("VW28", Self.subject, "verifier_info is no list with entries")
            return []
        }
        let wrong = entries.indices.filter { place in
            entries[place]["format"]?.stringValue == nil
                || entries[place]["data"].map { $0.stringValue == nil && $0.objectValue == nil } ?? true
        }
        let unscoped = entries.indices.filter { place in
            guard let ids = entries[place]["credential_ids"] else { return false }
            return ids.arrayValue.map { $0.isEmpty || $0.contains { $0.stringValue == nil } } ?? true
        }
        if wrong.isEmpty, unscoped.isEmpty { list.pass("VW28", Self.subject) }
        for place in wrong { list.fail("VW28", Self.subject, "verifier_info[\(place)]: format or data missing") }
        for place in unscoped {
            list.fail("VW28", Self.subject, "verifier_info[\(place)]: credential_ids is no list with query ids")
        }
        return entries
    }
}
