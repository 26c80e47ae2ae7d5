import Codec
package import Crypto
package import Ports

/// Signs status and identifier lists, right or with one thing wrong on purpose.
package struct StatusListMaker: Sendable {
    /// The signer of lists: a certificate under the issuer's root.
    package let signer: SigningIdentity
    /// `sub`: where the list is to be found.
    package let uri: String
    package let issuedAt: Timestamp
    /// Seconds that a list is valid.
    package var lifetime: Int64 = 7 * 86_400
    /// Seconds that a copy may be kept.
    package var timeToLive: Int64 = 43_200
    package var fault: Fault?
    private let nonce: SignatureNonce

    package init(signer: SigningIdentity, uri: String, at time: Timestamp, nonce: SignatureNonce = .random) {
        self.signer = signer
        self.uri = uri
        self.nonce = nonce
        issuedAt = time.wholeSeconds
    }

    /// What can be wrong with a list (checks T10 to T33).
    package enum Fault: String, Sendable, CaseIterable {
        case listDown = "list-down"
        case contentType = "status-content-type"
        case jwtForMdoc = "status-jwt-for-mdoc"
        case cwt = "status-cwt"
        case type = "status-typ"
        case shortType = "status-typ-short"
        case signature = "status-signature"
        case algorithm = "status-alg"
        case chain = "status-x5chain"
        case signedByDocumentSigner = "status-signed-by-ds"
        case signerProfile = "status-signer-profile"
        case wrongSubject = "status-wrong-sub"
        case issuedLater = "status-iat"
        case expired = "status-expired"
        case noExpiry = "status-exp-present"
        case old = "status-ttl"
        case bits = "status-bits"
        case zlib = "status-zlib"
        case limit = "status-limit"
        case identifierClaim = "identifier-claim"
    }

    // MARK: what the token says

    private var subject: String { fault == .wrongSubject ? uri + "/other" : uri }

    private var times: (issued: Int64, expires: Int64?, ttl: Int64) {
        let now = issuedAt.secondsSince1970
        switch fault {
        case .issuedLater: return (now + 86_400, now + 86_400 + lifetime, timeToLive)
        case .expired: return (now - 2 * 86_400, now - 86_400, 4 * 86_400)
        case .noExpiry: return (now, nil, timeToLive)
        case .old: return (now - 86_400, now + lifetime, 3600)
        default: return (now, now + lifetime, timeToLive)
        }
    }

    /// `bits` and `lst`.
    private func members(of list: StatusList) throws -> (bits: Int64, lst: [UInt8]) {
        switch fault {
        case .bits: return (3, try list.compressed())
        case .zlib: return (Int64(list.bits), list.bytes.prefix(64) + [0])
        case .limit:
            return (
                Int64(list.bits), try Deflate.deflate([UInt8](repeating: 0, count: StatusList.standardLimit + 1), format: .zlib)
            )
        default: return (Int64(list.bits), try list.compressed())
        }
    }

    // MARK: JWT

    /// `{"typ": "statuslist+jwt", "x5c"}` . `{"sub", "iat", "exp", "ttl", "status_list": {"bits", "lst"}}`
    package func jwt(_ list: StatusList) async throws -> [UInt8] {
        let (bits, lst) = try members(of: list)
        let (issued, expires, ttl) = times
        var claims: JSONObject = ["sub": .string(subject), "iat": .integer(issued)]
        if let expires { claims.append("exp", .integer(expires)) }
        claims.append("ttl", .integer(ttl))
        claims.append("status_list", ["bits": .integer(bits), "lst": .string(Base64URL.encode(lst))])
        var header: JSONObject = ["typ": .string(fault == .type ? "JWT" : "statuslist+jwt")]
        if fault != .chain { header.append("x5c", .array([.string(Base64.encode(signer.certificate.der))])) }
        if fault == .algorithm { header.append("alg", "HS256") }
        let jws = try await JWS.sign(
            JSON.object(claims).encoded().utf8.map { $0 }, header: header, by: JWSSigner(signer.key, nonce: nonce))
        guard fault == .signature else { return Array(jws.compact.utf8) }
        var signature = jws.signature
        signature[signature.count - 1] ^= 1
        return Array(JWS(protected: jws.protected, payload: jws.payload, signature: signature).compact.utf8)
    }

    // MARK: CWT

    /// COSE_Sign1 (tag 18), `{1: alg, 16: "application/statuslist+cwt", 33: x5chain}` protected,
    /// `{2: sub, 6: iat, 4: exp, 65534: ttl, 65533: {"bits", "lst"}}`.
    package func cwt(_ list: StatusList) async throws -> [UInt8] {
        let (bits, lst) = try members(of: list)
        let content = CBOR.map([(.text("bits"), .int(bits)), (.text("lst"), .bytes(lst))])
        return try await sign([(.int(65533), content)], "statuslist+cwt")
    }

    /// The same with claim 65530: `{"identifiers": {* bstr => {}}}`.
    package func cwt(identifiers: [[UInt8]]) async throws -> [UInt8] {
        let content = CBOR.map([(.text("identifiers"), .map(identifiers.map { (.bytes($0), .map([])) }))])
        return try await sign([(.int(fault == .identifierClaim ? 65531 : 65530), content)], "identifierlist+cwt")
    }

    private func sign(_ content: [(CBOR, CBOR)], _ type: String) async throws -> [UInt8] {
        let (issued, expires, ttl) = times
        var claims: [(CBOR, CBOR)] = [(.int(2), .text(subject)), (.int(6), .int(issued))]
        if let expires { claims.append((.int(4), .int(expires))) }
        claims.append((.int(65534), .int(ttl)))
        let algorithm = COSEAlgorithm.iso(for: signer.key.curve) ?? .es256
        let named = fault == .type ? "application/cwt" : fault == .shortType ? type : "application/\(type)"
        var protected: [(CBOR, CBOR)] = [(.int(COSEHeaders.Label.type), .text(named))]
        if fault != .chain { protected.append((.int(COSEHeaders.Label.x5chain), .bytes(signer.certificate.der))) }
        let payload = CBOR.map(claims + content).encoded
        let (key, nonce) = (signer.key, nonce)
        let auth = try await COSESign1.sign(
            payload, algorithm: fault == .algorithm ? .hmac256 : algorithm, protected: protected, isTagged: true
        ) { toBeSigned in
            try key.sign(toBeSigned, hash: algorithm.hash, nonce: nonce)
        }
        guard fault == .signature else { return auth.encodedCBOR }
        var signature = auth.signature
        signature[signature.count - 1] ^= 1
        return COSESign1(
            protected: auth.protected, unprotected: auth.unprotected, payload: auth.payload, signature: signature, isTagged: true
        ).encodedCBOR
    }
}
