import Codec
import Credentials
import Crypto
import Ports

/// Certification paths beyond the ISO profiles: `x509/pkits.json` and `x509/limbo.json`.
struct PathVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "x509/pkits.json" || path == "x509/limbo.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let json = try file.json()
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            let name = entry["id"]?.stringValue ?? "case \(results.count)"
            results.append(
                await VectorCase(name) {
                    if file.name == "pkits.json" { try Self.checkPKITS(entry, json) } else { try Self.checkLimbo(name, entry) }
                })
        }
        return results
    }

    // MARK: PKITS

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
        for (certificate, issuer) in zip(result.path, result.path.dropFirst() + [anchor]) {
            let answers = lists.map { $0.answer(for: certificate, issuer: issuer, at: time) }
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

    // MARK: limbo

    private static func checkLimbo(_ name: String, _ entry: JSON) throws {
        guard !name.hasPrefix("webpki::") else {
            throw NotApplicable("a rule of the CA/Browser Forum, which no wallet profile uses")
        }
        guard !name.contains("::nc::") else { throw NotApplicable("name constraints, which no wallet profile uses") }
        let isGood = limboIsGood(entry)
        let expected = try entry.text("expected_result") == "SUCCESS"
        guard !expected || isGood else {
            if let why = limboReasons[name] { throw NotApplicable(why) }
            throw Mismatch("refused")
        }
        if !expected, isGood, let why = limboReasons[name] { throw NotApplicable(why) }
        try expect(isGood, equals: expected, "valid")
    }

    private static let limboReasons: [String: String] = [:]

    private static func limboIsGood(_ entry: JSON) -> Bool {
        func certificates(_ value: JSON?) -> [Certificate?] {
            (value?.arrayValue ?? [value].compactMap { $0 }).map { text in
                (try? PEM.blocks(in: text.stringValue ?? ""))?.first.flatMap { try? Certificate(der: $0.bytes) }
            }
        }
        let time =
            entry["validation_time"]?.stringValue.flatMap { try? Timestamp(rfc3339: $0) }
            ?? Timestamp(secondsSince1970: 1_700_000_000)
        guard let leaf = certificates(entry["peer_certificate"]).first ?? nil else { return false }
        let anchors = certificates(entry["trusted_certs"]).compactMap { $0 }
        var builder = PathBuilder(verifier: ChainVerifier(anchors: anchors, policy: policy))
        if let depth = entry["max_chain_depth"]?.intValue { builder.depth = Int(depth) }
        let result = builder.build(leaf, with: certificates(entry["untrusted_intermediates"]).compactMap { $0 }, at: time)
        guard result.isTrusted, let anchor = result.anchor else { return false }
        // What RFC 5280 asks of every certificate, whoever looks at it.
        for (certificate, issuer) in zip(result.path, result.path.dropFirst() + [anchor]) {
            let findings = CertificateProfile.tls.lint(certificate, issuer: issuer)
            guard findings.allSatisfy({ $0.severity == .warn }) else { return false }
        }
        guard let texts = entry["crls"]?.arrayValue, !texts.isEmpty else { return true }
        let lists = texts.compactMap { text in
            (try? PEM.blocks(in: text.stringValue ?? ""))?.first.flatMap { try? CertificateRevocationList(der: $0.bytes) }
        }
        let answers = lists.map { $0.answer(for: leaf, issuer: result.path.dropFirst().first ?? anchor, at: time) }
        return answers.contains(.good) && !answers.contains(.revoked)
    }
}
