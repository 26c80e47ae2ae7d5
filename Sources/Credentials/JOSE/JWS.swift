public import Codec
public import Crypto

/// A signed text with one signature (RFC 7515): header, payload and signature, each as it arrived.
public struct JWS: Sendable, Hashable {
    /// The integrity-protected header.
    public let protected: JOSEHeader
    /// Header members outside the signature; only JSON serialisations have them, and nothing here trusts them.
    public let unprotected: JSONObject
    /// The payload in base64url, as received: that text is what is signed.
    public let payloadText: String
    /// The decoded payload.
    public let payload: [UInt8]
    /// r ‖ s, or an EdDSA signature.
    public let signature: [UInt8]

    /// A compact serialisation (RFC 7515 §7.1): three parts, the header an object, every part canonical base64url.
    public init(compact: String) throws(JOSEError) {
        let parts = JOSEText.parts(compact)
        guard parts.count == 3 else { throw .malformed("\(parts.count) parts separated by dots, a JWS has 3") }
        guard !parts[0].isEmpty else { throw .malformed("the protected header is empty") }
        try self.init(protected: parts[0], unprotected: JSONObject(), payload: parts[1], signature: parts[2])
    }

    init(protected: String, unprotected: JSONObject, payload: String, signature: String) throws(JOSEError) {
        self.protected = try JOSEHeader(encoded: protected)
        self.unprotected = unprotected
        payloadText = payload
        self.payload = try JOSEText.bytes(payload, "the payload")
        self.signature = try JOSEText.bytes(signature, "the signature")
    }

    init(protected: JOSEHeader, unprotected: JSONObject = JSONObject(), payload: [UInt8], signature: [UInt8]) {
        self.protected = protected
        self.unprotected = unprotected
        payloadText = Base64URL.encode(payload)
        self.payload = payload
        self.signature = signature
    }

    /// The compact serialisation; of a received JWS, the text that came.
    public var compact: String { "\(protected.encoded).\(payloadText).\(Base64URL.encode(signature))" }

    /// The bytes that are signed: ASCII(header ‖ "." ‖ payload).
    public var signingInput: [UInt8] { Array("\(protected.encoded).\(payloadText)".utf8) }

    /// The algorithm; throws `.algorithmMissing` and `.algorithmUnsupported` (`none`, symmetric).
    ///
    /// JSON serialisations may name it outside the signature (RFC 7515 §7.2.1), which gives nothing away: it has to fit the key.
    public func algorithm() throws(JOSEError) -> JWSAlgorithm {
        guard let name = (protected["alg"] ?? unprotected["alg"])?.stringValue else { throw .algorithmMissing }
        return try JWSAlgorithm(named: name)
    }

    /// The payload as a JSON object: the claims of a JWT.
    public func claims() throws(JOSEError) -> JSONObject { try JOSEText.object(payload, "the payload") }

    /// Returns when the key made the signature.
    ///
    /// - Parameter understood: extensions in `crit` that the caller acts upon.
    public func verify(with key: PublicKey, understood: Set<String> = []) throws(JOSEError) {
        try protected.checkCritical(understood: understood)
        let algorithm = try algorithm()
        guard algorithm.allows(key.curve) else { throw .algorithmNotAllowed(algorithm, key.curve) }
        guard key.verify(signature: signature, message: signingInput, hash: algorithm.hash) else { throw .invalidSignature }
    }

    /// Returns when the JWK made the signature and is meant for such signatures (`use`, `alg`, `key_ops`).
    public func verify(with key: JWK, understood: Set<String> = []) throws(JOSEError) {
        try key.checkVerifies(try algorithm())
        try verify(with: key.publicKey, understood: understood)
    }

    /// Signs a payload.
    ///
    /// - Parameter header: the protected header; `alg` is added in front where it is missing.
    public static func sign(_ payload: [UInt8], header: JSONObject, by signer: JWSSigner) async throws(JOSEError) -> JWS {
        var members: JSONObject = ["alg": .string(signer.algorithm.rawValue)]
        for (name, value) in header { members[name] = value }
        let protected = JOSEHeader(members)
        let unsigned = JWS(protected: protected, payload: payload, signature: [])
        return JWS(protected: protected, payload: payload, signature: try await signer.sign(unsigned.signingInput))
    }
}
