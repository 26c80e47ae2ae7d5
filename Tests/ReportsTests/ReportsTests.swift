import Codec
import Credentials
import Ports
import Testing

@testable import Reports

/// A report with one row of each outcome, a claim of each kind, and hostile text wherever a peer can put some.
enum Specimen {
    static let hostile = "<script>alert('x')</script>\u{1b}[31m\u{202E}\"&\u{0}"
    static let type = "org.iso.18013.5.1.mDL"

    static func report(waived: Bool = false) -> PresentationReport {
        var list = CheckList(edition: .first)
        list.pass("R5", "response")
        list.pass("R14", type)
        list.fail("R17", type, values: ["org.iso.18013.5.1", hostile])
        list.fail("R31", type, values: ["00ff"])
        list.notRun("R28.status", type, .notInThisBuild)
        list.fail("R27.country", type, values: ["XX-secret", "US"])
        return PresentationReport(
            at: Timestamp(secondsSince1970: 1_796_040_000), rule: VerdictRule(trustWaived: waived), checks: list,
            documents: [document], missing: ["\(type)/org.iso.18013.5.1/portrait"], unrequested: [hostile])
    }

    static var document: PresentedDocument {
        var document = PresentedDocument(format: "mso_mdoc", type: type)
        document.trusted = false
        document.issuer = PresentedDocument.Issuer(subject: "CN=\(hostile),C=US", sha256: [UInt8](repeating: 0xAB, count: 32))
        document.validity = PresentedDocument.Validity(
            signed: "2026-01-01T00:00:00Z", validFrom: "2026-01-01T00:00:00Z", validUntil: "2027-01-01T00:00:00Z")
        document.holderBinding = .mac
        document.claims = [
            claim("family_name", .text("Mustermann")),
            claim("given_name", .text(hostile), isVerified: false),
            claim("birth_date", .tag(1004, .text("1971-09-01"))),
            claim("portrait", .bytes([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3])),
            claim("age_over_18", .bool(true)),
            claim("driving_privileges", .array([.map([(.text("vehicle_category_code"), .text("A"))])])),
        ]
        return document
    }

    private static func claim(_ element: String, _ value: CBOR, isVerified: Bool = true) -> PresentedClaim {
        PresentedClaim(
            namespace: "org.iso.18013.5.1", element: element, value: value, source: .issuer, isVerified: isVerified)
    }
}

