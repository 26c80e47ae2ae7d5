extension DocumentDefinition {
    /// ISO/IEC 23220-4 Annex C.
    public static let photoID = DocumentDefinition(
        docType: "org.iso.23220.photoid.1", displayName: "Photo ID", shortName: "photo-id",
        nameSpaces: [iso23220, photoIDOnly, dataGroups])

    private static let iso23220 = NameSpaceDefinition(
        "org.iso.23220.1", hasAgeStatements: true,
        [
            ElementDefinition("family_name", .text, "Family name", mandatory: true),
            ElementDefinition("given_name", .text, "Given names", mandatory: true),
            ElementDefinition("birth_date", birthDate, "Date of birth", mandatory: true),
            ElementDefinition("portrait", .picture, "Portrait", mandatory: true),
            ElementDefinition("issue_date", .date, "Date of issue", mandatory: true),
            ElementDefinition("expiry_date", .date, "Date of expiry", mandatory: true),
            ElementDefinition("issuing_authority", .text, "Issuing authority", mandatory: true),
            ElementDefinition("issuing_country", .text, "Issuing country", mandatory: true),
            ElementDefinition("age_over_18", .boolean, "Age over 18", mandatory: true),
            ElementDefinition("age_in_years", .unsigned, "Age in years"),
            ElementDefinition("age_birth_year", .unsigned, "Year of birth"),
            ElementDefinition("family_name_viz", .text, "Family name (as printed)"),
            ElementDefinition("given_name_viz", .text, "Given names (as printed)"),
            ElementDefinition("family_name_latin1", .text, "Family name (Latin-1)"),
            ElementDefinition("given_name_latin1", .text, "Given names (Latin-1)"),
            ElementDefinition("name_at_birth", .text, "Name at birth"),
            ElementDefinition("birthplace", .text, "Place of birth"),
            ElementDefinition("portrait_capture_date", .date, "Portrait taken"),
            ElementDefinition("resident_address", .text, "Address"),
            ElementDefinition("resident_city", .text, "City"),
            ElementDefinition("resident_city_latin1", .text, "City (Latin-1)"),
            ElementDefinition("resident_postal_code", .text, "Postal code"),
            ElementDefinition("resident_country", .text, "Country of residence"),
            ElementDefinition("sex", .unsigned, "Sex"),
            ElementDefinition("nationality", .text, "Nationality"),
            ElementDefinition("document_number", .text, "Document number"),
            ElementDefinition("issuing_subdivision", .text, "Issuing subdivision"),
            ElementDefinition("issuing_authority_unicode", .text, "Issuing authority (earlier form)"),
        ])

    private static let birthDate = ElementType.choice([
        .record([.init("birth_date", .fullDate), .init("approximate_mask", .text)]), .fullDate,
    ])

    private static let photoIDOnly = NameSpaceDefinition(
        "org.iso.23220.photoid.1",
        [
            ElementDefinition("person_id", .text, "Person identifier"),
            ElementDefinition("birth_country", .text, "Country of birth"),
            ElementDefinition("birth_state", .text, "State of birth"),
            ElementDefinition("birth_city", .text, "City of birth"),
            ElementDefinition("administrative_number", .text, "Administrative number"),
            ElementDefinition("resident_street", .text, "Street"),
            ElementDefinition("resident_house_number", .text, "House number"),
            ElementDefinition("resident_state", .text, "State or province"),
            ElementDefinition("travel_document_type", .text, "Travel document type"),
            ElementDefinition("travel_document_number", .text, "Travel document number"),
            ElementDefinition("travel_document_mrz", .text, "Travel document MRZ"),
        ])

    private static let dataGroups = NameSpaceDefinition(
        "org.iso.23220.datagroups.1",
        [ElementDefinition("version", .text, "DTC version"), ElementDefinition("sod", .bytes, "Document security object")]
            + (1...16).map { ElementDefinition("dg\($0)", .bytes, "Data group \($0)") })
}
