import Credentials
import Crypto
import Ports
import TestSupport
import Testing

/// A certificate of a profile in which one rule is to be broken, or none.
struct BreakCase: Sendable, CustomTestStringConvertible {
    let profile: CertificateProfile
    let rule: String?
    let edition: Edition

    var testDescription: String { "\(profile.rawValue).\(rule ?? "none") edition \(edition.rawValue)" }

    /// Every rule of every profile in both editions, as the table has them.
    static let every: [BreakCase] = Edition.allCases.flatMap { edition in
        CertificateProfile.allCases.flatMap { profile in
            profile.rules(in: edition).map { BreakCase(profile: profile, rule: $0, edition: edition) }
        }
    }

    static let clean: [BreakCase] = Edition.allCases.flatMap { edition in
        CertificateProfile.allCases.map { BreakCase(profile: $0, rule: nil, edition: edition) }
    }

    /// Findings that the table makes unavoidable: a root of the second edition with malformed distribution points has some.
    static let companions = ["iaca.crldp-fields edition 2": ["iaca.crldp"]]
}

@Suite struct ProfileRuleTests {
    let time = TestPKI.time

    @Test(arguments: BreakCase.every) func breakingOneRuleIsReportedAsThatRuleAlone(_ broken: BreakCase) throws {
        let (certificate, context) = try make(broken)
        let found = broken.profile.lint(certificate, in: context).findings.map(\.id)
        let expected = ["\(broken.profile.rawValue).\(broken.rule ?? "")"] + (BreakCase.companions[broken.testDescription] ?? [])
        #expect(Set(found) == Set(expected))
        #expect(CertificateProfile(guessedFor: certificate) == broken.profile)
    }

    @Test(arguments: BreakCase.clean) func aCertificateMadeCleanBreaksNothing(_ clean: BreakCase) throws {
        let (certificate, context) = try make(clean)
        let result = clean.profile.lint(certificate, in: context)
        #expect(result.findings.isEmpty)
        #expect(!result.passed.isEmpty)
        #expect(CertificateProfile(guessedFor: certificate) == clean.profile)
    }

    @Test(arguments: RevocationListProfile.rules) func breakingOneRuleOfAListIsReportedAsThatRuleAlone(_ rule: String) throws {
        let maker = CertificateMaker(at: time, random: SeededRandom(seed: 7))
        let root = try maker.root()
        let list = try maker.revocationList(of: root, breaking: rule)
        let found = RevocationListProfile.lint(list, issuer: root.certificate, at: time).findings.map(\.id)
        #expect(found == ["crl.\(rule)"])
    }

    @Test func aListMadeCleanBreaksNothingAndRevokes() throws {
        let maker = CertificateMaker(at: time, random: SeededRandom(seed: 7))
        let root = try maker.root()
        let signer = try maker.endEntity(.ds, issuer: root)
        let list = try maker.revocationList(of: root, revoking: [signer.certificate.serialNumber])
        #expect(RevocationListProfile.lint(list, issuer: root.certificate, at: time).findings.isEmpty)
        #expect(list.revocation(of: signer.certificate) == time)
        #expect(list.revocation(of: root.certificate) == nil)
    }

    @Test func entryExtensionsOfAnotherAuthorityAreOnlyAWarning() throws {
        let maker = CertificateMaker(at: time, random: SeededRandom(seed: 7))
        let authority = try maker.authority("TEST Reader CA")
        let list = try maker.revocationList(of: authority, breaking: "entry-extensions")
        let findings = RevocationListProfile.lint(list, issuer: authority.certificate, at: time).findings
        #expect(findings.map(\.severity) == [.warn])
    }

    @Test func levelsFollowTheTable() throws {
        let warned = try lint(BreakCase(profile: .ds, rule: "validity-nested", edition: .first))
        let failed = try lint(BreakCase(profile: .link, rule: "validity-nested", edition: .first))
        #expect(warned.map(\.severity) == [.warn])
        #expect(failed.map(\.severity) == [.fail])
        #expect(failed.first?.clause == "ISO/IEC 18013-5:2021 B.1.3; RFC 5280 4.1.2.5")
    }

    private func lint(_ broken: BreakCase) throws -> [RuleFinding] {
        let (certificate, context) = try make(broken)
        return broken.profile.lint(certificate, in: context).findings
    }

    private func make(_ wanted: BreakCase) throws -> (Certificate, LintContext) {
        let maker = CertificateMaker(at: time, random: SeededRandom(seed: 1), edition: wanted.edition)
        let root = try maker.root()
        var context = LintContext(issuer: root.certificate, edition: wanted.edition)
        switch wanted.profile {
        case .iaca: return (try maker.root(breaking: wanted.rule).certificate, LintContext(edition: wanted.edition))
        case .link:
            let isInRoot = CertificateMaker.rulesBrokenInNewRoot.contains(wanted.rule ?? "")
            let new = try maker.root("TEST IACA 2", breaking: isInRoot ? wanted.rule : nil).certificate
            context.newRoot = new
            return (try maker.link(from: root, to: new, breaking: wanted.rule), context)
        case .ds, .reader, .status, .vical, .tls:
            return (try maker.endEntity(wanted.profile, issuer: root, breaking: wanted.rule).certificate, context)
        }
    }
}