struct HTMLReportTests {
    @Test func showsEveryCheckWithItsOutcomeClauseAndReason() {
        let report = Specimen.report()
        let page = HTMLReport(report).page
        for check in report.checks {
            #expect(page.contains("<code>\(check.id)</code> \(check.name)</th>"))
            if let clause = check.clause { #expect(page.contains("<td>\(clause)</td>")) }
        }
        #expect(page.contains("digest mismatch org.iso.18013.5.1/&lt;script&gt;"))
        #expect(page.contains("<td>not in this build</td>"))
        #expect(page.split(separator: "<span class=\"outcome notRun\">", omittingEmptySubsequences: false).count == 2)
    }

    @Test func needsNoNetworkAndRunsNoScript() {
        let page = HTMLReport(Specimen.report()).page
        #expect(page.contains("default-src 'none'; img-src data:; style-src 'unsafe-inline'"))
        #expect(!page.contains("<script"))
        #expect(!page.contains("http://") && !page.contains("https://"))
        #expect(!page.contains("<link"))
    }

    @Test func leavesNoMarkupOrControlCharacterOfAPeer() {
        let page = HTMLReport(Specimen.report()).page
        #expect(!page.contains("alert('x')"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\u{1b}[31m\\u{202e}&quot;&amp;\\u{0}"))
        #expect(page.unicodeScalars.allSatisfy { $0 == "\n" || !Escaping.terminal(String($0)).hasPrefix("\\u{") })
    }

    @Test func showsThePortraitAsAPictureAndMarksWhatIsNotVerified() {
        let page = HTMLReport(Specimen.report()).page
        #expect(page.contains("<img src=\"data:image/jpeg;base64,/9j/4AECAw==\" alt=\"Portrait of the holder\">"))
        #expect(page.contains("not verified</span>"))
        #expect(page.contains("<dt>vehicle_category_code</dt><dd>A</dd>"))
    }

    @Test func redactionLeavesOutValuesPicturesAndReasonsThatQuoteThem() {
        let page = HTMLReport(Specimen.report(), ReportOptions(redacting: true)).page
        for secret in ["Mustermann", "1971-09-01", "base64", "XX-secret"] { #expect(!page.contains(secret)) }
        #expect(page.contains("family_name"))
    }
}

struct JUnitReportTests {
    @Test func countsFailuresAndSkips() {
        let document = JUnitReport(Specimen.report()).document
        #expect(document.contains("<testsuites name=\"walletbench\" tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"1\">"))
        #expect(document.contains("<testsuite name=\"org.iso.18013.5.1.mDL\" timestamp=\"2026-11-30T12:00:00Z\" tests=\"5\""))
        #expect(document.contains("name=\"R14 issuer-signature\"/>"))
        #expect(document.contains("<skipped message=\"not in this build\"/>"))
        #expect(document.contains("<system-out>warning: MSO 00ff was seen before"))
    }

    @Test func escapesWhatXMLCannotHold() {
        let document = JUnitReport(Specimen.report()).document
        #expect(document.contains("/&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\u{1b}[31m"))
        #expect(document.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }
}

struct TableReportTests {
    @Test func putsFailuresFirstAndMarksOutcomesWithoutColour() {
        let text = TableReport(Specimen.report()).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("FAIL  at 2026-11-30T12:00:00Z: 2 failed, 1 warning, 2 passed, 1 not run") == true)
        let rows = lines.drop { $0 != "Checks: org.iso.18013.5.1.mDL" }.dropFirst().prefix(5)
        #expect(
            rows.map { $0.dropFirst(2).prefix(9).description } == ["✘ fail   ", "✘ fail   ", "! warn   ", "✔ pass   ", "– not run"])
        #expect(rows.contains { $0.contains("R28.status") && $0.contains("not in this build") })
    }

    @Test func letsNoControlCharacterThrough() {
        let text = TableReport(Specimen.report()).text
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !Escaping.terminal(String($0)).hasPrefix("\\u{") })
        #expect(text.contains("\\u{1b}[31m\\u{202e}"))
    }

    @Test func coloursOnlyWhenAsked() {
        #expect(!TableReport(Specimen.report()).text.contains("\u{1b}"))
        #expect(TableReport(Specimen.report(), ReportOptions(colour: true)).text.contains("\u{1b}[1;31m✘ fail"))
    }

    @Test func saysWhatIsMissingAndWhatIsNotVerified() {
        let text = TableReport(Specimen.report()).text
        #expect(text.contains("missing: org.iso.18013.5.1.mDL/org.iso.18013.5.1/portrait"))
        #expect(text.contains("(NOT VERIFIED)"))
        #expect(text.contains("image/jpeg, 7 bytes"))
    }
}

struct ReportFormatTests {
    @Test(arguments: [("a.html", ReportFormat.html), ("b.JSON", .json), ("c.d.xml", .junit), ("e.txt", .text)])
    func isChosenByTheEnding(name: String, format: ReportFormat) {
        #expect(ReportFormat(fileName: name) == format)
    }

    @Test func refusesOtherEndings() {
        #expect(ReportFormat(fileName: "report.pdf") == nil)
        #expect(ReportFormat(fileName: "report") == nil)
    }

    @Test func writesJSONThatReadsBack() throws {
        let text = ReportFormat.json.render(Specimen.report())
        let json = try JSON.decode(text)
        #expect(json["verdict"]?.stringValue == "fail")
    }
}
