package import Codec
package import Ports

/// The authority in whose name specimen documents are made.
package struct SpecimenIssuer: Sendable, Hashable {
    /// Alpha-2, as in the signer's certificate.
    package let country: String
    /// Country subdivision, such as "UT-U", as in the signer's certificate; nil where it names none.
    package let jurisdiction: String?
    /// The name of the authority.
    package let authority: String

    /// From its parts.
    package init(country: String, jurisdiction: String? = nil, authority: String) {
        self.country = country
        self.jurisdiction = jurisdiction
        self.authority = authority
    }
}

extension Specimen {
    /// The claims of this person's document of a known type, as issued at `time`; nil for types without specimen.
    ///
    /// In the form of a claims file, so that specimens go the way that everyone's claims go.
    package func claims(for definition: DocumentDefinition, issuer: SpecimenIssuer, at time: Timestamp) -> JSON? {
        let facts = Facts(person: self, issuer: issuer, time: time)
        switch definition.docType {
        case DocumentDefinition.mobileDrivingLicence.docType: return facts.drivingLicence
        case DocumentDefinition.personIdentificationData.docType: return facts.identification
        case DocumentDefinition.photoID.docType: return facts.photoID
        case DocumentDefinition.ageVerification.docType: return facts.proofOfAge
        default: return nil
        }
    }
}

/// What the documents of one person say at one time.
private struct Facts {
    let person: Specimen
    let issuer: SpecimenIssuer
    let time: Timestamp

    private var issued: String { day(time.adding(days: -90)) }
    private var expires: String { day(time.adding(days: 3650)) }
    private var portrait: JSON { ["bytes": .string(Base64URL.encode(person.portrait))] }
    private var address: String { "\(person.street) \(person.houseNumber), \(person.postalCode) \(person.city)" }

    private func day(_ time: Timestamp) -> String { String(time.rfc3339.prefix(10)) }

    private func ages(_ thresholds: [Int]) -> [JSONObject.Member] {
        thresholds.map { (AgeStatement(age: $0).identifier, .bool(person.age(at: time) >= $0)) }
    }

    private var names: [JSONObject.Member] {
        [
            ("family_name", .string(person.familyName)), ("given_name", .string(person.givenName)),
            ("birth_date", .string(person.birthDate)),
        ]
    }

    private var issuing: [JSONObject.Member] {
        [("issuing_country", .string(issuer.country)), ("issuing_authority", .string(issuer.authority))]
    }

    private func jurisdiction(_ name: String = "issuing_jurisdiction") -> [JSONObject.Member] {
        issuer.jurisdiction.map { [(name, .string($0))] } ?? []
    }

    private var age: [JSONObject.Member] {
        [
            ("age_in_years", .integer(Int64(person.age(at: time)))),
            ("age_birth_year", .integer(Int64(person.birthDate.prefix(4)) ?? 0)),
        ]
    }

    private var residence: [JSONObject.Member] {
        [
            ("resident_address", .string(address)), ("resident_city", .string(person.city)),
            ("resident_postal_code", .string(person.postalCode)), ("resident_country", .string(issuer.country)),
        ]
    }

    var drivingLicence: JSON {
        let validity: [JSONObject.Member] = [("issue_date", .string(issued)), ("expiry_date", .string(expires))]
        let licence: [JSONObject.Member] = [
            ("document_number", .string(person.documentNumber)), ("portrait", portrait),
            ("driving_privileges", .array(person.drivingCategories.map(privilege))), ("un_distinguishing_sign", "UTO"),
        ]
        let body: [JSONObject.Member] = [
            ("sex", .integer(Int64(person.sex))), ("height", .integer(Int64(person.height))),
            ("eye_colour", .string(person.eyeColour)), ("hair_colour", .string(person.hairColour)),
            ("birth_place", .string(person.birthPlace)), ("nationality", .string(issuer.country)),
            ("portrait_capture_date", .string(day(time.adding(days: -120)) + "T09:30:00Z")),
        ]
        let members =
            names + validity + issuing + licence + body + residence + age + ages([16, 18, 21, 25, 60, 65]) + jurisdiction()
        return ["org.iso.18013.5.1": .object(JSONObject(members))]
    }

    private func privilege(_ category: (code: String, since: String)) -> JSON {
        ["vehicle_category_code": .string(category.code), "issue_date": .string(category.since), "expiry_date": .string(expires)]
    }

    var identification: JSON {
        let place: JSON = ["country": .string(issuer.country), "locality": .string(person.birthPlace)]
        let person: [JSONObject.Member] = [
            ("place_of_birth", place), ("nationality", [.string(issuer.country)]), ("portrait", portrait),
            ("sex", .integer(Int64(person.sex))), ("resident_street", .string(person.street)),
            ("resident_house_number", .string(person.houseNumber)), ("document_number", .string(person.documentNumber)),
            ("email_address", .string("\(person.name)@example.org")),
        ]
        let validity: [JSONObject.Member] = [("issuance_date", .string(issued)), ("expiry_date", .string(expires))]
        let members = names + person + validity + issuing + residence + age + ages([16, 18, 21, 65]) + jurisdiction()
        return ["eu.europa.ec.eudi.pid.1": .object(JSONObject(members))]
    }

    var photoID: JSON {
        let validity: [JSONObject.Member] = [("issue_date", .string(issued)), ("expiry_date", .string(expires))]
        let person: [JSONObject.Member] = [
            ("family_name", .string(person.familyName)), ("given_name", .string(person.givenName)),
            ("birth_date", ["birth_date": .string(person.birthDate)]), ("portrait", portrait),
            ("birthplace", .string(person.birthPlace)), ("sex", .integer(Int64(person.sex))),
            ("nationality", .string(issuer.country)), ("document_number", .string(person.documentNumber)),
        ]
        let members = person + validity + issuing + residence + age + ages([16, 18, 21, 65]) + jurisdiction("issuing_subdivision")
        return [
            "org.iso.23220.1": .object(JSONObject(members)),
            "org.iso.23220.photoid.1": ["person_id": .string("P-\(self.person.documentNumber)")],
        ]
    }

    var proofOfAge: JSON {
        ["eu.europa.ec.av.1": .object(JSONObject(ages([13, 15, 16, 18, 21, 23, 25, 27, 28, 40, 60, 65, 67])))]
    }
}
