import Codec
import Ports

extension Certificate {
    /// Reads a certificate: one complete DER SEQUENCE and nothing after it.
    ///
    /// - Throws: `CertificateError` with what is wrong and where.
    public init(der: [UInt8]) throws(CertificateError) {
        let parts: SignedParts
        let fields: CertificateFields
        do {
            parts = try SignedParts(try DERNode(decoding: der))
            fields = try CertificateFields(parts.signed)
        } catch {
            throw .malformed(error)
        }
        self.init(
            der: der, version: fields.version, serialNumber: fields.serialNumber, signatureAlgorithm: parts.algorithm,
            signedAlgorithm: fields.algorithm, issuer: fields.issuer, notBefore: fields.notBefore, notAfter: fields.notAfter,
            subject: fields.subject, spkiBytes: fields.spki, keyAlgorithm: fields.keyAlgorithm, publicKeyBits: fields.keyBits,
            extensions: fields.extensions, known: try KnownExtensions(fields.extensions), signedBytes: parts.signed.encoded,
            signature: parts.signature, subjectKey: Self.key(fields.spki))
    }

    private static func key(_ spki: [UInt8]) -> Result<PublicKey, CryptoError> {
        do throws(CryptoError) { return .success(try PublicKey(spki: spki)) } catch { return .failure(error) }
    }
}

/// `SEQUENCE { toBeSigned, signatureAlgorithm, signatureValue BIT STRING }`: a certificate or CRL from outside.
struct SignedParts {
    let signed: DERNode
    let algorithm: AlgorithmIdentifier
    let signature: [UInt8]

    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            SignedParts(
                signed: try cursor.next("tbsCertificate"),
                algorithm: try AlgorithmIdentifier(try cursor.next("signatureAlgorithm")),
                signature: try cursor.next("signatureValue").wholeBytes())
        }
    }

    private init(signed: DERNode, algorithm: AlgorithmIdentifier, signature: [UInt8]) {
        self.signed = signed
        self.algorithm = algorithm
        self.signature = signature
    }
}

/// ```
/// TBSCertificate ::= SEQUENCE { [0] version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo,
///                               [1] issuerUniqueID OPTIONAL, [2] subjectUniqueID OPTIONAL, [3] extensions OPTIONAL }
/// ```
private struct CertificateFields {
    var version = 1
    var serialNumber: [UInt8]
    var algorithm: AlgorithmIdentifier
    var issuer: DistinguishedName
    var notBefore: Timestamp
    var notAfter: Timestamp
    var subject: DistinguishedName
    var spki: [UInt8]
    var keyAlgorithm: AlgorithmIdentifier
    var keyBits: [UInt8]
    var extensions: [CertificateExtension] = []

    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in try CertificateFields(&cursor) }
    }

    private init(_ cursor: inout DERCursor) throws(DERError) {
        if let version = try cursor.optional(0, .contextSpecific)?.explicit(0) { self.version = try version.version() }
        serialNumber = try cursor.next("serialNumber").integerBytes()
        algorithm = try AlgorithmIdentifier(try cursor.next("signature"))
        issuer = try DistinguishedName(try cursor.next("issuer"))
        (notBefore, notAfter) = try cursor.next("validity").sequence { validity throws(DERError) in
            (try validity.next("notBefore").time(), try validity.next("notAfter").time())
        }
        subject = try DistinguishedName(try cursor.next("subject"))
        let info = try cursor.next("subjectPublicKeyInfo")
        spki = info.encoded
        (keyAlgorithm, keyBits) = try info.sequence { key throws(DERError) in
            (try AlgorithmIdentifier(try key.next("algorithm")), try key.next("subjectPublicKey").wholeBytes())
        }
        _ = cursor.optional(1, .contextSpecific)
        _ = cursor.optional(2, .contextSpecific)
        if let list = try cursor.optional(3, .contextSpecific)?.explicit(3) {
            extensions = try list.elements { item throws(DERError) in try CertificateExtension(item) }
        }
    }
}

extension CertificateExtension {
    /// `SEQUENCE { extnID, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }`.
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let oid = try cursor.next("extnID").oid()
            let isCritical = try cursor.optional(1)?.anyBoolean() ?? false
            return CertificateExtension(oid, critical: isCritical, value: try cursor.next("extnValue").octetString())
        }
    }
}

extension AlgorithmIdentifier {
    init(_ node: DERNode) throws(DERError) {
        self = try node.sequence { cursor throws(DERError) in
            let oid = try cursor.next("algorithm").oid()
            return AlgorithmIdentifier(oid: oid, parameters: cursor.remaining > 0 ? try cursor.next("parameters").encoded : nil)
        }
    }
}

extension DERNode {
    /// A version as people count them: the INTEGER plus one; 0 for numbers that are no version of anything.
    func version() throws(DERError) -> Int {
        let value = try integerBytes()
        return value.count == 1 && value[0] < 0x80 ? Int(value[0]) + 1 : 0
    }

    /// A BIT STRING of whole bytes.
    func wholeBytes() throws(DERError) -> [UInt8] {
        let bits = try bitString()
        guard bits.unusedBits == 0 else { throw error(.invalid("BIT STRING that is no whole number of bytes")) }
        return bits.bytes
    }

    /// UTCTime `YYMMDDhhmmssZ` or GeneralizedTime `YYYYMMDDhhmmssZ`, the only forms of RFC 5280 §4.1.2.5.
    func time() throws(DERError) -> Timestamp {
        guard hasTag(23) || hasTag(24), !isConstructed else { throw error(.expected("UTCTime or GeneralizedTime", found: tagName)) }
        let digits = content
        let yearLength = hasTag(23) ? 2 : 4
        guard digits.count == yearLength + 11, digits.last == UInt8(ascii: "Z"), digits.dropLast().allSatisfy({ 0x30...0x39 ~= $0 })
        else { throw error(.invalid("date not in the form of RFC 5280")) }
        func number(_ start: Int, _ length: Int) -> Int { digits[start..<start + length].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        var year = number(0, yearLength)
        if yearLength == 2 { year += year < 50 ? 2000 : 1900 }
        let parts = (0..<5).map { number(yearLength + 2 * $0, 2) }
        guard
            let time = Timestamp(
                year: year, month: parts[0], day: parts[1], hour: parts[2], minute: parts[3], second: parts[4])
        else { throw error(.invalid("date that does not exist")) }
        return time
    }
}
