public import Codec

/// Extensions to be made.
extension CertificateExtension {
    /// RFC 5280 §4.2.1.3.
    public static func keyUsage(_ usage: KeyUsage, critical: Bool = true) -> CertificateExtension {
        var bytes: [UInt8] = [0, 0]
        for position in 0..<9 where usage.rawValue & (1 << UInt16(position)) != 0 {
            bytes[position / 8] |= 0x80 >> UInt8(position % 8)
        }
        // A named bit list ends with its last set bit (X.690 §11.2.2).
        while bytes.last == 0 { bytes.removeLast() }
        let unused = bytes.last?.trailingZeroBitCount ?? 0
        return CertificateExtension(
            .keyUsage, critical: critical, value: DERWriter.encode { $0.bitString(bytes, unusedBits: unused) })
    }

    /// RFC 5280 §4.2.1.9.
    public static func basicConstraints(_ constraints: BasicConstraints, critical: Bool = true) -> CertificateExtension {
        CertificateExtension(
            .basicConstraints, critical: critical,
            value: DERWriter.encode { writer in
                writer.sequence { writer in
                    if constraints.isCA { writer.boolean(true) }
                    if let length = constraints.pathLength { writer.integer(length) }
                }
            })
    }

    /// RFC 5280 §4.2.1.12.
    public static func extendedKeyUsage(_ purposes: [OID], critical: Bool = true) -> CertificateExtension {
        CertificateExtension(
            .extendedKeyUsage, critical: critical,
            value: DERWriter.encode { writer in writer.sequence { writer in purposes.forEach { writer.oid($0) } } })
    }

    /// RFC 5280 §4.2.1.2.
    public static func subjectKeyIdentifier(_ identifier: [UInt8], critical: Bool = false) -> CertificateExtension {
        CertificateExtension(
            .subjectKeyIdentifier, critical: critical, value: DERWriter.encode { $0.octetString(identifier) })
    }

    /// RFC 5280 §4.2.1.1, with the key identifier alone.
    public static func authorityKeyIdentifier(_ identifier: [UInt8]) -> CertificateExtension {
        CertificateExtension(
            .authorityKeyIdentifier, value: DERWriter.encode { writer in writer.sequence { $0.implicit(0, identifier) } })
    }

    /// RFC 5280 §4.2.1.7.
    public static func issuerAlternativeName(_ names: [GeneralName]) -> CertificateExtension {
        CertificateExtension(.issuerAlternativeName, value: DERWriter.encode { $0.generalNames(names) })
    }

    /// RFC 5280 §4.2.1.6.
    public static func subjectAlternativeName(_ names: [GeneralName]) -> CertificateExtension {
        CertificateExtension(.subjectAlternativeName, value: DERWriter.encode { $0.generalNames(names) })
    }

    /// One distribution point with a URI (RFC 5280 §4.2.1.13).
    ///
    /// - Parameter reasons: whether it claims to cover key compromise only.
    public static func crlDistributionPoint(_ uri: String, reasons: Bool = false) -> CertificateExtension {
        CertificateExtension(.crlDistributionPoints, value: distributionPoint(uri, reasons: reasons))
    }

    /// Where to find the newest delta CRL (RFC 5280 §4.2.1.15).
    public static func freshestCRL(_ uri: String) -> CertificateExtension {
        CertificateExtension(.freshestCRL, value: distributionPoint(uri, reasons: false))
    }

    /// RFC 5280 §4.2.2.1.
    public static func authorityInformationAccess(_ entries: [AccessDescription]) -> CertificateExtension {
        CertificateExtension(
            .authorityInformationAccess,
            value: DERWriter.encode { writer in
                writer.sequence { writer in
                    for entry in entries {
                        writer.sequence { writer in
                            writer.oid(entry.method)
                            writer.generalName(entry.location)
                        }
                    }
                }
            })
    }

    private static func distributionPoint(_ uri: String, reasons: Bool) -> [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                writer.sequence { writer in
                    writer.explicit(0) { writer in writer.explicit(0) { $0.generalName(.uri(uri)) } }
                    // ReasonFlags: bit 1, keyCompromise.
                    if reasons { writer.implicit(1, [6, 0x40]) }
                }
            }
        }
    }
}

extension DERWriter {
    fileprivate mutating func generalNames(_ names: [GeneralName]) {
        sequence { writer in names.forEach { writer.generalName($0) } }
    }

    fileprivate mutating func generalName(_ name: GeneralName) {
        switch name {
        case .email(let text): implicit(1, [UInt8](text.utf8))
        case .dns(let text): implicit(2, [UInt8](text.utf8))
        case .directoryName(let name): explicit(4) { $0.raw(name.encoded) }
        case .uri(let text): implicit(6, [UInt8](text.utf8))
        case .ipAddress(let bytes): implicit(7, bytes)
        case .other(let tag): implicit(tag & 0x0F, [])
        }
    }
}
