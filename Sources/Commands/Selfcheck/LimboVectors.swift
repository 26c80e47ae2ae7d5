import Codec
import Crypto
import Ports

/// Certification paths of the web: `x509/limbo.json`. A path has to hold, and every certificate of it, the root included, has to be
/// what RFC 5280 asks its issuer for; the certificate has to be for the peer's name and the purpose asked for.
struct LimboVectors: VectorSuite {
    func matches(_ path: String) -> Bool { path == "x509/limbo.json" }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try file.json().list("cases") {
            let name = entry["id"]?.stringValue ?? "case \(results.count)"
            results.append(await VectorCase(name) { try Self.check(name, entry) })
        }
        return results
    }

    private static func check(_ name: String, _ entry: JSON) throws {
        let objection = try objection(to: entry)
        let isAccepted = try entry.text("expected_result") == "SUCCESS"
        if isAccepted != (objection == nil), let reason = worldOfItsOwn(name) { throw NotApplicable("\(name): \(reason)") }
        if isAccepted {
            try expect(objection == nil, "refused: \(objection ?? "")")
        } else {
            try expect(objection != nil, "accepted, though refused by those who published it")
        }
    }

    /// What wallets have nothing to do with: such a case may come out differently here, and is named.
    private static func worldOfItsOwn(_ name: String) -> String? {
        if name.contains("::nc::") { return "name constraints, which no wallet profile uses" }
        return name.hasPrefix("webpki::") ? "a rule of the CA/Browser Forum, which no wallet profile uses" : nil
    }

    /// The first reason to refuse the peer; nil: it is accepted.
    private static func objection(to entry: JSON) throws -> String? {
        let leaf: Certificate
        do {
            guard let block = try PEM.blocks(in: try entry.text("peer_certificate")).first else { throw Mismatch("no certificate") }
            leaf = try Certificate(der: block.bytes)
        } catch let error as CertificateError {
            return "\(error)"
        }
        let time = try entry["validation_time"]?.stringValue.map { try Timestamp(rfc3339: $0) }
        let result = path(of: leaf, entry, at: time ?? Timestamp(secondsSince1970: 1_700_000_000))
        guard result.isTrusted, let anchor = result.anchor else {
            return result.findings.map(\.description).joined(separator: "; ")
        }
        // The one case that wants the key of an authority named by a root that is trusted says that it asks for more than others.
        let isStrict = entry["features"]?.arrayValue?.contains("pedantic-rfc5280") ?? false
        for (certificate, issuer) in zip(result.path + [anchor], result.path.dropFirst() + [anchor, anchor]) {
            let namesAuthority = certificate != anchor || isStrict
            if let broken = violation(of: certificate, issuer, namesAuthority) { return broken }
        }
        if let purposes = entry["extended_key_usage"]?.arrayValue, !purposes.isEmpty, let allowed = leaf.extendedKeyUsage {
            guard purposes == ["serverAuth"] else { throw Mismatch("an unknown purpose is asked for") }
            if !allowed.contains(.serverAuthentication) { return "not for servers" }
        }
        if let name = entry["expected_peer_name"], try !isFor(name, leaf) { return "for another name" }
        return revocationObjection(entry, leaf, issuer: result.path.dropFirst().first ?? anchor, at: time)
    }

    private static func path(of leaf: Certificate, _ entry: JSON, at time: Timestamp) -> ChainResult {
        func certificates(_ member: String) -> [Certificate] {
            (entry[member]?.arrayValue ?? []).compactMap { text in
                (try? PEM.blocks(in: text.stringValue ?? ""))?.first.flatMap { try? Certificate(der: $0.bytes) }
            }
        }
        var policy = ChainPolicy.mdoc
        policy.skew = 0
        // The name is compared here: then it may be critical.
        policy.handledCriticalExtensions.insert(.subjectAlternativeName)
        var builder = PathBuilder(verifier: ChainVerifier(anchors: certificates("trusted_certs"), policy: policy))
        if let depth = entry["max_chain_depth"]?.intValue { builder.depth = Int(depth) }
        return builder.build(leaf, with: certificates("untrusted_intermediates"), at: time)
    }

    /// Rules of ISO/IEC 18013-5 alone, and one that needs the list of critical extensions of its profiles.
    private static let isNoRuleOfRFC5280: Set<String> = ["forbidden-extension", "unknown-critical", "validity-nested"]

    private static func violation(of certificate: Certificate, _ issuer: Certificate, _ namesAuthority: Bool) -> String? {
        let findings = CertificateProfile.tls.lint(certificate, issuer: issuer).filter { !isNoRuleOfRFC5280.contains($0.rule) }
        return findings.first?.message ?? certificate.internetProfileViolations(namesAuthority: namesAuthority).first
    }

    private static func isFor(_ name: JSON, _ leaf: Certificate) throws -> Bool {
        let wanted: GeneralName
        switch try name.text("kind") {
        case "DNS": wanted = .dns(try name.text("value"))
        case "IP": wanted = .ipAddress(try name.text("value").split(separator: ".").compactMap { UInt8($0) })
        default: throw Mismatch("an unknown kind of name is asked for")
        }
        return leaf.subjectAlternativeName?.contains(wanted) ?? false
    }

    private static func revocationObjection(
        _ entry: JSON, _ leaf: Certificate, issuer: Certificate, at time: Timestamp?
    ) -> String? {
        guard let texts = entry["crls"]?.arrayValue, !texts.isEmpty, let time else { return nil }
        let lists = texts.compactMap { text in
            (try? PEM.blocks(in: text.stringValue ?? ""))?.first.flatMap { try? CertificateRevocationList(der: $0.bytes) }
        }
        // A list without number is none of a conforming authority (RFC 5280 §5.2.3).
        let answers = lists.filter { $0.number != nil }.map { $0.answer(for: leaf, issuer: issuer, at: time) }
        return answers.contains(.good) && !answers.contains(.revoked) ? nil : "no list says that it is not revoked"
    }
}
