import Codec
package import Crypto
public import Ports

/// The two forms in which lists are signed.
public enum StatusForm: String, Sendable, Hashable {
    case jwt, cwt

    /// What is asked for with `Accept`.
    public func mediaType(identifiers: Bool = false) -> String {
        "application/\(identifiers ? "identifierlist" : "statuslist")+\(rawValue)"
    }

    /// The form that bytes have: CWTs are CBOR arrays, tagged or not; JWTs start with a letter.
    public init(of bytes: [UInt8]) {
        self = bytes.first.map { $0 & 0xE0 == 0xC0 || $0 & 0xE0 == 0x80 } == true ? .cwt : .jwt
    }
}

/// A signed status or identifier list as received (Token Status List §5, WD2 §12.3.6): read whole, its signature held against the
/// key of its own first certificate. Whether that signer may speak for a document is not decided here.
public struct StatusToken: Sendable {
    public let form: StatusForm
    /// `typ`, or COSE header 16, as it stands.
    public let type: String?
    /// `sub`: the URI of the list.
    public let subject: String?
    public let issuedAt: Timestamp?
    public let expiresAt: Timestamp?
    /// Seconds that a copy may be kept.
    public let timeToLive: Int64?
    /// The statuses; a fault where the token has some that cannot be read, nil where it has none.
    public let list: Result<StatusList, StatusFault>?
    /// The identifiers of what is revoked (claim 65530); nil where there are none.
    public let identifiers: Set<[UInt8]>?
    /// The certificates that came with it, leaf first; nil where there are none or they are unreadable.
    public let x5chain: [[UInt8]]?
    /// What is wrong with how the certificates are carried.
    let chainFault: String?
    /// T12.signature or T12.alg, by the key of the first certificate.
    let signatureFault: StatusFault?
    /// The bytes as received.
    public let bytes: [UInt8]
    private let jws: JWS?
    private let auth: COSESign1?

    /// - Parameter limit: bytes that the list may inflate to.
    /// - Throws: T12.signature where it is neither a JWT nor a CWT: nothing that could be signed.
    public init(_ bytes: [UInt8], limit: Int = StatusList.standardLimit) throws(StatusFault) {
        switch StatusForm(of: bytes) {
        case .jwt: self = try StatusToken(jwt: bytes, limit)
        case .cwt: self = try StatusToken(cwt: bytes, limit)
        }
    }

    /// Whether one of `keys` made the signature: for tokens that carry no certificate.
    package func isSigned(byOneOf keys: [PublicKey]) -> Bool {
        keys.contains { key in
            if let jws { return (try? jws.verify(with: key)) != nil }
            return (try? auth?.verify(with: key)) != nil
        }
    }

    // MARK: JWT

    private init(jwt bytes: [UInt8], _ limit: Int) throws(StatusFault) {
        let jws: JWS
        let claims: JSONObject
        do throws(JOSEError) {
            let text = String(decoding: bytes, as: UTF8.self).trimmingASCIISpace
            jws = try JWS(compact: text)
            claims = try jws.claims()
        } catch {
            throw StatusFault("T12.signature", detail: "not a JWT: \(error)")
        }
        form = .jwt
        self.bytes = bytes
        self.jws = jws
        auth = nil
        type = jws.protected.type
        subject = claims["sub"]?.stringValue
        issuedAt = SDJWTVerification.numericDate(claims["iat"])
        expiresAt = SDJWTVerification.numericDate(claims["exp"])
        timeToLive = claims["ttl"]?.doubleValue.flatMap { Int64(exactly: $0.rounded(.down)) }
        list = claims["status_list"].map { json in Self.list(json, limit) }
        identifiers = nil
        var chain: [[UInt8]]?
        var fault: String?
        do throws(JOSEError) { chain = try jws.protected.x5c() } catch { fault = "\(error)" }
        x5chain = chain
        chainFault = fault
        signatureFault = Self.fault(of: jws, chain)
    }

    private static func list(_ json: JSON, _ limit: Int) -> Result<StatusList, StatusFault> {
        guard let bits = json["bits"]?.intValue else { return .failure(StatusFault("T17.bits", values: ["missing"])) }
        guard let text = json["lst"]?.stringValue else { return .failure(StatusFault("T17.zlib", detail: "lst is missing")) }
        let compressed: [UInt8]
        do { compressed = try Base64URL.decode(text) } catch { return .failure(StatusFault("T17.zlib", detail: "lst: \(error)")) }
        return Result { () throws(StatusFault) in try StatusList(bits: bits, compressed: compressed, limit: limit) }
    }

