import Codec
import Ports
import Testing

@testable import Credentials

struct VerdictRuleTests {
    /// checks.md §0, row by row: what stands in a list, under which rule, and what it comes to.
    static let cases: [(id: String, outcome: CheckOutcome, rule: VerdictRule, verdict: Verdict)] = [
        ("R14", .pass, VerdictRule(), .pass),
        ("R14", .fail, VerdictRule(), .fail),
        ("R31", .warn, VerdictRule(), .pass),
        ("R14", .notRun(.needs("R10.present")), VerdictRule(), .undetermined),
        ("R11.path", .notRun(.noAnchors), VerdictRule(), .undetermined),
        ("R11.path", .notRun(.noAnchors), VerdictRule(trustWaived: true), .pass),
        ("R11.signature", .notRun(.noAnchors), VerdictRule(), .pass),
        ("R24.signature", .notRun(.noTranscript), VerdictRule(), .undetermined),
        ("R24.signature", .notRun(.noTranscript), VerdictRule(holderBindingRequired: false), .pass),
        ("R24.mac", .notRun(.noKey), VerdictRule(), .undetermined),
        ("R24.mac", .notRun(.notPresent), VerdictRule(), .pass),
        ("R17", .notRun(.needs("R15.payload")), VerdictRule(), .pass),
        ("R28.status", .notRun(.notInThisBuild), VerdictRule(statusEnforced: true), .pass),
        ("R28.status", .notRun(.undetermined("list not reachable")), VerdictRule(statusEnforced: true), .undetermined),
        ("R28.status", .notRun(.undetermined("list not reachable")), VerdictRule(), .pass),
        ("H8.path", .notRun(.noAnchors), VerdictRule(), .pass),
        ("H8.path", .notRun(.noAnchors), VerdictRule(readerTrustEnforced: true), .undetermined),
        ("R14", .notRun(.edition), VerdictRule(), .pass),
        ("R14", .notRun(.profile), VerdictRule(), .pass),
        ("R14", .notRun(.notRequested), VerdictRule(), .pass),
    ]

    @Test(arguments: cases.indices)
    func oneRowComesTo(index: Int) throws {
        let (id, outcome, rule, verdict) = Self.cases[index]
        let row = try #require(CheckCatalogue.index(of: id))
        let check = Check(id, outcome, reason: nil, subject: "d", row: row, edition: .first)
        #expect(rule.verdict(of: [check]) == verdict)
    }

    @Test func aFailureOutweighsWhatIsOpen() {
        var list = CheckList(edition: .first)
        list.notRun("R11.path", "d", .noAnchors)
        list.fail("R17", "d", values: ["n", "e"])
        #expect(VerdictRule().verdict(of: list.checks) == .fail)
        #expect(VerdictRule(trustWaived: true).verdict(of: list.checks) == .fail)
    }
}

struct PresentationReportTests {
    static let time = Timestamp(secondsSince1970: 1_796_040_000)

    @Test func jsonHasTheShapeThatScriptsRelyOn() throws {
        var list = CheckList(edition: .first)
        list.pass("R14", "t")
        list.fail("R31", "t", values: ["00"])
        list.notRun("R11.path", "t", .noAnchors)
        var document = PresentedDocument(format: "mso_mdoc", type: "t")
        document.issuer = PresentedDocument.Issuer(subject: "C=UT", sha256: [1, 2])
        document.validity = PresentedDocument.Validity(signed: "s", validFrom: "f", validUntil: "u")
        document.holderBinding = .signature
        document.claims = [
            PresentedClaim(namespace: "n", element: "a", value: .bytes([0xFB, 0xFF]), source: .issuer, isVerified: true),
            PresentedClaim(namespace: "n", element: "d", value: .tag(1004, .text("2000-02-29")), source: .issuer, isVerified: true),
            PresentedClaim(namespace: "n", element: "x", value: .int(1), source: .issuer, isVerified: false),
        ]
        let report = PresentationReport(at: Self.time, checks: list, documents: [document], missing: ["t/n/m"])
        let expected = try JSON.decode(
            """
            {"verdict": "undetermined", "at": "2026-11-30T12:00:00Z", "checks": [
              {"id": "R14", "name": "issuer-signature", "outcome": "pass", "reason": null,
               "clause": "ISO/IEC 18013-5:2021 9.3.1", "subject": "t"},
              {"id": "R31", "name": "mso-reused", "outcome": "warn", "reason": "MSO 00 was seen before", "clause": null,
               "subject": "t"},
              {"id": "R11.path", "name": "issuer-path", "outcome": "notRun", "reason": "no anchors", "clause": "RFC 5280 6.1",
               "subject": "t"}],
             "documents": [{"format": "mso_mdoc", "type": "t", "trusted": null, "issuer": {"subject": "C=UT", "sha256": "0102"}, "trust": null,
               "validity": {"signed": "s", "validFrom": "f", "validUntil": "u"},
               "claims": {"n": {"a": {"bytes": "-_8"}, "d": "2000-02-29"}}, "holderBinding": "signature", "status": "none",
               "unverifiedClaims": {"n": {"x": 1}}}],
             "missing": ["t/n/m"], "unrequested": [], "warnings": {"": ["R31 t: MSO 00 was seen before"]}}
            """)
        #expect(report.json() == expected)
    }

    @Test func checksOfTheSessionPrecedeTheOwnAndCount() {
        var session = CheckList(edition: .first)
        session.fail("R4.before", "session", values: [])
        var list = CheckList(edition: .first)
        list.pass("R14", "t")
        let report = PresentationReport(at: Self.time, checks: list).adding(checks: session)
        #expect(report.checks.map(\.id) == ["R4.before", "R14"])
        #expect(report.verdict == .fail)
    }
}
