import Codec
import Crypto
import Ports

extension CertificateDraft {
    /// Breaks one rule of the profile and no other.
    ///
    /// - Parameter rule: its name without the profile: `key-usage`.
    /// - Throws: `UnbreakableRule` where the profile has no such rule, or the certificate is one that cannot break it.
    mutating func breakRule(_ rule: String) throws {
        guard profile.rules(in: edition).contains(rule) else {
            throw UnbreakableRule("profile \(profile.rawValue) has no rule \"\(rule)\" in edition \(edition.rawValue)")
        }
        if try breakEncoding(rule) || breakKey(rule) || breakName(rule) { return }
        if try breakValidity(rule) || breakUsage(rule) || breakExtensions(rule) { return }
        throw UnbreakableRule("breaking \"\(rule)\" is not known")
    }

    private mutating func breakEncoding(_ rule: String) throws -> Bool {
        switch rule {
        case "der": builder.writesDefaults = true
        case "version": builder.version = 2
        case "serial-positive": builder.serialNumber = [0x9F] + random.bytes(15)
        case "serial-length": builder.serialNumber = [0x5F] + random.bytes(20)
        case "serial-entropy": builder.serialNumber = [0x5F] + random.bytes(6)
        case "signature-match":
            builder.signedAlgorithm = builder.signatureAlgorithm == .ecdsaWithSHA256 ? .ecdsaWithSHA384 : .ecdsaWithSHA256
        case "signature-algorithm":
            guard builder.signatureAlgorithm.hash != nil else {
                throw UnbreakableRule("the issuer's Edwards key breaks signature-algorithm already")
            }
            builder.signatureAlgorithm = .ecdsaWithSHA1
        case "self-signed": builder.spoilsSignature = true
        default: return false
        }
        return true
    }

    private mutating func breakKey(_ rule: String) throws -> Bool {
        switch rule {
        case "public-key":
            // For key agreement only: in no profile's table.
            let key = try PrivateKey.generate(.x25519, random: random).publicKey
            setKey(spki: key.spki, bits: key.point)
        case "public-key-form":
            let key = try PublicKey(spki: builder.spki)
            guard key.curve.isWeierstrass else { throw UnbreakableRule("a key on \(key.curve.rawValue) has one form only") }
            let compressed = [2 | (key.y.last ?? 0) & 1] + key.x
            setKey(spki: Self.spki(curve: key.curve, point: compressed), bits: compressed)
        case "new-root-key":
            let key = try PrivateKey.generate(.p256, random: random).publicKey
            setKey(spki: key.spki, bits: key.point)
        default: return false
        }
        return true
    }

    private static func spki(curve: Curve, point: [UInt8]) -> [UInt8] {
        DERWriter.encode { writer in
            writer.sequence { writer in
                writer.sequence { writer in
                    writer.oid("1.2.840.10045.2.1")
                    writer.oid(curve.oid)
                }
                writer.bitString(point)
            }
        }
    }

    private mutating func breakName(_ rule: String) throws -> Bool {
        let subject = builder.subject
        switch rule {
        case "issuer-bytes": builder.issuer = builder.issuer.withOtherForm
        case "new-root-subject": setSubject(subject.replacing(.commonName, with: .init(.commonName, "Somebody else")))
        case "string-form":
            setSubject(subject.replacing(.commonName, with: .init(.commonName, subject.commonName ?? "", form: .bmp)))
        case "country": setSubject(subject.replacing(.countryName, with: nil))
        case "country-form":
            setSubject(subject.replacing(.countryName, with: .init(.countryName, subject.country ?? "UT", form: .utf8)))
        case "country-equal":
            setSubject(subject.replacing(.countryName, with: .init(.countryName, subject.country == "ZZ" ? "YY" : "ZZ")))
        case "state-equal":
            guard issuer?.certificate.subject.stateOrProvince != nil else {
                throw UnbreakableRule("the root has no state that the certificate could differ from")
            }
            setSubject(subject.replacing(.stateOrProvinceName, with: .init(.stateOrProvinceName, "Elsewhere")))
        case "common-name": setSubject(subject.replacing(.commonName, with: nil))
        case "organization": setSubject(subject.replacing(.organizationName, with: nil))
        default: return false
        }
        return true
    }

