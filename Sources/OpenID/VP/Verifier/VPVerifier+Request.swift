public import Codec
import Credentials
import Crypto
import Ports

extension VPVerifier {
    /// The link of a transaction: with everything in it, or with the address where the request object is.
    func link(for transaction: VPTransaction, scheme: String) async throws(VPVerifierError) -> String {
        guard transaction.mode.way != .digitalCredentials else { return "" }
        let start = scheme.contains("://") ? scheme : "\(scheme)://"
        var fields: FormFields
        switch transaction.passing {
        case .value where settings.identity.signer == nil:
            var draft = self.draft(transaction, walletNonce: nil)
            do { try VPRequestFault.spoil(&draft, settings.faults) } catch { throw .order("\(error)") }
            fields = draft.fields
        case .value:
            fields = ["client_id": transaction.clientID, "request": try await requestObject(transaction, walletNonce: nil)]
        case .get: fields = ["client_id": transaction.clientID, "request_uri": address("request", transaction.id).description]
        case .post:
            fields = [
                "client_id": transaction.clientID, "request_uri": address("request", transaction.id).description,
                "request_uri_method": "post",
            ]
        }
        VPRequestFault.spoil(link: &fields, settings.faults)
        return start + (start.contains("?") ? "&" : "?") + fields.encoded
    }

    private func draft(_ transaction: VPTransaction, walletNonce: String?) -> RequestDraft {
        let now = clock.now().wholeSeconds
        var parameters = transaction.parameters(walletNonce: walletNonce)
        var header: JSONObject = ["typ": .string(RequestObject.mediaType)]
        if settings.identity.signer != nil {
            parameters["client_id"] = .string(transaction.clientID)
            parameters["aud"] = .string(RequestObject.staticAudience)
            parameters["iat"] = .integer(now.secondsSince1970)
            parameters["exp"] = .integer(transaction.expires.secondsSince1970)
            switch settings.identity.kind {
            case .x509Hash, .x509SanDNS:
                let spoiled = settings.faults.contains("wrpac-garbage") ? 9 : 0
                header.append(
                    "x5c", .array(settings.identity.certificates.map { .string(Base64.encode($0.der.dropLast(spoiled))) }))
            case .attestation(_, let jwt): header.append("jwt", .string(jwt))
            case .decentralizedIdentifier(_, let keyID): header.append("kid", .string(keyID))
            case .preRegistered: parameters["client_metadata"] = nil
            case .redirectURI: break
            }
        }
        return RequestDraft(
            parameters: parameters, header: header, signer: settings.identity.signer, certificates: settings.identity.certificates,
            anchor: settings.identity.anchor, transaction: transaction, time: now, random: random)
    }

    /// The signed request object of a transaction.
    func requestObject(_ transaction: VPTransaction, walletNonce: String?) async throws(VPVerifierError) -> String {
        var draft = draft(transaction, walletNonce: walletNonce)
        do { try VPRequestFault.spoil(&draft, settings.faults) } catch { throw .order("\(error)") }
        do { return try await draft.signed() } catch { throw .crypto("\(error)") }
    }

    /// The request as a page hands it to `navigator.credentials.get` (§A): `{"protocol", "data"}`.
    public func digitalRequest(_ transaction: VPTransaction) async throws(VPVerifierError) -> JSON {
        var draft = draft(transaction, walletNonce: nil)
        do { try VPRequestFault.spoil(&draft, settings.faults) } catch { throw .order("\(error)") }
        guard draft.signer != nil else {
            return ["protocol": .string(Self.protocolName("unsigned", settings.faults)), "data": .object(draft.parameters)]
        }
        let object: String
        do { object = try await draft.signed() } catch { throw .crypto("\(error)") }
        return ["protocol": .string(Self.protocolName("signed", settings.faults)), "data": ["request": .string(object)]]
    }

    /// The same signed by several identities, for several trust frameworks (§A.3.2.2).
    ///
    /// - Parameter others: further identities; this verifier's own signs first.
    public func multiSignedRequest(_ transaction: VPTransaction, others: [VPIdentity]) async throws(VPVerifierError) -> JSON {
        var parameters = transaction.parameters()
        parameters["aud"] = .string(RequestObject.staticAudience)
        parameters["client_id"] = nil
        let info = parameters["verifier_info"]
        parameters["verifier_info"] = nil
        if settings.faults.contains("multisigned-header") { parameters["client_id"] = .string(transaction.clientID) }
        let payload = Array(JSON.object(parameters).encoded().utf8)
        var signatures: [JWS] = []
        for (place, identity) in ([settings.identity] + others).enumerated() {
            guard let signer = identity.signer else { throw .order("an identity without a key cannot sign") }
            var header: JSONObject = [
                "typ": .string(RequestObject.mediaType), "client_id": .string(identity.clientID(for: "").text),
            ]
            if !identity.certificates.isEmpty {
                header.append("x5c", .array(identity.certificates.map { .string(Base64.encode($0.der)) }))
            }
            if case .decentralizedIdentifier(_, let keyID) = identity.kind { header.append("kid", .string(keyID)) }
            if case .attestation(_, let jwt) = identity.kind { header.append("jwt", .string(jwt)) }
            if let info { header.append("verifier_info", info) }
            do {
                let jws = try await JWS.sign(payload, header: header, by: signer)
                let isSpoiled = settings.faults.contains("multisigned-one-invalid") && place == 0
                signatures.append(isSpoiled ? try jws.withFlippedSignature() : jws)
            } catch { throw .crypto("\(error)") }
        }
        return [
            "protocol": .string(Self.protocolName("multisigned", settings.faults)),
            "data": ["request": .object(JWSSerialization(signatures, isFlattened: false).json)],
        ]
    }

    private static func protocolName(_ kind: String, _ faults: VPFaultSet) -> String {
        faults.contains("dc-protocol") ? "openid4vp-v9-\(kind)" : "openid4vp-v1-\(kind)"
    }
}

extension JWS {
    func withFlippedSignature() throws(JOSEError) -> JWS {
        guard let last = signature.last else { return self }
        let spoiled = Array(signature.dropLast()) + [last ^ 1]
        return try JWS(compact: "\(protected.encoded).\(payloadText).\(Base64URL.encode(spoiled))")
    }
}
