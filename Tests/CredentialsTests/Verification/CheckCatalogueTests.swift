import Ports
import Testing

@testable import Credentials

struct CheckCatalogueTests {
    @Test func everyIdAndEveryNameIsUnique() {
        let rows = CheckCatalogue.rows
        #expect(rows.count == 157 + 58 + 18 + 126 + 155 + 70)
        #expect(Set(rows.map(\.id)).count == rows.count)
        #expect(Set(rows.map(\.name)).count == rows.count)
    }

    @Test func aRuleIsOfItsFamily() {
        #expect(CheckCatalogue.row("R12.key-usage")?.name == "ds-profile")
        #expect(CheckCatalogue.row("R12")?.name == "ds-profile")
        #expect(CheckCatalogue.row("H8.path")?.name == "reader-path")
        #expect(CheckCatalogue.row("R14")?.name == "issuer-signature")
        #expect(CheckCatalogue.row("R14.other") == nil)
        #expect(CheckCatalogue.row("R99") == nil)
    }

    @Test func clausesNameTheirDocumentByEdition() {
        let signature = CheckCatalogue.row("R14")
        #expect(signature?.clause(in: .first) == "ISO/IEC 18013-5:2021 9.3.1")
        #expect(signature?.clause(in: .second) == "ISO/IEC WD 18013-5 12.8.1-2")
        #expect(CheckCatalogue.row("R11.path")?.clause(in: .first) == "RFC 5280 6.1")
        #expect(CheckCatalogue.row("R7")?.clause(in: .first) == "ISO/IEC WD 18013-5 10.3.3")
        #expect(CheckCatalogue.row("R31")?.clause(in: .first) == nil)
    }

    @Test func messagesTakeTheirValuesInOrderAndDropTheOptionalPart() {
        #expect(CheckCatalogue.row("R8")?.message(filling: ["a", "b"]) == "docType mismatch: document a, MSO b")
        #expect(CheckCatalogue.row("R14")?.message(filling: []) == "issuer signature invalid")
        #expect(CheckCatalogue.row("R24.signature")?.message(filling: ["00ff"]) == "device signature invalid; transcript hash 00ff")
    }

    @Test func aListTakesLevelsFromTheCatalogue() {
        var list = CheckList(edition: .first)
        list.fail("R14", "d", values: [])
        list.fail("R31", "d", values: ["00"])
        list.fail("R10.x5t", "d", values: [])
        list.pass("H7.all", "r")
        list.violate("R12.ski", "d", as: .warn, "DS certificate breaks rule ds.ski")
        #expect(
            list.checks.map(\.outcome) == [
                .fail, .warn, .notRun(.edition), .notRun(.edition), .warn,
            ])
        #expect(
            list.checks.map(\.reason) == [
                "issuer signature invalid", "MSO 00 was seen before", "edition", "edition",
                "DS certificate breaks rule ds.ski",
            ])
    }

    @Test func violationsOfOneCheckAndSubjectShareOneRow() {
        var list = CheckList(edition: .first)
        list.pass("R17", "d")
        list.fail("R17", "d", values: ["n", "a"])
        list.fail("R17", "d", values: ["n", "b"])
        list.fail("R17", "e", values: ["n", "c"])
        #expect(list.checks.map(\.subject) == ["d", "e"])
        #expect(list.checks.first?.reason == "digest mismatch n/a; digest mismatch n/b")
    }
}
