public import Codec
public import Crypto

/// An encrypted text for one recipient (RFC 7516), as received or made. Keys come from ECDH-ES in direct agreement only.
public struct JWE: Sendable {
    /// The header that is authenticated together with the ciphertext.
    public let protected: JOSEHeader
    /// Shared and recipient's members outside of it; JSON serialisations only.
    public let unprotected: JSONObject
    /// Empty with ECDH-ES.
    public let encryptedKey: [UInt8]
    public let iv: [UInt8]
    public let ciphertext: [UInt8]
    public let tag: [UInt8]
    /// `aad` of the JSON serialisations in base64url, as received.
    public let additionalData: String?

    /// What inflating a plaintext may yield, in bytes.
    public static let inflateLimit = 16 << 20
    /// The only key management that is spoken here.
    public static let keyManagement = "ECDH-ES"

    /// A compact serialisation (RFC 7516 §7.1): five parts.
    public init(compact: String) throws(JOSEError) {
        let parts = JOSEText.parts(compact)
        guard parts.count == 5 else { throw .malformed("\(parts.count) parts separated by dots, a JWE has 5") }
        guard !parts[0].isEmpty else { throw .malformed("the protected header is empty") }
        protected = try JOSEHeader(encoded: parts[0])
        unprotected = JSONObject()
        encryptedKey = try JOSEText.bytes(parts[1], "the encrypted key")
        iv = try JOSEText.bytes(parts[2], "the initialisation vector")
        ciphertext = try JOSEText.bytes(parts[3], "the ciphertext")
        tag = try JOSEText.bytes(parts[4], "the authentication tag")
        additionalData = nil
    }

    /// A JSON serialisation (RFC 7516 §7.2), flattened or general, with one recipient.
    public init(_ json: JSON) throws(JOSEError) {
        guard let object = json.objectValue else { throw .malformed("a JWE in JSON is an object, not a \(json.typeName)") }
        var recipient = object
        if let list = object["recipients"] {
            guard let all = list.arrayValue, all.count == 1, let only = all[0].objectValue else {
                throw .malformed("recipients is no list of exactly one")
            }
            recipient = only
        }
        protected = try JOSEHeader(encoded: try JOSEText.string(object, "protected") ?? "")
        unprotected = try Self.unprotected(object, recipient, protected)
        func part(_ object: JSONObject, _ name: String) throws(JOSEError) -> [UInt8] {
            try JOSEText.bytes(try JOSEText.string(object, name) ?? "", name)
        }
        encryptedKey = try part(recipient, "encrypted_key")
        iv = try part(object, "iv")
        ciphertext = try part(object, "ciphertext")
        tag = try part(object, "tag")
        additionalData = try JOSEText.string(object, "aad")
    }

    private init(protected: JOSEHeader, iv: [UInt8], sealed: (ciphertext: [UInt8], tag: [UInt8])) {
        self.protected = protected
        self.iv = iv
        unprotected = JSONObject()
        encryptedKey = []
        (ciphertext, tag) = sealed
        additionalData = nil
    }

    /// The three headers must not share a name.
    private static func unprotected(
        _ object: JSONObject, _ recipient: JSONObject, _ protected: JOSEHeader
    ) throws(JOSEError) -> JSONObject {
        var members = JSONObject()
        for header in [object["unprotected"], recipient["header"]].compactMap({ $0 }) {
            guard let header = header.objectValue else { throw .malformed("a header is no object") }
            for (name, value) in header {
                guard protected[name] == nil, members[name] == nil else { throw .malformed("\(name) stands in two headers") }
                guard name != "crit", name != "zip" else { throw .malformed("\(name) stands outside the protected header") }
                members.append(name, value)
            }
        }
        return members
    }

    /// A header member, wherever it stands.
    public subscript(_ name: String) -> JSON? { protected[name] ?? unprotected[name] }

    /// The compact serialisation; of a received one, the text that came.
    public var compact: String {
        ([protected.encoded] + [encryptedKey, iv, ciphertext, tag].map { Base64URL.encode($0) }).joined(separator: ".")
    }

    /// The content encryption that the header names.
    public func encryption() throws(JOSEError) -> JWEEncryption {
        guard let name = self["enc"]?.stringValue else { throw .malformed("enc is missing") }
        guard let encryption = JWEEncryption(rawValue: name) else { throw .encryptionUnsupported(name) }
        return encryption
    }

    /// The sender's ephemeral key (`epk`).
    public func ephemeralKey() throws(JOSEError) -> PublicKey {
        guard let json = self["epk"] else { throw .malformed("epk is missing") }
        do { return try PublicKey(jwk: json) } catch { throw .key(error) }
    }

    /// The bytes that are authenticated besides the ciphertext: the protected header as received, and `aad` where there is one.
    private var authenticatedData: [UInt8] {
        Array((protected.encoded + (additionalData.map { ".\($0)" } ?? "")).utf8)
    }
}

extension JWE {
    /// The plaintext for the holder of the key.
    ///
    /// - Parameter inflateLimit: what a compressed plaintext may grow to, in bytes.
    public func decrypt(with key: PrivateKey, inflateLimit: Int = inflateLimit) throws(JOSEError) -> [UInt8] {
        let ephemeral = try checkedEphemeralKey(for: key.curve)
        var secret: [UInt8]
        do { secret = try key.agree(with: ephemeral) } catch { throw .key(error) }
        defer { secret.erase() }
        return try open(secret: secret, inflateLimit)
    }

