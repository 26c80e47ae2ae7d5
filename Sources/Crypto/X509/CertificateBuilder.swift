public import Codec
public import Ports

/// What a certificate to be made says. Every field can be set to anything, so that each rule of a profile can be broken alone.
public struct CertificateBuilder: Sendable {
    /// 1, 2 or 3.
    public var version = 3
    /// Content of the INTEGER, two's complement, minimal.
    public var serialNumber: [UInt8]
    public var signatureAlgorithm: SignatureAlgorithm
    /// What tbsCertificate.signature says; nil: the same.
    public var signedAlgorithm: SignatureAlgorithm?
    public var issuer: DistinguishedName
    public var notBefore: Timestamp
    public var notAfter: Timestamp
    public var subject: DistinguishedName
    /// SubjectPublicKeyInfo, DER.
    public var spki: [UInt8]
    public var extensions: [CertificateExtension] = []
    /// Writes `critical FALSE` out where it holds: BER, but not DER.
    public var writesDefaults = false
    /// Flips the last bit of the signature.
    public var spoilsSignature = false

    public init(
        serialNumber: [UInt8], signatureAlgorithm: SignatureAlgorithm, issuer: DistinguishedName, notBefore: Timestamp,
        notAfter: Timestamp, subject: DistinguishedName, spki: [UInt8]
    ) {
        self.serialNumber = serialNumber
        self.signatureAlgorithm = signatureAlgorithm
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subject = subject
        self.spki = spki
    }

    /// The extension with this id; setting nil removes it, setting one that is not there yet adds it at the end.
    public subscript(oid: OID) -> CertificateExtension? {
        get { extensions.first { $0.oid == oid } }
        set {
            let place = extensions.firstIndex { $0.oid == oid }
            switch (place, newValue) {
            case (let place?, let item?): extensions[place] = item
            case (let place?, nil): extensions.remove(at: place)
            case (nil, let item?): extensions.append(item)
            case (nil, nil): break
            }
        }
    }

    /// The bytes to sign: a complete tbsCertificate.
    public var bytesToSign: [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                if version != 1 { writer.explicit(0) { $0.integer(version - 1) } }
                writer.element(2, serialNumber)
                writer.algorithm(signedAlgorithm ?? signatureAlgorithm)
                writer.raw(issuer.encoded)
                writer.sequence { writer in
                    writer.time(notBefore)
                    writer.time(notAfter)
                }
                writer.raw(subject.encoded)
                writer.raw(spki)
                if !extensions.isEmpty {
                    writer.explicit(3) { $0.extensions(extensions, writesDefaults: writesDefaults) }
                }
            }
        }
    }

    /// The certificate, signed.
    ///
    /// - Parameter nonce: how ECDSA signatures get their nonce.
    /// - Throws: `CryptoError` where `key` cannot sign with the builder's algorithm.
    public func signed(by key: PrivateKey, nonce: SignatureNonce = .random) throws(CryptoError) -> Certificate {
        let message = bytesToSign
        return try certificate(signature: try key.signDER(message, with: signatureAlgorithm, nonce: nonce))
    }

    /// The certificate with a signature over `bytesToSign` that was made elsewhere.
    ///
    /// - Parameter signature: ECDSA-Sig-Value in DER, or raw EdDSA.
    /// - Throws: `CryptoError.malformedKey` where a field that the caller set to something else makes it no certificate at all.
    public func certificate(signature: [UInt8]) throws(CryptoError) -> Certificate {
        do {
            return try Certificate(
                der: DERWriter.signedParts(bytesToSign, signatureAlgorithm, spoilsSignature ? signature.spoiled : signature))
        } catch {
            throw .malformedKey("the certificate to be made would be unreadable: \(error)")
        }
    }
}

extension PrivateKey {
    /// Signs for X.509. Throws `.cannotSign` where the algorithm is not one of the key's curve.
    func signDER(_ message: [UInt8], with algorithm: SignatureAlgorithm, nonce: SignatureNonce) throws(CryptoError) -> [UInt8] {
        guard algorithm.fits(curve) else { throw .cannotSign(curve) }
        return try signDER(message, hash: algorithm.hash, nonce: nonce)
    }
}

extension [UInt8] {
    /// With its last bit flipped.
    var spoiled: [UInt8] {
        guard let last else { return self }
        return dropLast() + [last ^ 1]
    }
}

extension DERWriter {
    mutating func algorithm(_ algorithm: SignatureAlgorithm) {
        sequence { $0.oid(algorithm.oid) }
    }

    /// UTCTime until 2049, then GeneralizedTime (RFC 5280 §4.1.2.5).
    mutating func time(_ time: Timestamp) {
        if 1950..<2050 ~= time.year { utcTime(time.utcTime) } else { generalizedTime(time.generalizedTime) }
    }

    mutating func extensions(_ extensions: [CertificateExtension], writesDefaults: Bool = false) {
        sequence { writer in
            for item in extensions {
                writer.sequence { writer in
                    writer.oid(item.oid)
                    if item.isCritical || writesDefaults { writer.boolean(item.isCritical) }
                    writer.octetString(item.value)
                }
            }
        }
    }

    /// `SEQUENCE { toBeSigned, signatureAlgorithm, signatureValue }`.
    static func signedParts(_ toBeSigned: [UInt8], _ algorithm: SignatureAlgorithm, _ signature: [UInt8]) -> [UInt8] {
        encode { writer in
            writer.sequence { writer in
                writer.raw(toBeSigned)
                writer.algorithm(algorithm)
                writer.bitString(signature)
            }
        }
    }
}
