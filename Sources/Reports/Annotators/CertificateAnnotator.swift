import Codec
import Crypto
package import Ports

/// Explains certificates and CRLs.
package enum CertificateAnnotator {
    /// A certificate, or DER that is none with the reason.
    package static func annotate(der: [UInt8], label: String = "Certificate") -> Annotation {
        do throws(CertificateError) {
            return annotate(try Certificate(der: der), label)
        } catch {
            return Annotation(
                label, "no certificate that can be read: \(error)", children: [Annotation("bytes", Hex.encode(der.prefix(64)))])
        }
    }

    private static func annotate(_ certificate: Certificate, _ label: String) -> Annotation {
        let children =
            [
                Annotation("version", String(certificate.version)),
                Annotation("serial number", Hex.encode(certificate.serialNumber)),
                Annotation("issuer", certificate.issuer.description),
                Annotation("validity", "\(certificate.notBefore) to \(certificate.notAfter)"),
                Annotation("subject", certificate.subject.description),
                Annotation("public key", key(certificate)),
                Annotation("signature algorithm", certificate.signatureAlgorithm.name),
            ] + certificate.extensions.map { annotate($0, certificate.known) } + [
                Annotation(
                    "signed by its own key",
                    certificate.isSelfIssued
                        ? (certificate.isSigned(by: certificate) ? "yes" : "no, though issuer and subject are equal")
                        : "no, by its issuer"),
                Annotation("SHA-256", Hex.encode(certificate.sha256)),
            ]
        return Annotation(
            label, "certificate of \(certificate.subject), \(certificate.der.count) bytes", clause: "RFC 5280 4.1",
            length: certificate.der.count, children: children)
    }

    private static func key(_ certificate: Certificate) -> String {
        do throws(CryptoError) {
            let key = try certificate.publicKey()
            return "\(key.curve.rawValue), \(Hex.encode(certificate.publicKeyBits))"
        } catch {
            return "algorithm \(certificate.keyAlgorithm.oid), not usable here: \(error)"
        }
    }

    // MARK: extensions

    private static func annotate(_ item: CertificateExtension, _ known: KnownExtensions) -> Annotation {
        let name = names[item.oid] ?? item.oid.description
        return Annotation(name, value(item, known) + (item.isCritical ? " (critical)" : ""))
    }

    private static func value(_ item: CertificateExtension, _ known: KnownExtensions) -> String {
        let text: String? =
            switch item.oid {
            case .keyUsage: known.keyUsage?.description
            case .basicConstraints:
                known.basicConstraints.map { $0.isCA ? "CA" + ($0.pathLength.map { ", path length \($0)" } ?? "") : "no CA" }
            case .extendedKeyUsage:
                known.extendedKeyUsage?.map { purposes[$0].map { "\($0)" } ?? $0.description }.joined(separator: ", ")
            case .subjectKeyIdentifier: known.subjectKeyIdentifier.map { Hex.encode($0) }
            case .authorityKeyIdentifier: known.authorityKeyIdentifier?.keyIdentifier.map { Hex.encode($0) }
            case .issuerAlternativeName: known.issuerAlternativeName?.map(\.description).joined(separator: ", ")
            case .subjectAlternativeName: known.subjectAlternativeName?.map(\.description).joined(separator: ", ")
            case .crlDistributionPoints: known.crlDistributionPoints?.flatMap(\.names).map(\.description).joined(separator: ", ")
            case .authorityInformationAccess:
                known.authorityInformationAccess?.map {
                    "\($0.method == .ocspAccess ? "OCSP" : $0.method.description) \($0.location)"
                }.joined(separator: ", ")
            default: nil
            }
        return text ?? "DER \(Hex.encode(item.value.prefix(32)))\(item.value.count > 32 ? "…" : "")"
    }

    private static let names: [OID: String] = [
        .subjectKeyIdentifier: "subject key identifier", .keyUsage: "key usage",
        .subjectAlternativeName: "subject alternative name",
        .issuerAlternativeName: "issuer alternative name", .basicConstraints: "basic constraints", .crlNumber: "CRL number",
        .crlReason: "reason",
        .deltaCRLIndicator: "delta CRL indicator", .issuingDistributionPoint: "issuing distribution point",
        .nameConstraints: "name constraints",
        .crlDistributionPoints: "CRL distribution points", .certificatePolicies: "certificate policies",
        .policyMappings: "policy mappings",
        .authorityKeyIdentifier: "authority key identifier", .policyConstraints: "policy constraints",
        .extendedKeyUsage: "extended key usage",
        .freshestCRL: "freshest CRL", .inhibitAnyPolicy: "inhibit any policy",
        .authorityInformationAccess: "authority information access",
    ]

    private static let purposes: [OID: String] = [
        .anyPurpose: "any purpose", .serverAuthentication: "server authentication",
        .mdlDocumentSigner: "mDL document signer (1.0.18013.5.1.2)",
        .mdlReaderAuthentication: "mDL reader authentication (1.0.18013.5.1.6)", .vicalSigner: "VICAL signer (1.0.18013.5.1.8)",
        .mdocDocumentSigner: "mdoc document signer (1.0.23220.4.1.2)",
        .mdocReaderAuthentication: "mdoc reader authentication (1.0.23220.4.1.6)",
        .mdocTrustListSigner: "mdoc trust list signer (1.0.23220.4.1.8)", .oauthStatusSigning: "status list signer",
    ]

    // MARK: CRL

    /// A certificate revocation list, nil if the bytes are none.
    package static func annotateCRL(der: [UInt8]) -> Annotation? {
        guard let list = try? CertificateRevocationList(der: der) else { return nil }
        let entries = list.entries ?? []
        let shown = entries.prefix(100).map {
            Annotation(Hex.encode($0.serialNumber), "revoked \($0.revokedAt)", children: $0.extensions.map(reason))
        }
        let rest = entries.count > shown.count ? [Annotation("…", "\(entries.count - shown.count) more")] : []
        return Annotation(
            "CertificateRevocationList", "of \(list.issuer), \(entries.count) revoked", clause: "RFC 5280 5", length: der.count,
            children: [
                Annotation("version", String(list.version)), Annotation("signature algorithm", list.signatureAlgorithm.name),
                Annotation("issuer", list.issuer.description), Annotation("this update", list.thisUpdate.rfc3339),
                Annotation("next update", list.nextUpdate?.rfc3339 ?? "none"),
                Annotation("CRL number", list.number.map { Hex.encode($0) } ?? "none"),
                Annotation("authority key identifier", list.authorityKeyIdentifier?.keyIdentifier.map { Hex.encode($0) } ?? "none"),
                Annotation("revoked certificates", String(entries.count), children: shown + rest),
            ])
    }

    private static func reason(_ item: CertificateExtension) -> Annotation {
        let reasons = [
            "unspecified", "key compromise", "CA compromise", "affiliation changed", "superseded", "cessation of operation",
            "certificate hold",
        ]
        let code = item.oid == .crlReason ? (try? DERNode(decoding: item.value).int()) : nil
        return Annotation(
            names[item.oid] ?? item.oid.description,
            code.flatMap { reasons.indices.contains($0) ? reasons[$0] : nil } ?? Hex.encode(item.value))
    }

    // MARK: names

    /// The subject of the certificate in a VICAL's entry.
    static let subject: @Sendable (CBOR) -> String? = { item in
        guard let der = try? item["certificate"].bytes() else { return nil }
        return (try? Certificate(der: der))?.subject.description
    }

    /// A distinguished name in DER as text.
    @Sendable static func name(_ der: [UInt8]) -> String? {
        (try? DERNode(decoding: der)).flatMap { try? DistinguishedName($0) }?.description
    }
}
