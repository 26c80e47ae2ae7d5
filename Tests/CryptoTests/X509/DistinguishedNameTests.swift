import Codec
import Crypto
import Testing

@Suite struct DistinguishedNameTests {
    @Test func specialCharactersAreEscapedAsRFC4514Shows() {
        let name = DistinguishedName([
            .init("0.9.2342.19200300.100.1.25", "net", form: .ia5), .init("0.9.2342.19200300.100.1.25", "example", form: .ia5),
            .init(.commonName, #"James "Jim" Smith, III"#),
        ])
        #expect(name.description == #"CN=James \"Jim\" Smith\, III,DC=example,DC=net"#)
        let control = DistinguishedName([.init(.commonName, "Before\rAfter")])
        #expect(control.description == #"CN=Before\0dAfter"#)
        let spaces = DistinguishedName([.init(.organizationName, " #x "), .init(.commonName, "#y")])
        #expect(spaces.description == ##"CN=\#y,O=\ #x\ "##)
    }

    @Test func namesOfTheSameTextInOtherFormsAreNotEqual() {
        let utf8 = DistinguishedName([.init(.commonName, "utopia", form: .utf8)])
        let printable = DistinguishedName([.init(.commonName, "utopia", form: .printable)])
        #expect(utf8 != printable)
        #expect(utf8.description == printable.description)
    }

    @Test(arguments: [StringForm.utf8, .bmp, .universal, .teletex]) func textSurvivesEveryForm(_ form: StringForm) {
        #expect(DistinguishedName.Attribute(.commonName, "Zoë", form: form).text == "Zoë")
    }

    @Test func replacingKeepsTheOrder() {
        let name = DistinguishedName([.init(.countryName, "UT"), .init(.organizationName, "O"), .init(.commonName, "N")])
        #expect(name.replacing(.organizationName, with: nil).description == "CN=N,C=UT")
        #expect(name.replacing(.countryName, with: .init(.countryName, "ZZ")).description == "CN=N,O=O,C=ZZ")
        #expect(name.replacing(.localityName, with: .init(.localityName, "L")).description == "L=L,CN=N,O=O,C=UT")
    }
}
