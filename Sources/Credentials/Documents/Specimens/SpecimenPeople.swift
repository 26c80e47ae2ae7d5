extension Specimen {
    /// An adult with a car licence.
    package static let mira = Specimen(
        name: "mira", familyName: "Lindqvist", givenName: "Mira Sofia", birthDate: "1994-05-17", sex: 2,
        birthPlace: "Harbour City", street: "Lantern Lane", houseNumber: "12", postalCode: "10420", city: "Harbour City",
        height: 171, eyeColour: "green", hairColour: "brown", documentNumber: "UT-4471-9023",
        drivingCategories: [("AM", "2010-06-01"), ("B", "2013-02-11")], portraitBase64: miraPortrait)

    /// An adult with a lorry licence.
    package static let jonas = Specimen(
        name: "jonas", familyName: "Okafor", givenName: "Jonas Chidi", birthDate: "1987-11-02", sex: 1,
        birthPlace: "Millbrook", street: "Weaver Street", houseNumber: "3b", postalCode: "10557", city: "Millbrook", height: 184,
        eyeColour: "brown", hairColour: "black", documentNumber: "UT-2208-5516",
        drivingCategories: [("A", "2008-08-19"), ("B", "2006-03-30"), ("C", "2011-10-05")], portraitBase64: jonasPortrait)

    /// Under age for years to come.
    package static let aiko = Specimen(
        name: "aiko", familyName: "Brandt", givenName: "Aiko", birthDate: "2010-09-23", sex: 2, birthPlace: "Northgate",
        street: "Cherry Row", houseNumber: "48", postalCode: "10231", city: "Northgate", height: 158, eyeColour: "brown",
        hairColour: "black", documentNumber: "UT-9034-1187", drivingCategories: [("AM", "2026-10-01")],
        portraitBase64: aikoPortrait)

    /// Past 65.
    package static let tomasz = Specimen(
        name: "tomasz", familyName: "Rivera", givenName: "Tomasz Andrés", birthDate: "1957-01-30", sex: 1,
        birthPlace: "Saltmarsh", street: "Old Quay", houseNumber: "7", postalCode: "10998", city: "Saltmarsh", height: 176,
        eyeColour: "blue", hairColour: "grey", documentNumber: "UT-0316-7742",
        drivingCategories: [("B", "1976-05-14"), ("BE", "1981-09-01")], portraitBase64: tomaszPortrait)

    /// Of age for a short time; sex not applicable.
    package static let noor = Specimen(
        name: "noor", familyName: "van Dijk", givenName: "Noor", birthDate: "2006-07-08", sex: 9, birthPlace: "Eastfield",
        street: "Mill Road", houseNumber: "101", postalCode: "10664", city: "Eastfield", height: 168, eyeColour: "brown",
        hairColour: "brown", documentNumber: "UT-6620-3359", drivingCategories: [("B", "2024-09-16")],
        portraitBase64: noorPortrait)
}
