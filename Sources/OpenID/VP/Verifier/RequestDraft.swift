import Codec
import Credentials
import Crypto
import Ports

/// A request on its way out, still changeable, so that faults can spoil each part.
struct RequestDraft: Sendable {
    /// Parameters: the payload of a request object, or those of the link.
    var parameters: JSONObject
    /// The header of the request object besides `alg`.
    var header: JSONObject
    /// nil: not signed.
    var signer: JWSSigner?
    var spoilsSignature = false
    /// `alg` none and no signature.
    var isUnsecured = false
    /// Certificates of `x5c`, leaf first.
    let certificates: [Certificate]
    let anchor: Certificate?
    let transaction: VPTransaction
    let time: Timestamp
    let random: any RandomSource

    /// The request object in compact serialisation.
    func signed() async throws(JOSEError) -> String {
        let payload = Array(JSON.object(parameters).encoded().utf8)
        if isUnsecured {
            var members: JSONObject = ["alg": "none"]
            for (name, value) in header where name != "alg" { members[name] = value }
            return "\(JOSEHeader(members).encoded).\(Base64URL.encode(payload))."
        }
        guard let signer else { throw .keyUse("this verifier has no key to sign requests with") }
        let jws = try await JWS.sign(payload, header: header, by: signer)
        guard spoilsSignature, let last = jws.signature.last else { return jws.compact }
        return "\(jws.protected.encoded).\(jws.payloadText).\(Base64URL.encode(Array(jws.signature.dropLast()) + [last ^ 1]))"
    }

    /// The parameters as a link carries them: objects and lists as JSON text.
    var fields: FormFields {
        var fields = FormFields()
        for (name, value) in parameters { fields.add(name, value.stringValue ?? value.encoded()) }
        return fields
    }
}

extension VPTransaction {
    /// The parameters of the request (OpenID4VP 1.0 §5), from what the transaction holds and nothing else.
    func parameters(walletNonce: String? = nil) -> JSONObject {
        var object: JSONObject = ["response_type": "vp_token"]
        if mode.way == .digitalCredentials {
            if !origins.isEmpty { object.append("expected_origins", .array(origins.map { .string($0) })) }
        } else {
            object.append("client_id", .string(clientID))
            object.append(mode.way == .post ? "response_uri" : "redirect_uri", .string(responseURI))
            object.append("state", .string(state))
        }
        object.append("response_mode", .string(mode.rawValue))
        object.append("nonce", .string(nonce))
        if let scope { object.append("scope", .string(scope)) } else { object.append("dcql_query", query.json) }
        object.append("client_metadata", .object(metadata))
        if !transactionData.isEmpty { object.append("transaction_data", .array(transactionData.map { .string($0) })) }
        if !verifierInfo.isEmpty { object.append("verifier_info", .array(verifierInfo)) }
        if let walletNonce { object.append("wallet_nonce", .string(walletNonce)) }
        return object
    }

    /// `client_metadata` (§5.1).
    private var metadata: JSONObject {
        var object: JSONObject = ["vp_formats_supported": formats.json]
        if let encryptionKey {
            var jwk = encryptionKey.jwk
            jwk.append("use", "enc")
            jwk.append("alg", .string(JWE.keyManagement))
            jwk.append("kid", .string(keyID))
            object.append("jwks", ["keys": [.object(jwk)]])
            object.append("encrypted_response_enc_values_supported", .array(encryptions.map { .string($0.rawValue) }))
        }
        if let clientName { object.append("client_name", .string(clientName)) }
        return object
    }

    /// `kid` of the encryption key.
    var keyID: String { String(id.prefix(8)) }
}
