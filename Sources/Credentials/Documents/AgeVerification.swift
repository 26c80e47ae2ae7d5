extension DocumentDefinition {
    /// The EU proof of age attestation (eu.europa.ec.av.1): age statements and nothing else.
    public static let ageVerification = DocumentDefinition(
        docType: "eu.europa.ec.av.1", displayName: "Proof of age", shortName: "age-verification",
        nameSpaces: [
            NameSpaceDefinition(
                "eu.europa.ec.av.1", hasAgeStatements: true,
                [ElementDefinition("age_over_18", .boolean, "Age over 18", mandatory: true)])
        ])
}
