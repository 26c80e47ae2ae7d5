import Codec
public import Ports

/// What a CRL to be made says. Every field can be set to anything, so that each rule of the profile can be broken alone.
public struct RevocationListBuilder: Sendable {
    /// One certificate to be revoked.
    public struct Entry: Sendable {
        /// Content of the INTEGER, two's complement.
        public var serialNumber: [UInt8]
        public var revokedAt: Timestamp
        public var extensions: [CertificateExtension]

        public init(serialNumber: [UInt8], revokedAt: Timestamp, extensions: [CertificateExtension] = []) {
            self.serialNumber = serialNumber
            self.revokedAt = revokedAt
            self.extensions = extensions
        }
    }

    /// 1 or 2.
    public var version = 2
    public var signatureAlgorithm: SignatureAlgorithm
    public var issuer: DistinguishedName
    public var thisUpdate: Timestamp
    /// Nil leaves it out.
    public var nextUpdate: Timestamp?
    public var entries: [Entry] = []
    public var extensions: [CertificateExtension] = []
    /// Writes an empty list of entries instead of none.
    public var writesEmptyList = false
    /// Flips the last bit of the signature.
    public var spoilsSignature = false

    /// A list of `authority` with the two extensions that every CRL has.
    ///
    /// - Parameter number: cRLNumber.
    public init(
        authority: Certificate, number: Int, thisUpdate: Timestamp, nextUpdate: Timestamp, signatureAlgorithm: SignatureAlgorithm
    ) {
        self.signatureAlgorithm = signatureAlgorithm
        self.issuer = authority.subject
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        extensions = [
            .authorityKeyIdentifier(authority.subjectKeyIdentifier ?? authority.computedKeyIdentifier),
            CertificateExtension(.crlNumber, value: DERWriter.encode { $0.integer(number) }),
        ]
    }

    /// The list, signed.
    ///
    /// - Throws: `CryptoError` where `key` cannot sign with the builder's algorithm, or a field that the caller set makes it no CRL.
    public func signed(by key: PrivateKey, nonce: SignatureNonce = .random) throws(CryptoError) -> CertificateRevocationList {
        let message = bytesToSign
        let signature = try key.signDER(message, with: signatureAlgorithm, nonce: nonce)
        do {
            return try CertificateRevocationList(
                der: DERWriter.signedParts(message, signatureAlgorithm, spoilsSignature ? signature.spoiled : signature))
        } catch {
            throw .malformedKey("the CRL to be made would be unreadable: \(error)")
        }
    }

    private var bytesToSign: [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                if version != 1 { writer.integer(version - 1) }
                writer.algorithm(signatureAlgorithm)
                writer.raw(issuer.encoded)
                writer.time(thisUpdate)
                if let nextUpdate { writer.time(nextUpdate) }
                if !entries.isEmpty || writesEmptyList {
                    writer.sequence { writer in entries.forEach { writer.entry($0) } }
                }
                if !extensions.isEmpty { writer.explicit(0) { $0.extensions(extensions) } }
            }
        }
    }
}

extension DERWriter {
    fileprivate mutating func entry(_ entry: RevocationListBuilder.Entry) {
        sequence { writer in
            writer.element(2, entry.serialNumber)
            writer.time(entry.revokedAt)
            if !entry.extensions.isEmpty { writer.extensions(entry.extensions) }
        }
    }
}