    /// The same with a key that a store keeps.
    public func decrypt(
        with key: KeyInfo, in store: any KeyStore, unlock: KeyUnlock, inflateLimit: Int = inflateLimit
    ) async throws(JOSEError) -> [UInt8] {
        let ephemeral = try checkedEphemeralKey(for: key.curve)
        var secret: [UInt8]
        do { secret = try await store.agree(with: ephemeral, using: key.id, unlock: unlock) } catch { throw .keyUse("\(error)") }
        defer { secret.erase() }
        return try open(secret: secret, inflateLimit)
    }

    /// Everything that can be refused before the private key is touched.
    private func checkedEphemeralKey(for curve: Curve) throws(JOSEError) -> PublicKey {
        try protected.checkCritical()
        guard let algorithm = self["alg"]?.stringValue else { throw .algorithmMissing }
        guard algorithm == Self.keyManagement else { throw .algorithmUnsupported(algorithm) }
        let encryption = try encryption()
        guard encryptedKey.isEmpty else { throw .malformed("an encrypted key, which ECDH-ES does not have") }
        guard iv.count == encryption.ivLength else { throw .malformed("an initialisation vector of \(iv.count) bytes") }
        guard tag.count == encryption.tagLength else { throw .malformed("an authentication tag of \(tag.count) bytes") }
        let ephemeral = try ephemeralKey()
        guard ephemeral.curve == curve else { throw .key(.curveMismatch(own: curve, peer: ephemeral.curve)) }
        return ephemeral
    }

    private func open(secret: [UInt8], _ limit: Int) throws(JOSEError) -> [UInt8] {
        let encryption = try encryption()
        let (partyU, partyV) = (try party("apu"), try party("apv"))
        let plaintext: [UInt8]
        do {
            var key = try encryption.derivedKey(secret: secret, partyU: partyU, partyV: partyV)
            defer { key.erase() }
            plaintext = try encryption.open(ciphertext, tag: tag, key: key, iv: iv, aad: authenticatedData)
        } catch { throw .decryptionFailed }
        return try inflated(plaintext, limit)
    }

    private func party(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let value = self[name] else { return [] }
        guard let text = value.stringValue else { throw .malformed("\(name) is no string") }
        return try JOSEText.bytes(text, name)
    }

    private func inflated(_ plaintext: [UInt8], _ limit: Int) throws(JOSEError) -> [UInt8] {
        guard let zip = protected["zip"] else { return plaintext }
        guard zip == "DEF" else { throw .compression("zip \(zip.encoded()) is not known") }
        do { return try Deflate.inflate(plaintext, limit: limit, format: .raw) } catch {
            if case .outputLimit = error { throw .tooLarge(limit: limit) }
            throw .compression("\(error)")
        }
    }

    /// What a sender may choose.
    public struct Options: Sendable {
        /// Further members of the protected header, such as `kid`, `cty` or `typ`.
        public var header: JSONObject
        /// PartyUInfo and PartyVInfo; header members only where not empty.
        public var partyU: [UInt8]
        public var partyV: [UInt8]
        /// `zip: DEF`.
        public var compresses: Bool

        public init(header: JSONObject = JSONObject(), partyU: [UInt8] = [], partyV: [UInt8] = [], compresses: Bool = false) {
            self.header = header
            self.partyU = partyU
            self.partyV = partyV
            self.compresses = compresses
        }
    }

    /// Encrypts to the owner of a key.
    ///
    /// - Parameters:
    ///   - ephemeral: a fresh key on the recipient's curve, used for this one message.
    ///   - iv: fresh random bytes of the encryption's length.
    public static func encrypt(
        _ plaintext: [UInt8], to recipient: PublicKey, _ encryption: JWEEncryption, ephemeral: PrivateKey, iv: [UInt8],
        options: Options = Options()
    ) throws(JOSEError) -> JWE {
        var header: JSONObject = [
            "alg": .string(keyManagement), "enc": .string(encryption.rawValue), "epk": .object(ephemeral.publicKey.jwk),
        ]
        if !options.partyU.isEmpty { header.append("apu", .string(Base64URL.encode(options.partyU))) }
        if !options.partyV.isEmpty { header.append("apv", .string(Base64URL.encode(options.partyV))) }
        if options.compresses { header.append("zip", "DEF") }
        for (name, value) in options.header { header.append(name, value) }
        let protected = JOSEHeader(header)
        let content: [UInt8]
        do { content = options.compresses ? try Deflate.deflate(plaintext, format: .raw) : plaintext } catch {
            throw .compression("\(error)")
        }
        do {
            var secret = try ephemeral.agree(with: recipient)
            var key = try encryption.derivedKey(secret: secret, partyU: options.partyU, partyV: options.partyV)
            defer {
                secret.erase()
                key.erase()
            }
            let sealed = try encryption.seal(content, key: key, iv: iv, aad: Array(protected.encoded.utf8))
            return JWE(protected: protected, iv: iv, sealed: sealed)
        } catch { throw .key(error) }
    }
}
