package import Codec
package import Ports

extension Specimen {
    /// The claims of a person identification data credential in SD-JWT VC form (EUDI PID rulebook, vct `urn:eudi:pid:1`).
    package func identificationClaims(issuer: SpecimenIssuer, at time: Timestamp) -> JSONObject {
        let age = age(at: time)
        var claims: JSONObject = [
            "family_name": .string(familyName), "given_name": .string(givenName), "birthdate": .string(birthDate),
            "place_of_birth": ["locality": .string(birthPlace), "country": .string(issuer.country)],
            "nationalities": [.string(issuer.country)], "sex": .integer(Int64(sex)),
            "address": [
                "street_address": .string(street), "house_number": .string(houseNumber), "postal_code": .string(postalCode),
                "locality": .string(city), "country": .string(issuer.country),
            ],
            "email": .string("\(name)@example.org"), "document_number": .string(documentNumber),
            "picture": .string("data:image/jpeg;base64,\(Base64.encode(portrait))"),
            "age_equal_or_over": .object(
                JSONObject([16, 18, 21, 65].map { (key: String($0), value: .bool(age >= $0)) })),
            "age_in_years": .integer(Int64(age)), "age_birth_year": .integer(Int64(birthDate.prefix(4)) ?? 0),
            "date_of_issuance": .string(String(time.rfc3339.prefix(10))),
            "date_of_expiry": .string(String(time.adding(days: 1825).rfc3339.prefix(10))),
            "issuing_authority": .string(issuer.authority), "issuing_country": .string(issuer.country),
        ]
        if let jurisdiction = issuer.jurisdiction { claims.append("issuing_jurisdiction", .string(jurisdiction)) }
        return claims
    }
}
