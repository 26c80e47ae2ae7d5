extension DocumentDefinition {
    /// ISO/IEC 18013-5:2021 Table 5, and the name space of the AAMVA implementation guidelines.
    public static let mobileDrivingLicence = DocumentDefinition(
        docType: "org.iso.18013.5.1.mDL", displayName: "Driving licence", shortName: "mdl", nameSpaces: [mdl, aamva])

    private static let mdl = NameSpaceDefinition(
        "org.iso.18013.5.1", hasAgeStatements: true,
        [
            ElementDefinition("family_name", .text, "Family name", mandatory: true),
            ElementDefinition("given_name", .text, "Given names", mandatory: true),
            ElementDefinition("birth_date", .fullDate, "Date of birth", mandatory: true),
            ElementDefinition("issue_date", .date, "Date of issue", mandatory: true),
            ElementDefinition("expiry_date", .date, "Date of expiry", mandatory: true),
            ElementDefinition("issuing_country", .text, "Issuing country", mandatory: true),
            ElementDefinition("issuing_authority", .text, "Issuing authority", mandatory: true),
            ElementDefinition("document_number", .text, "Licence number", mandatory: true),
            ElementDefinition("portrait", .picture, "Portrait", mandatory: true),
            ElementDefinition("driving_privileges", .list(drivingPrivilege), "Driving privileges", mandatory: true),
            ElementDefinition("un_distinguishing_sign", .text, "UN distinguishing sign", mandatory: true),
            ElementDefinition("administrative_number", .text, "Administrative number"),
            ElementDefinition("sex", .unsigned, "Sex"),
            ElementDefinition("height", .unsigned, "Height (cm)"),
            ElementDefinition("weight", .unsigned, "Weight (kg)"),
            ElementDefinition("eye_colour", .text, "Eye colour"),
            ElementDefinition("hair_colour", .text, "Hair colour"),
            ElementDefinition("birth_place", .text, "Place of birth"),
            ElementDefinition("resident_address", .text, "Address"),
            ElementDefinition("portrait_capture_date", .tdate, "Portrait taken"),
            ElementDefinition("age_in_years", .unsigned, "Age in years"),
            ElementDefinition("age_birth_year", .unsigned, "Year of birth"),
            ElementDefinition("issuing_jurisdiction", .text, "Issuing jurisdiction"),
            ElementDefinition("nationality", .text, "Nationality"),
            ElementDefinition("resident_city", .text, "City"),
            ElementDefinition("resident_state", .text, "State or province"),
            ElementDefinition("resident_postal_code", .text, "Postal code"),
            ElementDefinition("resident_country", .text, "Country of residence"),
            ElementDefinition("biometric_template_face", .bytes, "Face template"),
            ElementDefinition("biometric_template_finger", .bytes, "Fingerprint template"),
            ElementDefinition("biometric_template_signature_sign", .bytes, "Signature template"),
            ElementDefinition("biometric_template_iris", .bytes, "Iris template"),
            ElementDefinition("family_name_national_character", .text, "Family name (national characters)"),
            ElementDefinition("given_name_national_character", .text, "Given names (national characters)"),
            ElementDefinition("signature_usual_mark", .picture, "Signature"),
        ])

    private static let drivingPrivilege = ElementType.record([
        .init("vehicle_category_code", .text), .init("issue_date", .fullDate), .init("expiry_date", .fullDate),
        .init("codes", .list(.record([.init("code", .text), .init("sign", .text), .init("value", .text)]))),
    ])

    private static let aamva = NameSpaceDefinition(
        "org.iso.18013.5.1.aamva",
        [
            ElementDefinition("aamva_version", .unsigned, "AAMVA version"),
            ElementDefinition("domestic_driving_privileges", .list(domesticPrivilege), "Domestic driving privileges"),
            ElementDefinition("name_suffix", .text, "Name suffix"),
            ElementDefinition("organ_donor", .unsigned, "Organ donor"),
            ElementDefinition("veteran", .unsigned, "Veteran"),
            ElementDefinition("family_name_truncation", .text, "Family name truncation"),
            ElementDefinition("given_name_truncation", .text, "Given name truncation"),
            ElementDefinition("aka_family_name", .text, "Other family name"),
            ElementDefinition("aka_given_name", .text, "Other given name"),
            ElementDefinition("aka_suffix", .text, "Other name suffix"),
            ElementDefinition("weight_range", .unsigned, "Weight range"),
            ElementDefinition("race_ethnicity", .text, "Race or ethnicity"),
            ElementDefinition("sex", .unsigned, "Sex"),
            ElementDefinition("DHS_compliance", .text, "REAL ID compliance"),
            ElementDefinition("DHS_compliance_text", .text, "REAL ID compliance text"),
            ElementDefinition("DHS_temporary_lawful_status", .unsigned, "Temporary lawful status"),
            ElementDefinition("EDL_credential", .unsigned, "Enhanced credential"),
            ElementDefinition("resident_county", .text, "County"),
            ElementDefinition("hazmat_endorsement_expiration_date", .fullDate, "Hazmat endorsement expires"),
            ElementDefinition("CDL_indicator", .unsigned, "Commercial licence"),
            ElementDefinition("CDL_non_domiciled", .unsigned, "Non-domiciled commercial licence"),
            ElementDefinition("audit_information", .text, "Audit information"),
        ])

    private static let domesticPrivilege = ElementType.record([
        .init(
            "domestic_vehicle_class",
            .record([
                .init("domestic_vehicle_class_code", .text), .init("domestic_vehicle_class_description", .text),
                .init("issue_date", .fullDate), .init("expiry_date", .fullDate),
            ]))
    ])
}
