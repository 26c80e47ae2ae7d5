extension DocumentDefinition {
    /// The EUDI person identification data (PID rulebook): the current attributes, and those of earlier versions that are still
    /// seen.
    public static let personIdentificationData = DocumentDefinition(
        docType: "eu.europa.ec.eudi.pid.1", displayName: "Person identification data", shortName: "pid", nameSpaces: [pid])

    private static let pid = NameSpaceDefinition(
        "eu.europa.ec.eudi.pid.1", hasAgeStatements: true,
        [
            ElementDefinition("family_name", .text, "Family name", mandatory: true),
            ElementDefinition("given_name", .text, "Given names", mandatory: true),
            ElementDefinition("birth_date", .fullDate, "Date of birth", mandatory: true),
            ElementDefinition("place_of_birth", birthPlace, "Place of birth", mandatory: true),
            ElementDefinition("nationality", .choice([.list(.text), .text]), "Nationality", mandatory: true),
            ElementDefinition("expiry_date", .date, "Date of expiry", mandatory: true),
            ElementDefinition("issuing_authority", .text, "Issuing authority", mandatory: true),
            ElementDefinition("issuing_country", .text, "Issuing country", mandatory: true),
            ElementDefinition("resident_address", .text, "Address"),
            ElementDefinition("resident_country", .text, "Country of residence"),
            ElementDefinition("resident_state", .text, "State or province"),
            ElementDefinition("resident_city", .text, "City"),
            ElementDefinition("resident_postal_code", .text, "Postal code"),
            ElementDefinition("resident_street", .text, "Street"),
            ElementDefinition("resident_house_number", .text, "House number"),
            ElementDefinition("personal_administrative_number", .text, "Personal administrative number"),
            ElementDefinition("portrait", .picture, "Portrait"),
            ElementDefinition("family_name_birth", .text, "Family name at birth"),
            ElementDefinition("given_name_birth", .text, "Given names at birth"),
            ElementDefinition("sex", .unsigned, "Sex"),
            ElementDefinition("email_address", .text, "E-mail address"),
            ElementDefinition("mobile_phone_number", .text, "Mobile phone"),
            ElementDefinition("document_number", .text, "Document number"),
            ElementDefinition("issuing_jurisdiction", .text, "Issuing jurisdiction"),
            ElementDefinition("location_status", .text, "Location of status information"),
            ElementDefinition("issuance_date", .date, "Date of issue"),
            ElementDefinition("trust_anchor", .text, "Trust anchor"),
            ElementDefinition("attestation_legal_category", .text, "Legal category"),
            ElementDefinition("age_in_years", .unsigned, "Age in years"),
            ElementDefinition("age_birth_year", .unsigned, "Year of birth"),
            ElementDefinition("birth_place", .text, "Place of birth (earlier form)"),
            ElementDefinition("birth_country", .text, "Country of birth"),
            ElementDefinition("birth_state", .text, "State of birth"),
            ElementDefinition("birth_city", .text, "City of birth"),
        ])

    private static let birthPlace = ElementType.record([
        .init("country", .text), .init("region", .text), .init("locality", .text),
    ])
}
