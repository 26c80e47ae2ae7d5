import Codec
public import Ports

/// The CRL profile of ISO/IEC 18013-5 (second edition, B.2).
public enum RevocationListProfile {
    /// The names of the rules, in the order of the table.
    public static var rules: [String] { all.map(\.name) }

    /// Holds `list` against every rule; ids are `crl.<rule>`.
    ///
    /// - Parameters:
    ///   - issuer: the certificate whose key signed it; rules that need it are not run without.
    ///   - time: the time at which it should be current.
    public static func lint(
        _ list: CertificateRevocationList, issuer: Certificate?, at time: Timestamp, edition: Edition = .first
    ) -> LintResult {
        let isOfIACA = issuer.map { $0.isIACA(in: edition) } ?? true
        let subject = Subject(list: list, issuer: issuer, time: time)
        var result = LintResult()
        for rule in all {
            let severity: RuleFinding.Severity = rule.isAdvice || (rule.isForIACAs && !isOfIACA) ? .warn : .fail
            result.add(
                rule.check(subject), "crl.\(rule.name)", severity, clause: "ISO/IEC WD 18013-5 B.2; RFC 5280 \(rule.rfcClause)")
        }
        return result
    }

    private struct Subject {
        let list: CertificateRevocationList
        let issuer: Certificate?
        let time: Timestamp

        func withIssuer(_ check: (Certificate) -> RuleOutcome) -> RuleOutcome {
            issuer.map(check) ?? .notRun("the issuer's certificate is not known")
        }
    }

    private struct Rule: Sendable {
        let name: String
        let rfcClause: String
        /// A violation is a warning.
        var isAdvice = false
        /// A violation is a warning for authorities that are no IACA.
        var isForIACAs = false
        let check: @Sendable (Subject) -> RuleOutcome
    }

    private static let all: [Rule] = [
        Rule(name: "version", rfcClause: "5.1.2.1") { .require($0.list.version == 2, "version \($0.list.version), 2 needed") },
        Rule(name: "signature-algorithm", rfcClause: "5.1.1.2") { subject in
            let outer = subject.list.signatureAlgorithm
            guard outer == subject.list.signedAlgorithm else {
                return .broken("signed as \(subject.list.signedAlgorithm.name), labelled \(outer.name)")
            }
            return .require(
                outer.signatureAlgorithm?.isISOAlgorithm == true, "\(outer.name), ecdsa-with-SHA256, SHA384 or SHA512 needed")
        },
        Rule(name: "signature", rfcClause: "5.1.1.3") { subject in
            subject.withIssuer { .require(subject.list.isSigned(by: $0), "signature invalid") }
        },
        Rule(name: "issuer-bytes", rfcClause: "5.1.2.3") { subject in
            subject.withIssuer { issuer in
                .require(
                    subject.list.issuer == issuer.subject,
                    "issuer \"\(subject.list.issuer)\" is not, byte for byte, the subject of its signer \"\(issuer.subject)\"")
            }
        },
        Rule(name: "aki", rfcClause: "5.2.1") { subject in
            guard let value = subject.list.authorityKeyIdentifier?.keyIdentifier else {
                return .broken("no authority key identifier")
            }
            guard let wanted = subject.issuer?.subjectKeyIdentifier else { return .holds }
            return .require(
                value == wanted, "authority key identifier \(Hex.encode(value)) is not that of the issuer, \(Hex.encode(wanted))")
        },
        Rule(name: "number", rfcClause: "5.2.3") { subject in
            guard let number = subject.list.number else { return .broken("no CRL number") }
            return .require((number.first ?? 0x80) < 0x80 && number.count <= 20, "CRL number negative or longer than 20 octets")
        },
        Rule(name: "next-update-present", rfcClause: "5.1.2.5") { .require($0.list.nextUpdate != nil, "no nextUpdate") },
        Rule(name: "interval", rfcClause: "5.1.2.5", isAdvice: true) { subject in
            guard let next = subject.list.nextUpdate else { return .notRun("no nextUpdate") }
            return .require(
                next <= subject.list.thisUpdate.adding(days: 90),
                "from \(subject.list.thisUpdate.rfc3339) until \(next.rfc3339), at most 90 days allowed")
        },
        Rule(name: "current", rfcClause: "5.1.2.5") { subject in
            guard subject.list.thisUpdate <= subject.time else {
                return .broken("thisUpdate \(subject.list.thisUpdate.rfc3339) lies in the future")
            }
            guard let next = subject.list.nextUpdate else { return .notRun("no nextUpdate") }
            return .require(subject.time <= next, "nextUpdate \(next.rfc3339) passed")
        },
        Rule(name: "extensions", rfcClause: "5.2", isForIACAs: true) { subject in
            let alien = subject.list.extensions.first {
                ![.authorityKeyIdentifier, .crlNumber, .deltaCRLIndicator].contains($0.oid) && !$0.makesIndirect
            }
            return .require(
                alien == nil, "extension \(alien?.oid.description ?? "") besides authority key identifier and CRL number")
        },
        Rule(name: "entry-extensions", rfcClause: "5.3", isForIACAs: true) { subject in
            let entry = subject.list.entries?.first { !$0.extensions.isEmpty }
            return .require(entry == nil, "entry \(Hex.encode(entry?.serialNumber ?? [])) has extensions")
        },
        Rule(name: "empty-list", rfcClause: "5.1.2.6") {
            .require($0.list.entries?.isEmpty != true, "revokedCertificates present but empty")
        },
        Rule(name: "full", rfcClause: "5.2.4") { subject in
            if subject.list.extension(.deltaCRLIndicator) != nil { return .broken("delta CRL") }
            return .require(!subject.list.extensions.contains(where: \.makesIndirect), "indirect CRL")
        },
    ]
}

extension CertificateExtension {
    /// Whether this is an issuing distribution point with indirectCRL TRUE (RFC 5280 §5.2.5).
    fileprivate var makesIndirect: Bool {
        guard oid == .issuingDistributionPoint, let fields = try? DERNode(decoding: value).sequence() else { return false }
        return fields.contains { $0.hasTag(4, .contextSpecific) && $0.content == [0xFF] }
    }
}
