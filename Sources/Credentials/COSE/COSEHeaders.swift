public import Codec
public import Crypto

/// One of the two header maps of a COSE structure (RFC 9052 §3), as received or made here.
public struct COSEHeaders: Sendable, Hashable {
    /// The whole map.
    public let map: CBOR

    /// No parameters.
    public static let empty = COSEHeaders([])

    /// The given parameters; labels and values are written in this order.
    public init(_ parameters: [(CBOR, CBOR)]) {
        map = .map(parameters)
    }

    /// The parameters that mdocs use, each only if present, then any others. One certificate makes a byte string, several an
    /// array (RFC 9360 §2).
    public init(algorithm: COSEAlgorithm? = nil, x5chain: [[UInt8]] = [], others: [(CBOR, CBOR)] = []) {
        var parameters: [(CBOR, CBOR)] = []
        if let algorithm { parameters.append((.int(Label.algorithm), .int(algorithm.rawValue))) }
        if !x5chain.isEmpty {
            let certificates = x5chain.map { CBOR.bytes($0) }
            parameters.append((.int(Label.x5chain), certificates.count == 1 ? certificates[0] : .array(certificates)))
        }
        self.init(parameters + others)
    }

    init(received map: CBOR) throws(CBORError) {
        _ = try map.map()
        self.map = map
    }

    /// Registered labels that are used here.
    public enum Label {
        public static let algorithm = 1
        public static let critical = 2
        public static let contentType = 3
        public static let keyID = 4
        public static let type = 16
        public static let x5chain = 33
        public static let x5t = 34
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { map.count == 0 }

    /// The parameter with an integer label.
    public subscript(_ label: Int) -> CBOR? { try? map.optional(label) }

    /// The parameter with a text label.
    public subscript(_ label: String) -> CBOR? { try? map.optional(label) }

    /// The number of the algorithm; nil if absent or named by text.
    public var algorithm: Int? { try? self[Label.algorithm]?.int() }

    /// The algorithm as a message names it: its number, or its text, or what stands in its place.
    public var algorithmText: String? {
        guard let item = self[Label.algorithm] else { return nil }
        if let number = try? item.int() { return String(number) }
        if let name = try? item.text() { return name }
        return "of type \(item.kind.cddlName)"
    }

    /// The key identifier, if it is the byte string it has to be.
    public var keyID: [UInt8]? { try? self[Label.keyID]?.bytes() }

    /// The certificate chain, the signer's certificate first.
    /// - Throws: when it is neither a byte string nor an array of byte strings, or the array is empty.
    public var x5chain: X5Chain? {
        get throws(CBORError) {
            guard let item = self[Label.x5chain] else { return nil }
            return try X5Chain(item)
        }
    }

    /// The hash that names the signer's certificate.
    /// - Throws: when it is no array of an algorithm and a byte string.
    public var x5t: X5T? {
        get throws(CBORError) {
            guard let item = self[Label.x5t] else { return nil }
            return try X5T(item)
        }
    }
}

/// The `x5chain` header parameter (RFC 9360 §2): `COSE_X509 = bstr / [ 2*certs: bstr ]`.
public struct X5Chain: Sendable, Hashable {
    /// How the chain was written.
    public enum Form: Sendable, Hashable {
        /// One certificate as a byte string.
        case byteString
        /// Two or more certificates in an array.
        case array
        /// One certificate in an array, which RFC 9360 forbids and some issuers do.
        case arrayOfOne
    }

    /// The DER certificates, the signer's first.
    public let certificates: [[UInt8]]
    /// How the chain was written.
    public let form: Form

    /// Reads the value of the parameter.
    public init(_ item: CBOR) throws(CBORError) {
        guard item.kind == .array else {
            guard item.kind == .bytes else { throw item.error(.expected("bstr or array of bstr", found: item.kind.cddlName)) }
            certificates = [try item.bytes()]
            form = .byteString
            return
        }
        var certificates: [[UInt8]] = []
        for element in try item.array() { certificates.append(try element.bytes()) }
        guard !certificates.isEmpty else { throw item.error(.invalid("x5chain without a certificate")) }
        self.certificates = certificates
        form = certificates.count == 1 ? .arrayOfOne : .array
    }
}

/// The `x5t` header parameter (RFC 9360 §2): `COSE_CertHash = [ hashAlg: int / tstr, hashValue: bstr ]`.
public struct X5T: Sendable, Hashable {
    /// The hash, nil when it is one this program does not compute.
    public let algorithm: HashAlgorithm?
    /// The digest of the DER certificate.
    public let value: [UInt8]

    /// Reads the value of the parameter.
    public init(_ item: CBOR) throws(CBORError) {
        let pair = try item.array(count: 2)
        algorithm =
            switch try? pair[0].int() {
            case -14: .sha1
            case -16: .sha256
            case -43: .sha384
            case -44: .sha512
            default: nil
            }
        value = try pair[1].bytes()
    }

    /// Whether this is the hash of the DER certificate; never when the algorithm is unknown or SHA-1.
    public func matches(certificate der: [UInt8]) -> Bool {
        guard let algorithm, algorithm != .sha1 else { return false }
        return der.withUnsafeBytes { algorithm.matches(value, $0) }
    }
}
