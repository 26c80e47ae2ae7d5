import Codec
import Credentials
import Crypto
import Ports

/// Certificates, chains and CRLs: `mdoc/iaca-and-reader-ca-certificates.json`, `x509/mdoc-chains-and-crls.json`.
struct CertificateVectors: VectorSuite {
    private static let certificates = "mdoc/iaca-and-reader-ca-certificates.json"
    private static let chains = "x509/mdoc-chains-and-crls.json"

    func matches(_ path: String) -> Bool { path == Self.certificates || path == Self.chains }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            let name = entry["id"]?.stringValue ?? entry["name"]?.stringValue ?? "case \(results.count)"
            results.append(
                await VectorCase(name) {
                    if file.path == Self.chains { try Self.checkChain(entry) } else { try Self.checkCertificate(entry) }
                })
        }
        for entry in json["crls"]?.arrayValue ?? [] {
            results.append(await VectorCase("CRL \(entry["id"]?.stringValue ?? "")") { try Self.checkList(entry) })
        }
        return results
    }

    // MARK: one certificate

    /// Fields as published, the self-signature, and a linter that finds its way through every one of them.
    private static func checkCertificate(_ entry: JSON) throws {
        let certificate = try Certificate(der: try der(entry, "der_b64"))
        try expect(Hex.encode(certificate.sha256), equals: try entry.text("sha256"), "SHA-256")
        try expect(certificate.subject.description, equals: try entry.text("subject"), "subject")
        try expect(certificate.issuer.description, equals: try entry.text("issuer"), "issuer")
        try expect(certificate.notBefore, equals: try Timestamp(rfc3339: try entry.text("notBefore")), "notBefore")
        try expect(certificate.notAfter, equals: try Timestamp(rfc3339: try entry.text("notAfter")), "notAfter")
        try expect(signedHex(certificate.serialNumber), equals: try entry.text("serial_hex"), "serial number")
        try expect(try curveName(certificate), equals: try entry.text("key"), "key")
        try expect(certificate.signatureAlgorithm.name, equals: try entry.text("sigAlg"), "signature algorithm")
        try expect(
            certificate.isSigned(by: certificate), equals: entry["self_signed_verifies"]?.boolValue ?? false, "self-signature")
        try checkExtensions(certificate, entry["extensions"]?.objectValue)
        for profile in [CertificateProfile.iaca, .ds, .reader, CertificateProfile(guessedFor: certificate)] {
            let result = profile.lint(certificate, in: LintContext(of: certificate, among: [certificate], edition: .first))
            try expect(!result.passed.isEmpty, "no rule of profile \(profile.rawValue) holds")
        }
    }

    private static func checkExtensions(_ certificate: Certificate, _ published: JSONObject?) throws {
        guard let published else { throw Mismatch("the case has no \"extensions\"") }
        // The reader behind the vectors refused these certificates for their extensions; what it says is no list of them.
        guard published["error"] == nil else { return }
        try expect(certificate.extensions.count, equals: published.members.count, "number of extensions")
        for member in published.members {
            let oid = names[member.key] ?? OID(member.key)
            guard let oid, let item = certificate.extension(oid) else { throw Mismatch("extension \(member.key) is missing") }
            try expect(item.isCritical, equals: member.value["critical"]?.boolValue ?? false, "\(member.key) critical")
            try checkContent(certificate, oid, member.value)
        }
    }

    private static func checkContent(_ certificate: Certificate, _ oid: OID, _ published: JSON) throws {
        switch oid {
        case .keyUsage:
            let bits = published["bits"]?.arrayValue?.compactMap(\.stringValue) ?? []
            try expect(certificate.keyUsage?.bitNames.sorted() ?? [], equals: bits.map(bitName).sorted(), "key usage")
        case .basicConstraints:
            let length = published["pathLen"]?.intValue.map(Int.init)
            let constraints = BasicConstraints(isCA: published["ca"]?.boolValue ?? false, pathLength: length)
            try expect(certificate.basicConstraints, equals: constraints, "basic constraints")
        case .extendedKeyUsage:
            let purposes = published["oids"]?.arrayValue?.compactMap(\.stringValue) ?? []
            try expect(certificate.extendedKeyUsage?.map(\.description) ?? [], equals: purposes, "purposes")
        case .subjectKeyIdentifier:
            try expect(certificate.subjectKeyIdentifier ?? [], equals: try published.hex("hex"), "subject key identifier")
        case .authorityKeyIdentifier:
            let identifier = certificate.authorityKeyIdentifier?.keyIdentifier
            try expect(identifier ?? [], equals: try published.hex("hex"), "authority key identifier")
        default: break
        }
    }

    private static let names: [String: OID] = [
        "keyUsage": .keyUsage, "basicConstraints": .basicConstraints, "extendedKeyUsage": .extendedKeyUsage,
        "subjectKeyIdentifier": .subjectKeyIdentifier, "authorityKeyIdentifier": .authorityKeyIdentifier,
        "issuerAltName": .issuerAlternativeName, "subjectAltName": .subjectAlternativeName,
        "cRLDistributionPoints": .crlDistributionPoints, "certificatePolicies": .certificatePolicies,
        "authorityInfoAccess": .authorityInformationAccess, "privateKeyUsagePeriod": "2.5.29.16",
    ]

    /// The vectors name the bits as one library does.
    private static func bitName(_ name: String) -> String {
        switch name {
        case "key_cert_sign": "keyCertSign"
        case "crl_sign": "cRLSign"
        case "digital_signature": "digitalSignature"
        case "content_commitment": "nonRepudiation"
        case "key_encipherment": "keyEncipherment"
        case "data_encipherment": "dataEncipherment"
        case "key_agreement": "keyAgreement"
        default: name
        }
    }

    private static func curveName(_ certificate: Certificate) throws -> String {
        switch try certificate.publicKey().curve {
        case .p256: "secp256r1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        case let curve: curve.rawValue
        }
    }

    /// Two's complement as a signed hexadecimal number without leading zeros.
    private static func signedHex(_ bytes: [UInt8]) -> String {
        guard let first = bytes.first, first >= 0x80 else { return digits(bytes) }
        var magnitude = bytes.map { ~$0 }
        for place in magnitude.indices.reversed() {
            let (sum, carries) = magnitude[place].addingReportingOverflow(1)
            magnitude[place] = sum
            if !carries { break }
        }
        return "-" + digits(magnitude)
    }

    private static func digits(_ magnitude: [UInt8]) -> String {
        let text = Hex.encode(magnitude).drop { $0 == "0" }
        return text.isEmpty ? "0" : String(text)
    }

    private static func der(_ entry: JSON, _ name: String) throws -> [UInt8] { try Base64.decode(try entry.text(name)) }

    // MARK: chains

    private static func checkChain(_ entry: JSON) throws {
        let expected = try entry.text("expected")
        let isReader = expected.contains("mdocReaderAuth") || entry["why"]?.stringValue == "reader authentication"
        let anchor = try Certificate(der: try der(entry, "trust_anchor_der_b64"))
        let x5chain = try entry.list("x5chain_der_b64").map { try Base64.decode($0.stringValue ?? "") }
        let chain = SignerChain(
            x5chain, as: isReader ? .reader : .ds, anchors: [anchor], edition: .first, skew: 0,
            at: try Timestamp(rfc3339: try entry.text("validation_time")))
        let findings = chain.result.findings.map(\.description).joined(separator: "; ")
        switch expected {
        case "valid", "valid for mdocReaderAuth": try expect(chain.isTrusted, "refused: \(findings)")
        case "invalid": try expect(!chain.isTrusted, "accepted")
        case "invalid under the DS profile": try expect(!chain.profile.isConformant, "keeps the profile")
        case "invalid for issuer authentication":
            try expect(chain.profile.findings.contains { $0.id == "ds.eku" }, "the purpose is accepted")
        default:
            // A chain through an intermediate: sound by its signatures, against the profile.
            try expect(expected.hasPrefix("profile-dependent"), "\"\(expected)\" is no known expectation")
            try expect(!chain.profile.isConformant || !chain.isTrusted, "an intermediate between IACA and signer is accepted")
        }
    }

    // MARK: revocation lists

    private static func checkList(_ entry: JSON) throws {
        let list = try CertificateRevocationList(der: try der(entry, "der_b64"))
        guard let expected = entry["expected"] else { throw Mismatch("the case has no \"expected\"") }
        try expect(list.issuer.description, equals: try expected.text("issuer"), "issuer")
        try expect(list.thisUpdate, equals: try Timestamp(rfc3339: try expected.text("thisUpdate")), "thisUpdate")
        try expect(list.nextUpdate, equals: try Timestamp(rfc3339: try expected.text("nextUpdate")), "nextUpdate")
        let serials = try expected.list("revoked_serials_hex").compactMap(\.stringValue)
        try expect((list.entries ?? []).map { signedHex($0.serialNumber) }, equals: serials, "revoked serial numbers")
    }
}
