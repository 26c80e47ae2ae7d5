package import Codec

/// What the test issuer says of its types of SD-JWT VC (SD-JWT VC §6).
package enum SpecimenTypeMetadata {
    /// `{"vct", "name", "display", "claims": [{"path", "sd", "display"}]}`
    package static func document(of configuration: CredentialConfiguration) -> JSON {
        let claims = labels.map { path, label -> JSON in
            [
                "path": .array(path.map { .string($0) }), "sd": "allowed",
                "display": [["locale": "en", "label": .string(label)]],
            ]
        }
        return [
            "vct": .string(configuration.type), "name": .string(configuration.displayName() ?? configuration.id),
            "display": [["locale": "en", "name": .string(configuration.displayName() ?? configuration.id)]],
            "claims": .array(claims),
        ]
    }

    private static let labels: [(path: [String], label: String)] = [
        (["family_name"], "Family name"), (["given_name"], "Given name"), (["birthdate"], "Date of birth"),
        (["place_of_birth"], "Place of birth"), (["nationalities"], "Nationalities"), (["sex"], "Sex"), (["address"], "Address"),
        (["email"], "Email"), (["document_number"], "Document number"), (["picture"], "Picture"),
        (["age_equal_or_over"], "Age limits"), (["age_in_years"], "Age"), (["age_birth_year"], "Year of birth"),
        (["date_of_issuance"], "Issued on"), (["date_of_expiry"], "Valid until"), (["issuing_authority"], "Issued by"),
        (["issuing_country"], "Issuing country"), (["issuing_jurisdiction"], "Issuing jurisdiction"),
    ]
}
