import Codec

extension ProfileRule {
    /// The subject's name, and the country and state that tie it to the root.
    static let nameRules: [ProfileRule] = [
        ProfileRule("country", "4.1.2.6", .only(iaca: .fail, ds: .fail, vical: .fail)) { subject in
            .require(subject.certificate.subject.attribute(.countryName) != nil, "no country in the subject")
        },
        ProfileRule("country-form", "4.1.2.6", .only(iaca: .fail, ds: .fail, vical: .fail)) { subject in
            guard let country = subject.certificate.subject.attribute(.countryName) else { return .notRun("no country") }
            let isAlpha2 = country.value.count == 2 && country.value.allSatisfy { 0x41...0x5A ~= $0 }
            guard isAlpha2 else { return .broken("country \"\(country.text ?? "?")\" is not two upper-case letters") }
            return .require(country.form == .printable, "country is a \(country.form.name), PrintableString needed")
        },
        ProfileRule("country-equal", nil, .only(ds: .fail, reader: .failIfIssuedByIACA)) { subject in
            subject.withIssuer { root in
                guard let own = subject.certificate.subject.country, let wanted = root.subject.country else {
                    return .notRun("one of the two has no country")
                }
                return .require(own == wanted, "country \(own) differs from that of the root, \(wanted)")
            }
        },
        ProfileRule("state-equal", nil, .only(ds: .fail, reader: .failIfIssuedByIACA)) { subject in
            subject.withIssuer { root in
                guard let wanted = root.subject.stateOrProvince else { return .notRun("the root has no state") }
                let own = subject.certificate.subject.stateOrProvince
                return .require(own == wanted, "state \(own ?? "(none)") differs from that of the root, \(wanted)")
            }
        },
        ProfileRule("common-name", "4.1.2.6", .only(iaca: .fail, ds: .fail, reader: .fail, vical: .fail)) { subject in
            .require(subject.certificate.subject.attribute(.commonName) != nil, "no common name in the subject")
        },
        ProfileRule("organization", "4.1.2.6", .only(vical: .fail)) { subject in
            .require(subject.certificate.subject.attribute(.organizationName) != nil, "no organization in the subject")
        },
        ProfileRule("string-form", "4.1.2.4", .only(iaca: .fail, link: .fail, ds: .fail)) { subject in
            for attribute in subject.certificate.subject.attributes where !attribute.hasAllowedForm {
                return .broken("attribute \(attribute.type) is a \(attribute.form.name)")
            }
            return .holds
        },
    ]
}

extension DistinguishedName.Attribute {
    /// Whether the string type is one that Annex B allows. The country has a rule of its own; domain components and e-mail
    /// addresses are IA5String by definition.
    fileprivate var hasAllowedForm: Bool {
        switch type {
        case .countryName: true
        case .nameSerialNumber: form == .printable
        case .domainComponent, .emailAddress: form == .ia5
        default: form == .printable || form == .utf8
        }
    }
}