    private static func fault(of jws: JWS, _ chain: [[UInt8]]?) -> StatusFault? {
        do throws(JOSEError) { _ = try jws.algorithm() } catch { return StatusFault("T12.alg", detail: "\(error)") }
        guard let leaf = chain?.first, let key = try? Certificate(der: leaf).publicKey() else { return nil }
        do throws(JOSEError) {
            try jws.verify(with: key)
            return nil
        } catch {
            if case .algorithmNotAllowed = error { return StatusFault("T12.alg", detail: "\(error)") }
            return StatusFault("T12.signature", detail: error == .invalidSignature ? nil : "\(error)")
        }
    }

    // MARK: CWT

    private static let ttlClaim = 65534
    private static let listClaim = 65533
    private static let identifiersClaim = 65530

    private init(cwt bytes: [UInt8], _ limit: Int) throws(StatusFault) {
        let auth: COSESign1
        let claims: CBOR
        do {
            let item = try CBOR(decoding: bytes)
            guard item.tagNumber != COSEMac0.tag else { throw StatusFault("T12.alg", detail: "COSE_Mac0") }
            auth = try COSESign1(item)
            guard let payload = auth.payload else { throw StatusFault("T12.signature", detail: "it has no payload") }
            claims = try CBOR(decoding: payload)
            _ = try claims.map()
        } catch let fault as StatusFault {
            throw fault
        } catch {
            throw StatusFault("T12.signature", detail: "not a CWT: \(error)")
        }
        form = .cwt
        self.bytes = bytes
        jws = nil
        self.auth = auth
        type = auth.protected[COSEHeaders.Label.type].map {
            (try? $0.text()) ?? (try? $0.uint()).map { String($0) } ?? $0.kind.cddlName
        }
        subject = try? claims.optional(2)?.text()
        issuedAt = Self.time(try? claims.optional(6))
        expiresAt = Self.time(try? claims.optional(4))
        timeToLive = (try? claims.optional(Self.ttlClaim)?.uint()).flatMap { Int64(exactly: $0) }
        list = (try? claims.optional(Self.listClaim)).map { Self.list($0, limit) }
        identifiers = (try? claims.optional(Self.identifiersClaim)).flatMap(Self.identifiers)
        var chain: [[UInt8]]?
        var fault: String?
        do throws(CBORError) {
            chain = try auth.x5chain?.certificates
            if chain == nil { fault = "x5chain is missing" }
            if chain != nil, auth.protected[COSEHeaders.Label.x5chain] == nil { fault = "x5chain is not protected" }
        } catch { fault = "\(error)" }
        x5chain = chain
        chainFault = fault
        signatureFault = Self.fault(of: auth, chain)
    }

    private static func time(_ item: CBOR?) -> Timestamp? {
        guard let item else { return nil }
        if let seconds = try? item.int() { return Timestamp(secondsSince1970: Int64(seconds)) }
        guard let seconds = try? item.double(), seconds.magnitude < 1e12 else { return nil }
        return Timestamp(secondsSince1970: Int64(seconds))
    }

    private static func list(_ item: CBOR, _ limit: Int) -> Result<StatusList, StatusFault> {
        guard let bits = try? item["bits"].uint() else { return .failure(StatusFault("T17.bits", values: ["missing"])) }
        let compressed: [UInt8]
        do { compressed = try item["lst"].bytes() } catch { return .failure(StatusFault("T17.zlib", detail: "lst: \(error)")) }
        return Result { () throws(StatusFault) in
            try StatusList(bits: Int64(clamping: bits), compressed: compressed, limit: limit)
        }
    }

    /// `{"identifiers": {* bstr => {…}}, ? "aggregation_uri": tstr}`
    private static func identifiers(_ item: CBOR) -> Set<[UInt8]>? {
        guard let entries = try? item["identifiers"].map() else { return nil }
        var found: Set<[UInt8]> = []
        for (key, _) in entries {
            guard let identifier = try? key.bytes() else { return nil }
            found.insert(identifier)
        }
        return found
    }

    private static func fault(of auth: COSESign1, _ chain: [[UInt8]]?) -> StatusFault? {
        guard let algorithm = auth.protected.algorithm.flatMap(COSEAlgorithm.init), !algorithm.isMAC else {
            let text = auth.protected.algorithmText ?? auth.unprotected.algorithmText
            return StatusFault("T12.alg", detail: text.map { "\($0) is unknown, a MAC or not protected" } ?? "none is named")
        }
        guard let leaf = chain?.first, let key = try? Certificate(der: leaf).publicKey() else { return nil }
        do throws(COSEError) {
            try auth.verify(with: key)
            return nil
        } catch {
            if case .algorithmNotAllowed = error { return StatusFault("T12.alg", detail: "\(error)") }
            return StatusFault("T12.signature", detail: error == .invalidSignature ? nil : "\(error)")
        }
    }
}

extension String {
    /// Without blanks and line ends around it: files and servers add them.
    var trimmingASCIISpace: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let head = utf8.drop(while: isSpace)
        guard let last = head.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(head[...last]))
    }
}