    private mutating func breakValidity(_ rule: String) throws -> Bool {
        switch rule {
        case "validity-period":
            let longest = profile.longestValidityInDays.map { builder.notBefore.adding(seconds: $0 * 86400) }
            guard let end = longest ?? issuer?.certificate.notAfter else {
                throw UnbreakableRule("profile \(profile.rawValue) has no longest validity")
            }
            builder.notAfter = end.adding(days: 1)
        case "validity-nested":
            guard let issuer else { throw UnbreakableRule("a root has no issuer") }
            let length = builder.notAfter.seconds(since: builder.notBefore)
            builder.notBefore = issuer.certificate.notBefore.adding(days: -1)
            builder.notAfter = min(builder.notBefore.adding(seconds: length), issuer.certificate.notAfter)
        default: return false
        }
        return true
    }

    private mutating func breakUsage(_ rule: String) throws -> Bool {
        let usage: KeyUsage = profile.isAuthority ? [.keyCertSign, .cRLSign] : .digitalSignature
        switch rule {
        case "key-usage":
            builder[.keyUsage] = .keyUsage(usage.union(profile.isAuthority ? .digitalSignature : .nonRepudiation))
        case "key-usage-critical": builder[.keyUsage] = .keyUsage(usage, critical: false)
        case "basic-constraints":
            builder[.basicConstraints] =
                profile.isAuthority
                ? .basicConstraints(.init(isCA: true, pathLength: 0), critical: false) : .basicConstraints(.init(isCA: true))
        case "path-length":
            builder[.basicConstraints] = .basicConstraints(
                profile.isAuthority ? .init(isCA: true, pathLength: 1) : .init(isCA: false, pathLength: 0))
        case "eku":
            // The generic purpose alone: a mistake that is made, and one after which the profile can still be guessed.
            let wrong: [OID] = profile == .status ? ["1.3.6.1.5.5.7.3.4"] : Array(profile.purposes.dropFirst())
            builder[.extendedKeyUsage] = .extendedKeyUsage(wrong, critical: profile != .status)
        case "eku-critical":
            builder[.extendedKeyUsage] = .extendedKeyUsage(profile.purposes, critical: profile == .status)
        case "eku-generic": builder[.extendedKeyUsage] = .extendedKeyUsage(Array(profile.purposes.prefix(1)))
        default: return false
        }
        return true
    }

    private mutating func breakExtensions(_ rule: String) throws -> Bool {
        switch rule {
        case "ski": builder[.subjectKeyIdentifier] = nil
        case "ski-value": builder[.subjectKeyIdentifier] = .subjectKeyIdentifier(random.bytes(20))
        case "aki": builder[.authorityKeyIdentifier] = nil
        case "aki-value": builder[.authorityKeyIdentifier] = .authorityKeyIdentifier(random.bytes(20))
        case "issuer-alt-name": builder[.issuerAlternativeName] = nil
        case "crldp":
            let hasToGo = builder[.crlDistributionPoints] != nil
            builder[.crlDistributionPoints] =
                hasToGo ? nil : .crlDistributionPoint(CertificateMaker.crlURI(of: issuer?.certificate))
        case "crldp-fields":
            builder[.crlDistributionPoints] = .crlDistributionPoint(CertificateMaker.crlURI(of: issuer?.certificate), reasons: true)
        case "ocsp":
            let entry = AccessDescription(method: .ocspAccess, location: .dns("ocsp.utopia.example"))
            builder[.authorityInformationAccess] = .authorityInformationAccess([entry])
        case "forbidden-extension": builder[.freshestCRL] = .freshestCRL(CertificateMaker.crlURI(of: issuer?.certificate))
        case "unknown-critical":
            builder["2.999.1"] = CertificateExtension("2.999.1", critical: true, value: DERWriter.encode { $0.null() })
        default: return false
        }
        return true
    }
}

extension DistinguishedName {
    /// The same text with its common name in another string type, hence other bytes.
    fileprivate var withOtherForm: DistinguishedName {
        guard let name = attribute(.commonName), let text = name.text else { return self }
        return replacing(.commonName, with: Attribute(.commonName, text, form: name.form == .utf8 ? .printable : .utf8))
    }
}
