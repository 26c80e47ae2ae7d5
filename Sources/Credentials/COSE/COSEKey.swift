public import Codec
public import Crypto

/// A key as COSE writes it (RFC 9053 §7), of type EC2 or OKP; parameters it does not know are ignored.
///
///     COSE_Key = { 1: kty, ? 2: kid, ? 3: alg, -1: crv, -2: x, ? -3: y / sign of y, ? -4: d, * label => any }
///
/// Reading checks the structure only, so that a key of an unknown type or curve can be reported as such; `publicKey` checks the
/// rest.
public struct COSEKey: CBORCodable, Sendable, Hashable {
    /// The y coordinate.
    public enum YCoordinate: Sendable, Hashable {
        /// In full.
        case bytes([UInt8])
        /// Compressed to its lowest bit (RFC 9053 §7.1.1).
        case isOdd(Bool)
    }

    /// Key types of the IANA registry "COSE Key Types".
    public enum KeyType {
        public static let okp = 1
        public static let ec2 = 2
        public static let symmetric = 4
    }

    /// The key type; 2 for EC2, 1 for OKP.
    public var keyType: Int
    /// The number of the curve in the IANA registry "COSE Elliptic Curves"; nil for other key types.
    public var curveIdentifier: Int?
    /// The x coordinate or the raw public key.
    public var x: [UInt8]?
    /// The y coordinate of an EC2 key.
    public var y: YCoordinate?
    /// The private scalar or raw private key.
    private let d: SecretBox?
    /// The key identifier.
    public var keyID: [UInt8]?
    /// The only algorithm the key is meant for.
    public var algorithm: Int?

    /// The curve, nil when this program does not know it.
    public var curve: Curve? { curveIdentifier.flatMap(Curve.init(coseCurve:)) }

    /// Whether the private part is there.
    public var isPrivate: Bool { d != nil }

    /// The COSE form of a public key, with its point uncompressed.
    public init(_ key: PublicKey, keyID: [UInt8]? = nil, algorithm: Int? = nil) {
        keyType = key.curve.isWeierstrass ? KeyType.ec2 : KeyType.okp
        curveIdentifier = key.curve.coseCurve
        x = key.x
        y = key.curve.isWeierstrass ? .bytes(key.y) : nil
        d = nil
        self.keyID = keyID
        self.algorithm = algorithm
    }

    /// Reads the structure.
    /// - Throws: a missing or ill-typed parameter, with its place.
    public init(_ cbor: CBOR) throws(CBORError) {
        keyType = try cbor[1].int()
        keyID = try cbor.optional(2).map { item throws(CBORError) in try item.bytes() }
        algorithm = try? cbor.optional(3)?.int()
        guard keyType == KeyType.ec2 || keyType == KeyType.okp else {
            (curveIdentifier, x, y, d) = (nil, nil, nil, nil)
            return
        }
        curveIdentifier = try cbor[-1].int()
        d = try cbor.optional(-4).map { item throws(CBORError) in SecretBox(try item.bytes()) }
        x = try (d == nil ? cbor[-2] : cbor.optional(-2)).map { item throws(CBORError) in try item.bytes() }
        y = keyType == KeyType.okp ? nil : try Self.y(d == nil ? cbor[-3] : cbor.optional(-3))
    }

    private static func y(_ item: CBOR?) throws(CBORError) -> YCoordinate? {
        guard let item else { return nil }
        switch item.kind {
        case .bool: return .isOdd(try item.bool())
        case .bytes: return .bytes(try item.bytes())
        default: throw item.error(.expected("bstr or bool", found: item.kind.cddlName))
        }
    }

    /// The key, its point checked.
    /// - Throws: `.keyTypeUnsupported`, `.curveUnsupported`, or `.key` when the point is none of its curve.
    public var publicKey: PublicKey {
        get throws(COSEError) {
            if x == nil, d != nil { return try privateKey.publicKey }
            let curve = try supportedCurve()
            do throws(CryptoError) {
                switch (x, y) {
                case (let x?, .bytes(let y)?): return try PublicKey(curve: curve, x: x, y: y)
                case (let x?, .isOdd(let odd)?): return try PublicKey(curve: curve, x: x, yIsOdd: odd)
                case (let x?, nil): return try PublicKey(curve: curve, x: x, y: [])
                case (nil, _): throw CryptoError.malformedKey("COSE_Key without x")
                }
            } catch { throw .key(error) }
        }
    }

    /// The private key, for import into a key store.
    /// - Throws: as `publicKey`, and when there is no private part or it does not belong to the public one.
    public var privateKey: PrivateKey {
        get throws(COSEError) {
            let curve = try supportedCurve()
            guard let d else { throw .key(.malformedKey("COSE_Key without a private part")) }
            let key: PrivateKey
            do throws(CryptoError) {
                key = try d.bytes.withBytes { bytes throws(CryptoError) in
                    try PrivateKey(curve: curve, scalar: Array(bytes))
                }
            } catch { throw .key(error) }
            if x != nil, try publicKey != key.publicKey {
                throw .key(.malformedKey("private and public part of the COSE_Key do not belong together"))
            }
            return key
        }
    }

    private func supportedCurve() throws(COSEError) -> Curve {
        guard keyType == KeyType.ec2 || keyType == KeyType.okp else { throw .keyTypeUnsupported(keyType) }
        guard let curve else { throw .curveUnsupported(curveIdentifier ?? 0) }
        guard curve.isWeierstrass == (keyType == KeyType.ec2) else {
            throw .key(.malformedKey("curve \(curve.rawValue) in a COSE_Key of type \(keyType)"))
        }
        return curve
    }

    /// The thumbprint (RFC 9679): the digest of the required public parameters in deterministic encoding, y uncompressed.
    public func thumbprint(_ hash: HashAlgorithm = .sha256) throws(COSEError) -> [UInt8] {
        hash.digest(COSEKey(try publicKey).encodedCBOR)
    }

    /// Writes the public parameters in deterministic order; the private part never.
    public func encode(to encoder: inout CBOREncoder) {
        let optional = [keyID != nil, algorithm != nil, curveIdentifier != nil, x != nil, y != nil]
        encoder.map(1 + optional.count { $0 })
        encoder.member(1) { $0.int(keyType) }
        if let keyID { encoder.member(2) { $0.bytes(keyID) } }
        if let algorithm { encoder.member(3) { $0.int(algorithm) } }
        if let curveIdentifier { encoder.member(-1) { $0.int(curveIdentifier) } }
        if let x { encoder.member(-2) { $0.bytes(x) } }
        switch y {
        case .bytes(let bytes)?: encoder.member(-3) { $0.bytes(bytes) }
        case .isOdd(let isOdd)?: encoder.member(-3) { $0.bool(isOdd) }
        case nil: break
        }
    }
}

extension CBOREncoder {
    /// A parameter: its label and its value.
    fileprivate mutating func member(_ label: Int, _ value: (inout CBOREncoder) -> Void) {
        int(label)
        value(&self)
    }
}

/// Key material inside a value type: shown by nobody, compared in constant time.
private struct SecretBox: Sendable, Hashable, CustomStringConvertible {
    let bytes: SecretBytes

    init(_ bytes: [UInt8]) { self.bytes = SecretBytes(bytes) }

    var description: String { "(secret)" }

    static func == (left: SecretBox, right: SecretBox) -> Bool { ConstantTime.equal(left.bytes, right.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
}
