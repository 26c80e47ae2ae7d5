import Codec
import Credentials
import Crypto
import Ports

/// Certification paths beyond the ISO profiles: `x509/pkits.json`.
struct PathVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "x509/pkits.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            let name = entry["id"]?.stringValue ?? "case \(results.count)"
            results.append(await VectorCase(name) { try Self.checkPKITS(entry, json) })
        }
        return results
    }

    private static let features: [(part: String, reason: String)] = [
        ("nameConstraints", "name constraints are not evaluated: where they are critical the path is refused"),
        ("indirectCRL", "indirect CRLs are not used: a CRL of ISO/IEC 18013-5 is its issuer's own (crl.full)"),
        ("cRLIssuer", "indirect CRLs are not used: a CRL of ISO/IEC 18013-5 is its issuer's own (crl.full)"),
        ("deltaCRL", "delta CRLs are not used: a CRL of ISO/IEC 18013-5 is full (crl.full)"),
        ("onlySomeReasons", "partitioned CRLs are not used: a CRL of ISO/IEC 18013-5 is full (crl.full)"),
        ("onlyContains", "partitioned CRLs are not used: a CRL of ISO/IEC 18013-5 is full (crl.full)"),
        ("distributionPoint", "partitioned CRLs are not used: a CRL of ISO/IEC 18013-5 is full (crl.full)"),
        ("NameChainingCapitalization", "names are compared byte by byte, as ISO/IEC 18013-5 Annex B asks"),
        ("NameChainingWhitespace", "names are compared byte by byte, as ISO/IEC 18013-5 Annex B asks"),
        ("RolloverfromPrintableString", "names are compared byte by byte, as ISO/IEC 18013-5 Annex B asks"),
        ("CaseInsensitiveMatch", "names are compared byte by byte, as ISO/IEC 18013-5 Annex B asks"),
        ("SeparateCertificateandCRLKeys", "CRLs are signed by the key that signs certificates, as ISO/IEC 18013-5 B.2 asks"),
        ("BasicSelfIssued", "CRLs are signed by the key that signs certificates, as ISO/IEC 18013-5 B.2 asks"),
    ]

    private static func checkPKITS(_ entry: JSON, _ file: JSON) throws {
        guard entry["policy_settings_matter"]?.boolValue != true else {
            throw NotApplicable(reason("certificate policies are not evaluated"))
        }
        guard entry["dsa"]?.boolValue != true || entry["expected_by_name"]?.stringValue == "invalid" else {
            throw NotApplicable(reason("DSA signatures are not accepted"))
        }
        let isGood = try pathIsGood(entry, file)
        let expected = try entry.text("expected_by_name") == "valid"
        // Where a feature is missing, what is refused for it may be valid; what is invalid has to be refused all the same.
        let category = entry["category"]?.stringValue ?? ""
        if expected, !isGood, let feature = features.first(where: { category.contains($0.part) }) {
            throw NotApplicable(reason(feature.reason))
        }
        if category.contains("deltaCRL"), !expected, isGood { throw NotApplicable(reason(features[3].reason)) }
        try expect(isGood, equals: expected, "valid")
    }

    private static func reason(_ text: String) -> String { text }

    private static func pathIsGood(_ entry: JSON, _ file: JSON) throws -> Bool {
        let time = try Timestamp(rfc3339: "2022-01-01T00:00:00Z")
        func certificate(_ name: String) -> Certificate? {
            (try? Base64.decode(file["certs_der_b64"]?[name]?.stringValue ?? "")).flatMap { try? Certificate(der: $0) }
        }
        guard let leaf = certificate(try entry.text("end_entity")) else { return false }
        let anchors = [certificate(try entry.text("trust_anchor"))].compactMap { $0 }
        let others = try entry.list("intermediates").compactMap { $0.stringValue.flatMap(certificate) }
        let lists = try entry.list("crls").compactMap { name -> CertificateRevocationList? in
            (try? Base64.decode(file["crls_der_b64"]?[name.stringValue ?? ""]?.stringValue ?? ""))
                .flatMap { try? CertificateRevocationList(der: $0) }
        }
        let result = PathBuilder(verifier: ChainVerifier(anchors: anchors, policy: policy)).build(leaf, with: others, at: time)
        guard result.isTrusted, let anchor = result.anchor else { return false }
        let authorities = result.path.dropFirst() + [anchor]
        for certificate in result.path {
            // Each verified key of the issuer may have signed the list: authorities change keys under one name.
            let signers = authorities.filter { $0.subject == certificate.issuer }
            let answers = lists.flatMap { list in signers.map { list.answer(for: certificate, issuer: $0, at: time) } }
            guard answers.contains(.good), !answers.contains(.revoked) else { return false }
        }
        return true
    }

    private static var policy: ChainPolicy {
        var policy = ChainPolicy.mdoc
        policy.skew = 0
        // Every policy is acceptable: then a critical list of policies asks for nothing.
        policy.handledCriticalExtensions.insert(.certificatePolicies)
        return policy
    }
}
