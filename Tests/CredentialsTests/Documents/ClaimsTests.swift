import Codec
import Credentials
import Ports
import Testing

/// Claims files: JSON into the types that a document's definition asks for, and back.
struct ClaimsTests {
    private let licence = DocumentDefinition.mobileDrivingLicence

    @Test func valuesTakeTheTypeOfTheirDefinition() throws {
        let claims = try Claims(
            [
                "family_name": "Lindqvist", "birth_date": "1994-05-17", "portrait_capture_date": "2026-08-01T09:30:00+02:00",
                "sex": 2, "portrait": ["bytes": "_9j_4A"], "age_over_18": true,
                "driving_privileges": [["vehicle_category_code": "B", "issue_date": "2013-02-11"]],
                "org.example": ["points": 7, "nested": ["since": "2020-01-01", "picture": ["bytes": "AAE"]]],
            ], definition: licence)
        let expected = [
            "family_name": "\"Lindqvist\"", "birth_date": "1004(\"1994-05-17\")",
            "portrait_capture_date": "0(\"2026-08-01T07:30:00Z\")", "sex": "2", "portrait": "h'ffd8ffe0'", "age_over_18": "true",
            "driving_privileges": "[{\"vehicle_category_code\": \"B\", \"issue_date\": 1004(\"2013-02-11\")}]",
        ]
        for (identifier, text) in expected {
            #expect(claims[identifier, "org.iso.18013.5.1"]?.encoded == (try CBORDiagnostic.parse(text)))
        }
        let nested = try CBORDiagnostic.parse("{\"since\": \"2020-01-01\", \"picture\": h'0001'}")
        #expect(claims["nested", "org.example"]?.encoded == nested)
    }

    @Test(
        arguments: [
            (["birth_date": "17.05.1994"], "birth_date"), (["birth_date": "1994-02-30"], "birth_date"), (["sex": -1], "sex"),
            (["family_name": 7], "family_name"), (["portrait": "picture.jpg"], "portrait"), (["age_over_18": "yes"], "age_over_18"),
            (["driving_privileges": [["issue_date": "today"]]], "issue_date"), (["no_such_element": 1], "no_such_element"),
        ] as [(JSON, String)])
    func valuesThatDoNotFitAreRefusedByName(json: JSON, name: String) {
        let error = #expect(throws: ClaimError.self) { try Claims(json, definition: licence) }
        #expect(error.map { "\($0.path)".hasSuffix(name) } == true)
    }

    @Test func valuesDeeperThanReadersGoAreRefused() {
        let deep = (0..<1000).reduce(JSON.integer(1)) { value, _ in [value] }
        let error = #expect(throws: ClaimError.self) { try Claims(["org.example": ["deep": deep]], definition: nil) }
        #expect(error?.expected == "at most 32 levels")
    }

    @Test func valuesAreShownAsJSON() throws {
        let text = """
            {"d": 1004("1994-05-17"), "t": 0("2026-11-30T12:00:00Z"), "b": h'0001', "n": -3, "l": [true, null, 1.5], 1: "x"}
            """
        let json = JSON(claim: try CBOR(decoding: CBORDiagnostic.parse(text)))
        #expect(
            json == [
                "d": "1994-05-17", "t": "2026-11-30T12:00:00Z", "b": ["bytes": "AAE"], "n": -3, "l": [true, nil, 1.5], "1": "x",
            ])
        #expect(JSON(claim: try CBOR(decoding: [0x1b] + Array(repeating: 0xff, count: 8))) == "18446744073709551615")
    }

    @Test(arguments: [
        ("birth_date", "\"1994-05-17\"", "is not full-date"), ("birth_date", "1004(\"1994-13-17\")", "is not full-date"),
        ("portrait_capture_date", "1004(\"2026-08-01\")", "is not tdate"),
        ("portrait_capture_date", "0(\"2026-08-01T09:30:00.5Z\")", "is not tdate"),
        ("issue_date", "0(\"2026-08-01T09:30:00+02:00\")", "is not tdate or full-date"),
        ("driving_privileges", "[{\"issue_date\": \"2013-02-11\"}]", "issue_date is not full-date"),
    ])
    func datesInTheWrongFormAreNamed(identifier: String, value: String, fault: String) throws {
        let type = try #require(licence.element(identifier, in: "org.iso.18013.5.1")).type
        #expect(type.dateFault(in: try CBOR(decoding: CBORDiagnostic.parse(value))) == fault)
    }

    @Test(arguments: DocumentDefinition.known, Specimen.all)
    func specimensFitTheirDefinitions(definition: DocumentDefinition, person: Specimen) throws {
        let time = try Timestamp(rfc3339: "2026-11-30T12:00:00Z")
        let issuer = SpecimenIssuer(country: "UT", jurisdiction: "UT-U", authority: "Utopia")
        let json = try #require(person.claims(for: definition, issuer: issuer, at: time))
        let claims = try Claims(json, definition: definition)
        for nameSpace in definition.nameSpaces {
            for element in nameSpace.elements where element.isMandatory {
                #expect(claims[element.identifier, nameSpace.nameSpace] != nil, "\(element.identifier)")
            }
        }
        for (nameSpace, elements) in claims.nameSpaces {
            for (identifier, value) in elements {
                let element = try #require(definition.element(identifier, in: nameSpace), "\(identifier) has no definition")
                #expect(element.type.matches(value), "\(identifier)")
            }
        }
    }

    @Test(arguments: Specimen.all)
    func portraitsAreSmallPictures(person: Specimen) {
        #expect(person.portrait.starts(with: [0xff, 0xd8, 0xff]) && person.portrait.suffix(2) == [0xff, 0xd9])
        #expect((3000...8000).contains(person.portrait.count))
    }

    @Test(arguments: [7000, 100_000, 300_000, 73_192, 73_193, 73_194, 73_195])
    func paddedPicturesHaveTheSizeAsked(size: Int) {
        let picture = Specimen.mira.portrait
        let padded = JPEGPadding.pad(picture, to: size)
        #expect(padded.count == max(size, picture.count))
        #expect(padded.suffix(picture.count - 2) == picture.suffix(picture.count - 2))
        var place = 2
        while padded[place + 1] == 0xfe { place += 2 + Int(padded[place + 2]) << 8 + Int(padded[place + 3]) }
        #expect(padded.count - place == picture.count - 2)
    }
}
